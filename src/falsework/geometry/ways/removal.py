"""Along which straight lines parts leave an assembly.

For every pair of bodies and every direction it is found once, when first asked for, whether one, moving, would run
into the other. A question about a state is then a bit operation a direction: the bodies that block it, and those that
are there.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from falsework.geometry.shapes.convex_pieces import Pieces, pieces_in_world
from falsework.geometry.shapes.lattice import lattices
from falsework.geometry.shapes.placed_solids import diameter
from falsework.geometry.ways.directions import common_directions, exact_directions
from falsework.geometry.ways.lattice_removal import lattice_blocks
from falsework.geometry.ways.meetings import Meeting, Meetings, rays_meet
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.bits import bits, lowest
from falsework.model.checkpoints import checkpoint
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces

DEPTH = 5e-5  # of the assembly's size: how deep a moving body may reach into another; half of what a plan may
LEVEL = 1e-9  # sine up to which a way does not lead down
CLEAR = 1e-3  # of the assembly's size: how far beyond the others' box a body starts
DROP_PLATES = 1  # that a brick leaving downwards goes down before it goes aside: studs are lower than a plate
BATCH = 32  # pairs of pieces looked at together
STRAIGHT_UP = 1 - 1e-9  # cosine between a direction and the studs' that counts as along them

Words = npt.NDArray[np.uint64]


class StraightRemovals:
    """The removal oracle for straight lines; see `model.ports.RemovalOracle`."""

    def __init__(self, assembly: Assembly, joints: Interfaces, *, certain: bool = True) -> None:
        """`certain` unless other ways than straight lines are allowed too, but not looked for."""
        self.assembly, self.joints, self.certain = assembly, joints, certain
        self.bodies = len(assembly.bodies)
        self.size_m = diameter(assembly)
        self._depth_m = DEPTH * self.size_m
        self._fixed = assembly.fixed_mask()
        self._grids = lattices(assembly)
        self._groups = np.full(self.bodies, -1)
        for number, grid in enumerate(self._grids):
            self._groups[grid.bodies] = number
        self._on_one_grid = len(self._grids) == 1 and bool(
            (self._groups == 0).all() and self._grids[0].are_boxes().all()
        )
        axes = self._grids[0].T_world_lattice[:3, :3].T if self._on_one_grid else np.eye(3)
        self.common = (
            np.concatenate([axes, -axes])[[0, 3, 1, 4, 2, 5]] if self._on_one_grid else common_directions(axes)
        )
        self._filled = np.zeros(self.bodies, dtype=bool)  # rows of the table that are complete
        self._meetings: dict[tuple[int, int], Meetings] = {}
        self._exact: dict[int, tuple[Array, Words]] = {}
        self._least: dict[int, tuple[int, ...]] = {}

    def directions(self, moved: int, installed: int) -> Array:
        """(k, 3) unit directions along which the moved bodies leave the installed rest; masks over the bodies."""
        rest = self.rest(moved, installed)
        mask = _words(rest, self.bodies)
        exact, blocked = self._exactly(moved)
        free = ~(blocked & mask).any(axis=1)
        common = ~(self._commonly(moved)[: len(self.common)] & mask).any(axis=1)
        return np.concatenate([exact[free], self.common[common]])

    def leaves(self, moved: int, installed: int) -> bool:
        """Whether there is such a direction at all."""
        rest = self.rest(moved, installed)
        return any(not blockers & rest for blockers in self.blockers(moved))

    def blockers(self, moved: int) -> tuple[int, ...]:
        """The least sets of bodies that block the group, one a direction: with one of them gone entirely, it leaves."""
        if moved not in self._least:
            rows = np.unique(np.concatenate([self._exactly(moved)[1], self._commonly(moved)]), axis=0)
            masks = sorted((int.from_bytes(row.tobytes(), "little") & ~moved for row in rows), key=int.bit_count)
            least: list[int] = []
            for mask in masks:
                if not any(smaller & mask == smaller for smaller in least):
                    least.append(mask)
            self._least[moved] = tuple(least)
        return self._least[moved]

    def path(self, moved: int, installed: int, up: Array | None = None) -> Array | None:
        """(k, 4, 4) poses of the group's first part, from free to final, or None; of all ways, the most upward.

        `up`: where that is, if not against gravity; no way then leads down.
        Where it is free, the group's box is apart from that of the installed parts (the ground does not count), or
        from its own final box where it is the first. A brick that is pressed in from below comes from the side.
        """
        ways = self.directions(moved, installed)
        if up is not None:
            ways = ways[ways @ up > -LEVEL]
        if not len(ways):
            return None if up is not None else self._path_from_below(moved, self.rest(moved, installed))
        if up is None:
            gravity = self.assembly.gravity
            up = -gravity / np.linalg.norm(gravity) if gravity.any() else np.array([0.0, 0.0, 1.0])
        way = ways[int(np.argmax(np.round(ways @ up, 6)))]
        final = self.assembly.poses[lowest(moved)]
        start = final.copy()
        start[:3, 3] += way * self.clear_after(way, moved, self.rest(moved, installed))
        return np.stack([start, final])

    def _path_from_below(self, moved: int, rest: int) -> Array | None:
        """(3, 4, 4) from the side, then up: for bricks of one grid, where there is such a way."""
        blocked = self._commonly(moved)[len(self.common) :]
        free = np.flatnonzero(~(blocked & _words(rest, self.bodies)).any(axis=1))
        if not len(free):
            return None
        way, up = self.common[free[0]], self.common[4]
        final = self.assembly.poses[lowest(moved)]
        below = final.copy()
        below[:3, 3] -= up * (DROP_PLATES * self._grids[0].measures.plate_m)
        start = below.copy()
        start[:3, 3] += way * self.clear_after(way, moved, rest)
        return np.stack([start, below, final])

    def rest(self, moved: int, installed: int) -> int:
        """What is there beside the moved bodies, fixed parts included."""
        if moved <= 0 or moved >> self.bodies:
            raise BadInput(f"expected a mask of bodies 0 to {self.bodies - 1} to move, found {moved:#x}")
        if moved & self._fixed:
            raise BadInput(f"fixed parts never move: {', '.join(self.assembly.named(moved & self._fixed))}")
        return (installed | self._fixed) & ~moved & (1 << self.bodies) - 1

    def clear_after(self, way: Array, moved: int, rest: int, place: Array | None = None) -> float:
        """How far along a direction the group must go for its box to leave that of the others.

        `place` (3,): where it has been shifted to before.
        """
        moving = np.abs(way) > 1e-9
        gaps = np.where(way > 0, *self._gaps(moved, rest, place)) + CLEAR * self.size_m
        return max(float((gaps[moving] / np.abs(way[moving])).min()), CLEAR * self.size_m)

    def left_to_go(self, moved: int, rest: int, place: Array) -> float:
        """How far a shifted group is, at the least, from leaving the box of the others along an axis."""
        return float(np.min(self._gaps(moved, rest, place)))

    def _gaps(self, moved: int, rest: int, place: Array | None) -> tuple[Array, Array]:
        """(3,), (3,) how far the group must go up and down each axis to leave the others' box."""
        lows, highs = self._boxes
        group = list(bits(moved))
        others = [number for number in bits(rest) if number < len(self.assembly.parts)] or group
        shift = np.zeros(3) if place is None else place
        low, high = lows[group].min(axis=0) + shift, highs[group].max(axis=0) + shift
        return highs[others].max(axis=0) - low, high - lows[others].min(axis=0)

    def obstacles(self, moved: int, rest: int) -> list[tuple[Meeting, bool]]:
        """Where a shifted group may run into the rest, and whether B of the meeting is what moves; studs are solid."""
        found = []
        for one in bits(moved):
            for other in bits(rest):
                met = self._met(min(one, other), max(one, other))
                found += [(met.meeting(place), one > other) for place in range(len(met))]
        return found

    @cached_property
    def _pieces(self) -> list[Pieces]:
        pieces = []
        for body in self.assembly.bodies:
            checkpoint()
            pieces.append(pieces_in_world(body))
        return pieces

    @cached_property
    def _boxes(self) -> tuple[Array, Array]:
        """(bodies, 3) lowest and highest corners."""
        boxes = [pieces.box for pieces in self._pieces]
        return np.array([low for low, _ in boxes]), np.array([high for _, high in boxes])

    # The tables

    def _commonly(self, moved: int) -> Words:
        """(directions, words) the bodies that block a group along the common directions."""
        group = list(bits(moved))
        for one in group:
            self._fill(one)
        found: Words = np.bitwise_or.reduce(self._table[group], axis=0)
        return found & ~_words(moved, self.bodies)

    def _exactly(self, moved: int) -> tuple[Array, Words]:
        """Directions (k, 3) that a group's contacts suggest, and the bodies (k, words) that block it along them."""
        if moved not in self._exact:
            ways = np.zeros((0, 3)) if self._on_one_grid else exact_directions(self.joints, moved)
            blocked = np.zeros((len(ways), self.bodies), dtype=bool)
            for one in bits(moved) if len(ways) else ():
                others = np.array([other for other in range(self.bodies) if not moved >> other & 1], dtype=np.int64)
                blocked[:, others] |= self._blocks(one, others, ways).T
            self._exact[moved] = ways, _packed(blocked)
        return self._exact[moved]

    @cached_property
    def _table(self) -> Words:
        """(bodies, directions, words) which bodies block each body along each common direction, where it is filled in.

        Bricks of one grid have four ways more, which are not straight: down a little, then aside.
        """
        if self._on_one_grid:
            order = np.argsort(self._grids[0].bodies)
            self._filled[:] = True
            return _packed(lattice_blocks(self._grids[0], DROP_PLATES)[:, order][:, :, order].transpose(1, 0, 2))
        return np.zeros((self.bodies, len(self.common), (self.bodies + 63) // 64), dtype=np.uint64)

    def _fill(self, one: int) -> None:
        """The row of a body: what blocks it; and its column, since whoever it runs into runs into it the other way."""
        table = self._table
        if self._filled[one]:
            return
        others = np.flatnonzero(~self._filled)
        others = others[others != one]
        hit = self._blocks(one, others, self.common)  # (others, directions)
        blocked = np.zeros((len(self.common), self.bodies), dtype=bool)
        blocked[:, others] = hit.T
        opposite = np.arange(len(self.common)) ^ 1
        word, bit = divmod(one, 64)
        table[one] |= _packed(blocked)
        table[others, :, word] |= hit[:, opposite].astype(np.uint64) << np.uint64(bit)
        self._filled[one] = True

    def _blocks(self, one: int, others: Ints, directions: Array) -> Bools:
        """(others, directions) whether body `one`, moving along a direction, runs into each of the others."""
        hit = np.zeros((len(others), len(directions)), dtype=bool)
        near = self._boxes_met(one, others, directions)
        for row in np.flatnonzero(near.any(axis=1)):
            checkpoint()
            candidates = np.flatnonzero(near[row])
            hit[row, candidates] = self._pair_met(one, int(others[row]), directions[candidates])
        return hit

    def _boxes_met(self, one: int, others: Ints, directions: Array) -> Bools:
        """(others, directions) whether the boxes along the axes meet: what they do not, nothing in them does."""
        lows, highs = self._boxes
        return rays_meet(
            lows[others] - highs[one] + self._depth_m, highs[others] - lows[one] - self._depth_m, directions
        )

    def _pair_met(self, one: int, other: int, directions: Array) -> Bools:
        """(directions,) whether any piece of one body runs into any of the other.

        Nearest pieces first: they block most ways, and for what is left few of the others are in reach.
        """
        toward = -directions if one > other else directions
        met = np.zeros(len(toward), dtype=bool)
        up = self._stud_axis(one, other)
        meetings = self._met(min(one, other), max(one, other))
        reached = np.flatnonzero(meetings.hulls_met(toward))
        met[reached] = meetings.cores_met(toward[reached])
        for begin in range(0, len(meetings), BATCH):
            left = reached[~met[reached]]
            if not len(left):
                break
            near = rays_meet(meetings.lows[begin : begin + BATCH], meetings.highs[begin : begin + BATCH], toward[left])
            for place in np.flatnonzero(near.any(axis=1)):
                tried = left[near[place] & ~met[left]]
                if not len(tried):
                    continue
                meeting = meetings.meeting(begin + int(place))
                if meeting.studs:  # holes take studs along their axis
                    tried = tried[np.abs(toward[tried] @ up) < STRAIGHT_UP]
                if len(tried):
                    met[tried] = meeting.met(toward[tried])
        return met

    def _stud_axis(self, one: int, other: int) -> Array:
        """The direction of the studs that two bodies share; zero where they do not share a grid."""
        group = self._groups[one]
        if group < 0 or group != self._groups[other]:
            return np.zeros(3)
        axis: Array = self._grids[group].T_world_lattice[:3, 2]
        return axis

    def _met(self, one: int, other: int) -> Meetings:
        """Of the pieces of two bodies, those nearest to each other first; studs in their holes do not graze."""
        if (one, other) not in self._meetings:
            same_grid = bool(self._stud_axis(one, other).any())
            self._meetings[one, other] = Meetings(self._pieces[one], self._pieces[other], self._depth_m, same_grid)
        return self._meetings[one, other]


def _words(mask: int, bodies: int) -> Words:
    """(words,) a mask as an array."""
    count = (bodies + 63) // 64
    return np.frombuffer(mask.to_bytes(8 * count, "little"), dtype=np.uint64)


def _packed(blocked: Bools) -> Words:
    """(…, words) rows of flags (…, bodies) as bits."""
    bodies = blocked.shape[-1]
    packed = np.packbits(blocked, axis=-1, bitorder="little")
    padded = np.zeros((*blocked.shape[:-1], 8 * ((bodies + 63) // 64)), dtype=np.uint8)
    padded[..., : packed.shape[-1]] = packed
    return padded.view(np.uint64)
