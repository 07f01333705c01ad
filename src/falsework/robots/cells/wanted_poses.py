"""Poses of a tool at which it could take or place a part, from several directions: what an arm should reach."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from falsework.geometry.shapes.studs import reach_in_world
from falsework.model.arrays import Array
from falsework.model.part import Part
from falsework.model.poses import inverse
from falsework.model.robots.tool import Tool

ROLLS = 4  # ways to turn the hand about its approach
TILT = np.sqrt(0.5)
DIRECTIONS = np.array(
    [[0.0, 0.0, -1.0]]
    + [[TILT * np.cos(a), TILT * np.sin(a), -TILT] for a in np.pi / 2 * np.arange(4)]
    + [[np.cos(a), np.sin(a), 0.0] for a in np.pi / 2 * np.arange(4)]
)  # (9, 3) down, slanting, level: the way the hand goes
CLEAR_M = 0.005  # fingertips stay so far above what the part lies on


def approaches(part: Part, T_world_part: Array, tool: Tool) -> Array:
    """(k, 4, 4) poses of the tool's point at a part, from above first.

    Fingers reach as deep as half their pad, or less where their tips would reach beyond the part; cups stop at its
    surface, seen through its centre; studs are taken from above only.
    """
    own = _corners(part)
    corners = own @ T_world_part[:3, :3].T + T_world_part[:3, 3]
    centre = T_world_part[:3, :3] @ part.com_part_m + T_world_part[:3, 3]
    directions = DIRECTIONS[:1] if tool.kind == "stud" else DIRECTIONS
    along = (corners - centre) @ directions.T
    near, thick = -along.min(axis=0), np.ptp(along, axis=0)  # from the surface to the centre, and through
    depth = np.minimum(0.5 * tool.pad_m[1], thick - overhang(tool) - CLEAR_M) if tool.kind == "parallel" else 0.0
    tips = centre - (near - depth)[:, None] * directions
    return at_points(tips, len(directions))


def at_points(points: Array, directions: int = len(DIRECTIONS)) -> Array:
    """(ROLLS · k, 4, 4) poses at points (k, 3) from the first k directions, one each, turned in several ways.

    All directions come before the next turn of the hand: the first few are as different as can be.
    """
    found = np.zeros((ROLLS, directions, 4, 4))
    found[..., :3, :3] = _turns()[:, :directions]
    found[..., :3, 3] = points
    found[..., 3, 3] = 1.0
    return found.reshape(-1, 4, 4)


@lru_cache(maxsize=256)
def overhang(tool: Tool) -> float:
    """How far a tool's bodies reach beyond its point, m."""
    back = inverse(tool.T_flange_tool)
    heights = [(body.corners_m @ back[:3, :3].T + back[:3, 3])[:, 2].max() for body in tool.bodies]
    return float(max(0.0, *heights)) if heights else 0.0


@lru_cache(maxsize=4096)
def _corners(part: Part) -> Array:
    """(n, 3) points that hold a part, in its own frame."""
    own = inverse(part.T_world_part)
    corners: Array = reach_in_world(part) @ own[:3, :3].T + own[:3, 3]
    return corners


@lru_cache(maxsize=1)
def _turns() -> Array:
    """(ROLLS, directions, 3, 3) hands whose z axes are the directions."""
    found = np.zeros((ROLLS, len(DIRECTIONS), 3, 3))
    for k, z in enumerate(DIRECTIONS):
        across = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
        y = np.cross(z, across)
        y /= np.linalg.norm(y)
        x = np.cross(y, z)
        for roll in range(ROLLS):
            angle = 2 * np.pi * roll / ROLLS
            side = np.cos(angle) * x + np.sin(angle) * y
            found[roll, k] = np.column_stack([side, np.cross(z, side), z])
    return found
