"""Random problems with arms, one after the other: a motion that must be accepted, and a fault that must be refused.

What came of each is a line of a journal, if there is one, and is not asked again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from falsework.bench.kept import Kept
from falsework.bench.motions.faults import FAULTS, spoiled
from falsework.bench.motions.problems import random_problem
from falsework.model.assembly import Assembly
from falsework.model.robots.motion import Motion
from falsework.robots.verification.verify_motion import verify_motion


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of the problem of one seed; `why` says what is wrong with it, or what stopped the planner.

    >>> Tried(3, True, True, "payload", True).right
    True
    """

    seed: int
    moved: bool  # a motion was found
    accepted: bool = False
    fault: str = ""  # planted in it; none where no fault fits
    refused: bool = False  # by its name
    why: str = ""
    cpu_s: float = 0.0

    @property
    def right(self) -> bool:
        """Nothing that was found is wrong."""
        return not self.moved or (self.accepted and (self.refused or not self.fault))


def tried(seed: int) -> Tried:
    """Plan the problem of a seed, judge its motion, and judge it with a fault."""
    start, rng = time.process_time(), np.random.default_rng(seed)
    problem = random_problem(rng)
    motion, why = problem.asked(rng)
    if motion is None:
        return Tried(seed, moved=False, why=why, cpu_s=time.process_time() - start)
    complaints = verify_motion(motion, problem.assembly).complaints
    why = "; ".join(f"{one.kind}: {one.why}" for one in complaints[:3])
    fault, bad = _spoiled(seed, motion, problem.assembly)
    kinds: set[str] = set()
    if bad is not None:
        kinds = {one.kind for one in verify_motion(bad, problem.assembly).complaints}
    refused = bool(fault) and bool(kinds & set(FAULTS[fault][1]))
    if fault and not refused:
        why = f"{why}; {fault} was told as {sorted(kinds) or 'nothing'}".removeprefix("; ")
    return Tried(seed, True, not complaints, fault, refused, why, time.process_time() - start)


def _spoiled(seed: int, motion: Motion, assembly: Assembly) -> tuple[str, Motion | None]:
    """The motion with the first fault, from that of its turn on, that it can have."""
    names = list(FAULTS)
    for k in range(len(names)):
        name = names[(seed + k) % len(names)]
        bad = spoiled(motion, assembly, name, np.random.default_rng(seed))
        if bad is not None:
            return name, bad
    return "", None


def tries(count: int, most: int, journal: Path | None = None) -> Iterator[Tried]:
    """Seeds from 0 on until motions were found for so many, or so many were tried."""
    kept = Kept(journal)
    known = {one["seed"]: Tried(**one) for one in kept.before}
    for seed in range(most):
        if not count:
            return
        found = known.get(seed)
        if found is None:
            found = tried(seed)
            kept.add(asdict(found))
        count -= found.moved
        yield found
