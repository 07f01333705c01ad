"""All joints that reach a pose, in closed form, for arms whose axes meet or are parallel in the usual places.

Each function writes its answers into `found` and returns how many there are. What a closed form proposes is refined
and checked by forward kinematics (`accept`): near a stretched elbow it is exact to half the digits only.

Words: `R06` is the turn of the last link against position 0, `p16` the way from the first axis to the wrist.
"""

from __future__ import annotations

import numpy as np

from falsework.kernels.exact import inner
from falsework.model.arrays import Array
from falsework.robots.kinematics.chain import Chain
from falsework.robots.kinematics.refining import propose
from falsework.robots.kinematics.vectors import (
    Vector,
    across,
    angle_between,
    angles_of_two,
    angles_to_distance,
    angles_to_plane,
    applied,
    applied_back,
    column,
    dot,
    minus,
    plus,
    row,
    turned,
)


@inner
def last_turn(chain: Chain, wanted: Array) -> Array:
    """(3, 3) the turn of the last link against its position 0."""
    R = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            R[i, j] = (
                wanted[i, 0] * chain.turn[j, 0] + wanted[i, 1] * chain.turn[j, 1] + wanted[i, 2] * chain.turn[j, 2]
            )
    return R


@inner
def shoulder_angles(
    chain: Chain, p16: Vector, offset: float, lift: Vector, one: int
) -> tuple[bool, float, float, float]:
    """Joints 1, 2 and 3, where axes 2 and 3 are parallel, that bring a point of the forearm to `p16`.

    `lift` is the point's place behind the third axis, `offset` its place along the second axis; `one` chooses among
    the four ways (two for the shoulder, two for the elbow).
    """
    h1, h2, h3 = row(chain.axes, 0), row(chain.axes, 1), row(chain.axes, 2)
    s1, s2 = row(chain.steps, 1), row(chain.steps, 2)
    count, first, other = angles_to_plane((-h1[0], -h1[1], -h1[2]), p16, h2, offset)
    if count == 0:
        return False, 0.0, 0.0, 0.0
    q1 = first if one < 2 else other
    v = minus(turned(h1, -q1, p16), s1)
    count, first, other = angles_to_distance(h3, lift, (-s2[0], -s2[1], -s2[2]), dot(v, v))
    if count == 0:
        return False, 0.0, 0.0, 0.0
    q3 = first if one % 2 == 0 else other
    q2 = angle_between(h2, plus(s2, turned(h3, q3, lift)), v)
    return True, q1, q2, q3


@inner
def spherical_wrist(chain: Chain, wanted: Array, near: Array, found: Array, count: int) -> int:
    """Six axes, 2 and 3 parallel, 4, 5 and 6 through one point: at most eight answers."""
    h4, h5, h6 = row(chain.axes, 3), row(chain.axes, 4), row(chain.axes, 5)
    h1, h2, h3 = row(chain.axes, 0), row(chain.axes, 1), row(chain.axes, 2)
    R06 = last_turn(chain, wanted)
    p16 = minus(minus(column(wanted, 3), applied(R06, row(chain.steps, 6))), row(chain.steps, 0))
    lift = row(chain.steps, 3)
    offset = dot(h2, plus(plus(row(chain.steps, 1), row(chain.steps, 2)), lift))
    q = np.empty(6)
    for one in range(4):
        there, q1, q2, q3 = shoulder_angles(chain, p16, offset, lift, one)
        if not there:
            continue
        hand = turned(h3, -q3, turned(h2, -q2, turned(h1, -q1, applied(R06, h6))))  # h6 as link 3 sees it
        ways, first, other = angles_to_plane(h5, h6, h4, dot(h4, hand))
        for which in range(ways):
            q5 = first if which == 0 else other
            q4 = angle_between(h4, turned(h5, q5, h6), hand)
            side = across(h6)
            seen = turned(h3, -q3, turned(h2, -q2, turned(h1, -q1, applied(R06, side))))
            q6 = angle_between(h6, side, turned(h5, -q5, turned(h4, -q4, seen)))
            q[0], q[1], q[2], q[3], q[4], q[5] = q1, q2, q3, q4, q5, q6
            count = propose(chain, wanted, near, q, found, count)
    return count


@inner
def three_parallel(chain: Chain, wanted: Array, near: Array, found: Array, count: int) -> int:
    """Six axes, 2, 3 and 4 parallel, 5 and 6 through one point: at most eight answers."""
    h1, h2, h5, h6 = row(chain.axes, 0), row(chain.axes, 1), row(chain.axes, 4), row(chain.axes, 5)
    s1, s2, s3, s4 = row(chain.steps, 1), row(chain.steps, 2), row(chain.steps, 3), row(chain.steps, 4)
    R06 = last_turn(chain, wanted)
    p16 = minus(minus(column(wanted, 3), applied(R06, row(chain.steps, 6))), row(chain.steps, 0))
    offset = dot(h2, plus(plus(s1, s2), plus(s3, s4)))
    q = np.empty(6)
    shoulders, pan_a, pan_b = angles_to_plane((-h1[0], -h1[1], -h1[2]), p16, h2, offset)
    for shoulder in range(shoulders):
        q1 = pan_a if shoulder == 0 else pan_b
        hand = turned(h1, -q1, applied(R06, h6))
        wrists, flip_a, flip_b = angles_to_plane(h5, h6, h2, dot(h2, hand))
        for wrist in range(wrists):
            q5 = flip_a if wrist == 0 else flip_b
            q234 = angle_between(h2, turned(h5, q5, h6), hand)
            side = across(h6)
            seen = turned(h2, -q234, turned(h1, -q1, applied(R06, side)))
            q6 = angle_between(h6, side, turned(h5, -q5, seen))
            v = minus(minus(turned(h1, -q1, p16), s1), turned(h2, q234, s4))
            elbows, bend_a, bend_b = angles_to_distance(h2, s3, (-s2[0], -s2[1], -s2[2]), dot(v, v))
            for elbow in range(elbows):
                q3 = bend_a if elbow == 0 else bend_b
                q2 = angle_between(h2, plus(s2, turned(h2, q3, s3)), v)
                q[0], q[1], q[2], q[3], q[4], q[5] = q1, q2, q3, q234 - q2 - q3, q5, q6
                count = propose(chain, wanted, near, q, found, count)
    return count


@inner
def spherical_shoulder(chain: Chain, wanted: Array, near: Array, q7: float, found: Array, count: int) -> int:
    """Seven axes, 1, 2 and 3 through one point, 5 and 6 through another, joint 7 given: at most eight answers."""
    h1, h2, h3, h4 = row(chain.axes, 0), row(chain.axes, 1), row(chain.axes, 2), row(chain.axes, 3)
    h5, h6, h7 = row(chain.axes, 4), row(chain.axes, 5), row(chain.axes, 6)
    s3, s4 = row(chain.steps, 3), row(chain.steps, 4)
    R07 = last_turn(chain, wanted)
    at7 = minus(column(wanted, 3), applied(R07, row(chain.steps, 7)))
    wrist = minus(at7, applied(R07, turned(h7, -q7, row(chain.steps, 6))))
    u = minus(wrist, row(chain.steps, 0))  # from the shoulder to the wrist
    seen = turned(h7, q7, applied_back(R07, u))  # … as link 6 sees it
    q = np.empty(7)
    elbows, bend_a, bend_b = angles_to_distance(h4, s4, (-s3[0], -s3[1], -s3[2]), dot(u, u))
    for elbow in range(elbows):
        q4 = bend_a if elbow == 0 else bend_b
        c = plus(turned(h4, -q4, s3), s4)
        ways, q5a, q6a, q5b, q6b = angles_of_two(h5, h6, seen, c)
        for way in range(ways):
            q5, q6 = (q5a, q6a) if way == 0 else (q5b, q6b)
            tip = _upper(h3, h4, h5, h6, h7, q4, q5, q6, q7, R07)
            flips, lift_a, lift_b = angles_to_plane(h2, h3, h1, dot(h1, tip))
            for flip in range(flips):
                q2 = lift_a if flip == 0 else lift_b
                q1 = angle_between(h1, turned(h2, q2, h3), tip)
                side = across(h3)
                arm = _upper(side, h4, h5, h6, h7, q4, q5, q6, q7, R07)
                q3 = angle_between(h3, side, turned(h2, -q2, turned(h1, -q1, arm)))
                q[0], q[1], q[2], q[3], q[4], q[5], q[6] = q1, q2, q3, q4, q5, q6, q7
                count = propose(chain, wanted, near, q, found, count)
    return count


@inner
def _upper(
    v: Vector, h4: Vector, h5: Vector, h6: Vector, h7: Vector, q4: float, q5: float, q6: float, q7: float, R07: Array
) -> Vector:
    """R03 v, with R03 = R07 (R4 R5 R6 R7)ᵀ."""
    return applied(R07, turned(h7, -q7, turned(h6, -q6, turned(h5, -q5, turned(h4, -q4, v)))))
