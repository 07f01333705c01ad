"""What convex polygons have in common, many pairs at once: one is cut along each side of the other.

Polygons that are equal but for rounding come out with their area, which a clip by crossings of edges may lose.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.planes import cross, dot
from falsework.geometry.shapes.runs import rows_of, starts_of, successors
from falsework.model.arrays import Array, Bools, Ints

REFLEX = 1e-7  # sine: so far may a convex outline turn the wrong way
ONCE_ROUND = 3 * np.pi  # an outline that turns more is wound about itself


def convex_loops(starts: Ints, corners: Array, normals: Array) -> Bools:
    """(l,) whether loops of corners (k, 3) turn one way about their normals (l, 3), once."""
    loop = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    ahead = successors(starts)
    arms = corners[ahead] - corners
    turned = dot(cross(arms, arms[ahead]), normals[loop])
    angles = np.arctan2(turned, dot(arms, arms[ahead]))
    convex = np.bincount(loop, weights=angles, minlength=len(starts) - 1) < ONCE_ROUND
    convex[loop[angles < -REFLEX]] = False
    return convex


def clipped(subject: tuple[Ints, Array], by: tuple[Ints, Array]) -> tuple[Ints, Array]:
    """Runs of corners (p, 2) of what polygons have in common, pair by pair; both are runs, counter-clockwise."""
    starts, corners = subject
    begins, ends = by[0][:-1], by[0][1:]
    heads = by[1][successors(by[0])]
    for side in range(int(np.diff(by[0]).max(initial=0))):
        cut = np.flatnonzero((begins + side < ends) & (np.diff(starts) > 0))
        tails, arms = by[1][begins[cut] + side], heads[begins[cut] + side] - by[1][begins[cut] + side]
        starts, corners = _cut(starts, corners, cut, tails, arms)
    return starts, corners


def _cut(starts: Ints, corners: Array, which: Ints, tails: Array, arms: Array) -> tuple[Ints, Array]:
    """Polygons, those of `which` (k,) without what is to the right of lines from tails (k, 2) along arms (k, 2)."""
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    rows, line = rows_of(starts, which)
    offsets = corners[rows] - tails[line]
    left = np.zeros(len(corners))
    left[rows] = arms[line, 0] * offsets[:, 1] - arms[line, 1] * offsets[:, 0]
    if not (left < 0).any():
        return starts, corners
    ahead = successors(starts)
    kept = left >= 0
    crosses = kept != kept[ahead]
    share = np.where(crosses, left, 0.0) / np.where(crosses, left - left[ahead], 1.0)
    met = corners + share[:, None] * (corners[ahead] - corners)
    chosen = np.stack([kept, crosses], axis=1).ravel()
    points = np.stack([corners, met], axis=1).reshape(-1, 2)[chosen]
    return starts_of(np.bincount(np.repeat(owner, 2)[chosen], minlength=len(starts) - 1)), points
