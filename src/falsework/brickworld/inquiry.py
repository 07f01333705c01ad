"""One question about a group's loads, worked at for as long as a frame allows and gone on with in the next.

A proof that clutches hold or that they do not can take many times a frame. So the work comes in pieces, each with what
it will cost before it is done, and whoever asks stops where a frame's budget is spent. Costs are counted, not measured:
the same question takes the same pieces on every machine, in every run.

The pieces, from cheap to dear: clusters around the joints that the screen asks most of, for a proof of overload
(`reduction`); regions around all it asks too much of, for a proof of holding (`local`); the whole by Newton's method,
and clusters where that yields; the exact limit of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from falsework.brickworld.cuts import slip_speeds
from falsework.brickworld.local import FULL, PIECE_MS, Region, is_small, neighbourhood
from falsework.brickworld.reduction import (
    AT_ONCE,
    BUILD_MS,
    ROOM,
    Contraction,
    Problem,
    QuickMotion,
    contraction_ms,
    joined_labels,
    loose_labels,
    opens_true_cones,
    tight_labels,
)
from falsework.model.arrays import Array, Bools, Ints
from falsework.statics.clutches.search import ClutchSearch, rest_ms, step_ms
from falsework.statics.clutches.solver import ClutchSolver

Outcome = Literal["holds", "overloaded", "undecided"]
SLIPPING = (0.1, 1e-3)  # of the fastest slip: what slips less is taken to move as one
LOOKS = (8, 16)  # of Newton's steps, after which clusters are looked for where joints yield
REGIONS = (2, 5)  # rings
SMALL = 150  # bricks: up to here the whole is as quick as a region
REGION_MS = 0.03  # a brick: what setting up a region costs


class Budget:
    """What a frame may still spend, ms as counted."""

    def __init__(self, ms: float, *, at_least_one: bool = False) -> None:
        """`at_least_one` piece of work is allowed, whatever it costs: so everything comes to an end."""
        self.left, self.spent, self._at_least_one = ms, 0.0, at_least_one

    def allows(self, ms: float) -> bool:
        return ms <= self.left or (self._at_least_one and self.spent == 0.0)

    def spend(self, ms: float) -> None:
        self.left -= ms
        self.spent += ms


class Inquiry:
    """Whether the clutches of a group carry loads (n, 6)."""

    def __init__(self, problem: Problem, solver: ClutchSolver, loads: Array, *, is_new: bool = False) -> None:
        """The screen is asked at once; where the group `is_new` it must be prepared, which is a piece of work."""
        self.loads, self.is_new = loads, is_new
        self.is_screened, self.worst = False, 0.0  # the most that the screen asks of a joint, once it was asked
        self.outcome: Outcome | None = None
        self.motion: QuickMotion | None = None  # that proves an overload
        self.pieces = -1  # of work that were done
        self._problem, self._solver = problem, solver
        self._is_large, self._next_ms = False, 0.0
        self._work = self._pieces()
        self.go_on()  # to what the first piece costs

    def work(self, budget: Budget, *, briefly: bool = False) -> Outcome | None:
        """Go on while the budget lasts; `briefly`: not with the whole."""
        while self.outcome is None and budget.allows(self._next_ms) and not (briefly and self._is_large):
            budget.spend(self._next_ms)
            self.go_on()
        return self.outcome

    def go_on(self) -> None:
        """One piece of work."""
        self.pieces += 1
        try:
            self._next_ms = next(self._work)
        except StopIteration:
            self.outcome = self.outcome or "undecided"

    def _pieces(self) -> Iterator[float]:
        """All the work there is; before each piece what it costs."""
        problem = self._problem
        for part, cost in enumerate(self._solver.parts.costs_ms if self.is_new else ()):
            yield cost if part else cost + rest_ms(self._solver)  # for the matrix
            if self._solver.for_screen.done == part:  # another question may have come farther
                self._solver.for_screen.go_on()
        self.is_screened = True
        self._forces, uses = self._solver.screened(self.loads)
        self.worst = float(uses.max(initial=0.0))
        if self.worst <= 1.0:  # and every brick of a group hangs on a clutch
            self.outcome = "holds"
            return
        tight = uses > ROOM * self.worst
        yield from self._clusters(tight_labels(problem, uses), loose_labels(problem, neighbourhood(problem, tight, 0)))
        for near, far in zip((1, 2), REGIONS, strict=True) if len(problem.coms) > SMALL else ():
            yield from self._region(neighbourhood(problem, uses > FULL, far))
            yield from self._clusters(loose_labels(problem, neighbourhood(problem, tight, near)))
        if self.outcome is not None:
            return
        self._is_large = True
        search = ClutchSearch(self._solver, self.loads)
        yield from self._newton(search)
        yield from self._limit(search)

    def _clusters(self, *labels: Ints) -> Iterator[float]:
        for label in labels:
            cost = contraction_ms(self._problem, label)
            if not cost or self.outcome is not None:
                continue
            yield cost
            asked = Contraction(self._problem, label, self.loads)
            asked.go_on()
            while asked.open:
                yield AT_ONCE * asked.step_ms
                asked.go_on()
            self.motion = asked.motion()
            self.outcome = None if self.motion is None else "overloaded"

    def _region(self, inside: Bools) -> Iterator[float]:
        if not is_small(inside) or self.outcome is not None:
            return
        yield BUILD_MS + REGION_MS * int(inside.sum())
        region = Region(self._problem, self._forces, inside, self.loads)
        yield from region.pieces()
        self.outcome = "holds" if region.holds else None

    def _newton(self, search: ClutchSearch) -> Iterator[float]:
        """Forces for the whole; and clusters where it yields most."""
        at_once, looks = max(1, int(PIECE_MS / step_ms(self._solver))), list(LOOKS)
        while search.open and self.outcome is None:
            yield from search.relaxing(at_once)
            if search.status == "stable":
                self.outcome = "holds"
            elif looks and search.steps >= looks[0]:
                looks.pop(0)
                slips = search.slips()
                around = neighbourhood(self._problem, slips > ROOM * float(slips.max(initial=0.0)), 1)
                yield from self._clusters(tight_labels(self._problem, slips), loose_labels(self._problem, around))

    def _limit(self, search: ClutchSearch) -> Iterator[float]:
        """The exact limit of the whole. Its motion says which clusters move; the proof is theirs."""
        at_once = max(1, int(PIECE_MS / step_ms(self._solver)))
        while search.limit_open and self.outcome is None:
            yield from search.limiting(at_once)
        if search.status == "stable":
            self.outcome = "holds"
        elif search.motion is not None and self.outcome is None:
            found = search.motion
            yield from self._clusters(*(self._moving(found.twists, share) for share in SLIPPING))
            if self.outcome is None and opens_true_cones(self._problem, found.twists):
                self.motion = QuickMotion(found.twists, found.power, found.dissipation)
                self.outcome = "overloaded"

    def _moving(self, twists: Array, share: float) -> Ints:
        """(n,) clusters of bricks that slip on each other by less than a share of the fastest slip in a motion."""
        problem = self._problem
        reaches = np.linalg.norm(problem.halves, axis=1)[problem.kind]
        speeds = slip_speeds(problem.pairs, problem.frames[:, :3, 3], reaches, problem.coms, twists)
        return joined_labels(problem, np.flatnonzero(speeds <= share * float(speeds.max(initial=0.0))))
