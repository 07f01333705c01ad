"""What pixels say about a supposed brick: each shows it, hides it or speaks against it."""

# Kernels take arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.casting import (
    BOTTOM,
    NOTHING,
    STUD_SIDE,
    TOP,
    direction,
    origin,
    outline_points,
    row_of,
    solid_hit,
    span,
    turn_of,
    window,
)
from falsework.kernels.exact import compiled, inner
from falsework.perception.locator.labels import AS_THE_FLOOR

# What a pixel of the window says; 0: it is not of the brick. At its rim, and where there is no depth, it may show the
# brick but never speaks against it: a longer brick that goes on there, unseen, must gain nothing by having no rim. One
# that is dim says nothing: it may show the brick in the shade, or a floor of its colour.
SHOWS, HIDES, AGAINST, RIM, DIM = 1, 2, 3, 4, 5

_WIDE = 6  # pixels of one colour, of nine: two rows of them


@inner
def near_hidden(said, labels, v, u, first, last, left, right):
    """Whether something nearer begins within two pixels: depth is fat there, and colours are mixed.

    What is of a third colour, and two pixels wide or more, is no mixture: it is seen.
    """
    hides, of_it, beside = False, False, 0
    for i in range(max(first, v - 2), min(last, v + 3)):
        for j in range(max(left, u - 2), min(right, u + 3)):
            same = labels[i, j] == labels[v, u]
            if said[i, j] == HIDES:
                hides = True
                of_it = of_it or same
            elif same and abs(i - v) < 2 and abs(j - u) < 2:
                beside += 1
    return hides and (of_it or labels[v, u] < 0 or beside < _WIDE)


@compiled
def weigh(depth, labels, K, T_cam_brick, solid, label, also, noise, slack, said):
    """Fills `said` (h, w) int8, which must be 0, in the brick's window; returns (window, counts, sum of depths off).

    window = (first row, last row, first column, last column); counts (6,) by what is said. Depth agrees within
    3·noise·z² + `slack`. The sum is over pixels that show upward faces, observed minus drawn, with its count.
    """
    height, width = depth.shape
    T = T_cam_brick
    shape, R, o = row_of(solid), turn_of(T), origin(T)
    first, last, left, right = window(solid, T, K, height, width, 1)
    drawn = np.full((max(last - first, 0) + 2, max(right - left, 0) + 2), np.inf)
    faces = np.full(drawn.shape, NOTHING)
    points = np.empty((8, 2))
    whole = not outline_points(solid, T, K, points)
    for v in range(first, last):
        y = (v - K[3]) / K[1]
        begin, end = (left, right) if whole else span(points, v, left, right)
        for u in range(begin, end):
            d = direction(R, (u - K[2]) / K[0], y)
            drawn[v - first + 1, u - left + 1], faces[v - first + 1, u - left + 1] = solid_hit(shape, o, d)
    counts = np.zeros(6)
    off, many = 0.0, 0.0
    for v in range(first, last):
        for u in range(left, right):
            i, j = v - first + 1, u - left + 1
            z = drawn[i, j]
            if z == np.inf:
                continue
            seen = depth[v, u]
            near = 3.0 * noise * z * z + slack
            rim = (
                drawn[i - 1, j] == np.inf
                or drawn[i + 1, j] == np.inf
                or drawn[i, j - 1] == np.inf
                or drawn[i, j + 1] == np.inf
            )
            nearer = seen > 0.0 and seen < z - near
            if labels[v, u] == label and seen < z + near and not nearer:
                what = SHOWS
            elif rim:
                what = RIM
            elif nearer:
                what = HIDES
            elif labels[v, u] == label:
                what = AGAINST
            elif seen <= 0.0:
                what = RIM
            elif (labels[v, u] == also and (faces[i, j] < BOTTOM or seen < z + near)) or (
                labels[v, u] == AS_THE_FLOOR - label and seen < z + near
            ):
                what = DIM
            else:
                what = AGAINST
            said[v, u] = what
            counts[what] += 1
            face = faces[i, j]
            if what == SHOWS and seen > 0.0 and (face == TOP or (face > BOTTOM and face != STUD_SIDE)):
                off += seen - z
                many += 1.0
    for v in range(first, last):
        for u in range(left, right):
            if said[v, u] == AGAINST and near_hidden(said, labels, v, u, first, last, left, right):
                said[v, u] = RIM
                counts[AGAINST] -= 1
                counts[RIM] += 1
    return (first, last, left, right), counts, off, many


@compiled
def take(said, window, what, start, out):
    """Fills out (n,) with the numbers of the pixels of which that was said, the picture's first being `start`.

    Nothing is said in the window any more.
    """
    first, last, left, right = window
    width, count = said.shape[1], 0
    for v in range(first, last):
        for u in range(left, right):
            if said[v, u] == what:
                out[count] = start + v * width + u
                count += 1
            said[v, u] = 0
