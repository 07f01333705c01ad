"""Fits: what lies in a hole of another part, with how much play, and how far facets alone reach into each other there.

Corners of a shaft's triangles lie on the shaft, those of a hole's on the hole. So between its corners a hole is
narrower than it should be, and a shaft with other corners cuts into it, by no more than both are off their surfaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from falsework.geometry.contacts.curved.finding import curved_touches
from falsework.geometry.contacts.curved.touch import Touch
from falsework.geometry.contacts.grid_contacts import grid_groups
from falsework.geometry.shapes.placed_solids import Scene, scene
from falsework.model.assembly import Assembly

THICK = 3.0  # times as thick as it is may a bent sheet seem, see `overlap`

FitKind = Literal["clearance", "nominal", "press"]


@dataclass(frozen=True, slots=True)
class Fit:
    """Two bodies of which one lies in a hole of the other, m."""

    bodies: tuple[int, int]
    kinds: tuple[str, str]  # of the first body's surface and of the second's: "cylinder", "cone" or "sphere"
    play_m: float  # by how much the hole's radius is larger
    kind: FitKind
    hidden_m: float  # an overlap that seems no thicker than this is one of facets, or of the press fit


def fits(assembly: Assembly) -> tuple[Fit, ...]:
    """All fits of an assembly, sorted by bodies.

    >>> from falsework import load
    >>> fits(load("examples/arch.yaml"))
    ()
    """
    groups = grid_groups(assembly)
    if len(groups) < 2 or (groups[0] >= 0 and (groups == groups[0]).all()):
        return ()
    return fits_in(scene(assembly, groups))


def fits_in(placed: Scene) -> tuple[Fit, ...]:
    """The fits of a scene."""
    found = []
    for pair, touch in curved_touches(placed).touches:
        if touch.play_m is not None:
            first, second = placed.body[placed.pairs[pair]].tolist()
            found.append(
                _fit((first, second), touch, float(placed.gaps_m[pair]), touch.one.solid == placed.pairs[pair, 0])
            )
    return tuple(sorted(found, key=lambda fit: fit.bodies))


def _fit(bodies: tuple[int, int], touch: Touch, gap_m: float, in_order: bool) -> Fit:
    assert touch.other is not None and touch.play_m is not None
    kinds = (touch.one.kind, touch.other.kind)
    kind: FitKind = "clearance" if touch.play_m > gap_m else "press" if touch.play_m < -gap_m else "nominal"
    reach = touch.one.sag_m + touch.other.sag_m - touch.play_m
    return Fit(bodies, kinds if in_order else kinds[::-1], touch.play_m, kind, THICK * max(reach, 0.0) + gap_m)
