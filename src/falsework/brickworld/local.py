"""A quick proof that a group holds: the screen's forces, put right only around the joints that they ask too much of.

The screen's forces balance every brick, though some joints could not carry them. Around those joints the bricks are
asked anew, with the forces of all joints further out kept as loads: these are within their strength. If the small
problem has forces, they and the kept ones together carry the whole. The other way round nothing follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from falsework.brickworld.joints import chosen_patches
from falsework.brickworld.reduction import Problem
from falsework.kernels.clusters import clusters
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.interfaces import Patches
from falsework.statics.clutches.kinds import CORNERS
from falsework.statics.clutches.proposals import ClutchForces
from falsework.statics.clutches.search import ClutchSearch, step_ms

FULL = 0.999  # of a joint's strength: what kept forces may use
LARGEST = 0.5  # of all bricks: a larger region is no quicker than the whole
PIECE_MS = 1.0  # steps are taken together up to about this
STEPS = 12  # of Newton's method, which finds forces in about as many where there are some


def neighbourhood(problem: Problem, rows: Bools, rings: int) -> Bools:
    """(n,) the bricks of some joints, and those that so many rings of joints further out reach."""
    inside = np.zeros(len(problem.coms), dtype=bool)
    inside[problem.pairs[rows].ravel()] = True
    for _ in range(rings):
        inside[problem.pairs[inside[problem.pairs].any(axis=1)].ravel()] = True
    return inside


def is_small(inside: Bools) -> bool:
    """Whether a region is quicker than the whole."""
    return int(inside.sum()) <= LARGEST * len(inside)


class Region:
    """The bricks of a region asked for forces that carry the loads (n, 6), piece by piece.

    All joints that the screen overloads must be inside.
    """

    def __init__(self, problem: Problem, screened: ClutchForces, inside: Bools, loads: Array) -> None:
        small, kept_loads = _region(problem, inside, _joint_wrenches(problem, screened), loads)
        solver = small.solver()
        self._at_once = max(1, int(PIECE_MS / step_ms(solver)))
        self._search = ClutchSearch(solver, kept_loads)

    @property
    def holds(self) -> bool:
        """Whether forces were found."""
        return self._search.status == "stable"

    def pieces(self) -> Iterator[float]:
        """All the work there is; before each piece what it costs."""
        while self._search.open and self._search.steps < STEPS:
            yield from self._search.relaxing(min(self._at_once, STEPS - self._search.steps))


def holds_inside(problem: Problem, screened: ClutchForces, inside: Bools, loads: Array) -> bool:
    """Whether forces were found for a region, at once."""
    region = Region(problem, screened, inside, loads)
    for _ in region.pieces():
        pass
    return region.holds


def _joint_wrenches(problem: Problem, forces: ClutchForces) -> Array:
    """(k, 6) all that a clutch puts on its stud brick, about the joint's origin, in the group's axes."""
    corners = CORNERS[None] * problem.halves[problem.kind][:, None, :]
    pressure = forces.clutch_pressure
    total = forces.clutch_wrenches.copy()
    total[:, 2] -= pressure.sum(axis=1)
    total[:, 3] -= (pressure * corners[:, :, 1]).sum(axis=1)
    total[:, 4] += (pressure * corners[:, :, 0]).sum(axis=1)
    turn = problem.frames[:, :3, :3]
    return np.concatenate(
        [np.einsum("kij,kj->ki", turn, total[:, :3]), np.einsum("kij,kj->ki", turn, total[:, 3:])], axis=1
    )


def _region(problem: Problem, inside: Bools, on_stud: Array, loads: Array) -> tuple[Problem, Array]:
    """The bricks of a region with the joints between them, and their loads, joints to the outside included."""
    number = np.where(inside, np.cumsum(inside) - 1, -1)
    ends = inside[problem.pairs]
    kept, frozen = ends.all(axis=1), np.flatnonzero(ends.any(axis=1) & ~ends.all(axis=1))
    total = loads.copy()
    for side, sign in ((0, 1.0), (1, -1.0)):
        bodies = problem.pairs[frozen, side]
        force = sign * on_stud[frozen, :3]
        arm = problem.frames[frozen, :3, 3] - problem.coms[bodies]
        moment = sign * on_stud[frozen, 3:] + np.cross(arm, force)
        np.add.at(total, bodies, np.concatenate([force, moment], axis=1))
    patches = problem.patches
    near: Bools = inside[patches.bodies[:, 0]] & inside[patches.bodies[:, 1]]
    between = chosen_patches(patches, near)
    moved = Patches(number[between.bodies], between.normals, between.friction, between.starts, between.points)
    small = replace(
        problem,
        pairs=number[problem.pairs[kept]],
        frames=problem.frames[kept],
        kind=problem.kind[kept],
        patches=moved,
        generators=problem.generators[near[patches.owner]],
        around=problem.around[near[patches.owner]],
        coms=problem.coms[inside],
        free=problem.free[inside].copy(),
    )
    _anchor(small.pairs, small.free)
    return small, total[inside]


def _anchor(pairs: Ints, free: Bools) -> None:
    """Take one body of every free piece as not free: its balance follows from the others'."""
    label = clusters(pairs, len(free))
    held = np.zeros(int(label.max()) + 1, dtype=bool)
    held[label[~free]] = True
    for piece in np.flatnonzero(~held):
        free[np.argmax(label == piece)] = False
