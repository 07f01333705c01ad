"""A quick proof of overload: bricks whose joints have room move as one, and only the others are asked about.

Motions in which clusters of bricks move rigidly are motions of the bricks, and what does not slip takes nothing up. So
a motion that proves the reduced problem infeasible proves it for the whole. The other way round nothing follows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from falsework.brickworld.joints import chosen_patches
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.interfaces import Patches
from falsework.statics.clusters import clusters
from falsework.statics.clutch import ClutchRows
from falsework.statics.clutch_kinds import ClutchKinds
from falsework.statics.clutch_solver import ClutchSolver

ROOM = 0.6  # of the largest use of a joint: those that use less do not slip
MOST_CLUSTERS = 40  # with more the whole problem is as quick


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A group's clutches; bodies are numbered within it, and one or more of them cannot move."""

    pairs: Ints  # (k, 2)
    frames: Array  # (k, 4, 4)
    rows: list[ClutchRows]
    halves: Array  # (kinds, 2)
    kind: Ints  # (k,)
    patches: Patches  # between bodies of the group
    generators: Array  # (p, e, 3) of forces at their points
    coms: Array  # (n, 3)
    free: Bools  # (n,) at least one body is not

    def solver(self) -> ClutchSolver:
        """Of the whole."""
        patches = self.patches
        return ClutchSolver(
            *(self.pairs, self.frames, ClutchKinds.of(self.rows, self.halves), self.kind),
            *(patches.bodies, patches.starts, patches.points, self.generators),
            *(self.coms, self.free),
        )


@dataclass(frozen=True, slots=True, eq=False)
class QuickMotion:
    """A motion on which the loads gain more than the clutches take up."""

    twists: Array  # (n, 6)
    power: float
    dissipation: float


def quick_overload(problem: Problem, uses: Array, loads: Array) -> QuickMotion | None:
    """A motion that proves the loads (n, 6) too much, if one is found; `uses` (k,) tells which joints have room."""
    tight = uses > ROOM * float(uses.max(initial=0.0))
    label = _labels(problem, tight)
    across = np.flatnonzero(label[problem.pairs[:, 0]] != label[problem.pairs[:, 1]])
    count = int(label.max()) + 1
    if not 2 <= count <= MOST_CLUSTERS or not len(across):
        return None
    centre = np.zeros((count, 3))
    np.add.at(centre, label, problem.coms)
    centre /= np.bincount(label, minlength=count)[:, None]
    arms = problem.coms - centre[label]
    total = np.zeros((count, 6))
    np.add.at(total, label, np.concatenate([loads[:, :3], loads[:, 3:] + np.cross(arms, loads[:, :3])], axis=1))
    free = np.ones(count, dtype=bool)
    free[label[~problem.free]] = False
    motion = _reduced(problem, label, across, centre, free).solver().least_strength(total).motion
    if motion is None or not motion.power > motion.dissipation:
        return None
    twists = motion.twists[label]
    twists[:, :3] += np.cross(twists[:, 3:], arms)
    return QuickMotion(twists, motion.power, motion.dissipation)


def _reduced(problem: Problem, label: Ints, across: Ints, centre: Array, free: Bools) -> Problem:
    """Clusters for bodies, with the joints and contacts between them."""
    patches = problem.patches
    used, kind = np.unique(problem.kind[across], return_inverse=True)
    kept = label[patches.bodies[:, 0]] != label[patches.bodies[:, 1]]
    between = chosen_patches(patches, kept)
    moved = Patches(label[between.bodies], between.normals, between.friction, between.starts, between.points)
    return replace(
        problem,
        pairs=label[problem.pairs[across]],
        frames=problem.frames[across],
        rows=[problem.rows[one] for one in used.tolist()],
        halves=problem.halves[used],
        kind=kind,
        patches=moved,
        generators=problem.generators[kept[patches.owner]],
        coms=centre,
        free=free,
    )


def _labels(problem: Problem, tight: Bools) -> Ints:
    """(n,) clusters of bricks joined with room to spare; what cannot move is one."""
    still = np.flatnonzero(~problem.free)
    tied = np.column_stack([np.full(len(still), still[0]), still])
    joined = np.concatenate([problem.pairs[~tight], tied])
    return clusters(joined, len(problem.coms))
