"""Where bricks may lie: footprints that do not overlap, flush neighbours and stacks on a brick's own stud grid."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.model.poses import inverse
from falsework.perception.scenes.scene import SceneBrick

TOUCH_M = 1e-6  # what overlaps by less only touches


def lying(x_m: float, y_m: float, z_m: float, yaw: float) -> Array:
    """(4, 4) the pose of an upright brick whose minimum corner is there, turned by `yaw` (rad) about z."""
    T = np.eye(4)
    T[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
    T[:3, 3] = x_m, y_m, z_m
    return T


def about_middle(kind: BrickType, middle_m: tuple[float, float], z_m: float, yaw: float) -> Array:
    """(4, 4) the pose of an upright brick by the middle of its footprint."""
    T = lying(0.0, 0.0, z_m, yaw)
    T[:2, 3] = np.array(middle_m) - T[:2, :2] @ (0.5 * np.array(kind.size_m[:2]))
    return T


def shifted(T_base_brick: Array, studs: tuple[int, int], layers: float, kind: BrickType) -> Array:
    """(4, 4) a pose moved by whole studs along the brick's own axes, and up by so many bricks' heights."""
    T = np.array(T_base_brick)
    pitch, height = kind.measures.pitch_m, kind.size_m[2]
    T[:3, 3] += T[:3, :3] @ np.array([studs[0] * pitch, studs[1] * pitch, layers * height])
    return T


def quarter_turned(T_base_brick: Array, kind: BrickType) -> Array:
    """(4, 4) the pose of a brick that fills the cells from the same corner, its length along the grid's y."""
    T = np.array(T_base_brick)
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    T[:3, 3] = T[:3, 3] + T[:3, :3] @ np.array([kind.size_m[1], 0, 0])
    T[:3, :3] = T[:3, :3] @ turn
    return T


@dataclass(frozen=True, slots=True, eq=False)
class Footprint:
    """What a body covers, seen from above, and between which heights."""

    corners_m: Array  # (n, 2) convex
    low_m: float
    high_m: float

    @staticmethod
    def of(kind: BrickType, T_base_brick: Array, grow_m: float = 0.0, studs: bool = False) -> Footprint:
        """Of a brick, its sides moved out by `grow_m`; studs count where told, and always where it does not stand."""
        size = np.array(kind.size_m)
        unit = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
        counted = kind.has_studs and (studs or T_base_brick[2, 2] < 0.5)
        tall = size + np.array([0, 0, kind.measures.stud_height_m if counted else 0])
        points = (unit * (tall + 2 * np.array([grow_m, grow_m, 0])) - [grow_m, grow_m, 0]) @ T_base_brick[:3, :3].T
        points = points + T_base_brick[:3, 3]
        if abs(T_base_brick[2, 2]) > 0.99:
            flat = points[[0, 2, 6, 4], :2]
        else:
            from scipy.spatial import ConvexHull

            flat = points[ConvexHull(points[:, :2]).vertices][:, :2]
        return Footprint(flat, float(points[:, 2].min()), float(points[:, 2].max()))

    def overlaps(self, other: Footprint) -> bool:
        """Whether the two share room, by more than touching."""
        if self.high_m <= other.low_m + TOUCH_M or other.high_m <= self.low_m + TOUCH_M:
            return False
        for corners in (self.corners_m, other.corners_m):  # separating axes of convex polygons
            edges = np.roll(corners, -1, axis=0) - corners
            normals = np.column_stack([edges[:, 1], -edges[:, 0]])
            normals /= np.linalg.norm(normals, axis=1, keepdims=True)
            one, two = self.corners_m @ normals.T, other.corners_m @ normals.T
            if (np.minimum(one.max(0), two.max(0)) - np.maximum(one.min(0), two.min(0)) <= TOUCH_M).any():
                return False
        return True

    def within(self, low_m: Array, high_m: Array) -> bool:
        return bool((self.corners_m >= low_m).all() and (self.corners_m <= high_m).all())


def clash(one: SceneBrick, other: SceneBrick, gap_m: float = 0.0) -> bool:
    """Whether two bricks share room, or are nearer than `gap_m`. Studs may reach into bricks of their own grid."""
    fits = one.upright and cells_of(other, one.T_base_brick) is not None
    first = Footprint.of(one.kind, one.T_base_brick, 0.0 if fits else gap_m, not fits)
    return first.overlaps(Footprint.of(other.kind, other.T_base_brick, 0.0, not fits))


def cells_of(brick: SceneBrick, T_base_grid: Array) -> set[tuple[int, int, int]] | None:
    """Cells of another brick's stud grid that an upright brick fills, layers in plates; None where it is off the grid.

    Grid coordinates count studs from the origin of `T_base_grid`, along its axes.
    """
    T = inverse(T_base_grid) @ brick.T_base_brick
    pitch, plate = brick.kind.measures.pitch_m, brick.kind.measures.plate_m
    turn = T[:3, :3]
    if np.abs(np.abs(turn) - np.rint(np.abs(turn))).max() > 1e-4 or turn[2, 2] < 0.5:
        return None
    far = turn @ np.array(brick.kind.size_m) + T[:3, 3]
    low, high = np.minimum(T[:3, 3], far), np.maximum(T[:3, 3], far)
    steps = np.array([pitch, pitch, plate])
    first, last = np.rint(low / steps).astype(int), np.rint(high / steps).astype(int)
    if np.abs(low / steps - first).max() > 1e-3:
        return None
    return {
        (x, y, z) for x in range(first[0], last[0]) for y in range(first[1], last[1]) for z in range(first[2], last[2])
    }
