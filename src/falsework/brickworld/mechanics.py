"""Whether the clutches of one group can carry its loads, and which of them break if not.

Nothing breaks unless the limit problem is infeasible: there must be a motion on which the loads gain more than the
clutches can take up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from falsework.brickworld.cuts import slip_speeds, smallest_cut
from falsework.brickworld.joints import Joints, Kinds
from falsework.brickworld.local import holds_locally
from falsework.brickworld.reduction import Problem, quick_overload
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.interfaces import Patches
from falsework.statics.clusters import clusters
from falsework.statics.cones import cone_generators
from falsework.statics.warm_clutches import WarmClutches

LARGE = 60  # bricks from which on a region is quicker than the whole
QUIET = 1e-9  # N: loads below this are none


@dataclass(frozen=True, slots=True, eq=False)
class Overload:
    """Proof that loads are too much, and what breaks."""

    utilization: float  # the least factor on all capacities that would do; infinite if none
    twists: Array  # (members, 6) the motion, in the group's frame
    dissipation: float  # the most that the clutches take up on it, W
    cut: Ints  # rows of the group's joints


class Screen:
    """The closed-form test for many groups at once: one solve, however many there are."""

    def __init__(self, joints: Joints, kinds: Kinds, coms: Array, held: Bools) -> None:
        """All parts are numbered as in the world; of every group at least one is held."""
        used, kind = np.unique(joints.kind, return_inverse=True)
        halves = np.array(kinds.halves).reshape(-1, 2)[used]
        rows = [kinds.rows[one] for one in used.tolist()]
        free = np.zeros(len(coms), dtype=bool)
        free[joints.bodies.ravel()] = True
        free &= ~held
        none = Patches.none()
        generators = np.zeros((0, 1, 3))
        problem = Problem(joints.bodies, joints.frames, rows, halves, kind.ravel(), none, generators, coms, free)
        self._solver = problem.solver()

    def carries(self, loads: Array) -> bool:
        """Whether forces for loads (parts, 6) were found in all groups; if not, nothing is known."""
        return self._solver.screen(loads) is not None


class GroupMechanics:
    """The snap-fit problem of one group in its own frame; what it found stays warm for the next frame."""

    def __init__(self, members: Ints, held: Bools, coms: Array, joints: Joints, kinds: Kinds, gravity: Array) -> None:
        """`members` are parts, `held` (members,) which of them cannot move; `coms` and `joints` are of all parts."""
        self.members, self.joints = members, joints
        self._local = np.full(int(members.max()) + 1, -1)
        self._local[members] = np.arange(len(members))
        self._held, self._coms = held, coms[members]
        self._kinds, self._gravity = kinds, gravity
        self._warm: WarmClutches | None = None
        self._certified: Array | None = None  # loads that were carried last

    def overload(self, loads: Array) -> Overload | None:
        """None if loads (members, 6) can be carried, or if that could not be decided."""
        if np.abs(loads[~self._held]).max(initial=0.0) < QUIET or not len(self.joints.numbers):
            return None
        if self._certified is not None and np.array_equal(self._certified, loads):
            return None
        warm = self._solver()
        if warm.solver.screen(loads) is not None:
            self._certified = loads.copy()
            return None
        screened, uses = warm.solver.screened(loads)
        quick = quick_overload(self._problem, uses, loads)
        if quick is not None:
            return self._overload(quick.twists, quick.power, quick.dissipation)
        if len(self.members) >= LARGE and holds_locally(self._problem, screened, uses, loads):
            self._certified = loads.copy()
            return None
        answer = warm.answer(loads)
        if answer.forces is not None:
            self._certified = loads.copy()
            return None
        if answer.motion is None or answer.status != "unstable":
            return None
        return self._overload(answer.motion.twists, answer.motion.power, answer.motion.dissipation)

    def _overload(self, twists: Array, power: float, dissipation: float) -> Overload:
        used = power / dissipation if dissipation > 0 else np.inf
        return Overload(float(used), twists, dissipation, self._cut(twists))

    def prepare(self) -> None:
        """Build and factor now, rather than when the first loads come."""
        if len(self.joints.numbers):
            self._solver().answer(np.full((len(self.members), 6), 1e-12))

    def _solver(self) -> WarmClutches:
        if self._warm is None:
            self._warm = WarmClutches(self._problem.solver(), anchored=())
        return self._warm

    @cached_property
    def _problem(self) -> Problem:
        joints, patches = self.joints, self.joints.patches
        halves = np.array(self._kinds.halves).reshape(-1, 2)
        pairs = self._local[joints.bodies]
        free = ~self._held
        if free.all():  # nothing holds it: any one body's balance follows from the others'
            free[np.bincount(pairs.ravel(), minlength=len(free)).argmax()] = False
        used, kind = np.unique(joints.kind, return_inverse=True)
        rows = [self._kinds.rows[one] for one in used.tolist()]
        starts, points = patches.starts, patches.points
        own = Patches(self._local[patches.bodies], patches.normals, patches.friction, starts, points)
        generators = cone_generators(own, self._gravity)
        return Problem(pairs, joints.frames, rows, halves[used], kind.ravel(), own, generators, self._coms, free)

    def side(self, cut: Ints) -> Bools:
        """(members,) the bricks on that side of a cut where nothing is held, or fewer are."""
        left = np.ones(len(self.joints.numbers), dtype=bool)
        left[cut] = False
        label = clusters(self._nodes()[self._local[self.joints.bodies[left]]], len(self.members))[self._nodes()]
        ends = label[self._local[self.joints.bodies[cut[0]]]]
        first, second = label == ends[0], label == ends[1]
        held, other = (bool((self._held & side).any()) for side in (first, second))
        chosen: Bools = second if held or (not other and second.sum() < first.sum()) else first
        return chosen

    def _nodes(self) -> Ints:
        """(members,) what does not move counts as one body."""
        still = np.flatnonzero(self._held)
        node = np.arange(len(self.members))
        if len(still):
            node[still] = still[0]
        return node

    def _cut(self, twists: Array) -> Ints:
        pairs = self._local[self.joints.bodies]
        reaches = np.array([np.linalg.norm(half) for half in self._kinds.halves])[self.joints.kind]
        speeds = slip_speeds(pairs, self.joints.frames[:, :3, 3], reaches, self._coms, twists)
        return smallest_cut(self._nodes()[pairs], speeds, len(self.members))
