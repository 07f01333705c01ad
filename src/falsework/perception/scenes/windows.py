"""Pieces of a picture: the part of a view in which bricks are seen, as a view of its own."""

from __future__ import annotations

import math

import numpy as np

from falsework.model.arrays import Array
from falsework.model.poses import inverse
from falsework.perception.cameras.simulated import View
from falsework.perception.scenes.scene import SceneBrick

Span = tuple[int, int]


def projected(points_m: Array, view: View) -> Array:
    """(n, 2) columns and rows at which points (n, 3) of the base's frame are seen."""
    T = inverse(view.T_base_cam)
    seen = (points_m @ T[:3, :3].T + T[:3, 3]) @ view.K.T
    pixels: Array = seen[:, :2] / np.maximum(seen[:, 2:], 1e-6)
    return pixels


def outline(brick: SceneBrick) -> Array:
    """(8, 3) corners of a box about a brick and its studs, in the base's frame."""
    size = np.array(brick.kind.size_m)
    size[2] += brick.kind.measures.stud_height_m if brick.kind.has_studs else 0.0
    unit = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    corners: Array = (unit * size) @ brick.T_base_brick[:3, :3].T + brick.T_base_brick[:3, 3]
    return corners


def around(brick: SceneBrick, view: View, margin: int, clipped: bool = True) -> tuple[Span, Span]:
    """(first, last) rows and columns in which a brick is seen, and some more; clipped to the picture."""
    pixels = projected(outline(brick), view)
    left, top = (math.floor(one) - margin for one in pixels.min(axis=0))
    right, bottom = (math.ceil(one) + margin + 1 for one in pixels.max(axis=0))
    if not clipped:
        return (top, bottom), (left, right)
    across, down = view.pixels
    first, start = min(max(top, 0), down - 1), min(max(left, 0), across - 1)
    return (first, max(first + 1, min(bottom, down))), (start, max(start + 1, min(right, across)))


def joined(spans: list[tuple[Span, Span]]) -> tuple[Span, Span]:
    """The least rows and columns that hold all of them."""
    rows = (min(one[0][0] for one in spans), max(one[0][1] for one in spans))
    columns = (min(one[1][0] for one in spans), max(one[1][1] for one in spans))
    return rows, columns


def cut_out(view: View, rows: Span, columns: Span) -> View:
    """The view of these rows and columns alone."""
    K = np.array(view.K)
    K[0, 2] -= columns[0]
    K[1, 2] -= rows[0]
    return View(view.T_base_cam, K, (columns[1] - columns[0], rows[1] - rows[0]))
