"""Bricks as they are moulded: hollow below, studs on top, nothing but contact and friction between them.

This is what a general physics engine makes of bricks without knowing what a clutch is (seed 000, Fig. 2; seed 004).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.engine.colliders import Box, Collider, Cylinder, colliders
from falsework.geometry.shapes.convex_pieces import hull
from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.model.part import Part
from falsework.model.shapes import BrickShape

ROOF_M = 1e-3  # thickness of the top
PLAY_M = 2e-5  # between a stud and the walls that it touches: with none, rounding would wedge it
FACETS = 16  # of what is round and has a rounded edge: flat toward walls and toward tubes


@dataclass(frozen=True, slots=True)
class Mould:
    """How bricks fit into each other.

    >>> Mould().play_m
    2e-05
    """

    play_m: float = PLAY_M  # between studs and what is around them; less than none squeezes them
    edge_m: float = 0.0  # of the slope at the upper edge of studs, by which bricks that lie a little aside slide in
    tubes: bool = False  # between the studs, as bricks two studs wide and wider have them
    aside_m: float = 0.0  # by which the outer sides stay behind the lines of the stud grid


LOOSE = Mould()


def moulded(part: Part, mould: Mould = LOOSE) -> tuple[tuple[Collider, ...], tuple[Collider, ...]]:
    """Walls, top and tubes of a brick, and its studs; all other shapes, slopes among them, are full."""
    if not isinstance(part.shape, BrickShape):
        return colliders(part.shape), ()
    kind = part.shape.kind
    hollow = kind.family in ("brick", "plate", "tile")
    body = (*_shell(kind, mould), *_tubes(kind, mould)) if hollow else colliders(part.shape)
    return body, _studs(kind, mould)


def pieces_of_mould(part: Part) -> tuple[Collider, ...]:
    """Both together, with a little play."""
    body, studs = moulded(part)
    return (*body, *studs)


def _shell(kind: BrickType, mould: Mould) -> tuple[Collider, ...]:
    length, width, height = kind.size_m
    out, inner = mould.aside_m, kind.measures.pitch_m / 2 - kind.measures.stud_radius_m - mould.play_m
    wall, inside = (inner - out) / 2, height - ROOF_M
    boxes = [((length / 2, width / 2, height - ROOF_M / 2), (length / 2 - out, width / 2 - out, ROOF_M / 2))]
    boxes += [
        ((x, width / 2, inside / 2), (wall, width / 2 - out, inside / 2)) for x in (out + wall, length - out - wall)
    ]
    between = (length / 2 - inner, wall, inside / 2)
    boxes += [((length / 2, y, inside / 2), between) for y in (out + wall, width - out - wall)]
    return tuple(Box(np.array(centre), np.eye(3), np.array(half)) for centre, half in boxes)


def _tubes(kind: BrickType, mould: Mould) -> tuple[Collider, ...]:
    """Each touches the four studs around it."""
    if not mould.tubes:
        return ()
    measures = kind.measures
    radius = measures.pitch_m / np.sqrt(2) - measures.stud_radius_m - mould.play_m
    places = np.array(list(np.ndindex(kind.length - 1, kind.width - 1))).reshape(-1, 2) + 1.0
    return tuple(_post(place * measures.pitch_m, radius, 0.0, kind.size_m[2] - ROOF_M, 0.0) for place in places)


def _studs(kind: BrickType, mould: Mould) -> tuple[Collider, ...]:
    if not kind.has_studs:
        return ()
    measures, top = kind.measures, kind.size_m[2]
    height = min(measures.stud_height_m, top - ROOF_M)
    places = (np.array(list(np.ndindex(kind.flat, kind.width))) + 0.5) * measures.pitch_m
    if not mould.edge_m:
        centres = np.concatenate([places, np.full((len(places), 1), top + height / 2)], axis=1)
        return tuple(Cylinder(centre, measures.stud_radius_m, height / 2) for centre in centres)
    return tuple(_post(place, measures.stud_radius_m, top, height, mould.edge_m) for place in places)


def _post(place: Array, radius: float, low: float, height: float, edge: float) -> Collider:
    """A prism of many sides about a vertical through a place (2,), its upper edge cut off by `edge` each way."""
    angles = (np.arange(FACETS) + 0.5) * 2 * np.pi / FACETS
    around = np.column_stack([np.cos(angles), np.sin(angles)]) / np.cos(np.pi / FACETS)
    rings = [(radius, low), (radius, low + height - edge)] + ([(radius - edge, low + height)] if edge else [])
    corners = [np.column_stack([place + size * around, np.full(FACETS, at)]) for size, at in rings]
    return hull(np.concatenate(corners))
