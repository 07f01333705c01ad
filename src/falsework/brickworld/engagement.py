"""Whether a brick lies over studs so that pressing would snap it in: seed 000, section V, eq. 1 and 2."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from falsework.brickworld.settings import JoinRules
from falsework.brickworld.topology import Connection
from falsework.geometry.shapes.lattice import QUARTER_TURNS
from falsework.model.arrays import Array, Bools
from falsework.model.catalogue import BrickType, systems

CORNERS = np.array([(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)])
LEFT = 0.99  # of a stud's height: above that a brick has left it
HALF_IN = (0.02, 0.98)  # of a stud's height: a brick that begins between them is partly seated
STRAIGHT = JoinRules(height_m=0.0, tilt_deg=1.0, yaw_deg=1.0, offset_m=2e-4)  # as studs in holes must be
REFERENCE_PITCH_M = systems()["system"].pitch_m  # of the bricks that the rules' lengths are given for


def engagement(
    T_stud_hole: Array,
    stud: BrickType,
    hole: BrickType,
    rules: JoinRules,
    bodies: tuple[int, int] = (0, 1),
    seated: bool = False,
) -> Connection | None:
    """The connection that a hole brick at T_stud_hole (4, 4: brick frames) would make, if it may.

    A brick that is `seated`, with the studs in its holes already, may be anywhere between the tops of the studs and
    their feet.

    Five criteria: height, tilt, yaw, offset, overlap. The height is that of the lowest corner of the engaged rectangle
    above the tops of the studs, which for level bricks is eq. 1's t_z − H_S, and for tilted ones does not depend on
    which corner the frame sits at. Offsets are taken at the rectangle's centre for the same reason.
    """
    if not (stud.has_studs and hole.has_holes and stud.system == hole.system):
        return None
    measures = stud.measures
    scale = measures.pitch_m / REFERENCE_PITCH_M
    R = T_stud_hole[:3, :3]
    if R[2, 2] < math.cos(math.radians(rules.tilt_deg)) - 1e-12:
        return None
    yaw = math.atan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
    turns = round(yaw / (math.pi / 2))
    if abs(yaw - turns * math.pi / 2) > math.radians(rules.yaw_deg) + 1e-12:
        return None
    turned = QUARTER_TURNS[turns % 4]
    found = _nearest(T_stud_hole, stud, hole, turned)
    if found is None:
        return None
    offset, low, high = found
    centre = _holes_at(turned, offset, (low + high) / 2)
    there = T_stud_hole @ (*(centre * measures.pitch_m), 0.0, 1.0)
    error = there[:2] - (low + high) / 2 * measures.pitch_m
    if math.hypot(*error) > rules.offset_m * scale + 1e-12:
        return None
    corners = np.array([(x, y) for x in (low[0], high[0]) for y in (low[1], high[1])], dtype=float)
    heights = [
        float((T_stud_hole @ (*(_holes_at(turned, offset, c) * measures.pitch_m), 0.0, 1.0))[2]) for c in corners
    ]
    above = min(heights) - stud.size_m[2] - measures.stud_height_m
    lowest = measures.stud_height_m if seated else 0.0
    if not -lowest - rules.height_m * scale - 1e-12 <= above <= rules.height_m * scale + 1e-12:
        return None
    return Connection(*bodies, (int(offset[0]), int(offset[1])), turns % 4)


def half_in(T_stud_hole: Array, stud: BrickType, hole: BrickType) -> Array | None:
    """(2, 3) opposite corners of the studs that are partly in the holes of a brick, at their tops, if some are.

    They are in the stud brick's frame.
    """
    found = engagement(T_stud_hole, stud, hole, STRAIGHT, seated=True)
    if found is None:
        return None
    size, (length, width) = stud.measures, (stud.flat, stud.width)
    inside = 1.0 - (T_stud_hole[2, 3] - stud.size_m[2]) / size.stud_height_m
    if not HALF_IN[0] <= inside <= HALF_IN[1]:
        return None
    ends = np.stack([np.zeros(2), QUARTER_TURNS[found.turns] @ (hole.length, hole.width)]) + found.offset
    low, high = np.maximum(ends.min(axis=0), 0.0), np.minimum(ends.max(axis=0), (length, width))
    top = stud.size_m[2] + size.stud_height_m
    return np.array([(*(end * size.pitch_m), top) for end in (low, high)])


def _nearest(T: Array, stud: BrickType, hole: BrickType, turned: Array) -> tuple[Array, Array, Array] | None:
    """The nearest offset on the grid, and the rectangle of studs that it engages; eq. 2, at the brick's centre."""
    half = np.array([hole.length, hole.width]) / 2
    centre = (T @ (*(half * stud.measures.pitch_m), 0.0, 1.0))[:2] / stud.measures.pitch_m
    offset = np.rint(centre - turned @ half)
    ends = np.stack([offset, offset + turned @ (2 * half)])
    low, high = np.maximum(ends.min(axis=0), 0), np.minimum(ends.max(axis=0), [stud.flat, stud.width])
    return (offset, low, high) if (low < high).all() else None


def _holes_at(turned: Array, offset: Array, point: Array) -> Array:
    """A place on the stud grid as the hole brick's own grid has it."""
    local: Array = turned.T @ (point - offset)
    return local


def are_clear(T_stud_hole: Array, studs: Sequence[BrickType], holes: Sequence[BrickType]) -> Bools:
    """(k,) whether no stud reaches into a hole brick (k, 4, 4) any more: it lies above their tops, or beside them."""
    measures = [stud.measures for stud in studs]
    flat = np.zeros((len(holes), 4, 4))
    flat[:, :, :2] = CORNERS * np.array([hole.size_m[:2] for hole in holes])[:, None]
    flat[:, :, 3] = 1.0
    corners = flat @ T_stud_hole.transpose(0, 2, 1)
    inset = np.array([one.pitch_m / 2 - one.stud_radius_m for one in measures])[:, None]
    ends = np.array(
        [(stud.flat * one.pitch_m, stud.width * one.pitch_m) for stud, one in zip(studs, measures, strict=True)]
    )
    beside = (corners[:, :, :2].min(axis=1) >= ends - inset) | (corners[:, :, :2].max(axis=1) <= inset)
    tops = np.array([stud.size_m[2] + LEFT * one.stud_height_m for stud, one in zip(studs, measures, strict=True)])
    clear: Bools = beside.any(axis=1) | (corners[:, :, 2].min(axis=1) >= tops)
    return clear
