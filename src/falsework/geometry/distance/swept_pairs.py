"""Whether one surface, moving on a screw, keeps out of another that stands still: proved, or where they meet. Compiled.

Pairs of nodes of both trees wait for an interval of the motion. A pair whose boxes, or whose corners by a plane, stay
apart all the interval is done with. Of others either the larger node is opened, or, where the motion is long beside
both, the pair waits for the two halves of the interval. What is left in the end are single triangles on short
intervals: the way between their nearest points is the axis to keep them apart by, and where there is none, they meet.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from falsework.geometry.distance.clouds import MIDDLE, NORMAL, REACH, Sweepable
from falsework.geometry.distance.swept_axes import box_swing, lowest, lowest_moving, set_row, speed
from falsework.geometry.distance.swept_moments import ANGLE, NUMBERS, SHIFT, SPATIAL, TURN, TWIST, set_moment
from falsework.geometry.distance.trees import DEEPEST
from falsework.geometry.distance.triangles import nearest_of_triangles
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints

LONG = 0.8  # times the larger reach of two nodes: motions longer than that are halved before nodes are opened
HALVINGS = 60  # of an interval, at most

FREE, MEETS, TOO_SHORT, TOO_MUCH = 0, 1, 2, 3
_APART, _OPEN, _LATER, _TOUCH = 0, 1, 2, 3  # what is to be done about a pair


class Outcome(NamedTuple):
    """How it ended: free all along; or triangles that meet, or could not be kept apart; or the work was too much."""

    answer: int
    low: float  # shares of the segment between which that is
    high: float
    faces: tuple[int, int]  # of the moving and of the still surface
    tests: int


@compiled
def swept(
    one: Sweepable,
    other: Sweepable,
    pairs: Ints,
    turn: Array,
    shift: Array,
    twist: Array,
    limits: tuple[float, float, int],
) -> Outcome:
    """The screw start · exp(s·twist), s from 0 to 1; limits: shortest half interval, least gap, most tests.

    `pairs` (k, 2) of nodes, of which all is asked; that of both roots is everything.
    """
    shortest, gap, most = limits
    waiting, nodes = np.concatenate((pairs, np.empty((256, 2), np.int64))), np.empty((4 * DEEPEST, 2), np.int64)
    spans, ranges = np.empty((2 * HALVINGS, 2)), np.empty((2 * HALVINGS, 2), np.int64)
    moment, rows, room, points = np.empty(NUMBERS), np.empty((8, 12)), np.empty((1, 9)), np.empty((2, 3))
    spans[0, 0], spans[0, 1], ranges[0, 0], ranges[0, 1] = 0.0, 1.0, 0, len(pairs)
    depth, tests = 1, 0
    while depth:
        depth -= 1
        low, high, begin, end = spans[depth, 0], spans[depth, 1], ranges[depth, 0], ranges[depth, 1]
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        set_moment(moment, rows, turn, shift, twist, middle, half)
        left = end
        for k in range(begin, end):
            nodes[0, 0], nodes[0, 1], count = waiting[k, 0], waiting[k, 1], 1
            while count:
                count -= 1
                i, j = nodes[count, 0], nodes[count, 1]
                tests += 1
                verdict = _verdict(one, other, i, j, moment, rows, gap)
                if verdict == _LATER and one.is_leaf[i] and other.is_leaf[j]:
                    verdict = _triangles(one, other, i, j, moment, rows, gap, room, points)
                if verdict == _APART:
                    continue
                if verdict == _OPEN:
                    count = _opened(one, other, i, j, nodes, count)
                    continue
                if verdict == _TOUCH or half < shortest:
                    faces = (one.face[one.first[i]], other.face[other.first[j]])
                    if verdict == _TOUCH:
                        return Outcome(MEETS, middle, middle, faces, tests)
                    return Outcome(TOO_SHORT, low, high, faces, tests)
                if left == len(waiting):
                    waiting = np.concatenate((waiting, np.empty_like(waiting)))
                waiting[left, 0], waiting[left, 1] = i, j
                left += 1
            if tests > most:
                return Outcome(TOO_MUCH, low, 1.0, (-1, -1), tests)
        if left > end:
            for step in range(2):  # the first half on top
                spans[depth, 0], spans[depth, 1] = (middle, high) if step == 0 else (low, middle)
                ranges[depth, 0], ranges[depth, 1] = end, left
                depth += 1
    return Outcome(FREE, 0.0, 1.0, (-1, -1), tests)


@inner
def _verdict(one: Sweepable, other: Sweepable, i: int, j: int, moment: Array, rows: Array, gap: float) -> int:
    """What is to be done about a pair of nodes; single triangles that are not apart are left for later."""
    a, b = one.nodes, other.nodes
    fast = speed(moment, TWIST, a, i, moment[ANGLE])
    square = 0.0
    for k in range(3):
        place, t = moment[SHIFT + k], TURN + 3 * k
        place += moment[t] * a[i, MIDDLE] + moment[t + 1] * a[i, MIDDLE + 1] + moment[t + 2] * a[i, MIDDLE + 2]
        square += (place - b[j, MIDDLE + k]) ** 2
    if square > (a[i, REACH] + b[j, REACH] + fast + gap) ** 2:  # of a point on a screw the speed does not change
        return _APART
    fast_other, turned = speed(moment, SPATIAL, b, j, moment[ANGLE]), moment[ANGLE] ** 2
    rest, rest_other = turned * fast / 6.0 + gap, turned * fast_other / 6.0 + gap
    for k in range(3):
        at, swing = box_swing(rows, k, a, i)
        if abs(at - b[j, MIDDLE + k]) > swing + rest + b[j, MIDDLE + 3 + k]:
            return _APART
        at, swing = box_swing(rows, 3 + k, b, j)
        if abs(at - a[i, MIDDLE + k]) > swing + rest_other + a[i, MIDDLE + 3 + k]:
            return _APART
    if one.starts[i + 1] > one.starts[i] and other.starts[j + 1] > other.starts[j]:
        n0, n1, n2 = a[i, NORMAL], a[i, NORMAL + 1], a[i, NORMAL + 2]
        m0 = moment[TURN] * n0 + moment[TURN + 1] * n1 + moment[TURN + 2] * n2
        m1 = moment[TURN + 3] * n0 + moment[TURN + 4] * n1 + moment[TURN + 5] * n2
        m2 = moment[TURN + 6] * n0 + moment[TURN + 7] * n1 + moment[TURN + 8] * n2
        if _plane_between(one, other, i, j, moment, rows, m0, m1, m2, rest, rest_other):
            return _APART
        m0, m1, m2 = b[j, NORMAL], b[j, NORMAL + 1], b[j, NORMAL + 2]
        if _plane_between(one, other, i, j, moment, rows, m0, m1, m2, rest, rest_other):
            return _APART
    if one.is_leaf[i] and other.is_leaf[j]:
        return _LATER
    return _LATER if min(fast, fast_other) > LONG * max(a[i, REACH], b[j, REACH]) else _OPEN


@inner
def _plane_between(
    one: Sweepable,
    other: Sweepable,
    i: int,
    j: int,
    moment: Array,
    rows: Array,
    m0: float,
    m1: float,
    m2: float,
    rest: float,
    rest_other: float,
) -> bool:
    """Whether a plane with a normal in the still one's frame, standing still or moving along, keeps them apart."""
    n0 = moment[TURN] * m0 + moment[TURN + 3] * m1 + moment[TURN + 6] * m2
    n1 = moment[TURN + 1] * m0 + moment[TURN + 4] * m1 + moment[TURN + 7] * m2
    n2 = moment[TURN + 2] * m0 + moment[TURN + 5] * m1 + moment[TURN + 8] * m2
    offset = m0 * moment[SHIFT] + m1 * moment[SHIFT + 1] + m2 * moment[SHIFT + 2]
    begin, end, begin_other, end_other = one.starts[i], one.starts[i + 1], other.starts[j], other.starts[j + 1]
    p, q = one.points, other.points
    ahead = n0 * p[begin, 0] + n1 * p[begin, 1] + n2 * p[begin, 2] + offset
    ahead -= m0 * q[begin_other, 0] + m1 * q[begin_other, 1] + m2 * q[begin_other, 2]
    sign = 1.0 if ahead >= 0.0 else -1.0  # where they are apart, any of their points tells which is above
    set_row(rows, 6, n0, n1, n2, offset, moment, TWIST, 1.0)
    set_row(rows, 7, m0, m1, m2, 0.0, moment, SPATIAL, -1.0)
    still, still_other = lowest(p, begin, end, rows, 6, sign), lowest(q, begin_other, end_other, rows, 7, -sign)
    if still + still_other <= min(rest, rest_other):
        return False
    if lowest_moving(p, begin, end, rows, 6, sign) + still_other > rest:
        return True
    return still + lowest_moving(q, begin_other, end_other, rows, 7, -sign) > rest_other


@inner
def _triangles(
    one: Sweepable,
    other: Sweepable,
    i: int,
    j: int,
    moment: Array,
    rows: Array,
    gap: float,
    room: Array,
    points: Array,
) -> int:
    """Single triangles: by the axis between their nearest points."""
    k, m = one.first[i], other.first[j]
    for c in range(0, 9, 3):
        for axis in range(3):
            t = TURN + 3 * axis
            room[0, c + axis] = moment[SHIFT + axis] + (
                moment[t] * one.corners[k, c]
                + moment[t + 1] * one.corners[k, c + 1]
                + moment[t + 2] * one.corners[k, c + 2]
            )
    square = nearest_of_triangles(room, 0, other.corners, m, np.inf, points)
    if square == 0.0:
        return _TOUCH
    scale = 1.0 / math.sqrt(square)
    m0, m1, m2 = (
        scale * (points[0, 0] - points[1, 0]),
        scale * (points[0, 1] - points[1, 1]),
        scale * (points[0, 2] - points[1, 2]),
    )
    turned = moment[ANGLE] ** 2
    rest = turned * speed(moment, TWIST, one.nodes, i, moment[ANGLE]) / 6.0 + gap
    rest_other = turned * speed(moment, SPATIAL, other.nodes, j, moment[ANGLE]) / 6.0 + gap
    return _APART if _plane_between(one, other, i, j, moment, rows, m0, m1, m2, rest, rest_other) else _LATER


@inner
def _opened(one: Sweepable, other: Sweepable, i: int, j: int, nodes: Ints, count: int) -> int:
    """The children of the larger node, in the place of a pair."""
    larger = one.nodes[i, REACH] >= other.nodes[j, REACH]
    first = other.is_leaf[j] or (not one.is_leaf[i] and larger)
    for child in range(2):
        nodes[count, 0] = one.first[i] + child if first else i
        nodes[count, 1] = j if first else other.first[j] + child
        count += 1
    return count
