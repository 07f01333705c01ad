"""Curved roofs of many stones: a barrel vault, a dome of rings, and one whose rings are staggered."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from falsework.gallery.arches import HALF_AN_ARCH
from falsework.gallery.kind import Kind, Parameter, Truth
from falsework.gallery.stones import block, bond, slab, wedge
from falsework.geometry.contacts.ground import grounded
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.part import Part

FOOTING_M = 0.3
GENEROUS = 1.01  # of what is needed: the gap that a staggered dome tells
OPEN_RING = "a ring holds itself only once it is closed: one hand holds a stone while the other brings the next"
STEEP_RING = "of an open ring of many stones, some stay only while two of their neighbours are held"
PLANNED_VAULTS = {(5, 2), (9, 3)}  # stones, rows: two hands, and one proved too few
PLANNED_DOMES = {(2, 6): 2, (2, 12): 2, (3, 6): 2, (3, 8): 3, (4, 10): 3}  # rings, segments: the fewest hands, proved


def barrel_vault(stones: int, rows: int, radius: float, thickness: float) -> Assembly:
    """Half a tunnel: courses of stones from one springer to the other, every other course shifted along it."""
    inner, outer = radius * (1 - thickness / 2), radius * (1 + thickness / 2)
    length = radius * math.pi / stones * 1.5  # of a stone along the tunnel
    parts: list[Part] = [
        block("right", (outer - inner, rows * length, FOOTING_M), inner, 0.0, -FOOTING_M),
        block("left", (outer - inner, rows * length, FOOTING_M), -outer, 0.0, -FOOTING_M),
    ]
    for k in range(stones):
        outline = [_polar(r, a, stones) for r, a in ((inner, k), (outer, k), (outer, k + 1), (inner, k + 1))]
        for low, high in pairwise(bond(rows, shifted=bool(k % 2))):
            middle, depth = (low + high) / 2 * length, (high - low) * length
            parts.append(slab(f"stone-{len(parts) - 1}", outline, depth, middle))
    return Assembly(tuple(parts), fixed=frozenset(["left", "right"]))


def dome(rings: int, segments: int, radius: float, thickness: float, opening: float) -> Assembly:
    """Rings of equal stones on a table, up to a round opening at the top; all faces are flat."""
    return _rings_of_stones(rings, segments, radius, thickness, opening, turn=0.0)


def staggered_dome(rings: int, segments: int, radius: float, thickness: float, opening: float) -> Assembly:
    """The same with every other ring turned by half a stone, in the manner of COMPAS' dome.

    The joint between two rings is part of a cone, on which flat faces are chords: where one has its corners the other
    has its middle, off by R·cos(e)·(1 − cos(π/n)) in plan at an elevation e, and that times sin(e) across the joint.
    So the faces of a joint lean, half open and half sunk into each other, and the gap up to which they touch is told.
    """
    made = _rings_of_stones(rings, segments, radius, thickness, opening, turn=0.5)
    widest = 0.5 * radius * (1 + thickness / 2) * (1 - math.cos(math.pi / segments))  # sin(e)·cos(e) is half at most
    return made.changed(gap_m=GENEROUS * widest)


def _rings_of_stones(
    rings: int, segments: int, radius: float, thickness: float, opening: float, turn: float
) -> Assembly:
    """Rings of equal stones, every other one turned by a share of a stone."""
    inner, outer = radius * (1 - thickness / 2), radius * (1 + thickness / 2)
    rise = math.radians(90.0 - opening / 2)
    parts: list[Part] = []
    for ring in range(rings):
        low, high = (rise * k / rings for k in (ring, ring + 1))
        for segment in range(segments):
            left, right = (2 * math.pi * (k + turn * (ring % 2)) / segments for k in (segment, segment + 1))
            corners = [
                _on_sphere(r, azimuth, elevation)
                for elevation in (low, high)
                for r, azimuth in ((inner, left), (outer, left), (outer, right), (inner, right))
            ]
            parts.append(wedge(f"stone-{len(parts) + 1}", corners))
    return grounded(Assembly(tuple(parts)), Ground("table"))


def _polar(radius: float, step: int, steps: int) -> tuple[float, float]:
    angle = math.pi * step / steps
    return radius * math.cos(angle), radius * math.sin(angle) if 0 < step < steps else 0.0


def _on_sphere(radius: float, azimuth: float, elevation: float) -> Array:
    flat = radius * math.cos(elevation)
    return np.array([flat * math.cos(azimuth), flat * math.sin(azimuth), radius * math.sin(elevation)])


def _vault_truth(stones: int, rows: int, radius: float, thickness: float) -> Truth:
    del radius
    if thickness >= 0.15:
        why = "every slice across it is a semicircular arch of ample thickness"
        if thickness == 0.25 and (stones, rows) in PLANNED_VAULTS:
            return Truth(True, why, hands=2, building=HALF_AN_ARCH)
        return Truth(True, why)
    return Truth(None, "thin: not known beforehand")


def _dome_truth(rings: int, segments: int, radius: float, thickness: float, opening: float) -> Truth:
    del radius
    if thickness >= 0.15:
        why = "each lune is an arch of ample thickness, and the rings press on each other"
        hands = PLANNED_DOMES.get((rings, segments)) if (thickness, opening) == (0.2, 30.0) else None
        building = {None: "", 2: OPEN_RING, 3: STEEP_RING}[hands]
        return Truth(True, why, hands=hands, building=building)
    return Truth(None, "thin: not known beforehand")


def _staggered_truth(rings: int, segments: int, radius: float, thickness: float, opening: float) -> Truth:
    known = _dome_truth(rings, segments, radius, thickness, opening)
    return Truth(known.stands, known.why)


_RADIUS = Parameter("radius", 1.0, "m", "radius of the middle surface", 0.1, 100.0)

KINDS = (
    Kind(
        "barrel-vault",
        "half a tunnel of stones in running bond",
        (
            Parameter("stones", 9, "", "stones from one side to the other", 3, 200),
            Parameter("rows", 3, "stones", "length along the tunnel", 1, 200),
            _RADIUS,
            Parameter("thickness", 0.25, "radii", "thickness of the vault", 0.02, 1.0),
        ),
        barrel_vault,
        _vault_truth,
    ),
    Kind(
        "dome",
        "half a sphere of rings of stones, open at the top",
        (
            Parameter("rings", 4, "", "rings", 1, 60),
            Parameter("segments", 10, "", "stones in a ring", 5, 120),
            _RADIUS,
            Parameter("thickness", 0.2, "radii", "thickness of the dome", 0.02, 1.0),
            Parameter("opening", 30.0, "degrees", "angle of the opening seen from the centre", 5.0, 120.0),
        ),
        dome,
        _dome_truth,
    ),
    Kind(
        "staggered-dome",
        "a dome whose rings are staggered: flat faces that touch only within a gap",
        (
            Parameter("rings", 4, "", "rings", 1, 60),
            Parameter("segments", 16, "", "stones in a ring", 16, 120),
            _RADIUS,
            Parameter("thickness", 0.2, "radii", "thickness of the dome", 0.02, 1.0),
            Parameter("opening", 30.0, "degrees", "angle of the opening seen from the centre", 5.0, 120.0),
        ),
        staggered_dome,
        _staggered_truth,
    ),
)
