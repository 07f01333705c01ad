"""A quick proof of overload: most bricks move with others as one, and only the few that are left are asked about.

Motions in which clusters of bricks move rigidly are motions of the bricks, and what does not slip takes nothing up. So
a motion that proves the reduced problem infeasible proves it for the whole. The other way round nothing follows.

Friction between faces counts with a cone around the true one, which can only hold more: a proof holds for the true one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from falsework.brickworld.joints import chosen_patches
from falsework.kernels.clusters import clusters
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.interfaces import Patches
from falsework.statics.clutches.capacities import ClutchRows
from falsework.statics.clutches.kinds import ClutchKinds
from falsework.statics.clutches.search import ClutchSearch, likely_step_ms, step_ms
from falsework.statics.clutches.solver import ClutchSolver

ROOM = 0.6  # of the largest use of a joint: those that use less do not slip
MOST_CLUSTERS = 40  # with more the whole problem is as quick
AT_ONCE = 5  # steps toward the exact limit before forces are looked for; it takes about five times as many
ENTERED = 1e-9  # of the fastest brick: rounding
BUILD_MS = 1.5  # what it costs to set a small problem up


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A group's clutches; bodies are numbered within it, and one or more of them cannot move."""

    pairs: Ints  # (k, 2)
    frames: Array  # (k, 4, 4)
    rows: list[ClutchRows]
    halves: Array  # (kinds, 2)
    kind: Ints  # (k,)
    patches: Patches  # between bodies of the group
    generators: Array  # (p, e, 3) of forces at their points: edges inside the friction cone
    around: Array  # (p, e, 3) the same around it
    coms: Array  # (n, 3)
    free: Bools  # (n,) at least one body is not

    @property
    def push_bodies(self) -> Ints:
        """(g, 2) bodies of the generators that are not padding, about: those of all points, edge by edge."""
        edges = self.generators.shape[1]
        pairs: Ints = self.patches.bodies[self.patches.owner].repeat(edges, axis=0)
        return pairs

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


def tight_labels(problem: Problem, effort: Array) -> Ints:
    """(n,) clusters of bricks whose joints make less of an effort (k,) than others."""
    return joined_labels(problem, np.flatnonzero(effort <= ROOM * float(effort.max(initial=0.0))))


def loose_labels(problem: Problem, inside: Bools) -> Ints:
    """(n,) every brick inside a region is a cluster of its own; what hangs together outside is one."""
    touched = inside[problem.pairs].any(axis=1)
    return joined_labels(problem, np.flatnonzero(~touched))


def joined_labels(problem: Problem, rows: Ints) -> Ints:
    """(n,) clusters along some of the joints; what cannot move is one."""
    still = np.flatnonzero(~problem.free)
    tied = np.column_stack([np.full(len(still), still[0]), still])
    return clusters(np.concatenate([problem.pairs[rows], tied]), len(problem.coms))


def contraction_ms(problem: Problem, label: Ints) -> float:
    """About what the first steps with such clusters cost; 0 if there is nothing to ask, or too much."""
    count = int(label.max()) + 1
    if not 2 <= count <= MOST_CLUSTERS:
        return 0.0
    joints, pushes = (
        int((label[bodies[:, 0]] != label[bodies[:, 1]]).sum()) for bodies in (problem.pairs, problem.push_bodies)
    )
    return BUILD_MS + AT_ONCE * likely_step_ms(count, joints, pushes)


class Contraction:
    """Clusters of bricks asked for a motion that proves loads (n, 6) too much, a few steps at a time."""

    def __init__(self, problem: Problem, label: Ints, loads: Array) -> None:
        across = np.flatnonzero(label[problem.pairs[:, 0]] != label[problem.pairs[:, 1]])
        count = int(label.max()) + 1
        centre = np.zeros((count, 3))
        np.add.at(centre, label, problem.coms)
        centre /= np.bincount(label, minlength=count)[:, None]
        self._label, self._arms = label, problem.coms - centre[label]
        total = np.zeros((count, 6))
        about = loads[:, 3:] + np.cross(self._arms, loads[:, :3])
        np.add.at(total, label, np.concatenate([loads[:, :3], about], axis=1))
        free = np.ones(count, dtype=bool)
        free[label[~problem.free]] = False
        solver = _reduced(problem, label, across, centre, free).solver()
        self.step_ms = step_ms(solver)
        self._search = ClutchSearch(solver, total)

    @property
    def open(self) -> bool:
        return self._search.limit_open

    def go_on(self) -> None:
        self._search.limit(AT_ONCE)

    def motion(self) -> QuickMotion | None:
        """Of the bricks, once there is one."""
        motion = self._search.motion
        if motion is None:
            return None
        twists = motion.twists[self._label]
        twists[:, :3] += np.cross(twists[:, 3:], self._arms)
        return QuickMotion(twists, motion.power, motion.dissipation)


def quick_overload(problem: Problem, uses: Array, loads: Array) -> QuickMotion | None:
    """A motion that proves the loads (n, 6) too much, if one is found; `uses` (k,) tells which joints have room."""
    label = tight_labels(problem, uses)
    if not contraction_ms(problem, label):
        return None
    asked = Contraction(problem, label, loads)
    while asked.open:
        asked.go_on()
    return asked.motion()


def opens_true_cones(problem: Problem, twists: Array) -> bool:
    """Whether no friction force within the true cones takes anything up on a motion (n, 6) between faces."""
    patches = problem.patches
    apart = np.zeros((len(patches.points), 3))
    for side, sign in ((0, -1.0), (1, 1.0)):
        body = patches.bodies[patches.owner, side]
        apart += sign * (twists[body, :3] + np.cross(twists[body, 3:], patches.points - problem.coms[body]))
    normals = patches.normals[patches.owner]
    opening = (apart * normals).sum(axis=1)
    sliding = np.linalg.norm(apart - opening[:, None] * normals, axis=1)
    entered = patches.friction[patches.owner] * sliding - opening
    return bool(entered.max(initial=0.0) <= ENTERED * float(np.abs(twists[:, :3]).max(initial=0.0)))


def _reduced(problem: Problem, label: Ints, across: Ints, centre: Array, free: Bools) -> Problem:
    """Clusters for bodies, with the joints and contacts between them."""
    patches = problem.patches
    used, kind = np.unique(problem.kind[across], return_inverse=True)
    kept = label[patches.bodies[:, 0]] != label[patches.bodies[:, 1]]
    between = chosen_patches(patches, kept)
    moved = Patches(label[between.bodies], between.normals, between.friction, between.starts, between.points)
    around = problem.around[kept[patches.owner]]
    return replace(
        problem,
        pairs=label[problem.pairs[across]],
        frames=problem.frames[across],
        rows=[problem.rows[one] for one in used.tolist()],
        halves=problem.halves[used],
        kind=kind,
        patches=moved,
        generators=around,
        around=around,
        coms=centre,
        free=free,
    )
