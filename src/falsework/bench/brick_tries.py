"""Brick models that were planned: what came of it, and what the brick world made of the plan.

A journal keeps what was done, one line per model and number of hands, so that a run of hours can be interrupted and
continued.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path

from falsework.bench.brick_models import Model
from falsework.bench.brick_presses import Pressed, presses
from falsework.bench.kept import Kept
from falsework.planning.verification.verify import verify


@dataclass(frozen=True, slots=True)
class Tried:
    """One model, by so many hands."""

    model: str
    hands: int
    outcome: str  # plan (verified), invalid (not verified), proof, open; falls, where it does not stand
    bricks: int
    evaluations: int
    planning_s: float
    verifying_s: float = 0.0
    building_s: float = 0.0
    presses: tuple[Pressed, ...] = ()

    @property
    def is_settled(self) -> bool:
        return self.outcome in ("plan", "proof")

    @property
    def is_built(self) -> bool:
        """Every brick went in and broke nothing, supported as the plan has it."""
        return self.outcome == "plan" and all(press.world for press in self.presses if press.planned)


def attempt(model: Model, hands: int, timeout_s: float) -> Tried:
    """Plan it, verify the plan, and build it in the brick world."""
    bricks = len(model.assembly.parts)
    if not model.stands:
        return Tried(model.name, hands, "falls", bricks, 0, 0.0)
    done = model.planned(hands, timeout_s)
    if done.status != "complete":
        outcome = "proof" if done.status == "infeasible" else "open"
        return Tried(model.name, hands, outcome, bricks, done.evaluations, done.wall_s)
    start = time.perf_counter()
    outcome = "plan" if verify(done.plan, model.assembly).valid else "invalid"
    verified = time.perf_counter()
    found = tuple(presses(done.plan, model.assembly, model.joints))
    spent = verified - start, time.perf_counter() - verified
    return Tried(model.name, hands, outcome, bricks, done.evaluations, done.wall_s, *spent, found)


class Journal:
    """Tries by model and hands; those of an earlier run are read from its file, new ones are added to it."""

    def __init__(self, file: Path | None = None) -> None:
        self._kept = Kept(file)
        self._known: dict[tuple[str, int], Tried] = {}
        for entry in self._kept.before:
            entry["presses"] = tuple(Pressed(**press) for press in entry["presses"])
            self._known[entry["model"], entry["hands"]] = Tried(**entry)

    def attempt(self, model: Model, hands: int, timeout_s: float) -> Tried:
        """As `attempt`, unless it was done before."""
        key = model.name, hands
        if key not in self._known:
            self._known[key] = attempt(model, hands, timeout_s)
            self._kept.add(asdict(self._known[key]))
        return self._known[key]
