"""Which triangles of a part stand for a curved surface that is none of the known forms: a torus, a free form.

They are in smooth regions of many small facets, each of which goes on smoothly across half of its edges or more. A
polyhedron with a few blunt edges has no such region, and a flat face beside a fillet is much larger than its strips.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from falsework.geometry.shapes.runs import rows_of
from falsework.geometry.shapes.solids import outer_surface
from falsework.geometry.shapes.tolerances import FEWEST_CURVED
from falsework.geometry.surfaces.recognition import primitives_of
from falsework.geometry.surfaces.smooth_facets import SmoothFacets, smooth_facets
from falsework.model.arrays import Bools, Ints
from falsework.model.shapes import BrickShape, Mesh, Shape

FEWEST = 24  # facets of a smooth region
CORNERS = 4  # of a facet: those of flat faces have more, or
LARGE = 4.0  # times as wide as the ones that it goes on into


@lru_cache(maxsize=4096)
def freely_curved(shape: Shape) -> Bools:
    """(t,) of the triangles of `outer_surface`.

    >>> from falsework.model.shapes import box
    >>> freely_curved(box((1, 1, 1))).any()
    np.False_
    """
    mesh = outer_surface(shape)
    curved = np.zeros(len(mesh.triangles), dtype=bool)
    if isinstance(shape, BrickShape) or len(mesh.triangles) < max(FEWEST, FEWEST_CURVED):
        return curved
    if isinstance(shape, Mesh) and shape.primitives:  # as its file says
        known = [one.triangles for one in shape.primitives if one.kind != "torus"] or [np.zeros(0, dtype=np.int64)]
        curved[:] = True
        curved[np.concatenate(known)] = False
        return curved
    facets = smooth_facets(mesh)
    free = np.ones(len(facets), dtype=bool)
    for primitive in primitives_of(shape):
        of_it = facets.facet_of[primitive.triangles]
        free[of_it[of_it >= 0]] = False
    chosen = _small(facets, np.flatnonzero(free))
    pieces = [piece for piece in facets.pieces(chosen) if len(piece) >= FEWEST] if len(chosen) else []
    if pieces:
        curved |= np.isin(facets.facet_of, np.concatenate(pieces))
    return curved


def _small(facets: SmoothFacets, chosen: Ints) -> Ints:
    """Those of some facets that are like pieces of something curved."""
    corners = np.diff(facets.corner_starts)[chosen]
    rows, which = rows_of(facets.link_starts, chosen)
    count = np.bincount(which, minlength=len(chosen))
    wide = np.sqrt(facets.areas)
    beside = np.zeros(len(chosen))
    np.maximum.at(beside, which, wide[facets.links[rows]])
    like: Ints = chosen[(corners <= CORNERS) & (2 * count >= corners) & (wide[chosen] <= LARGE * beside)]
    return like
