"""Bars between fixed legs, after the H and A of coupled rigid-block analysis: balanced on paper, sliding in fact.

Plain equilibrium may press the legs together as hard as it likes; nothing in the figure does so.
"""

from __future__ import annotations

import math

from falsework.gallery.kind import Kind, Parameter, Truth
from falsework.gallery.stones import block, slab
from falsework.model.assembly import Assembly

ONE_PART = "one part comes between two that stay"
LEG_M = (0.2, 0.2, 1.0)
BAR_M = 0.2  # height and depth of the bar


def h_shape(span: float, friction: float) -> Assembly:
    """A bar between two fixed upright legs, touching nothing else."""
    width, depth, height = LEG_M
    parts = (
        block("left", LEG_M, -span / 2 - width, -depth / 2, 0.0),
        block("bar", (span, depth, BAR_M), -span / 2, -depth / 2, (height - BAR_M) / 2),
        block("right", LEG_M, span / 2, -depth / 2, 0.0),
    )
    return Assembly(parts, fixed=frozenset(["left", "right"]), friction=friction)


def a_shape(span: float, angle: float, friction: float) -> Assembly:
    """A bar between two fixed legs that lean towards each other by `angle` from the vertical."""
    width, depth, height = LEG_M
    middle, slope = height / 2, math.tan(math.radians(angle))

    def inner(z: float) -> float:
        """Half the gap between the legs at a height."""
        return span / 2 - (z - middle) * slope

    low, high = middle - BAR_M / 2, middle + BAR_M / 2
    bar = [(-inner(low), low), (inner(low), low), (inner(high), high), (-inner(high), high)]
    leg = [(inner(0.0), 0.0), (inner(0.0) + width, 0.0), (inner(height) + width, height), (inner(height), height)]
    mirrored = [(-x, z) for x, z in reversed(leg)]
    parts = (slab("left", mirrored, depth), slab("bar", bar, depth), slab("right", leg, depth))
    return Assembly(parts, fixed=frozenset(["left", "right"]), friction=friction)


def _h_truth(span: float, friction: float) -> Truth:
    del span
    if friction == 0.0:
        return Truth(False, "without friction the upright faces carry nothing")
    why = "friction on upright faces, with a pressure that only self-stress could give; coupled analysis: it slides"
    return Truth(True, why, coupled=False, hands=1, building=ONE_PART)


def _a_truth(span: float, angle: float, friction: float) -> Truth:
    del span
    slope = math.tan(math.radians(angle))
    if abs(slope - friction) < 1e-3:
        return Truth(None, "the legs lean by the angle of friction, which no arithmetic with rounding decides")
    if slope > friction:
        return Truth(False, "the legs lean by more than the angle of friction: every contact force points down")
    why = "the legs lean by less than the angle of friction; coupled analysis: it slides"
    return Truth(True, why, coupled=False, hands=1, building=ONE_PART)


_SPAN = Parameter("span", 0.6, "m", "width of the gap", 0.1, 10.0)
_FRICTION = Parameter("friction", 0.84, "", "coefficient of friction", 0.0, 2.0)

KINDS = (
    Kind("h-shape", "a bar between two upright legs, held by friction alone", (_SPAN, _FRICTION), h_shape, _h_truth),
    Kind(
        "a-shape",
        "a bar between two legs that lean inwards, held by friction alone",
        (_SPAN, Parameter("angle", 10.0, "degrees", "lean of the legs from the vertical", 0.5, 20.0), _FRICTION),
        a_shape,
        _a_truth,
    ),
)
