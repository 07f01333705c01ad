"""Cross-sections of a solid along an axis, looked at from the axis outward.

In the plane of a section, rays from the axis meet the outline of the solid: the last meeting is its outer radius
there; the first, where the axis itself runs outside of the material, that of a hole around the axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.shapes import Mesh

RAYS = 48
PHASE_RAD = 0.0123  # rays begin here, so that they miss the corners of outlines that somebody drew along the axes
PARALLEL = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """Of sections at several heights, seen along RAYS directions from the axis; NaN where a ray meets nothing."""

    heights: Array  # (h,) along the axis, from its point
    outer: Array  # (h, RAYS)
    inner: Array  # (h, RAYS)
    solid: Bools  # (h,) the axis runs through material

    @property
    def length_m(self) -> float:
        """What the heights stand for, ends included."""
        step = self.heights[1] - self.heights[0] if len(self.heights) > 1 else 0.0
        return float(self.heights[-1] - self.heights[0] + step)


def evenly(mesh: Mesh, point: Array, axis: Array, count: int) -> Array:
    """Heights in the middle of `count` equal pieces of a solid."""
    along = (mesh.vertices - point) @ axis
    low, high = float(along.min()), float(along.max())
    pieces: Array = low + (high - low) * (np.arange(count) + 0.5) / count
    return pieces


def sliced(mesh: Mesh, point: Array, axis: Array, heights: Array) -> Slices:
    """The sections of a solid across an axis through a point, at heights above that point."""
    one, other = across(axis)
    placed = (mesh.vertices - point) @ np.column_stack([one, other, axis])
    outer = np.full((len(heights), RAYS), np.nan)
    inner, solid = outer.copy(), np.zeros(len(heights), dtype=bool)
    corners = placed[mesh.triangles]
    low, high = corners[:, :, 2].min(axis=1), corners[:, :, 2].max(axis=1)
    for number, height in enumerate(heights):
        crossing = corners[(low < height) & (high > height)]
        if not len(crossing):
            continue
        met = _met(_segments(crossing, float(height)))
        outer[number], inner[number] = _extreme(met, np.fmax, -np.inf), _extreme(met, np.fmin, np.inf)
        crossings = np.isfinite(met).sum(axis=0)
        solid[number] = (crossings % 2).sum() > RAYS / 2
    return Slices(heights, outer, inner, solid)


def across(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors that make a right-handed frame with an axis."""
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    one = np.cross(helper, axis)
    one /= np.linalg.norm(one)
    return one, np.cross(axis, one)


def _segments(crossing: Array, height: float) -> Array:
    """(t, 2, 2) where triangles cross a plane; corners that lie in it count as above."""
    above = crossing[:, :, 2] >= height
    alone = np.where(above.sum(axis=1) == 1, above.argmax(axis=1), (~above).argmax(axis=1))
    rows = np.arange(len(crossing))
    tip = crossing[rows, alone]
    ends = []
    for step in (1, 2):
        foot = crossing[rows, (alone + step) % 3]
        rise = foot[:, 2] - tip[:, 2]
        share = (height - tip[:, 2]) / np.where(rise == 0.0, 1.0, rise)
        ends.append(tip[:, :2] + share[:, None] * (foot[:, :2] - tip[:, :2]))
    return np.stack(ends, axis=1)


def _met(segments: Array) -> Array:
    """(t, RAYS) how far from the axis each ray meets each segment; NaN where it does not."""
    angles = PHASE_RAD + 2 * np.pi * np.arange(RAYS) / RAYS
    rays = np.column_stack([np.cos(angles), np.sin(angles)])
    start, run = segments[:, 0], segments[:, 1] - segments[:, 0]
    cross = rays[None, :, 0] * run[:, 1, None] - rays[None, :, 1] * run[:, 0, None]
    safe = np.where(np.abs(cross) > PARALLEL * np.abs(run).max(initial=1e-300), cross, np.nan)
    far = (start[:, 0] * run[:, 1] - start[:, 1] * run[:, 0])[:, None] / safe
    share = (start[:, 0, None] * rays[None, :, 1] - start[:, 1, None] * rays[None, :, 0]) / safe
    met: Array = np.where((far > 0) & (share >= 0) & (share < 1), far, np.nan)
    return met


def _extreme(met: Array, choose: np.ufunc, nothing: float) -> Array:
    best: Array = choose.reduce(met, axis=0, initial=nothing)
    return np.where(np.isfinite(best), best, np.nan)
