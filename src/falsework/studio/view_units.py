"""View units: the origin is the middle of the parts and 1 is their largest extent.

Single precision then serves a watch and a cathedral alike, wherever in the world they stand.
"""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array
from falsework.studio.scene import Scene


class ViewUnits:
    """World metres to view units."""

    def __init__(self, low: Array, high: Array) -> None:
        self.origin: Array = 0.5 * (low + high)
        self.size = max(float((high - low).max()), 1e-12)
        self.floor = float(low[2] - self.origin[2]) / self.size

    def points(self, points_m: Array) -> Array:
        return (points_m - self.origin) / self.size

    def lengths(self, lengths_m: Array) -> Array:
        return lengths_m / self.size

    @staticmethod
    def of(scene: Scene) -> ViewUnits:
        return ViewUnits(*view_bounds(scene))


def view_bounds(scene: Scene) -> tuple[Array, Array]:
    """Lowest and highest corner of the parts, the ground not counted unless it is all there is."""
    parts = scene.parts
    boxes = np.array([[mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)] for mesh in scene.meshes])
    chosen = np.array([role != "ground" for role in parts.role])
    if not chosen.any():
        chosen[:] = True
    which = (np.arange(8)[:, None] >> np.arange(3)) & 1  # the corners of a box
    corners = boxes[parts.mesh[chosen]][:, which, np.arange(3)]  # (n, 8, 3)
    poses = parts.T_world_part[chosen]
    world = np.einsum("nij,ncj->nci", poses[:, :3, :3], corners) + poses[:, None, :3, 3]
    return world.min(axis=(0, 1)), world.max(axis=(0, 1))
