"""How far a curved contact may be from where it was found, since the numbers of a file are rounded.

A ball on a level floor rests, and rolls off a floor that leans by a millionth. No file says which of the two it is: a
corner that is off by ε leans a face of width w by 2 ε/w, and the place where a ball of radius r touches it moves by as
much times r. So nothing is said to fall that would rest if its contacts were as far aside as that, or leaned as much.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.geometry.contacts.curved.placed_surfaces import Surface, Surfaces
from falsework.geometry.contacts.curved.touch import Touch
from falsework.geometry.shapes.digits import corners_off_m
from falsework.geometry.shapes.placed_solids import Scene
from falsework.geometry.shapes.planes import cross, unit
from falsework.model.arrays import Array

MOST_LEAN = 0.1  # rad: what leans more is not known to touch at all


class Leeway(NamedTuple):
    """Of one contact."""

    aside_m: float  # along the surfaces
    lean_rad: float  # of the normal


def leeway(placed: Scene, surfaces: Surfaces, pair: int, touch: Touch) -> Leeway:
    """How far aside a touch may be, and how much it may lean."""
    mine = _shift_m(placed, touch.one)
    bow = float(np.mean(touch.one.form.bows(np.concatenate(touch.ends))))
    if touch.other is not None:
        both = mine + _shift_m(placed, touch.other)
        theirs = float(np.mean(touch.other.form.bows(np.concatenate(touch.ends))))
        apart = bow + theirs if touch.one.convex and touch.other.convex else abs(bow - theirs)
        lean = both / max(apart, both)
    else:
        first, second = placed.pairs[pair].tolist()
        corner = corners_off_m(placed.shapes[second if touch.one.solid == first else first])
        both = mine + corner
        width = min((_width_m(placed, surfaces, facet) for facet in touch.facets), default=bow)
        lean = 2 * corner / max(width, corner) + both / max(bow, both)
    lean = min(lean, MOST_LEAN)
    return Leeway(2 * both + bow * lean, lean)


def around(touch: Touch, points: Array, normal: Array, aside_m: float) -> Array:
    """(4 n, 3) corners of squares that hold all that is so far aside of points (n, 3) of a touch."""
    arms = touch.one.corners[0] - points[0]
    level = arms - (arms @ normal)[:, None] * normal
    u = unit(level[int(np.argmax(np.linalg.norm(level, axis=1)))])  # turns with the triangles
    corners = np.sqrt(2) * aside_m * np.stack([u, cross(normal, u), -u, -cross(normal, u)])
    spread: Array = (points[:, None] + corners).reshape(-1, 3)
    return spread


def _shift_m(placed: Scene, surface: Surface) -> float:
    """How far the axis or the centre of a form may be off: more than its corners are, if these see little of it."""
    ways = surface.form.outward(surface.corners.mean(axis=1))
    seen = float((ways @ unit(ways.sum(axis=0) + np.finfo(float).tiny)).min())
    return corners_off_m(placed.shapes[surface.solid]) / max(1e-6, min(1.0, 1.0 - seen))


def _width_m(placed: Scene, surfaces: Surfaces, facet: int) -> float:
    """No more than how wide a facet is where it is narrowest."""
    corners = surfaces.corners(placed, facet).reshape(-1, 3)
    return float(placed.facets.areas[facet]) / max(float(np.linalg.norm(np.ptp(corners, axis=0))), 1e-300)
