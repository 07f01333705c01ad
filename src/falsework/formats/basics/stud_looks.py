"""Bricks as they look: the body and its studs, for pictures."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from falsework.geometry.shapes.solids import joined, surface
from falsework.model.catalogue import BrickType
from falsework.model.shapes import BrickShape, Mesh, Shape

SIDES = 12  # of a stud
MOST_STUDS = 4096  # on one part; larger plates are shown smooth


def looks(shape: Shape) -> Mesh:
    """The surface that a picture shows, in the part's frame."""
    if not isinstance(shape, BrickShape):
        return surface(shape)
    return _studded(shape.kind)


@lru_cache(maxsize=256)
def _studded(kind: BrickType) -> Mesh:
    body = surface(BrickShape(kind))
    if not kind.has_studs or kind.flat * kind.width > MOST_STUDS:
        return body
    measures = kind.measures
    stud = _cylinder(measures.stud_radius_m, measures.stud_height_m)
    pitch, top = measures.pitch_m, kind.size_m[2]
    centres = [((i + 0.5) * pitch, (j + 0.5) * pitch, top) for i in range(kind.flat) for j in range(kind.width)]
    return joined([body, *(Mesh(stud.vertices + centre, stud.triangles) for centre in centres)])


def _cylinder(radius: float, height: float) -> Mesh:
    """A closed prism that stands on the origin."""
    angles = 2 * np.pi * np.arange(SIDES) / SIDES
    ring = radius * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(SIDES)])
    vertices = np.concatenate([ring, ring + np.array([0.0, 0.0, height]), [[0.0, 0.0, 0.0], [0.0, 0.0, height]]])
    k, after = np.arange(SIDES), (np.arange(SIDES) + 1) % SIDES
    below, above = np.full(SIDES, 2 * SIDES), np.full(SIDES, 2 * SIDES + 1)
    triangles = [
        np.column_stack([k, after, after + SIDES]),
        np.column_stack([k, after + SIDES, k + SIDES]),
        np.column_stack([after, k, below]),
        np.column_stack([k + SIDES, after + SIDES, above]),
    ]
    return Mesh(vertices, np.concatenate(triangles))
