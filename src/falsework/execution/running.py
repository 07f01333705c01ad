"""One build in a simulated cell, from the first look to the referee's figures, with all that is kept of it.

With a folder, `build.jsonl` is the log, and `world.fwz` what the world was when the last brick was in its place: who is
killed goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from falsework.brickworld.settings import JoinRules, Settings
from falsework.execution.control.builder import Builder, Built
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.sight import Eyes
from falsework.execution.controls import Controls
from falsework.execution.disrupting import DisruptedCell
from falsework.execution.eyes import BrickEyes
from falsework.execution.guarding import GuardedCell
from falsework.execution.journal import FORMAT, Journal, read_journal
from falsework.execution.referee.scores import Scores, scored
from falsework.execution.simulated import SimulatedCell, bodies_of, instant_of, truth_of
from falsework.execution.tiers.chances import Chances
from falsework.execution.tiers.disruptions import Disruption
from falsework.execution.tiers.tasks import BuildTask
from falsework.execution.watching import Pace, WatchedEyes, Watcher
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
    scores: Scores
    log: str | None = None

    @property
    def is_late(self) -> bool:
        """Whether time ran out rather than ideas."""
        return not self.scores.success and self.built.late

    def as_dict(self) -> dict[str, Any]:
        """As `falsework build --json` prints it."""
        return {
            "success": self.scores.success,
            "accuracy": self.scores.accuracy,
            "violations": self.scores.violations,
            "planning_s": round(self.built.planning_s, 3),
            "manipulation_s": round(self.built.manipulation_s, 3),
            "seconds": round(self.built.seconds, 3),
            "bricks": self.scores.bricks,
            "in_place": self.scores.in_place,
            "missing": list(self.scores.missing),
            "believed": self.built.complete,
            "failures": [
                {"brick": one.brick, "state": one.state, "class": one.kind, "why": one.words}
                for one in self.built.failures
            ],
            "log": self.log,
        }


def run_task(
    task: BuildTask,
    settings: ControlSettings | None = None,
    *,
    chances: Chances | None = None,
    window_m: float | None = None,
    out: Path | None = None,
    resume: bool = False,
    disruption: Disruption | None = None,
    progress: Callable[[int, int], None] | None = None,
    safety: Safety | None = None,
    controls: Controls | None = None,
    watcher: Watcher | None = None,
) -> BuildDone:
    """Build a task's product. `window_m` is how far off a brick may be and still snap in (Duplo's 4 mm unless told).

    `disruption`: what goes wrong meanwhile; the controller is told nothing of it. `safety` are limits (the cell's own
    unless told), `controls` pause and stop it from elsewhere, a `watcher` is shown everything.
    """
    chances = chances or Chances.of(task)
    join = JoinRules() if window_m is None else chances.window(window_m, task.product)
    simulated = _cell(task, disruption, chances, chances.world(join))
    journal = Journal() if out is None else _journal(out, resume, simulated)
    eyes: Eyes = BrickEyes(task.cell, task.product)
    if watcher is not None:
        eyes = _watched(watcher, simulated, eyes, journal)
    guarded = GuardedCell(simulated, safety, controls)
    builder = Builder(guarded, eyes, task.product, settings, journal)
    total = len(task.product.parts)

    def keep() -> None:
        if out is not None:
            simulated.keep(out / WORLD)
        if progress is not None:
            progress(len(builder.placing.belief.placed), total)

    builder.after_brick = keep
    if not journal.lines:
        builder.tell("begin", format=FORMAT, cell=task.cell.name, bricks=total)
    built = builder.build(_told_placed(journal))
    log = None if out is None else str(out / LOG)
    return BuildDone(built, scored(task.product, truth_of(simulated, task.cell)), log)


def _watched(watcher: Watcher, simulated: SimulatedCell, eyes: Eyes, journal: Journal) -> Eyes:
    """Show a watcher what is and what happens; eyes that tell it what they see."""
    watcher.begins(simulated.cell, bodies_of(simulated), instant_of(simulated))
    simulated.meanwhile.append(Pace(watcher, lambda: instant_of(simulated), lambda: simulated.time_s))
    journal.listeners.append(watcher.told)
    for line in journal.lines:
        watcher.told(line)
    return WatchedEyes(eyes, watcher, lambda: simulated.time_s)


def _cell(task: BuildTask, disruption: Disruption | None, chances: Chances, settings: Settings) -> SimulatedCell:
    told = {
        "settings": settings,
        "noise": chances.noise,
        "light": chances.light,
        "friction": chances.friction,
        "seed": chances.seed,
    }
    if disruption is not None:
        return DisruptedCell(task, disruption, **told)
    return SimulatedCell(task.cell, task.product, task.loose, **told)  # type: ignore[arg-type]


def _journal(out: Path, resume: bool, simulated: SimulatedCell) -> Journal:
    """A fresh log, or that of a build that goes on: up to where the world was kept."""
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
    time_s = simulated.bring_back(out / WORLD) if (out / WORLD).exists() else 0.0
    kept = [line for line in lines if line["t"] <= time_s + 1e-9 and line["event"] != "end"]
    return Journal(path, kept or lines[:1])


def _told_placed(journal: Journal) -> frozenset[str]:
    """Bricks that were in their place when the log was cut, as far as it tells."""
    return frozenset(str(line["brick"]) for line in journal.of("placed"))
