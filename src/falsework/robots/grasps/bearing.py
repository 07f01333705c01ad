"""What a grip must bear, and how many times that it could.

A hand turns what it carries about in all ways, so the load may point anywhere. Each way to give way (slip, twist, bend)
has a capacity; together they bound the load by an ellipsoid, the usual limit surface of a soft contact:

    1 / margin² = (P / slip)² + (P a / twist)² + (P r / bend)²

P: weight and inertia; r: how far the centre of mass is from the grip's point; a: how far from its axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array
from falsework.model.robots.tool import Tool

STANDARD_GRAVITY = 9.81  # m/s²
ACCELERATION = 2.0  # m/s² with which hands move what they carry
SPARE = 2.0  # times the load for which a grip is set, if the tool can


@dataclass(frozen=True, slots=True)
class Burden:
    """What a grip must bear.

    >>> round(Burden(1.0).load_n, 2)
    11.81
    """

    mass_kg: float
    press_n: float = 0.0  # along the hand, when what it carries is pressed home
    gravity: float = STANDARD_GRAVITY

    @property
    def load_n(self) -> float:
        """Weight and inertia."""
        return self.mass_kg * (self.gravity + ACCELERATION)


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a grip of one newton bears: N of slip, N·m of twist about its axis and of bending across it, N of press."""

    slip: float
    twist: float
    bend: float
    press: float

    def margin(self, force_n: float, burden: Burden, aside_m: float, away_m: float) -> float:
        """How many times the burden a grip of so many newtons bears; the centre of mass so far from axis and point.

        >>> round(Capacity(1.0, 1.0, 1.0, 1.0).margin(20.0, Burden(1.0, gravity=8.0), 0.0, 0.0), 3)
        2.0
        """
        load = burden.load_n
        needs = math.hypot(load / self.slip, load * aside_m / self.twist, load * away_m / self.bend)
        borne = math.inf if needs == 0 else force_n / needs
        if burden.press_n > 0 and self.press < math.inf:
            borne = min(borne, force_n * self.press / (burden.press_n + load))
        return borne


def pinch_capacity(tool: Tool, width_m: float, taper: float, drawn_back: float = 0.0) -> Capacity | None:
    """Two pads that squeeze with one newton; None where the faces, tilted by `taper` rad from the pads, slip out.

    `drawn_back`: the share of their length by which they stay back from what they grip.

    >>> import falsework
    >>> hand = falsework.tool_named("panda-hand")
    >>> round(pinch_capacity(hand, 0.04, 0.0).slip, 9), pinch_capacity(hand, 0.04, 0.5)
    (1.0, None)
    """
    spare = math.atan(tool.friction) - taper
    if spare <= 0:
        return None
    friction, half = math.tan(spare), 0.5 * min(tool.pad_m[0], tool.pad_m[1] * (1.0 - drawn_back))
    slip = 2.0 * friction
    return Capacity(slip, slip * 2.0 / 3.0 * half, friction * width_m + half, slip)


def suction_capacity(tool: Tool) -> Capacity:
    """A cup that pulls with one newton: it slides by friction, and peels off about its rim.

    >>> import falsework
    >>> suction_capacity(falsework.tool_named("suction")).slip
    0.5
    """
    radius = 0.5 * min(tool.pad_m)
    slip = min(1.0, tool.friction)
    return Capacity(slip, slip * 2.0 / 3.0 * radius, radius, math.inf)


def stud_capacity(tool: Tool, share: float) -> Capacity:
    """Studs of which a share is gripped; with all, they hold one newton along the hand, and across it more."""
    half = 0.5 * min(tool.pad_m)
    return Capacity(share, share * half, share * half, math.inf)


def set_force(tool: Tool, margin: float) -> float:
    """The grip, N, that leaves twice the load, within what the tool gives; `margin` at its strongest.

    >>> import falsework
    >>> set_force(falsework.tool_named("panda-hand"), 4.0)
    35.0
    """
    low, high = tool.force_n
    return float(np.clip(high * SPARE / margin, low, high)) if margin > 0 else high


def offsets(points: Array, axes: Array, centre: Array) -> tuple[Array, Array]:
    """(k,) how far a centre of mass is from axes (k, 3) of grips, and from their points (k, 3), m."""
    away = centre - points
    aside = away - np.sum(away * axes, axis=1, keepdims=True) * axes
    return np.linalg.norm(aside, axis=1), np.linalg.norm(away, axis=1)
