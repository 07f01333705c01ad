"""Convex solids in world coordinates, as the judges see them: numpy only, nothing of falsework."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

ON_PLANE = 1e-10  # of a solid's size: corners this near to a cut lie in it
PARALLEL = 1e-6  # sine of the angle between edges that give no axis


@dataclass(frozen=True, eq=False)
class Solid:
    """A convex polyhedron; faces are loops of corners, counter-clockwise seen from outside."""

    corners: np.ndarray  # (n, 3)
    faces: tuple[tuple[int, ...], ...]

    @cached_property
    def normals(self) -> np.ndarray:
        """(f, 3) outward unit normals, by Newell's sum."""
        rows = []
        for loop in self.faces:
            ring = self.corners[list(loop)] - self.corners[loop[0]]
            rows.append(np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0))
        return np.array(rows) / np.linalg.norm(rows, axis=1, keepdims=True)

    @cached_property
    def edges(self) -> np.ndarray:
        """(e, 3) directions of its edges, parallel ones once."""
        pairs = {tuple(sorted(pair)) for loop in self.faces for pair in zip(loop, loop[1:] + loop[:1], strict=True)}
        found: list[np.ndarray] = []
        for first, second in sorted(pairs):
            way = self.corners[second] - self.corners[first]
            way = way / np.linalg.norm(way)
            if all(np.abs(way @ other) < 1 - 1e-12 for other in found):
                found.append(way)
        return np.array(found)

    @cached_property
    def volume_and_centre(self) -> tuple[float, np.ndarray]:
        """Sums over tetrahedra from a corner, so that places far from the origin lose no digits."""
        origin = self.corners.mean(axis=0)
        volume, moment = 0.0, np.zeros(3)
        for loop in self.faces:
            ring = self.corners[list(loop)] - origin
            for a, b in pairwise(ring[1:]):
                part = ring[0] @ np.cross(a, b) / 6
                volume += part
                moment += part * (ring[0] + a + b) / 4
        return volume, origin + moment / volume

    @property
    def size(self) -> float:
        return float(np.linalg.norm(np.ptp(self.corners, axis=0)))

    def moved(self, turn: np.ndarray, shift: np.ndarray) -> Solid:
        return Solid(self.corners @ turn.T + shift, self.faces)

    def scaled(self, factor: float) -> Solid:
        return Solid(self.corners * factor, self.faces)

    @cached_property
    def box(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Lowest corner and sides, where it is a box along the axes."""
        low, high = self.corners.min(axis=0), self.corners.max(axis=0)
        at_ends = (self.corners == low) | (self.corners == high)
        return (low, high - low) if len(self.corners) == 8 and at_ends.all() and len(self.faces) == 6 else None


def box(low: np.ndarray | tuple[float, ...], sides: np.ndarray | tuple[float, ...]) -> Solid:
    x, y, z = low
    X, Y, Z = np.asarray(low, dtype=float) + np.asarray(sides, dtype=float)
    corners = [(x, y, z), (X, y, z), (X, Y, z), (x, Y, z), (x, y, Z), (X, y, Z), (X, Y, Z), (x, Y, Z)]
    faces = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
    return Solid(np.array(corners, dtype=float), faces)


def prism(outline: np.ndarray | list[tuple[float, float]], y_low: float, y_high: float) -> Solid:
    """A convex outline in x, z, counter-clockwise seen from −y, between two depths."""
    flat = np.asarray(outline, dtype=float)
    count = len(flat)
    front = np.column_stack([flat[:, 0], np.full(count, y_low), flat[:, 1]])
    back = np.column_stack([flat[:, 0], np.full(count, y_high), flat[:, 1]])
    sides = [(k, k + count, (k + 1) % count + count, (k + 1) % count) for k in range(count)]
    loops = [tuple(range(count)), tuple(range(2 * count - 1, count - 1, -1)), *sides]
    return Solid(np.concatenate([front, back]), tuple(loops))


def clipped(solid: Solid, normal: np.ndarray, offset: float) -> Solid | None:
    """What lies behind a plane, normal·x ≤ offset; None where nothing is left."""
    beyond = solid.corners @ normal - offset
    beyond[np.abs(beyond) < ON_PLANE * solid.size] = 0.0
    if (beyond >= 0).all():
        return None
    if (beyond <= 0).all():
        return solid
    places: list[np.ndarray] = [*solid.corners]
    crossing: dict[tuple[int, int], int] = {}
    loops: list[tuple[int, ...]] = []
    for loop in solid.faces:
        kept: list[int] = []
        for here, there in zip(loop, loop[1:] + loop[:1], strict=True):
            if beyond[here] <= 0:
                kept.append(here)
            if beyond[here] * beyond[there] < 0:
                edge = (min(here, there), max(here, there))
                if edge not in crossing:
                    share = beyond[edge[0]] / (beyond[edge[0]] - beyond[edge[1]])
                    crossing[edge] = len(places)
                    places.append(places[edge[0]] + share * (places[edge[1]] - places[edge[0]]))
                kept.append(crossing[edge])
        if len(kept) >= 3 and any(beyond[k] < 0 for k in kept if k < len(beyond)):
            loops.append(tuple(kept))
    used = {k for loop in loops for k in loop}
    cap = [k for k in sorted(used) if k >= len(beyond) or beyond[k] == 0]
    loops.append(_around(np.array(places), cap, normal))
    order = sorted({k for loop in loops for k in loop})
    number = {k: row for row, k in enumerate(order)}
    return Solid(np.array(places)[order], tuple(tuple(number[k] for k in loop) for loop in loops))


def _around(places: np.ndarray, which: list[int], normal: np.ndarray) -> tuple[int, ...]:
    """Points of a plane in their order about the normal."""
    flat = in_plane(places[which], normal)
    flat = flat - flat.mean(axis=0)
    return tuple(which[k] for k in np.argsort(np.arctan2(flat[:, 1], flat[:, 0]), kind="stable"))


def in_plane(points: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """(n, 2) coordinates in a plane, counter-clockwise about its normal."""
    return points @ plane_axes(normal).T


def plane_axes(normal: np.ndarray) -> np.ndarray:
    """(2, 3) unit vectors that make a right-handed frame with the normal."""
    first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(normal, first)])


def random_turn(rng: np.random.Generator) -> np.ndarray:
    """A rotation matrix, evenly spread."""
    w, x, y, z = (q := rng.normal(size=4)) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def turn_about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew
