"""A solid made a little smaller: its faces moved inward, each by the same distance wherever that can be done.

A part may reach into another by an allowance. Whoever wants to prove that it does not reach deeper proves that the
part, shrunk by that allowance, does not touch the other at all: a strict statement, in which parts that touch are
apart.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.distance.feature_normals import feature_normals, welded
from falsework.geometry.distance.surface import Surface
from falsework.model.arrays import Array, Ints

BLUNT = 2.0  # times the way of the faces: the furthest that a corner is moved


def shrunk(surface: Surface, allowance_m: float) -> Surface:
    """The surface with faces moved inward by half an allowance, and no corner by more than the whole.

    A corner moves against its mean normal, as far as its most oblique face needs. At corners too sharp for that (a
    knife's edge) faces are moved by less.
    """
    table, _ = feature_normals(surface.vertices, surface.faces)
    normals, corners = table[:, 0], table[:, 4:7]  # (m, 3), (m, 3, 3)
    along = (corners * normals[:, None]).sum(axis=2)  # cosines between a corner's normal and its faces'
    flat = ~normals.any(axis=1)
    along[flat] = 1.0
    loops = welded(surface.vertices, surface.faces)
    least = np.ones(int(loops.max()) + 1)
    np.minimum.at(least, loops.ravel(), along.ravel())
    moved = _corner_places(surface, loops, corners, 0.5 * allowance_m / np.maximum(least, 1.0 / BLUNT))
    return Surface(moved, loops)


def _corner_places(surface: Surface, loops: Ints, corners: Array, by_m: Array) -> Array:
    """(k, 3) of each corner, by its number in the loops."""
    places = np.zeros((len(by_m), 3))
    flat = loops.ravel()
    places[flat] = surface.vertices[surface.faces.ravel()] - by_m[flat, None] * corners.reshape(-1, 3)
    return places
