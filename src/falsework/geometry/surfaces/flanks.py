"""Which smooth pieces of a surface are flanks of threads."""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.runs import rows_of
from falsework.geometry.surfaces.helicoids import Helicoid, helicoids_through
from falsework.geometry.surfaces.smooth_facets import SmoothFacets, place
from falsework.model.arrays import Array, Ints

SEEN = 200  # facets that a flank is well seen by
PLACES = 3  # from which the flank of a thread is looked for
FLANK = 8  # facets that make a flank of a thread
ON_FLANK = 1e-4  # of the pitch: how far half of the corners may be off a flank, and
OFF_FLANK = 0.02  # the others, where it was cut off


def flank_in(facets: SmoothFacets, piece: Ints) -> tuple[Helicoid, bool, Ints] | None:
    """The flank of a thread in a smooth piece, seen from all of it, or else from some places.

    Its form, whether its normals go up its axis, and its facets.
    """
    piece = piece[np.diff(facets.corner_starts)[piece] <= 4]  # flat faces go on nearly smoothly into a flat thread
    piece = max(facets.pieces(piece), key=len) if len(piece) else piece
    if len(piece) < FLANK:
        return None
    seeds = [int(piece[place(number, len(piece))]) for number in range(PLACES)]
    for start in (piece, *(list(facets.rings(piece, seed, SEEN))[-1] for seed in seeds)):
        region = _flank_from(facets, piece, start)
        if region is not None:
            return region
    return None


def _flank_from(facets: SmoothFacets, piece: Ints, chosen: Ints) -> tuple[Helicoid, bool, Ints] | None:
    """A flank through some facets and all others of a piece that are on it; a quarter of a turn at least."""
    form: Helicoid | None = None
    for _ in range(3):
        if len(chosen) < FLANK:
            return None
        corners = facets.vertices[facets.corners_of(chosen)]
        seen = facets.normals[chosen], facets.areas[chosen], facets.centres[chosen]
        fitting = (one for one in helicoids_through(corners, *seen) if _is_near(one, corners, facets.exact_m))
        form = next(fitting, None)
        if form is None:
            return None
        rows, which = rows_of(facets.corner_starts, piece)
        on = np.ones(len(piece), dtype=bool)
        on[which[np.abs(form.above(facets.vertices[facets.corners[rows]])) > OFF_FLANK * abs(form.pitch_m)]] = False
        if np.array_equal(piece[on], chosen):
            break
        chosen = piece[on]
    assert form is not None
    along = facets.normals[chosen] @ form.axis
    wound = float(np.ptp(form.wound(facets.vertices[facets.corners_of(chosen)])))
    if wound < 0.5 * np.pi or len(chosen) < FLANK or not (np.sign(along) == np.sign(along[0])).all():
        return None
    return form, bool(along[0] > 0), chosen


def _is_near(form: Helicoid, corners: Array, exact_m: float) -> bool:
    """Whether half of the corners are on a flank."""
    near = max(4 * exact_m, ON_FLANK * abs(form.pitch_m))
    return float(np.median(np.abs(form.above(corners)))) <= near
