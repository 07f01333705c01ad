"""A snap-fit structure as a network: free bodies joined by clutches, pressed corners and patch generators.

Unknowns are the wrench w of each clutch (6), the pressures at its corners (4) and the weights of the patch
generators. Equilibrium of the free bodies is A·x + b = 0; the same A gives every relative motion, Aᵀ·y, of body
twists y. Units are those of `kinds`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array

from falsework.model.arrays import Array, Bools, Ints
from falsework.statics.clutches.kinds import ClutchKinds
from falsework.statics.clutches.proposals import ClutchForces


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Scaled arrays of one topology. Bodies are numbered 0…n−1 over the free ones, −1 stands for all others."""

    kinds: ClutchKinds
    coms: Array  # (n, 3) of the free bodies
    number: Ints  # (bodies,) number among the free ones, or −1
    free: Ints  # (n,) body of each number
    pairs: Ints  # (k, 2) stud brick, hole brick
    kind: Ints  # (k,)
    turn: Array  # (k, 3, 3) clutch axes as columns, world
    arms: Array  # (k, 2, 3) clutch origin from the centres of mass of its two bodies
    pushes: Ints  # (g, 2) bodies of each patch generator in use
    push_force: Array  # (g, 3) on the second body, world
    push_arms: Array  # (g, 2, 3)
    push_slot: Ints  # (g,) place in the caller's (p, e) table
    push_shape: tuple[int, int]
    row_slot: Ints  # (rows of all clutches, thinned) place in the caller's concatenated rows
    row_clutch: Ints  # the same: clutch of each
    row_local: Ints  # the same: index into the kinds' rows
    all_rows: int

    @property
    def bodies(self) -> int:
        return len(self.free)

    @property
    def clutches(self) -> int:
        return len(self.pairs)

    @property
    def length_m(self) -> float:
        return self.kinds.length_m

    @property
    def force_n(self) -> float:
        return self.kinds.force_n

    @property
    def wrench_unit(self) -> Array:
        """(6,) N and N·m of a scaled wrench."""
        return self.force_n * np.array([1.0, 1.0, 1.0, self.length_m, self.length_m, self.length_m])

    def scaled_loads(self, loads: Array) -> Array:
        """(n, 6) of the free bodies."""
        scaled = np.array(loads[self.free], dtype=np.float64) / self.force_n
        scaled[:, 3:] /= self.length_m
        return scaled

    def forces(self, wrenches: Array, pressure: Array, weights: Array, start: Array | None = None) -> ClutchForces:
        """In newtons and metres, patch weights back in the caller's table."""
        table = np.zeros(self.push_shape[0] * self.push_shape[1])
        table[self.push_slot] = weights * self.force_n
        return ClutchForces(wrenches * self.wrench_unit, pressure * self.force_n, table.reshape(self.push_shape), start)

    def twists(self, scaled: Array) -> Array:
        """(bodies, 6) in metres, zero where a body is not free."""
        twists = np.zeros((len(self.number), 6))
        twists[self.free] = scaled
        twists[:, 3:] /= self.length_m
        return twists

    def balance(self) -> csc_array:
        """A: (6n, 6k + 4k + g), wrench on each free body about its centre of mass per unknown."""
        wrench = np.zeros((self.clutches, 6, 6))  # columns in world axes about the clutch's origin
        wrench[:, :3, :3] = wrench[:, 3:, 3:] = self.turn
        corner = np.zeros((self.clutches, 4, 6))
        corner[:, :, :3] = -self.turn[:, None, :, 2]  # the hole brick is pushed up: the stud brick down
        arms = np.einsum("kij,kcj->kci", self.turn, self.kinds.corners[self.kind])
        corner[:, :, 3:] = np.cross(arms, corner[:, :, :3])
        push = np.zeros((len(self.pushes), 6))
        push[:, :3] = -self.push_force
        about = [(wrench.transpose(0, 2, 1), self.arms, self.pairs), (corner, self.arms, self.pairs)]
        about.append((push[:, None, :], self.push_arms, self.pushes))
        entries: list[tuple[Array, Ints, Ints]] = []
        first = 0
        for table, arm, pairs in about:
            count, wide, _ = table.shape
            columns = first + np.arange(count * wide).reshape(count, wide)
            first += count * wide
            for side, sign in ((0, 1.0), (1, -1.0)):
                entries.append(self._side(sign * table, arm[:, side], pairs[:, side], columns))
        values, down, across = (np.concatenate(parts) for parts in zip(*entries, strict=True))
        return csc_array((values, (down, across)), shape=(6 * self.bodies, first))

    def _side(self, table: Array, arm: Array, body: Ints, columns: Ints) -> tuple[Array, Ints, Ints]:
        moved = table.copy()
        moved[..., 3:] += np.cross(arm[:, None, :], table[..., :3])
        number = self.number[body]
        kept = number >= 0
        down = np.broadcast_to((6 * number[:, None] + np.arange(6))[:, None, :], moved.shape)
        across = np.broadcast_to(columns[:, :, None], moved.shape)
        used = kept[:, None, None] & (moved != 0.0)
        return moved[used], down[used], across[used]


def build(
    bodies: Ints,
    frames: Array,
    kinds: ClutchKinds,
    kind: Ints,
    patch_bodies: Ints,
    patch_starts: Ints,
    patch_points: Array,
    patch_generators: Array,
    coms: Array,
    free: Bools,
) -> Network:
    """The network of one topology."""
    bodies, pairs_of_patches = np.reshape(bodies, (-1, 2)), np.reshape(patch_bodies, (-1, 2))
    kind, free = np.asarray(kind, dtype=np.int64), np.asarray(free, dtype=np.bool_)
    number = np.where(free, np.cumsum(free) - 1, -1)
    length = kinds.length_m
    slot, clutch, local = _row_slots(kinds, kind)
    place, force_on, points, owner = _pushes(patch_starts, patch_points, patch_generators)
    pushes = pairs_of_patches[owner]
    return Network(
        kinds=kinds,
        coms=coms[free] / length,
        number=number,
        free=np.flatnonzero(free),
        pairs=bodies,
        kind=kind,
        turn=np.ascontiguousarray(frames[:, :3, :3]),
        arms=(frames[:, None, :3, 3] - coms[bodies]) / length,
        pushes=pushes,
        push_force=force_on,
        push_arms=(points[:, None, :] - coms[pushes]) / length,
        push_slot=place,
        push_shape=(patch_generators.shape[0], patch_generators.shape[1]),
        row_slot=slot,
        row_clutch=clutch,
        row_local=local,
        all_rows=int(kinds.sizes[kind].sum()),
    )


def _row_slots(kinds: ClutchKinds, kind: Ints) -> tuple[Ints, Ints, Ints]:
    """For each thinned row of each clutch: its place among all rows given, its clutch, its thinned row."""
    counts = np.diff(kinds.starts)[kind]
    clutch = np.repeat(np.arange(len(kind)), counts)
    local = kinds.starts[kind][clutch] + np.arange(len(clutch)) - (np.cumsum(counts) - counts)[clutch]
    sizes = kinds.sizes[kind]
    return (np.cumsum(sizes) - sizes)[clutch] + kinds.places[local], clutch, local


def _pushes(starts: Ints, points: Array, generators: Array) -> tuple[Ints, Array, Array, Ints]:
    """Generators that are not padding: place in the table, force, point, patch."""
    count, edges = generators.shape[:2]
    flat = generators.reshape(-1, 3)
    place = np.flatnonzero((flat != 0.0).any(axis=1))
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts)) if count else np.zeros(0, dtype=np.int64)
    point = place // max(edges, 1)
    return place, flat[place], points[point], owner[point]
