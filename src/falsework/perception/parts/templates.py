"""How a part can lie on a table: on the faces of its hull that its centre of mass is above, at any yaw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

from falsework.geometry.distance.fields import Field, field_of
from falsework.geometry.distance.surface import Surface, surface_of
from falsework.model.arrays import Array
from falsework.model.errors import BadInput, shown
from falsework.model.shapes import Mesh, Shape

CELLS = 64  # of a distance field, along the longest side
YAWS = 24  # of a turn, at which a part is tried
_SAME_FACE = 0.999  # cosine between triangles of the hull that are one face
_MARGIN = 0.02  # of the part's size: a centre of mass nearer to the rim of a face would topple


class Twin(NamedTuple):
    """A part of the same shape, and how its frame lies in that of the first (4, 4)."""

    name: str
    T_part_twin: Array


@dataclass(frozen=True, eq=False)
class PartModel:
    """A part that may lie on a table, and others of its shape.

    >>> from falsework.model.shapes import box
    >>> len(PartModel("beam", box((0.1, 0.03, 0.02))).rests)
    6
    """

    name: str
    shape: Shape
    twins: tuple[Twin, ...] = ()

    def __post_init__(self) -> None:
        if not 0.005 < self.surface.size_m < 2.0:
            size = 1e3 * self.surface.size_m
            raise BadInput(
                f"part {shown(self.name)}: found a size of {size:.0f} mm, expected 5 mm to 2 m; is the scale right?"
            )

    @cached_property
    def surface(self) -> Surface:
        return surface_of(self.shape)

    @cached_property
    def field(self) -> Field:
        return field_of(self.surface, CELLS)

    @cached_property
    def middle_m(self) -> Array:
        """(3,) the centre of its volume, in its frame."""
        a, b, c = np.moveaxis(self.surface.corners, 1, 0)
        volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
        whole = float(volumes.sum())
        if abs(whole) < 1e-12:
            return np.asarray(self.surface.corners.reshape(-1, 3).mean(axis=0))
        return np.asarray(((a + b + c) / 4 * volumes[:, None]).sum(axis=0) / whole)

    @cached_property
    def outside(self) -> Surface:
        """Its convex hull: of small holes and notches depth tells nothing."""
        points = self.surface.corners.reshape(-1, 3)
        hull = ConvexHull(points)
        triangles = np.array(hull.simplices)
        a, b, c = points[triangles].swapaxes(0, 1)
        inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
        triangles[inward] = triangles[inward][:, ::-1]
        kept, numbers = np.unique(triangles, return_inverse=True)
        return surface_of(Mesh(points[kept], numbers.reshape(-1, 3)))

    @cached_property
    def principal_axes(self) -> tuple[Array, Array]:
        """(3,) how far its surface is from its middle, in the mean, m, and (3, 3) along which axes, as columns."""
        a, b, c = np.moveaxis(self.surface.corners, 1, 0)
        areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        about = (a + b + c) / 3 - self.middle_m
        squares, axes = np.linalg.eigh((about * areas[:, None]).T @ about / areas.sum())
        return np.sqrt(np.maximum(squares, 0.0)), axes

    @cached_property
    def rests(self) -> tuple[Array, ...]:
        """(3, 3) rotations from its frame to a table's, one for each face of its hull that it can stand on."""
        points = self.surface.corners.reshape(-1, 3)
        hull = ConvexHull(points)
        found: list[Array] = []
        downs: list[Array] = []
        for normal in hull.equations[:, :3]:
            if any(normal @ other > _SAME_FACE for other in downs):
                continue
            downs.append(normal)
            R = _turning(normal, np.array([0.0, 0.0, -1.0]))
            if self._stands(points[hull.vertices] @ R.T, R @ self.middle_m):
                found.append(R)
        return tuple(found)

    def _stands(self, points: Array, middle: Array) -> bool:
        """Whether the centre of mass is above the face that is lowest."""
        size = float(np.ptp(points, axis=0).max())
        low = points[points[:, 2] < points[:, 2].min() + 1e-3 * size, :2]
        if len(low) < 3 or np.linalg.matrix_rank(low - low[0], tol=1e-6 * size) < 2:
            return False
        face = ConvexHull(low)
        return bool((face.equations[:, :2] @ middle[:2] + face.equations[:, 2] < -_MARGIN * size).all())


def lying(part: PartModel, rest: Array, yaw: float, x: float, y: float, table_m: float) -> Array:
    """(4, 4) the part on the table, so turned, its centre of mass at x, y."""
    c, s = math.cos(yaw), math.sin(yaw)
    T = np.eye(4)
    T[:3, :3] = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]) @ rest
    T[:2, 3] = np.array([x, y]) - (T[:3, :3] @ part.middle_m)[:2]
    T[2, 3] = table_m - float((part.surface.corners.reshape(-1, 3) @ T[2, :3]).min())
    return T


def _turning(one: Array, other: Array) -> Array:
    """(3, 3) the least rotation that brings a direction to another."""
    c = float(one @ other)
    if c < -1 + 1e-9:
        return np.diag([1.0, -1.0, -1.0]) if abs(one[2]) > 0.5 else np.eye(3)
    v = np.cross(one, other)
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.asarray(np.eye(3) + K + K @ K / (1 + c))
