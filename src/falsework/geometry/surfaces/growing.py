"""Which facets of a smooth piece are on a form, hanging together with those that are known to be.

Plainly all facets of the piece are looked at, and then what hangs together. Machine code goes from neighbour to
neighbour, and so looks at no more than it takes.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.runs import rows_of
from falsework.geometry.surfaces.fitting import KINDS, compiles
from falsework.geometry.surfaces.forms import Form
from falsework.geometry.surfaces.smooth_facets import SmoothFacets
from falsework.model.arrays import Ints

ALONG = np.radians(20)  # between the normal of a facet and that of the form


def grown(
    facets: SmoothFacets, piece: Ints, known: Ints, form: Form, sign: float, heights: tuple[float, float], many: bool
) -> Ints:
    """Known facets (k,) that hang together, and those around them on the form, sorted.

    These face as the form does, or against it (`sign`), and have corners between two heights above it. `many`: it is
    worth loading machine code.
    """
    if many and compiles():
        from falsework.geometry.surfaces.compiled_growing import Linked, grown_over  # it needs the extra `fast`

        free = np.zeros(len(facets), dtype=bool)
        free[piece] = True
        row = np.concatenate([form.point, form.axis, [form.radius_m, form.half_angle_rad]])
        linked = Linked(
            facets.vertices,
            facets.normals,
            facets.centres,
            facets.corner_starts,
            facets.corners,
            facets.link_starts,
            facets.links,
        )
        return grown_over(linked, free, known, KINDS.index(form.kind), row, sign, heights)
    on = sign * (facets.normals[piece] * form.outward(facets.centres[piece])).sum(axis=1) > np.cos(ALONG)
    rows, which = rows_of(facets.corner_starts, piece)
    above = form.heights(facets.vertices[facets.corners[rows]])
    on[which[(above < heights[0]) | (above > heights[1])]] = False
    on[np.searchsorted(piece, known)] = True
    return next(part for part in facets.pieces(piece[on]) if known[0] in part)
