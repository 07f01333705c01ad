"""A part's surface as triangles that rays can be shot at, and points on it to begin from."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from falsework.geometry.shapes.solids import outer_surface
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.shapes import Shape

FACETS = 24  # of the largest, whose middles are looked at
SAMPLES = 48  # points all over the surface
AT_ONCE = 2_000_000  # rays times triangles in one go
ALIKE = 1e-5  # by which normals and planes of one facet may differ, as a share of the part's size
PLASTIC = 1.32471795724474602596  # of the sequence of points that fill a square evenly


class Skin:
    """The outer surface of a shape in its own frame."""

    def __init__(self, shape: Shape) -> None:
        mesh = outer_surface(shape)
        corners = mesh.vertices[mesh.triangles]
        crossed = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        doubled = np.linalg.norm(crossed, axis=1)
        there = doubled > 1e-12 * max(float(doubled.max()), 1e-300)
        self.corners = corners[there]  # (t, 3, 3)
        self.areas = 0.5 * doubled[there]
        self.normals = crossed[there] / doubled[there, None]  # (t, 3) outward
        self.size_m = float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))

    def hits(self, origins: Array, directions: Array) -> tuple[Array, Ints]:
        """(r,) how far rays go until they leave the solid, and (r,) by which triangle; infinity and −1: they do not.

        Rays begin on the surface or inside; what they enter through does not count.
        """
        far, through = np.full(len(origins), np.inf), np.full(len(origins), -1)
        step = max(1, AT_ONCE // max(1, len(self.areas)))
        for begin in range(0, len(origins), step):
            rows = slice(begin, begin + step)
            distance = self._distances(origins[rows], directions[rows])
            best = distance.argmin(axis=1)
            far[rows] = distance[np.arange(len(best)), best]
            through[rows] = np.where(np.isfinite(far[rows]), best, -1)
        return far, through

    def _distances(self, origins: Array, directions: Array) -> Array:
        """(r, t) along each ray, where it passes a triangle from inside; else infinity."""
        a = self.corners[:, 0]
        ab, ac = self.corners[:, 1] - a, self.corners[:, 2] - a
        across = np.cross(directions[:, None], ac)  # (r, t, 3)
        height = np.einsum("tk,rtk->rt", ab, across)
        leaving = directions @ self.normals.T > 1e-9
        safe = np.where(leaving, height, 1.0)
        away = origins[:, None] - a
        u = np.einsum("rtk,rtk->rt", away, across) / safe
        turned = np.cross(away, ab)
        v = np.einsum("rk,rtk->rt", directions, turned) / safe
        t = np.einsum("tk,rtk->rt", ac, turned) / safe
        rim = 1e-9
        inside = leaving & (u >= -rim) & (v >= -rim) & (u + v <= 1 + rim) & (t > ALIKE * self.size_m)
        return np.where(inside, t, np.inf)

    @cached_property
    def facets(self) -> tuple[tuple[Array, Array], ...]:
        """Flat faces, the largest first: middle (3,) and outward normal (3,)."""
        offset = np.einsum("tk,tk->t", self.normals, self.corners[:, 0]) / self.size_m
        keys = np.round(np.column_stack([self.normals, offset]) / (10 * ALIKE)).astype(np.int64)
        _, group = np.unique(keys, axis=0, return_inverse=True)
        group = group.ravel()
        areas = np.bincount(group, self.areas)
        found = []
        for one in np.argsort(-areas, kind="stable")[:FACETS]:
            members = np.flatnonzero(group == one)
            weights = self.areas[members] / areas[one]
            middle = weights @ self.corners[members].mean(axis=1)
            normal = weights @ self.normals[members]
            found.append((middle, normal / np.linalg.norm(normal)))
        return tuple(found)

    @cached_property
    def starts(self) -> tuple[Array, Array]:
        """(k, 3) points on the surface and (k, 3) their outward normals: middles of facets, then points all over."""
        ladder = np.cumsum(self.areas) / self.areas.sum()
        number = np.arange(1, SAMPLES + 1)
        chosen = np.searchsorted(ladder, (0.5 + number / PLASTIC**3) % 1.0).clip(max=len(self.areas) - 1)
        u, v = (0.5 + number / PLASTIC) % 1.0, (0.5 + number / PLASTIC**2) % 1.0
        folded = u + v > 1
        u, v = np.where(folded, 1 - u, u), np.where(folded, 1 - v, v)
        a, b, c = (self.corners[chosen, k] for k in range(3))
        drawn = a + u[:, None] * (b - a) + v[:, None] * (c - a)
        middles = np.array([middle for middle, _ in self.facets]).reshape(-1, 3)
        normals = np.array([normal for _, normal in self.facets]).reshape(-1, 3)
        return np.concatenate([middles, drawn]), np.concatenate([normals, self.normals[chosen]])

    def lie_flat(self, points: Array, normals: Array, radius_m: float, within_m: float) -> Bools:
        """(k,) whether the surface is level, within so much, over a disc of a radius about each point."""
        flat = np.ones(len(points), bool)
        lift = max(2 * within_m, 1e-3 * self.size_m)
        for angle in np.arange(8) * np.pi / 4:
            across = _across(normals)
            side = np.cos(angle) * across + np.sin(angle) * np.cross(normals, across)
            far = self._down_to(points + radius_m * side + lift * normals, -normals)
            flat &= np.abs(far - lift) <= within_m
        return flat

    def _down_to(self, origins: Array, directions: Array) -> Array:
        """(r,) how far rays from outside go until they enter."""
        flipped = Skin.__new__(Skin)
        flipped.corners, flipped.areas, flipped.size_m = self.corners, self.areas, self.size_m
        flipped.normals = -self.normals
        return flipped.hits(origins, directions)[0]


@lru_cache(maxsize=1024)
def skin_of(shape: Shape) -> Skin:
    """The skin of a shape, made once.

    >>> from falsework import box
    >>> round(float(skin_of(box((1, 1, 1))).areas.sum()), 9)
    6.0
    """
    return Skin(shape)


def _across(normals: Array) -> Array:
    """(k, 3) unit vectors across normals."""
    other = np.where(np.abs(normals[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    found = np.cross(normals, other)
    across: Array = found / np.linalg.norm(found, axis=1, keepdims=True)
    return across
