"""What a hand puts down on its way stands there: on the table, not over its edge, and not about to tip over."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from falsework.geometry.shapes.convex_pieces import pieces_of
from falsework.model.arrays import Array
from falsework.model.errors import shown
from falsework.model.part import Part
from falsework.model.robots.cell import Table
from falsework.model.robots.motion import Stay
from falsework.robots.verification.complaints import Complaint
from falsework.robots.verification.stage import Stage

HEIGHT_M = 5e-4  # by which the lowest point may be off the table's face
FOOT_M = 5e-4  # above the lowest point, what the part stands on
STEADY_RAD = 0.05  # by which it may be tilted, at least, without tipping over
DIRECTIONS = 720


def put_down(stage: Stage) -> Iterator[Complaint]:
    """Every part that rests between two hands."""
    for part, stays in zip(stage.parts, stage.stays, strict=True):
        for before, stay, _ in zip(stays, stays[1:], stays[2:], strict=False):
            if stay.arm is None and before.arm is not None:
                why = against(part, stay, stage.motion.cell.table)
                if why is not None:
                    yield Complaint(
                        "stand", stay.begin_s, f"part {shown(part.name)} is put down, but {why}", before.arm
                    )


def against(part: Part, stay: Stay, table: Table | None) -> str | None:
    """In words, why a part does not stand where it is put down; None where it does."""
    if table is None:
        return "the cell has no table"
    points = np.concatenate([piece.vertices for piece in pieces_of(part.shape).all])
    points = points @ stay.T[:3, :3].T + stay.T[:3, 3]
    lowest = float(points[:, 2].min())
    height = lowest - table.top_m[2]
    if abs(height) > HEIGHT_M:
        return f"{1e3 * abs(height):.1f} mm {'above' if height > 0 else 'inside'} the table"
    feet = points[points[:, 2] <= lowest + FOOT_M, :2]
    if (np.abs(feet - table.top_m[:2]) > 0.5 * np.array(table.size_m) + 1e-9).any():
        return "over the table's edge"
    com = stay.T[:3, :3] @ part.com_part_m + stay.T[:3, 3]
    tilt = float(np.arctan2(_inside(feet, com[:2]), com[2] - table.top_m[2]))
    if tilt < STEADY_RAD:
        return "it tips over" if tilt < 0 else f"a tilt by {np.degrees(tilt):.1f} degrees tips it over"
    return None


def _inside(points: Array, at: Array) -> float:
    """How far inside the hull of points (k, 2) a point is; below 0: outside."""
    angles = np.linspace(0.0, 2 * np.pi, DIRECTIONS, endpoint=False)
    ways = np.column_stack([np.cos(angles), np.sin(angles)])
    return float(((points - at) @ ways.T).max(axis=0).min())
