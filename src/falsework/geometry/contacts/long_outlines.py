"""Which edges of a face's outline a corner must be compared with, where the outline is long.

A plate with holes for round pins has an outline of many thousand edges, and as many corners of pins lie in its plane.
Whether a corner is inside is told by edges that reach its height across the plane, and whether it is near an edge by
those about that height too: strips of heights, each with the edges that reach into it, have them all.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.features import Features
from falsework.geometry.shapes.planes import plane_axes
from falsework.geometry.shapes.runs import rows_of, starts_of
from falsework.model.arrays import Array, Ints

LONG = 64  # edges: outlines of more are cut into strips
EACH = 4  # edges of an outline to a strip, about
ROUNDING = 1e-9  # of coordinates


def outlines_near(features: Features, pair: Ints, vertex: Ints, facet: Ints) -> tuple[Ints, Ints]:
    """Half-edges around facets (k,) that count for vertices (k,), and for each the number of its vertex.

    All of short outlines, in order; of long ones those that reach about as high, in the same order.
    """
    starts, halves = features.around_facet
    counts = np.diff(starts)
    is_long = counts[facet] > LONG
    rows, which = rows_of(starts, facet[~is_long])
    which = np.flatnonzero(~is_long)[which]
    if not is_long.any():
        return halves[rows], which
    found_rows, found_which = [rows], [which]
    items = np.flatnonzero(is_long)
    items = items[np.argsort(facet[items], kind="stable")]
    for group in np.split(items, np.flatnonzero(np.diff(facet[items])) + 1):
        strip_rows, strip_which = _in_strips(features, pair[group], vertex[group], int(facet[group[0]]))
        found_rows.append(strip_rows)
        found_which.append(group[strip_which])
    rows, which = np.concatenate(found_rows), np.concatenate(found_which)
    order = np.lexsort((rows, which))
    return halves[rows[order]], which[order]


def _in_strips(features: Features, pair: Ints, vertex: Ints, facet: int) -> tuple[Ints, Ints]:
    """The same for one facet: places in `around_facet`, and numbers of vertices."""
    placed = features.placed
    starts, halves = features.around_facet
    first, last = int(starts[facet]), int(starts[facet + 1])
    _, across = plane_axes(placed.facets.normals[[facet]])
    tails = placed.vertices[features.tails[halves[first:last]]] @ across[0]
    heads = placed.vertices[features.heads[halves[first:last]]] @ across[0]
    place = placed.vertices[vertex] @ across[0]
    margin = float((placed.nears_m[pair] + placed.blurs_m[pair] + placed.gaps_m[pair]).max())
    margin += ROUNDING * float(max(np.abs(tails).max(), np.abs(place).max()))
    low, high = np.minimum(tails, heads) - margin, np.maximum(tails, heads) + margin
    bottom, count = float(low.min()), max(1, (last - first) // EACH)
    height = max((float(high.max()) - bottom) / count, np.finfo(float).tiny)
    strip_starts, members = _strips(low, high, bottom, height, count)
    strip = np.floor((place - bottom) / height)
    inside = np.flatnonzero((strip >= 0) & (strip <= count))  # those at the very top are in the last one
    rows, which = rows_of(strip_starts, np.minimum(strip[inside], count - 1).astype(np.int64))
    which = inside[which]
    edge = members[rows]
    reaches = (low[edge] <= place[which]) & (high[edge] >= place[which])
    return first + edge[reaches], which[reaches]


def _strips(low: Array, high: Array, bottom: float, height: float, count: int) -> tuple[Ints, Ints]:
    """Runs (count + 1,) of the edges that reach into each strip."""
    begin = np.clip(np.floor((low - bottom) / height), 0, count - 1).astype(np.int64)
    end = np.clip(np.floor((high - bottom) / height), 0, count - 1).astype(np.int64)
    spans = starts_of(end - begin + 1)
    edge = np.repeat(np.arange(len(low)), end - begin + 1)
    strip = begin[edge] + np.arange(len(edge)) - spans[edge]
    order = np.argsort(strip, kind="stable")
    return starts_of(np.bincount(strip, minlength=count)), edge[order]
