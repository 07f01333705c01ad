"""Bricks as they are moulded: hollow below, studs on top, nothing but contact and friction between them.

This is what a general physics engine makes of bricks without knowing what a clutch is (seed 000, Fig. 2; seed 004).
"""

from __future__ import annotations

import numpy as np

from falsework.engine.colliders import Box, Collider, Cylinder, colliders
from falsework.model.catalogue import BrickType
from falsework.model.part import Part
from falsework.model.shapes import BrickShape

ROOF_M = 1e-3  # thickness of the top
PLAY_M = 2e-5  # between a stud and the walls that it touches: with none, rounding would wedge it


def moulded(part: Part) -> tuple[Collider, ...]:
    """Walls, top and studs of a brick; all other shapes, slopes among them, are full, with the studs they have."""
    if not isinstance(part.shape, BrickShape):
        return colliders(part.shape)
    kind = part.shape.kind
    hollow = kind.family in ("brick", "plate", "tile")
    return (*(_shell(kind) if hollow else colliders(part.shape)), *_studs(kind))


def _shell(kind: BrickType) -> tuple[Collider, ...]:
    length, width, height = kind.size_m
    wall = (kind.measures.pitch_m / 2 - kind.measures.stud_radius_m - PLAY_M) / 2
    inside = height - ROOF_M
    boxes = [((length / 2, width / 2, height - ROOF_M / 2), (length / 2, width / 2, ROOF_M / 2))]
    boxes += [((x, width / 2, inside / 2), (wall, width / 2, inside / 2)) for x in (wall, length - wall)]
    between = (length / 2 - 2 * wall, wall, inside / 2)
    boxes += [((length / 2, y, inside / 2), between) for y in (wall, width - wall)]
    return tuple(Box(np.array(centre), np.eye(3), np.array(half)) for centre, half in boxes)


def _studs(kind: BrickType) -> tuple[Collider, ...]:
    if not kind.has_studs:
        return ()
    measures = kind.measures
    half = min(measures.stud_height_m, kind.size_m[2] - ROOF_M) / 2
    places = np.array(list(np.ndindex(kind.flat, kind.width))) + 0.5
    heights = np.full((len(places), 1), kind.size_m[2] + half)
    centres = np.concatenate([places * measures.pitch_m, heights], axis=1)
    return tuple(Cylinder(centre, measures.stud_radius_m, half) for centre in centres)
