"""When each action begins if arms move at the same time: a temporal graph, in the order in which they moved one by one.

An action begins as early as these allow:

- its arm has done the action before;
- what another arm did with the same part before, as it put it down or held it out, is done;
- steps of the plan follow each other: what brings a part home, takes hold of one or lets go of one begins when the last
  such action has ended, so that every state of the plan, and no other, comes about;
- a part that would be in its way has been taken away, and none that it needs gone has come: the ways were found among
  what stands when arms move one by one;
- the turntable stands: it turns when all before is done, and all after waits for it;
- no piece of it comes near to a piece of another arm's actions, or to where that arm rests, at the same time.

An action may also wait until all before it are done, and then is free of them: so there always is a timetable.
"""

from __future__ import annotations

import math
from collections.abc import Sequence as Listed
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.robots.collision.bodies import Bodies, all_pairs
from falsework.robots.collision.collisions import MARGIN_M
from falsework.robots.collision.touching import clashing
from falsework.robots.motions.actions import Action
from falsework.robots.motions.obstructions import Obstructions


@dataclass(frozen=True, slots=True, eq=False)
class Timetable:
    """When each of the actions begins, and two measures of it.

    `one_by_one_s` is how long they take one after another, `bound_s` what no timetable of them goes below: the busiest
    arm's own time, and the time of all actions that end steps, which follow each other.
    """

    begins: Array  # (k,) s
    makespan_s: float
    one_by_one_s: float
    bound_s: float

    @property
    def saved(self) -> float:
        """The share of the time one by one that is saved."""
        return 1.0 - self.makespan_s / self.one_by_one_s if self.one_by_one_s else 0.0


def one_by_one(actions: Listed[Action]) -> Timetable:
    """One arm at a time."""
    seconds = np.array([one.seconds for one in actions])
    total = float(seconds.sum())
    return Timetable(np.cumsum(seconds) - seconds, total, total, bound(actions))


def side_by_side(actions: Listed[Action], obstructions: Obstructions) -> Timetable:
    """As early as can be, action by action in their order."""
    planner = _Earliest(actions, obstructions)
    begins = np.array([planner.begin(k) for k in range(len(actions))])
    ends = begins + [one.seconds for one in actions]
    plain = one_by_one(actions)
    return Timetable(begins, float(ends.max(initial=0.0)), plain.makespan_s, plain.bound_s)


def bound(actions: Listed[Action]) -> float:
    """What no timetable of these actions goes below."""
    busy: dict[str, float] = {}
    for one in actions:
        busy[one.arm] = busy.get(one.arm, 0.0) + one.seconds
    steps = sum(one.seconds for one in actions if one.step is not None)
    return max([steps, *busy.values()], default=0.0)


@dataclass(slots=True, eq=False)
class _Pieces:
    """The pieces of an action in the world, for compiled code."""

    links: Array
    begins: Array
    ends: Array
    low: Array  # (m, b, 3) corners of upright boxes around each body at each position
    high: Array


class _Earliest:
    def __init__(self, actions: Listed[Action], obstructions: Obstructions) -> None:
        self.actions, self.obstructions = actions, obstructions
        self.begins: list[float] = []
        self._pieces: dict[int, _Pieces] = {}
        self._of_arm: dict[str, list[int]] = {}
        self._step_done = 0.0
        self._turned = 0.0  # when the turntable has stopped

    def end(self, k: int) -> float:
        return self.begins[k] + self.actions[k].seconds

    def begin(self, k: int) -> float:
        action = self.actions[k]
        if action.kind == "turn":  # every way before and after it was found among what stands at one angle
            self.begins.append(max((self.end(i) for i in range(k)), default=0.0))
            self._turned = self._step_done = self.end(k)
            return self.begins[-1]
        own = self._of_arm.setdefault(action.arm, [])
        earliest = max(self._turned, self.end(own[-1]) if own else 0.0)
        if action.step is not None:
            earliest = max(earliest, self._step_done)
        for other, whole in self.obstructions.before(k):
            earliest = max(earliest, self.end(other) - (0.0 if whole else action.seconds))
        for other in action.after:
            earliest = max(earliest, self.end(other))
        begin = self._clear_of_others(k, earliest)
        self.begins.append(begin)
        own.append(k)
        if action.step is not None:
            self._step_done = self.end(k)
        return begin

    def _clear_of_others(self, k: int, earliest: float) -> float:
        """The first time from `earliest` on that no other arm's pieces forbid."""
        forbidden: list[Array] = []
        mine = self.pieces(k)
        until = mine.ends.copy()
        until[-1] = math.inf  # and stays there
        for arm, theirs in self._of_arm.items():
            if arm == self.actions[k].arm:
                continue
            for place, i in enumerate(theirs):
                leaves = self.begins[theirs[place + 1]] if place + 1 < len(theirs) else self.end(i)
                if leaves <= earliest:
                    continue
                yours = self.pieces(i)
                ends = self.begins[i] + yours.ends
                ends[-1] = leaves  # where it rests last, ways of others have been found around it
                later = np.flatnonzero(ends > earliest)
                meets = np.argwhere(self.clash(k, i, later))
                if len(meets):
                    a, b = meets[:, 0], later[meets[:, 1]]
                    forbidden.append(
                        np.column_stack([self.begins[i] + yours.begins[b] - until[a], ends[b] - mine.begins[a]])
                    )
        if not forbidden:
            return earliest
        return _first_outside(earliest, np.concatenate(forbidden))

    def pieces(self, k: int) -> _Pieces:
        found = self._pieces.get(k)
        if found is None:
            positions, begins, ends = self.actions[k].pieces()
            links = self.actions[k].bodies.links(positions)
            found = self._pieces[k] = _Pieces(links, begins, ends, *_boxes(self.actions[k].bodies.bodies, links))
        return found

    def clash(self, k: int, i: int, later: Ints) -> Bools:
        """(m, n) whether a piece of action k may come near to one of those pieces of action i."""
        one, other = self.actions[k].bodies.bodies, self.actions[i].bodies.bodies
        mine, yours = self.pieces(k), self.pieces(i)
        near = MARGIN_M + 0.5 * (self.actions[k].piece_m + self.actions[i].piece_m)
        found = np.zeros((len(mine.links), len(later)), bool)
        # what is far apart by boxes alone is not asked about: positions first, then bodies
        low, high = (
            yours.low[later].min(axis=(0, 1), initial=np.inf),
            yours.high[later].max(axis=(0, 1), initial=-np.inf),
        )
        rows = np.flatnonzero(_near(mine.low.min(axis=1), mine.high.max(axis=1), low, high, near))
        if not len(rows):
            return found
        low, high = mine.low[rows].min(axis=(0, 1)), mine.high[rows].max(axis=(0, 1))
        columns = np.flatnonzero(_near(yours.low[later].min(axis=1), yours.high[later].max(axis=1), low, high, near))
        if not len(columns):
            return found
        there = later[columns]
        pairs = all_pairs(one, other)
        a, b = pairs[:, 0], pairs[:, 1]
        swept = mine.low[rows].min(axis=0), mine.high[rows].max(axis=0)
        others = yours.low[there].min(axis=0), yours.high[there].max(axis=0)
        pairs = np.ascontiguousarray(pairs[_near(swept[0][a], swept[1][a], others[0][b], others[1][b], near)])
        if len(pairs):
            links = np.ascontiguousarray(mine.links[rows]), np.ascontiguousarray(yours.links[there])
            found[np.ix_(rows, columns)] = clashing(one, links[0], other, links[1], pairs, near)
        return found


def _boxes(bodies: Bodies, links: Array) -> tuple[Array, Array]:
    """(m, b, 3) lowest and (m, b, 3) highest corners of upright boxes around bodies, on links (m, l, 3, 4)."""
    low, high = np.empty((len(links), len(bodies.radii), 3)), np.empty((len(links), len(bodies.radii), 3))
    for number, (link, radius) in enumerate(zip(bodies.link, bodies.radii, strict=True)):
        points = bodies.points[bodies.starts[number] : bodies.starts[number + 1]]
        T = links[:, link]
        placed = np.einsum("mij,pj->mpi", T[:, :, :3], points) + T[:, None, :, 3]
        low[:, number] = placed.min(axis=1) - radius
        high[:, number] = placed.max(axis=1) + radius
    return low, high


def _near(low: Array, high: Array, other_low: Array, other_high: Array, near: float) -> Bools:
    """(k,) whether upright boxes, corners (k, 3), come nearer to others than so much along every axis."""
    found: Bools = np.all((low <= other_high + near) & (high >= other_low - near), axis=1)
    return found


def _first_outside(begin: float, spans: Array) -> float:
    """The first time from `begin` on that is in none of the open spans."""
    while True:
        inside = (spans[:, 0] < begin) & (begin < spans[:, 1])
        if not inside.any():
            return begin
        begin = float(spans[inside, 1].max())
