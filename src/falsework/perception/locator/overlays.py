"""Frames with what was made of them drawn in: outlines of found bricks, crosses where something is refused."""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from falsework.formats.basics.atomic import write_whole
from falsework.formats.perception.frame_folders import png
from falsework.kernels.casting import NOTHING, draw
from falsework.model.arrays import Array
from falsework.model.perception.findings import Brick, Sight, StructureSight
from falsework.model.perception.frames import Frame
from falsework.model.poses import inverse
from falsework.perception.locator.solids import solid_of

FOUND, REFUSED, MISSING, UNSEEN = (40, 255, 40), (255, 40, 255), (255, 40, 40), (160, 160, 160)

Picture = npt.NDArray[np.uint8]


def overlay(frame: Frame, sight: Sight) -> Picture:
    """(h, w, 3) the frame; found bricks are outlined in green, refusals crossed out in violet."""
    out = np.array(frame.rgb)
    for one in sight.found:
        _outline(out, frame, sight.T_base_cam[0], one, FOUND)
    for refusal in sight.refused:
        _cross(out, frame, sight.T_base_cam[0], refusal.where_m, REFUSED)
    return out


def structure_overlay(frame: Frame, told: StructureSight, expected: Mapping[str, Brick]) -> Picture:
    """(h, w, 3) the frame; in place green, missing, wrong or off red, not seen grey."""
    out = np.array(frame.rgb)
    colors = {"in place": FOUND, "not seen": UNSEEN}
    for one in sorted(told.bricks, key=lambda one: one.state != "not seen"):
        _outline(out, frame, told.T_base_cam[0], expected[one.name], colors.get(one.state, MISSING))
    return out


def save_overlay(path: str | Path, frame: Frame, sight: Sight) -> None:
    """`overlay` as a PNG file; needs pillow."""
    write_whole(Path(path), png(overlay(frame, sight)))


def save_structure_overlay(path: str | Path, frame: Frame, told: StructureSight, expected: Mapping[str, Brick]) -> None:
    """`structure_overlay` as a PNG file; needs pillow."""
    write_whole(Path(path), png(structure_overlay(frame, told, expected)))


def _lens(frame: Frame) -> Array:
    return np.array([frame.K[0, 0], frame.K[1, 1], frame.K[0, 2], frame.K[1, 2]])


def _outline(out: Picture, frame: Frame, T_base_cam: Array, brick: Brick, color: tuple[int, int, int]) -> None:
    depth, ids = np.full(out.shape[:2], np.inf), np.full(out.shape[:2], -1, np.int32)
    faces = np.full(out.shape[:2], NOTHING, np.int8)
    T = np.ascontiguousarray((inverse(T_base_cam) @ brick.T_base_brick)[None, :3])
    draw(depth, ids, faces, _lens(frame), solid_of(brick.kind)[None], T)
    inside = ids >= 0
    core = inside.copy()
    core[1:-1, 1:-1] &= inside[:-2, 1:-1] & inside[2:, 1:-1] & inside[1:-1, :-2] & inside[1:-1, 2:]
    out[inside & ~core] = color


def _cross(out: Picture, frame: Frame, T_base_cam: Array, where_m: Array, color: tuple[int, int, int]) -> None:
    x = inverse(T_base_cam) @ np.append(where_m, 1.0)
    if x[2] < 0.02:
        return
    lens = _lens(frame)
    u, v = round(float(lens[0] * x[0] / x[2] + lens[2])), round(float(lens[1] * x[1] / x[2] + lens[3]))
    for k in range(-6, 7):
        for row, column in ((v + k, u + k), (v + k, u - k)):
            if 0 <= row < out.shape[0] and 0 <= column < out.shape[1]:
                out[row, column] = color
