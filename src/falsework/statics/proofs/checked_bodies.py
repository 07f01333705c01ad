"""Bodies as the referee sees them: loads, speeds, pieces, and the sums over them that decide."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State

ROUNDING = 2.0**-50  # relative, of sums and of speeds


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """What acts on bodies, summed up interface by interface."""

    radii_m: Array  # (n,)
    wrenches: Array  # (n, 6) force, torque about the centre of mass
    summed: Array  # (n,) N: the sizes of all that was added, of which rounding is a share
    beyond: Array  # (n,) N: by how much interfaces exceed what they can

    @staticmethod
    def of(loads: Array, radii_m: Array) -> Balance:
        return Balance(radii_m, loads.copy(), np.zeros(len(loads)), np.zeros(len(loads)))

    def push(self, bodies: Ints, arms: Array, forces: Array) -> None:
        """Add forces at arms from the centres of mass of bodies."""
        wrenches = np.concatenate([forces, cross(arms, forces)], axis=1)
        slots = (6 * bodies[:, None] + np.arange(6)).ravel()
        self.wrenches[:] += np.bincount(slots, weights=wrenches.ravel(), minlength=self.wrenches.size).reshape(-1, 6)
        sizes = lengths(forces) * (1.0 + lengths(arms) / self.radii_m[bodies])
        self.summed[:] += np.bincount(bodies, weights=sizes, minlength=len(self.summed))

    def take(self, wrenches: Array, pairs: Ints, sizes: Array, excesses: Array) -> None:
        """Add wrenches (6n,) of interfaces of pairs (k, 2): the sizes of what made them up, and what exceeds (k, 2)."""
        count, bodies = len(self.summed), pairs.ravel()
        self.wrenches[:] += wrenches.reshape(-1, 6)
        self.summed[:] += np.bincount(bodies, weights=sizes.ravel(), minlength=count)
        self.beyond[:] += np.bincount(bodies, weights=excesses.ravel(), minlength=count)

    def left(self) -> Array:
        """(n,) N: imbalance or excess of each body, whichever is more."""
        force, torque = lengths(self.wrenches[:, :3]), lengths(self.wrenches[:, 3:])
        left: Array = np.maximum(np.maximum(force, torque / self.radii_m) + ROUNDING * self.summed, self.beyond)
        return left


class CheckedBodies:
    """The bodies of one assembly."""

    def __init__(self, assembly: Assembly, joints: Interfaces) -> None:
        self._assembly = assembly
        self._pairs = np.concatenate([joints.patches.bodies, joints.clutches.bodies, joints.hinges.bodies])
        self.coms_m = assembly.coms_m
        self.radii_m = np.array([body.radius_m for body in assembly.bodies])

    def speeds(self, twists: Array) -> Array:
        speeds: Array = np.maximum(lengths(twists[:, :3]), lengths(twists[:, 3:]) * self.radii_m)
        return speeds

    def masks(self, state: State) -> tuple[Bools, Bools]:
        """(n,) which bodies are there, and which of them must find their own balance."""
        count = len(self.radii_m)
        both = (state.installed, state.installed & ~state.held & ~self._assembly.fixed_mask())
        packed = np.frombuffer(b"".join(one.to_bytes(count // 8 + 1, "little") for one in both), dtype=np.uint8)
        flags = np.unpackbits(packed.reshape(2, -1), axis=1, count=count, bitorder="little").view(np.bool_)
        return flags[0], flags[1]

    def own_loads(self, state: State, there: Bools, free: Bools) -> Array:
        """(n,) weight of each body plus the forces applied to it, N.

        What has no load of its own is measured by the least loaded of the free bodies that it acts on.
        """
        own = self._assembly.masses_kg * math.hypot(*state.gravity_of(self._assembly).tolist())
        for load in state.loads_of(self._assembly):
            own[self._assembly.index[load.part]] += math.hypot(*load.force_n.tolist())
        bare = free & (own == 0.0)
        if bare.any():
            label = self.connected(free, there)
            least = np.full(int(label.max()) + 1, np.inf)
            loaded = free & (own > 0.0)
            np.minimum.at(least, label[loaded], own[loaded])
            own[bare] = np.where(np.isfinite(least), least, 1.0)[label[bare]]
        return own

    def loads(self, state: State, there: Bools) -> Array:
        """(n, 6) load on each body: force, torque about its centre of mass."""
        total = np.zeros((len(there), 6))
        total[:, :3] = self._assembly.masses_kg[:, None] * state.gravity_of(self._assembly)
        for load in state.loads_of(self._assembly):
            body = self._assembly.index[load.part]
            total[body, :3] += load.force_n
            if load.point_m is not None:
                total[body, 3:] += np.cross(load.point_m - self._assembly.coms_m[body], load.force_n)
        total[~there] = 0.0
        return total

    def connected(self, chosen: Bools, there: Bools) -> Ints:
        """(n,) number of the piece that each chosen body belongs to, joined by interfaces; −1 for the others."""
        pairs = self._pairs
        pairs = pairs[(chosen & there)[pairs].all(axis=1)]
        label = np.arange(len(chosen))
        while True:
            least = label[pairs].min(axis=1) if len(pairs) else label[:0]
            before = label.copy()
            np.minimum.at(label, pairs[:, 0], least)
            np.minimum.at(label, pairs[:, 1], least)
            label = label[label]
            if np.array_equal(before, label):
                break
        pieces: Ints = np.full(len(chosen), -1)
        pieces[chosen] = np.unique(label[chosen], return_inverse=True)[1]
        return pieces

    def velocity(self, twists: Array, bodies: Ints, points: Array) -> Array:
        """(k, 3) of points of bodies (k,)."""
        moved: Array = twists[bodies, :3] + cross(twists[bodies, 3:], points - self.coms_m[bodies])
        return moved


class Tally:
    """Sums over the pieces that move: of bodies, and of interfaces that are there and touch a piece."""

    def __init__(self, label: Ints, count: int, there: Bools) -> None:
        self._label, self.count, self._there = label, count, there

    def of_bodies(self, values: Array) -> Array:
        moves = self._label >= 0
        return self._sum(self._label[moves], values[moves])

    def of_pairs(self, pairs: Ints, values: Array) -> Array:
        piece = self._label[pairs].max(axis=1) if len(pairs) else self._label[:0]
        counts = (piece >= 0) & self._there[pairs].all(axis=1) if len(pairs) else np.zeros(0, np.bool_)
        return self._sum(piece[counts], values[counts])

    def _sum(self, piece: Ints, values: Array) -> Array:
        sums: Array = np.bincount(piece, weights=values, minlength=self.count).astype(np.float64)
        return sums


def lengths(vectors: Array) -> Array:
    """Euclidean lengths along the last axis."""
    lengths: Array = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))
    return lengths


def cross(a: Array, b: Array) -> Array:
    """a × b along the last axis, without numpy's generality."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)
