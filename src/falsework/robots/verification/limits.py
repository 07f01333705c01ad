"""Joints within their limits: of position, speed, acceleration and jerk, between rows as well as at them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from falsework.model.arrays import Array
from falsework.model.errors import shown
from falsework.model.robots.cell import CellArm
from falsework.model.robots.limits import JointLimits
from falsework.model.robots.motion import Track
from falsework.robots.verification.complaints import Complaint, Kind
from falsework.robots.verification.polynomials import Rows

ROUNDING = 1e-6  # of a limit, and in rad or m of a position
JUMP = 3.0  # times the speed of a joint that no motor explains
HOME = 1e-4  # rad or m, by which an arm may begin away from where it waits


def over_limits(one: CellArm, track: Track, rows: Rows) -> Iterator[Complaint]:
    """What one arm's track says against its limits, the worst of each kind."""
    limits, names = JointLimits.of(one.arm), [joint.name for joint in one.arm.joints]
    if np.abs(track.q[0] - one.home).max() > HOME:
        yield Complaint("start", 0.0, f"arm {shown(one.name)} does not begin where it waits", one.name)
    if np.abs(track.speed[[0, -1]]).max() > ROUNDING or np.abs(track.acceleration[[0, -1]]).max() > ROUNDING:
        yield Complaint("start", 0.0, f"arm {shown(one.name)} does not begin and end at rest", one.name)
    if len(track.times_s) == 1:
        return
    low, high = rows.range()
    beyond = np.maximum(limits.lower - low, high - limits.upper)
    if beyond.max() > ROUNDING:
        k, j = _worst(beyond)
        yield _said(
            "joint-limit", track, k, one,
            f"joint {shown(names[j])} reaches {low[k, j]:.4g} to {high[k, j]:.4g}, "
            f"its limits are {limits.lower[j]:.4g} to {limits.upper[j]:.4g}",
        )  # fmt: skip
    mean = np.abs(np.diff(track.q, axis=0)) / np.diff(track.times_s)[:, None] / limits.speed
    jumps = mean.max() > JUMP
    if jumps:
        k, j = _worst(mean)
        yield _said(
            "joint-jump", track, k, one,
            f"joint {shown(names[j])} jumps by {abs(track.q[k + 1, j] - track.q[k, j]):.4g} in "
            f"{track.times_s[k + 1] - track.times_s[k]:.4g} s",
        )  # fmt: skip
    kinds: tuple[tuple[Kind, Array], ...] = (
        ("speed", limits.speed), ("acceleration", limits.acceleration), ("jerk", limits.jerk),
    )  # fmt: skip
    for (kind, most), bound in zip(kinds, rows.bounds, strict=True):
        share = bound / most
        if share.max() > 1 + ROUNDING and not jumps:
            k, j = _worst(share)
            yield _said(
                kind, track, k, one,
                f"joint {shown(names[j])} has the {kind} {bound[k, j]:.4g}, its limit is {most[j]:.4g}",
            )  # fmt: skip


def _worst(values: Array) -> tuple[int, int]:
    k, j = np.unravel_index(int(np.argmax(values)), values.shape)
    return int(k), int(j)


def _said(kind: Kind, track: Track, k: int, one: CellArm, why: str) -> Complaint:
    return Complaint(kind, float(track.times_s[k]), f"arm {shown(one.name)}: {why}", one.name)
