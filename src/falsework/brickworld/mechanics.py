"""Whether the clutches of one group can carry its loads, and which of them break if not.

Nothing breaks unless the limit problem is infeasible: there must be a motion on which the loads gain more than the
clutches can take up. What a frame's budget does not suffice to prove is carried to the next frames (`inquiry`); of
loads that come meanwhile, and that no quick proof settles, the worst waits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from falsework.brickworld.cuts import slip_speeds, smallest_cut
from falsework.brickworld.inquiry import Budget, Inquiry
from falsework.brickworld.joints import Joints, Kinds
from falsework.brickworld.loads import Windows
from falsework.brickworld.reduction import Problem
from falsework.kernels.clusters import clusters
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.interfaces import Patches
from falsework.statics.clutches.solver import ClutchSolver
from falsework.statics.core.friction_cones import EDGES, cone_generators

QUIET = 1e-9  # N: loads below this are none
BUILD_MS = 0.02  # a brick: what setting the problem of a new group up costs, besides its factor


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Of which moment loads are: what a break needs to know when its proof comes later."""

    windows: Windows
    end: int  # the window that was asked about
    time_s: float  # the end of that frame


@dataclass(frozen=True, slots=True, eq=False)
class Overload:
    """Proof that loads are too much, and what breaks."""

    utilization: float  # the least factor on all capacities that would do; infinite if none
    twists: Array  # (members, 6) the motion, in the group's frame
    dissipation: float  # the most that the clutches take up on it, W
    cut: Ints  # rows of the group's joints
    asked: Asked | None = None  # None: of the frame in which it was found


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """A question that is not settled yet."""

    inquiry: Inquiry
    asked: Asked


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
        frames, each = joints.frames, kind.ravel()
        problem = Problem(joints.bodies, frames, rows, halves, each, none, generators, generators, coms, free)
        self._solver = problem.solver()

    def carries(self, loads: Array) -> bool:
        """Whether forces for loads (parts, 6) were found in all groups; if not, nothing is known."""
        return self._solver.screen(loads) is not None


class GroupMechanics:
    """The snap-fit problem of one group in its own frame."""

    def __init__(self, members: Ints, held: Bools, coms: Array, joints: Joints, kinds: Kinds, gravity: Array) -> None:
        """`members` are parts, `held` (members,) which of them cannot move; `coms` and `joints` are of all parts."""
        self.members, self.joints = members, joints
        self._local = np.full(int(members.max()) + 1, -1)
        self._local[members] = np.arange(len(members))
        self._held, self.coms = held, coms[members]
        self._kinds, self._gravity = kinds, gravity
        self.open: list[Carried] = []  # the question that is worked at, and the one that waits
        self._screen_is_ready = True  # or will be before anybody asks
        self.undecided = 0  # questions that ended without a proof, or that were given up for worse ones

    def overload(self, loads: Array) -> Overload | None:
        """None if loads (members, 6) can be carried, or if that could not be decided, however long it takes."""
        asked = self._question(loads)
        if asked is None or asked.work(Budget(np.inf)) != "overloaded":
            return None
        return self._overload(asked, None)

    def ask(self, loads: Array, budget: Budget, asked: Callable[[], Asked], *, first: bool) -> Overload | None:
        """Whether loads (members, 6) of the last frame are too much, by quick proofs; what is left is carried.

        `first`: it is the group's first frame, in which its problem is set up.
        """
        if first:
            budget.spend(BUILD_MS * len(self.members))
            self._screen_is_ready = False
        inquiry = self._question(loads, is_new=not self._screen_is_ready)
        if inquiry is None:
            return None
        if self.open and not self._screen_is_ready:  # the question that is open comes first
            self._carry(Carried(inquiry, asked()))
            return None
        outcome = inquiry.work(budget, briefly=True)
        self._screen_is_ready |= inquiry.is_screened
        if outcome == "overloaded":
            self.open = []
            return self._overload(inquiry, None)
        if outcome is None:
            self._carry(Carried(inquiry, asked()))
        return None

    def go_on(self, budget: Budget) -> Overload | None:
        """Go on with what was carried."""
        while self.open:
            carried = self.open[0]
            while self._screen_is_ready and not carried.inquiry.is_screened:
                carried.inquiry.go_on()  # which costs nothing any more
            outcome = carried.inquiry.work(budget)
            self._screen_is_ready |= carried.inquiry.is_screened
            if outcome == "overloaded":
                self.open = []
                return self._overload(carried.inquiry, carried.asked)
            if outcome is None:
                return None
            self.undecided += outcome == "undecided"
            self.open.pop(0)
        return None

    def _carry(self, new: Carried) -> None:
        """One question is worked at; of those that come meanwhile the worst waits."""
        if len(self.open) < 2:
            self.open.append(new)
            return
        self.undecided += 1
        if new.inquiry.worst > self.open[1].inquiry.worst:
            self.open[1] = new

    def forget(self) -> None:
        """All open questions."""
        self.open, self._screen_is_ready = [], True

    def again(self, loads: Array, pieces: int, is_new: bool, asked: Asked) -> None:
        """Carry a question as it was when it was kept: the same pieces of work lead to the same place."""
        inquiry = Inquiry(self.problem, self.solver, loads, is_new=is_new)
        while inquiry.pieces < pieces:
            inquiry.go_on()
        self.open.append(Carried(inquiry, asked))
        self._screen_is_ready = any(one.inquiry.is_screened for one in self.open)

    def _question(self, loads: Array, *, is_new: bool = False) -> Inquiry | None:
        """None if there is nothing to ask, or the screen knows the answer."""
        if np.abs(loads[~self._held]).max(initial=0.0) < QUIET or not len(self.joints.numbers):
            return None
        asked = Inquiry(self.problem, self.solver, loads, is_new=is_new)
        return asked if asked.outcome is None else None

    def _overload(self, found: Inquiry, asked: Asked | None) -> Overload:
        motion = found.motion
        assert motion is not None
        used = motion.power / motion.dissipation if motion.dissipation > 0 else np.inf
        return self.proved(float(used), motion.twists, motion.dissipation, asked)

    def proved(self, utilization: float, twists: Array, dissipation: float, asked: Asked | None = None) -> Overload:
        """An overload by a motion (members, 6), and what breaks then."""
        return Overload(utilization, twists, dissipation, self._cut(twists), asked)

    def prepare(self) -> None:
        """Build and factor now, rather than when the first loads come."""
        if len(self.joints.numbers):
            self.solver.screen(np.full((len(self.members), 6), 1e-12))

    @cached_property
    def solver(self) -> ClutchSolver:
        return self.problem.solver()

    @cached_property
    def problem(self) -> Problem:
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
        wide = Patches(own.bodies, own.normals, own.friction / np.cos(np.pi / EDGES), own.starts, own.points)
        inside, around = (cone_generators(one, self._gravity) for one in (own, wide))
        return Problem(pairs, joints.frames, rows, halves[used], kind.ravel(), own, inside, around, self.coms, free)

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
        speeds = slip_speeds(pairs, self.joints.frames[:, :3, 3], reaches, self.coms, twists)
        return smallest_cut(self._nodes()[pairs], speeds, len(self.members))
