"""One build in a simulated cell, from the first look to the referee's figures, with all that is kept of it.

With a folder, `build.jsonl` is the log, and `world.fwz` what the world was when the last brick was in its place: who is
killed goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from falsework.brickworld.settings import JoinRules
from falsework.execution.control.builder import Builder, Built
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.sight import Eyes
from falsework.execution.controls import Controls
from falsework.execution.disrupting import DisruptedCell
from falsework.execution.eyes import BrickEyes
from falsework.execution.facade import Facade
from falsework.execution.guarding import GuardedCell
from falsework.execution.journal import FORMAT, Journal, read_journal
from falsework.execution.referee.collisions import judged
from falsework.execution.referee.scores import Scores, scored
from falsework.execution.simulated import SimulatedCell, bodies_of, instant_of, strikes_of, truth_of
from falsework.execution.tiers.chances import Chances
from falsework.execution.tiers.disruptions import Disruption
from falsework.execution.tiers.tasks import BuildTask
from falsework.execution.watching import Instant, Pace, WatchedEyes, Watcher
from falsework.model.assembly import Assembly
from falsework.model.errors import BadFile, BadInput, shown
from falsework.model.robots.safety import Safety

LOG, WORLD = "build.jsonl", "world.fwz"
STOPPED = ("stopped", "camera", "stalled")  # failures after which nothing moves any more


@dataclass(frozen=True, slots=True)
class BuildDone:
    """What the controller believes, what the referee saw, and where the log is.

    >>> whole = Scores(True, 1.0, 0.0, 3, 3, ())
    >>> BuildDone(Built(True, ("a", "b", "c"), (), 60.0, 2.0, 58.0), whole).as_dict()["success"]
    True
    """

    built: Built
    scores: Scores | None  # None where no referee knows the truth, as with a real robot
    log: str | None = None
    bricks: tuple[str, ...] = ()  # of the product, by name
    collisions: tuple[dict[str, Any], ...] = ()  # that the referee saw, and whether the log tells of them
    thought_s: float = 0.0  # wall time of looking, planning and finding ways on this machine, told to no clock

    @property
    def success(self) -> bool:
        """As the referee sees it; without one, as the cameras do."""
        return self.built.complete if self.scores is None else self.scores.success

    @property
    def is_late(self) -> bool:
        """Whether time ran out rather than ideas."""
        return not self.success and self.built.late

    def as_dict(self) -> dict[str, Any]:
        """As `falsework build --json` prints it."""
        return {
            "success": self.success,
            "accuracy": None if self.scores is None else self.scores.accuracy,
            "violations": None if self.scores is None else self.scores.violations,
            "planning_s": round(self.built.planning_s, 3),
            "manipulation_s": round(self.built.manipulation_s, 3),
            "seconds": round(self.built.seconds, 3),
            "thought_wall_s": round(self.thought_s, 3),
            **self._counts(),
            "collisions": list(self.collisions),
            "refereed": self.scores is not None,
            "believed": self.built.complete,
            "failures": [
                {"brick": one.brick, "state": one.state, "class": one.kind, "why": one.words}
                for one in self.built.failures
            ],
            "log": self.log,
        }

    def _counts(self) -> dict[str, Any]:
        if self.scores is not None:
            seen = self.scores
            return {"bricks": seen.bricks, "in_place": seen.in_place, "missing": list(seen.missing)}
        missing = [name for name in self.bricks if name not in self.built.placed]
        return {"bricks": len(self.bricks), "in_place": len(self.built.placed), "missing": missing}


def run_task(
    task: BuildTask,
    settings: ControlSettings | None = None,
    *,
    chances: Chances | None = None,
    window_m: float | None = None,
    out: Path | None = None,
    resume: bool = False,
    disruption: Disruption | None = None,
    by_studs: bool = False,
    progress: Callable[[int, int], None] | None = None,
    safety: Safety | None = None,
    controls: Controls | None = None,
    watcher: Watcher | None = None,
) -> BuildDone:
    """Build a task's product. `window_m` is how far off a brick may be and still snap in (Duplo's 4 mm unless told).

    `disruption`: what goes wrong meanwhile; the controller is told nothing of it, nor of bricks that hold `by_studs`,
    by friction of colliding studs and walls, rather than by clutches. `safety` are limits (the cell's own unless told),
    `controls` pause and stop it from elsewhere, a `watcher` is shown everything.
    """
    simulated = simulated_cell(task, chances, window_m, disruption, by_studs)
    journal = Journal() if out is None else journal_in(out, resume, simulated)
    eyes: Eyes = BrickEyes(task.cell, task.product)
    if watcher is not None:
        eyes, pace = watched(watcher, simulated, bodies_of(simulated), lambda: instant_of(simulated), eyes, journal)
        simulated.meanwhile.append(pace)
    keep = None if out is None else partial(simulated.keep, out / WORLD)
    guarded = GuardedCell(simulated, safety, controls)
    built = carried_out(task, guarded, eyes, journal, settings, progress, keep)
    scores = scored(task.product, truth_of(simulated, task.cell))
    collisions = judged(strikes_of(simulated), journal.lines)
    return BuildDone(built, scores, logged(out), task.product.names, collisions, guarded.thought_s)


def carried_out(
    task: BuildTask,
    cell: Facade,
    eyes: Eyes,
    journal: Journal,
    settings: ControlSettings | None = None,
    progress: Callable[[int, int], None] | None = None,
    keep: Callable[[], None] | None = None,
) -> Built:
    """A task's product built in a cell, whoever's it is; `keep` is called whenever a brick is in its place."""
    builder = Builder(cell, eyes, task.product, settings, journal)
    total = len(task.product.parts)

    def after_brick() -> None:
        if keep is not None:
            keep()
        if progress is not None:
            progress(len(builder.placing.belief.placed), total)

    builder.after_brick = after_brick
    if not journal.lines:
        builder.tell("begin", format=FORMAT, cell=task.cell.name, bricks=total)
    return builder.build(told_placed(journal))


def watched(
    watcher: Watcher, cell: Facade, bodies: Assembly, instant: Callable[[], Instant], eyes: Eyes, journal: Journal
) -> tuple[Eyes, Pace]:
    """Show a watcher what there is and what happens: eyes that tell it what they see, and who shows it instants."""
    watcher.begins(cell.cell, bodies, instant())
    journal.listeners.append(watcher.told)
    for line in journal.lines:
        watcher.told(line)

    def clock() -> float:
        return cell.time_s

    return WatchedEyes(eyes, watcher, clock), Pace(watcher, instant, clock)


def logged(out: Path | None) -> str | None:
    """Where the log is."""
    return None if out is None else str(out / LOG)


def simulated_cell(
    task: BuildTask,
    chances: Chances | None = None,
    window_m: float | None = None,
    disruption: Disruption | None = None,
    by_studs: bool = False,
) -> SimulatedCell:
    """The cell of a task, as chance has it."""
    chances = chances or Chances.of(task)
    join = JoinRules() if window_m is None else chances.window(window_m, task.product)
    settings = chances.world(join)
    told = {
        "settings": settings.by_studs() if by_studs else settings,
        "noise": chances.noise,
        "light": chances.light,
        "friction": chances.friction,
        "seed": chances.seed,
    }
    if disruption is not None:
        return DisruptedCell(task, disruption, **told)
    return SimulatedCell(task.cell, task.product, task.loose, **told)  # type: ignore[arg-type]


def journal_in(out: Path, resume: bool, simulated: SimulatedCell | None = None) -> Journal:
    """A fresh log in a folder, or that of a build that goes on: up to where the world was kept, if one is simulated."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as why:
        raise BadFile(out, "", f"cannot be written: {why.strerror or why}") from why
    path = out / LOG
    if not resume or not path.exists():
        (out / WORLD).unlink(missing_ok=True)
        return Journal(path)
    lines = read_journal(path).lines
    if not lines or lines[0].get("format") != FORMAT:
        raise BadInput(f"{shown(str(path))}: expected a log of {FORMAT} to go on from; build without --resume")
    if simulated is None:
        return Journal(path, [line for line in lines if line["event"] != "end"])
    time_s = simulated.bring_back(out / WORLD) if (out / WORLD).exists() else 0.0
    kept = [line for line in lines if line["t"] <= time_s + 1e-9 and line["event"] != "end"]
    return Journal(path, kept or lines[:1])


def told_placed(journal: Journal) -> frozenset[str]:
    """Bricks that were in their place when the log was cut, as far as it tells."""
    return frozenset(str(line["brick"]) for line in journal.of("placed"))
