"""Cylinders, cones and spheres as functions of space: how far a point is outside, and which way that is."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from falsework.geometry.shapes.planes import TINY, plane_axes, unit
from falsework.model.arrays import Array
from falsework.model.surfaces import Primitive

Round = Literal["cylinder", "cone", "sphere"]


class Form(NamedTuple):
    """A surface without bounds: `point` on the axis of a cylinder, apex of a cone, centre of a sphere."""

    kind: Round
    point: Array  # (3,)
    axis: Array  # (3,) unit; of a cone from the apex into it
    radius_m: float = 0.0
    half_angle_rad: float = 0.0

    def heights(self, points: Array) -> Array:
        """(n,) how far points (n, 3) are outside, negative inside; beyond a cone's apex, from its other half."""
        arms = points - self.point
        if self.kind == "sphere":
            return np.asarray(np.linalg.norm(arms, axis=1) - self.radius_m)
        along = arms @ self.axis
        across = np.linalg.norm(arms - along[:, None] * self.axis, axis=1)
        if self.kind == "cylinder":
            return np.asarray(across - self.radius_m)
        heights: Array = np.cos(self.half_angle_rad) * across - np.sin(self.half_angle_rad) * along
        return heights

    def outward(self, points: Array) -> Array:
        """(n, 3) unit, the way in which a point gets outside; any one on an axis or in a centre."""
        arms = points - self.point
        if self.kind == "sphere":
            return _some_way(arms, np.array([0.0, 0.0, 1.0]))
        along = arms @ self.axis
        radial = _some_way(arms - along[:, None] * self.axis, plane_axes(self.axis[None])[0][0])
        if self.kind == "cylinder":
            return radial
        normals: Array = np.cos(self.half_angle_rad) * radial - np.sin(self.half_angle_rad) * self.axis
        return normals

    def feet(self, points: Array) -> Array:
        """(n, 3) the points of the surface that are next to points (n, 3)."""
        feet: Array = points - self.heights(points)[:, None] * self.outward(points)
        return feet

    def bows(self, points: Array) -> Array:
        """(n,) the radius of the circles around the axis through points (n, 3); of a sphere, its own."""
        if self.kind != "cone":
            return np.full(len(points), self.radius_m)
        along = (points - self.point) @ self.axis
        bows: Array = np.abs(along) * np.tan(self.half_angle_rad)
        return bows

    def moved(self, pose: Array) -> Form:
        """In the frame that a pose (4, 4) maps to."""
        point, axis = pose[:3, :3] @ self.point + pose[:3, 3], pose[:3, :3] @ self.axis
        return self._replace(point=point, axis=axis)


def form_of(primitive: Primitive) -> Form | None:
    """The form of a primitive; None of those that are none."""
    match primitive.kind:
        case "cylinder" | "cone" | "sphere" as kind:
            return Form(kind, primitive.point, primitive.axis, primitive.radius_m, primitive.half_angle_rad)
        case _:
            return None


def _some_way(arms: Array, otherwise: Array) -> Array:
    ways = unit(arms)
    nowhere = (arms * arms).sum(axis=1) <= TINY
    ways[nowhere] = otherwise
    return ways
