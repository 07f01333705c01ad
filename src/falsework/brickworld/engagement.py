"""Whether a brick lies over studs so that pressing would snap it in: seed 000, section V, eq. 1 and 2."""

from __future__ import annotations

import math

import numpy as np

from falsework.brickworld.settings import JoinRules
from falsework.brickworld.topology import Connection
from falsework.geometry.lattice import QUARTER_TURNS
from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType, systems

REFERENCE_PITCH_M = systems()["system"].pitch_m  # of the bricks that the rules' lengths are given for


def engagement(
    T_stud_hole: Array, stud: BrickType, hole: BrickType, rules: JoinRules, bodies: tuple[int, int] = (0, 1)
) -> Connection | None:
    """The connection that a hole brick at T_stud_hole (4, 4: brick frames) would make, if it may.

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
    if abs(above) > rules.height_m * scale + 1e-12:
        return None
    return Connection(*bodies, (int(offset[0]), int(offset[1])), turns % 4)


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


def is_clear(T_stud_hole: Array, stud: BrickType, hole: BrickType) -> bool:
    """Whether no stud reaches into the hole brick any more: it lies above their tops, or beside them."""
    measures = stud.measures
    length, width, _ = hole.size_m
    corners = np.array([(x, y, 0.0, 1.0) for x in (0.0, length) for y in (0.0, width)]) @ T_stud_hole.T
    low, high = corners[:, :2].min(axis=0), corners[:, :2].max(axis=0)
    inset = measures.pitch_m / 2 - measures.stud_radius_m
    studs = np.array([stud.flat, stud.width]) * measures.pitch_m - inset
    beside = (low >= studs).any() or (high <= inset).any()
    return bool(beside or corners[:, 2].min() >= stud.size_m[2] + 0.9 * measures.stud_height_m)
