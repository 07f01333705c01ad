"""One snap-fit topology asked about many loads: what was found for earlier loads serves the next.

The lowest entry to the compiled solver: loads are any (n, 6) wrenches about the bodies' centres of mass, in whatever
frame the solver's geometry is in. A component that nothing holds is asked about loads without a resultant, with any one
of its bodies taken as not free: that body's balance follows from the others'.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from falsework.model.arrays import Array

if TYPE_CHECKING:
    from falsework.statics.clutches.proposals import ClutchForces, Feasibility
    from falsework.statics.clutches.solver import ClutchSolver

ANCHORED = (2, 8, 32, 128, 512)  # searches after which the least strength is worth finding: many more may follow


class WarmClutches:
    """The screen or the anchor's forces, shifted; Newton's method from the last forces; then the exact limit.

    An anchor costs one least strength; `anchored=()` does without, where every answer must come quickly.
    """

    def __init__(self, solver: ClutchSolver, anchored: Collection[int] = ANCHORED) -> None:
        self.solver, self._anchored = solver, anchored
        self._last: ClutchForces | None = None
        self._anchor: tuple[Array, ClutchForces] | None = None  # loads, and forces for them that leave most room
        self._searches = 0
        self.way = ""  # in which the last answer was found

    def answer(self, loads: Array, *, any_motion: bool = False) -> Feasibility:
        """Stable with forces, unstable with a motion, or undecided; see `ClutchSolver.feasible`."""
        from falsework.statics.clutches.proposals import Feasibility

        cheap = self._without_search(loads)
        if cheap is not None:
            self.way = "screened" if self._anchor is None else "shifted"
            return Feasibility("stable", cheap)
        found = self.solver.feasible(loads, warm=self._last, any_motion=any_motion)
        self.way = found.status
        if found.forces is None:
            return found
        self._last = found.forces
        self._searches += 1
        if self._searches in self._anchored:
            self._drop_anchor(loads)
        return replace(found, forces=self.solver.rebalanced(found.forces, loads))

    def _without_search(self, loads: Array) -> ClutchForces | None:
        """The screen until it has failed often enough for an anchor; from then on the anchor's forces, shifted."""
        if self._anchor is None:
            return self.solver.screen(loads)
        return self.solver.shifted(self._anchor[1], loads - self._anchor[0])

    def _drop_anchor(self, loads: Array) -> None:
        """Keep the forces that use the least share of the strength: nearby loads can be added to them."""
        limit = self.solver.least_strength(loads)
        if limit.status == "exact" and limit.factor < 1.0 and limit.forces is not None:
            self._anchor = loads.copy(), self.solver.rebalanced(limit.forces, loads)
