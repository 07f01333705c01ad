"""Triangulated surfaces as mesh files have them, before they are mended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.model.surfaces import Primitive


@dataclass(frozen=True, slots=True)
class Surface:
    """One object of a file: perhaps open, with repeated vertices."""

    name: str
    vertices: Array  # (n, 3) in the file's unit
    triangles: Ints  # (m, 3)
    primitives: tuple[Primitive, ...] = ()  # what triangles stand for
    apart: bool = False  # the format has no way to share vertices, so that they are repeated says nothing


def merged(surfaces: list[Surface]) -> Surface:
    """All objects of a file as one surface."""
    if len(surfaces) == 1:
        return surfaces[0]
    starts = np.cumsum([0, *(len(surface.vertices) for surface in surfaces[:-1])])
    triangles = [surface.triangles + start for surface, start in zip(surfaces, starts, strict=True)]
    apart = all(surface.apart for surface in surfaces)
    return Surface(surfaces[0].name, np.vstack([s.vertices for s in surfaces]), np.vstack(triangles), apart=apart)
