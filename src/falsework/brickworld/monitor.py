"""The assembly monitor: which bricks are pressed together so that they snap in (seed 000, section V).

Bricks that were broken off, or begin partly seated, are *engaged*: apart, but studs are in their holes. They pass
through studs. Pressed back while they hardly move against each other they join again, from whatever height.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from falsework.brickworld.engagement import REFERENCE_PITCH_M, are_clear, engagement
from falsework.brickworld.settings import Settings
from falsework.brickworld.topology import Connection
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.catalogue import BrickType, systems

AT_REST_M_S = 0.02  # of bricks against each other: what is pressed back, not what is just coming apart


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """What the monitor knows, to go back to."""

    codes: tuple[Ints, ...]  # by step: pairs of bricks that touched, as first × parts + second
    forces: tuple[Array, ...]  # by step: on the second of each
    engaged: frozenset[tuple[int, int]]
    gripped: frozenset[tuple[int, int]] = frozenset()


class AssemblyMonitor:
    """Mean forces between bricks of different groups over whole frames, and what they may join."""

    def __init__(self, kinds: Sequence[BrickType | None], settings: Settings) -> None:
        self._kinds, self._rules = kinds, settings.join
        self._studded = np.array([kind is not None and kind.has_studs for kind in kinds], dtype=bool)
        spans = [0.0 if kind is None else float(np.linalg.norm(kind.size_m)) for kind in kinds]
        self._spans = np.array(spans) + max((one.stud_height_m for one in systems().values()), default=0.0)
        self.steps = settings.join.press_frames * settings.substeps
        self._codes: deque[Ints] = deque(maxlen=self.steps)
        self._forces: deque[Array] = deque(maxlen=self.steps)
        self.engaged: set[tuple[int, int]] = set()  # stud brick, hole brick
        self.gripped: set[tuple[int, int]] = set()  # those of them whose studs hold by friction

    @property
    def seated(self) -> set[int]:
        """Bricks that pass through studs."""
        return {hole for _, hole in self.engaged}

    def observe(self, codes: Ints, forces: Array) -> None:
        """One step: pairs of bricks as first × parts + second, and the force on the second of each."""
        self._codes.append(codes)
        self._forces.append(forces)

    def pressed(self) -> list[tuple[int, int, Array]]:
        """Pairs with a mean force (3,) of at least F_asm, on the second brick, the hardest pressed first."""
        if len(self._codes) < self.steps:
            return []
        forces = np.concatenate(self._forces) / self.steps
        if not len(forces) or float(np.abs(forces).sum()) < self._rules.press_n:  # not even all of them together
            return []
        names, which = np.unique(np.concatenate(self._codes), return_inverse=True)
        total = np.column_stack([np.bincount(which, forces[:, axis], len(names)) for axis in range(3)])
        sizes = np.linalg.norm(total, axis=1)
        order = np.argsort(-sizes, kind="stable")
        chosen = order[sizes[order] >= self._rules.press_n]
        return [(*divmod(int(names[k]), len(self._kinds)), total[k]) for k in chosen]

    def joins(
        self, first: int, second: int, force: Array, poses: Array, twists: Array
    ) -> tuple[Connection, float] | None:
        """The connection that two bricks pressed together would make, if they may, and the force along its studs.

        Poses (n, 4, 4) and twists (n, 6) are of all bricks, in world axes.
        """
        for stud, hole, push in ((first, second, force), (second, first, -force)):
            lower, upper = self._kinds[stud], self._kinds[hole]
            along = float(push @ poses[stud, :3, 2])
            if (stud, hole) in self.gripped:
                along += self.grip_n  # what slid down to where it is pressed now went against the friction
            if along < self._rules.press_n or lower is None or upper is None:
                continue
            seated = (stud, hole) in self.engaged
            both, middles = [stud, hole], np.array([lower.size_m, upper.size_m]) / 2
            if seated and _speed(poses[both], twists[both], middles) > AT_REST_M_S:
                continue
            relative = np.linalg.inv(poses[stud]) @ poses[hole]
            found = engagement(relative, lower, upper, self._rules, (stud, hole), seated)
            if found is not None:
                return found, along
        return None

    @property
    def grip_n(self) -> float:
        """The friction of studs that are partly in their holes: half of what presses a brick home."""
        return 0.5 * self._rules.press_n

    def begin(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Bricks that are partly seated from the start, stud brick and hole brick."""
        self.gripped.update(pairs)
        self.engaged.update(self.gripped)

    def came_off(self, parted: Iterable[Connection]) -> None:
        """Connections broke: the bricks begin among the studs they were on."""
        self.engaged.update((one.stud, one.hole) for one in parted)

    def went_in(self, closed: Iterable[Connection]) -> None:
        """Connections closed, and bricks were moved for it: older forces mean nothing."""
        self.engaged -= {(one.stud, one.hole) for one in closed}
        self.gripped &= self.engaged
        self._codes.clear()
        self._forces.clear()

    def clear(self, poses: Array, group_of: Ints) -> bool:
        """Forget bricks that have left the studs they were broken off; whether there were any.

        A brick passes through all studs until then, so it must not be among those of another one.
        """
        pairs = sorted(self.engaged)
        studs, holes = np.array(pairs).T
        clear = self._are_clear(studs, holes, poses)
        gone = {pair for pair, left in zip(pairs, clear.tolist(), strict=True) if left}
        stuck = {hole for hole in {hole for _, hole in gone} if not self._has_left_all(hole, poses, group_of)}
        gone = {(stud, hole) for stud, hole in gone if hole not in stuck}
        self.engaged -= gone
        self.gripped -= gone
        return bool(gone)

    def _are_clear(self, studs: Ints, holes: Ints, poses: Array) -> Bools:
        return are_clear(np.linalg.inv(poses[studs]) @ poses[holes], self._bricks(studs), self._bricks(holes))

    def _has_left_all(self, hole: int, poses: Array, group_of: Ints) -> bool:
        """Whether a brick is among no studs of other groups, but for those that it still has to leave."""
        near = np.linalg.norm(poses[:, :3, 3] - poses[hole, :3, 3], axis=1) <= self._spans + self._spans[hole]
        others = np.flatnonzero(near & self._studded & (group_of != group_of[hole]))
        others = np.array([stud for stud in others.tolist() if (stud, hole) not in self.engaged], dtype=np.int64)
        return not len(others) or bool(self._are_clear(others, np.full(len(others), hole), poses).all())

    def _bricks(self, parts: Ints) -> list[BrickType]:
        kinds = [self._kinds[part] for part in parts.tolist()]
        return [kind for kind in kinds if kind is not None]

    def saved(self) -> Watched:
        """Everything; the arrays are never written to."""
        return Watched(tuple(self._codes), tuple(self._forces), frozenset(self.engaged), frozenset(self.gripped))

    def go_back(self, to: Watched) -> None:
        self._codes = deque(to.codes, maxlen=self.steps)
        self._forces = deque(to.forces, maxlen=self.steps)
        self.engaged, self.gripped = set(to.engaged), set(to.gripped)


def _speed(poses: Array, twists: Array, centres: Array) -> float:
    """How fast the second of two bricks moves as the first one sees it, with what turns at a stud's distance.

    Poses (2, 4, 4), twists (2, 6) of their centres of mass, and those centres (2, 3) in their own frames.
    """
    places = np.einsum("nij,nj->ni", poses[:, :3, :3], centres) + poses[:, :3, 3]
    moved = twists[1, :3] - twists[0, :3] - np.cross(twists[0, 3:], places[1] - places[0])
    return float(np.linalg.norm(moved) + REFERENCE_PITCH_M * np.linalg.norm(twists[1, 3:] - twists[0, 3:]))
