"""Tasks of the benchmark that are built, by whom, and a journal of what came of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from falsework.batch.pools.processes import Processes
from falsework.bench.kept import Kept
from falsework.execution.baselines.instructors import FileOrder
from falsework.execution.baselines.open_loop import OpenLoop
from falsework.execution.baselines.running import Baseline, run_baseline
from falsework.execution.building import building_task, usual_settings
from falsework.execution.control.settings import ABLATIONS, ControlSettings
from falsework.execution.running import run_task
from falsework.execution.tiers.disruptions import drawn
from falsework.execution.tiers.models import model
from falsework.execution.tiers.settings import load_tiers
from falsework.execution.tiers.tasks import BuildTask, build_task
from falsework.formats.basics.text import STANDARD_INPUT
from falsework.model.errors import BadInput, one_line

OURS, BASELINE = "ours", "file order, open loop, no checks"
COLUMNS = (OURS, BASELINE)
STAND_IN = Baseline(FileOrder(), OpenLoop)
ABLATED = {f"without {name}": ControlSettings().without(name) for name in ABLATIONS}
STUDS = "stud colliders"  # ours, among bricks that nothing but contact and friction holds
DISRUPTED = ControlSettings(limit_s=400.0)  # waiting for a brick, and building anew, take their time
AT_A_TIME = 2


@dataclass(frozen=True, slots=True)
class Wanted:
    """One task for one column; with a disruption, or another window in mm within which bricks snap in, where told.

    `tier` 0 is a model of its own, by name, in a cell of its own; its number is a seed.

    >>> Wanted(OURS, 2, 7).number
    7
    """

    column: str
    tier: int
    number: int
    seed: int = 0
    settings: str = ""  # a file of what tasks are drawn from, the usual one unless told,
    digest: str = ""  # and of what it said
    disruption: str = ""
    window_mm: float | None = None
    model: str = ""
    cell: str = "panda"

    def task(self) -> BuildTask:
        """What is to be built."""
        if self.model:
            return building_task(model(self.model), self.cell, self.seed + self.number)
        told = load_tiers(Path(self.settings)) if self.settings else None
        if told is not None and drawn_from(Path(self.settings))[1] != self.digest:
            raise BadInput(f"{self.settings}: changed while tasks were drawn from it")
        return build_task(self.tier, self.number, self.seed, settings=told)

    @property
    def usual_settings(self) -> ControlSettings:
        """200 s for a task of a tier, more for a model of many bricks."""
        return usual_settings(model(self.model)) if self.model else ControlSettings()


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of it; `classes` are of the failures, the first first, `lost` says why nothing came of it."""

    wanted: Wanted
    success: bool
    accuracy: float
    violations: float
    planning_s: float
    manipulation_s: float
    classes: tuple[str, ...]
    cpu_s: float = 0.0
    lost: str = ""
    collisions: int = 0  # that the referee saw
    untold: int = 0  # of those, what the controller's log does not tell
    rightly: bool = True  # finished, or refused with a reason where nobody could have finished it
    thought_wall_s: float = 0.0  # by this machine's clock: looking, planning, finding ways

    @property
    def as_seed_counts_s(self) -> float:
        """The cell's time in which things moved, and this machine's in which they were looked at and planned.

        The cell's own clock is told a setting for the latter, so that logs do not differ; the greater one counts.

        >>> Tried(Wanted(OURS, 1, 0), True, 1.0, 0.0, 2.0, 10.0, (), thought_wall_s=3.5).as_seed_counts_s
        13.5
        """
        return self.manipulation_s + max(self.planning_s, self.thought_wall_s)


def drawn_from(settings: Path | None) -> tuple[str, str]:
    """A file of settings as `Wanted` names it; BadFile where it cannot be drawn from."""
    if settings is None:
        return "", ""
    if settings == STANDARD_INPUT:
        raise BadInput("--settings -: is read for every task; expected a file")
    load_tiers(settings)
    return str(settings.resolve()), sha256(settings.read_bytes()).hexdigest()[:12]


def attempt(wanted: Wanted) -> dict[str, Any]:
    """Build it, here and now."""
    try:
        task = wanted.task()
    except BadInput as why:
        return {"none": one_line(why)}
    window = None if wanted.window_mm is None else 1e-3 * wanted.window_mm
    if wanted.column == BASELINE:
        return run_baseline(task, STAND_IN, window_m=window).as_dict()
    settings = ABLATED.get(wanted.column, wanted.usual_settings)
    if not wanted.disruption:
        return run_task(task, settings, window_m=window, by_studs=wanted.column == STUDS).as_dict()
    disruption = drawn(wanted.disruption, task)
    answer = run_task(task, DISRUPTED, disruption=disruption).as_dict()
    refused = disruption.may_be_refused and not answer["believed"] and bool(answer["failures"])
    return {**answer, "rightly": answer["success"] or refused}


class Tries:
    """Tries by what was wanted; those of an earlier run are read from its file, new ones are added to it."""

    def __init__(self, file: Path | None = None) -> None:
        self._kept = Kept(file)
        self._known: dict[Wanted, Tried] = {}
        for entry in self._kept.before:
            wanted = Wanted(**entry.pop("wanted"))
            self._known[wanted] = Tried(wanted, **{**entry, "classes": tuple(entry["classes"])})

    def of(self, asked: Sequence[Wanted]) -> list[Tried]:
        """All that are asked for; what was not done before is done, two at a time."""
        fresh = [one for one in asked if one not in self._known]
        for outcome in Processes(AT_A_TIME).outcomes(attempt, fresh) if fresh else ():
            if outcome.value is not None and "none" in outcome.value:
                raise BadInput(f"there is no such task: {outcome.value['none']}")
            tried = _tried(fresh[outcome.number], outcome.value, outcome.cpu_s, outcome.lost)
            self._known[tried.wanted] = tried
            self._kept.add(asdict(tried))
        return [self._known[one] for one in asked]


def _tried(wanted: Wanted, answer: dict[str, Any] | None, cpu_s: float, lost: str) -> Tried:
    if answer is None:
        return Tried(wanted, False, 0.0, 0.0, 0.0, 0.0, ("crash",), cpu_s, lost, rightly=False)
    figures = {name: answer[name] for name in ("success", "accuracy", "violations", "planning_s", "manipulation_s")}
    classes = tuple(one["class"] for one in answer["failures"])
    if not classes and not answer["success"]:
        classes = ("late",) if not answer["believed"] else ("unnoticed",)
    struck = answer["collisions"]
    return Tried(
        wanted,
        **figures,
        classes=classes,
        cpu_s=cpu_s,
        collisions=len(struck),
        untold=sum(not one["reported"] for one in struck),
        rightly=answer.get("rightly", answer["success"]),
        thought_wall_s=answer["thought_wall_s"],
    )


def first_classes(tried: Iterable[Tried]) -> list[str]:
    """Of tasks that failed, the class of the first check that was violated."""
    return [one.classes[0] for one in tried if not one.success]
