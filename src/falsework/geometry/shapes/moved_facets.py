"""The flat faces of many solids, of which some are others, moved: these are looked at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.geometry.shapes.facets import Facets, facets_of
from falsework.geometry.shapes.runs import rows_of, starts_of
from falsework.model.arrays import Array, Ints


class Copy(NamedTuple):
    """A solid that is another one, and the motion (4, 4) that takes that one here."""

    solid: int
    source: int
    motion: Array


def facets_once(vertices: Array, triangles: Ints, warp: Array, starts: tuple[Ints, Ints], copies: list[Copy]) -> Facets:
    """As `facets_of`; `starts`: of each solid's vertices and triangles, (solids + 1,) both.

    Facets of copies are those of their sources, moved, and come after all others.
    """
    if not copies:
        return facets_of(vertices, triangles, warp)
    of_vertices, of_triangles = starts
    own = np.ones(len(triangles), dtype=bool)
    for copy in copies:
        own[of_triangles[copy.solid] : of_triangles[copy.solid + 1]] = False
    found = facets_of(vertices, triangles[own], warp[own])
    label = np.full(len(triangles), -1)
    label[own] = found.facet_of
    tables, count = [found], len(found)
    for copy in copies:
        source = label[of_triangles[copy.source] : of_triangles[copy.source + 1]]
        shift = int(of_vertices[copy.solid] - of_vertices[copy.source])
        moved = _moved(found, source, copy.motion, shift, count)
        label[of_triangles[copy.solid] : of_triangles[copy.solid + 1]] = moved.facet_of
        tables.append(moved)
        count += len(moved)
    return Facets(
        np.concatenate([table.normals for table in tables]),
        np.concatenate([table.centres for table in tables]),
        np.concatenate([table.areas for table in tables]),
        label,
        starts_of(np.concatenate([np.diff(table.loop_starts) for table in tables])),
        np.concatenate([table.loop_vertices for table in tables]),
        np.concatenate([table.loop_facets for table in tables]),
        np.concatenate([table.loop_areas for table in tables]),
    )


def _moved(found: Facets, source: Ints, motion: Array, shift: int, first: int) -> Facets:
    """The facets that triangles (t,) have, elsewhere, numbered from `first` on; vertices are `shift` further."""
    chosen = np.unique(source[source >= 0])
    loops = np.flatnonzero(np.isin(found.loop_facets, chosen))
    rows, _ = rows_of(found.loop_starts, loops)
    turn = motion[:3, :3]
    return Facets(
        found.normals[chosen] @ turn.T,
        found.centres[chosen] @ turn.T + motion[:3, 3],
        found.areas[chosen],
        np.where(source >= 0, first + np.searchsorted(chosen, source), -1),
        starts_of(np.diff(found.loop_starts)[loops]),
        found.loop_vertices[rows] + shift,
        first + np.searchsorted(chosen, found.loop_facets[loops]),
        found.loop_areas[loops],
    )
