"""Which cylinders, cones and spheres the triangles of a part stand for.

From a few facets that go on smoothly into each other a form is fitted (`fitting`), the smooth region of all facets
whose corners lie on it is taken, and the form fitted again to all of them. What is left is looked at in the same way.
Nothing depends on how finely or evenly a surface was cut, as long as its corners lie on it, by much less than its
facets are away from it, and its facets reach around its axis by no more than a fifteenth of a turn each: a prism of
twelve sides is a prism.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from falsework.geometry.shapes.planes import cross, plane_axes, unit
from falsework.geometry.shapes.runs import rows_of
from falsework.geometry.shapes.sagittas import SMOOTH
from falsework.geometry.shapes.solids import outer_surface
from falsework.geometry.shapes.tolerances import FEWEST_CURVED
from falsework.geometry.surfaces.fitting import KINDS, Seen, allowed, fitted
from falsework.geometry.surfaces.flanks import flank_in
from falsework.geometry.surfaces.forms import Form, Round
from falsework.geometry.surfaces.growing import ALONG, grown
from falsework.geometry.surfaces.helicoids import Helicoid, as_primitive
from falsework.geometry.surfaces.smooth_facets import SmoothFacets, place, smooth_facets
from falsework.kernels.keeping import kept
from falsework.model.arrays import Ints
from falsework.model.checkpoints import checkpoint
from falsework.model.shapes import BrickShape, Mesh, Shape
from falsework.model.surfaces import Primitive

ROUND = ("cylinder", "cone", "sphere", "thread")
LEAST = 4  # facets that make a curved surface
CORNERS = 9  # of these: through fewer several forms go
CUT = 1.1  # times as far inside as facets are at most may corners be where something was cut off
TRIES = 12  # places of a smooth region in which a form is looked for, one after the other, before it is given up
SPREAD = 0.25  # rad by which normals differ among the facets that a form is first fitted to, if there are so many
MOST = 400  # of these facets, and
RINGS = 60  # as many times from neighbour to neighbour
MANY = 4000  # triangles of a surface from which on its fits are worth machine code, and what is found worth keeping
TURN = 0.15  # rad by which normals of a region differ at least: what bends less is flat, if not quite
BALL = 0.72 * SMOOTH  # from the middle of a ball's facet to its corners: what a square of such sides has


@lru_cache(maxsize=4096)
def primitives_of(shape: Shape) -> tuple[Primitive, ...]:
    """The curved surfaces of a part of this shape, numbers of triangles those of `outer_surface`.

    >>> from falsework.model.shapes import box
    >>> primitives_of(box((1, 1, 1)))
    ()
    """
    if isinstance(shape, Mesh) and shape.primitives:  # as its file says
        return tuple(one for one in shape.primitives if one.kind in ROUND)
    if isinstance(shape, BrickShape):
        return ()
    mesh = outer_surface(shape)
    if len(mesh.triangles) < MANY:
        return recognised(mesh)
    return kept("primitives", [mesh.vertices.tobytes(), mesh.triangles.tobytes()], lambda: recognised(mesh))


def recognised(mesh: Mesh) -> tuple[Primitive, ...]:
    """The curved surfaces of a closed triangulated surface, in its frame."""
    if len(mesh.triangles) < FEWEST_CURVED:
        return ()
    facets = smooth_facets(mesh)
    linked = np.flatnonzero(np.diff(facets.link_starts) > 0)
    regions: list[_Region] = []
    waiting = facets.pieces(linked) if len(linked) else []
    while waiting:
        piece = waiting.pop()
        if len(piece) < LEAST:
            continue
        checkpoint()
        region = _sought(facets, piece)
        if region is not None:
            regions.append(region)
            left = piece[~np.isin(piece, region.facets)]
            waiting += facets.pieces(left) if len(left) >= LEAST else []
        elif (flank := flank_in(facets, piece)) is not None:
            regions.append(_Region(*flank))
    order = np.argsort(facets.facet_of, kind="stable")
    starts = np.searchsorted(facets.facet_of[order], np.arange(len(facets) + 1))
    regions.sort(key=lambda region: int(region.facets[0]))
    return tuple(_primitive(region, np.sort(order[rows_of(starts, region.facets)[0]])) for region in regions)


class _Region(NamedTuple):
    form: Form | Helicoid
    convex: bool
    facets: Ints  # sorted


def _primitive(region: _Region, triangles: Ints) -> Primitive:
    form = region.form
    if isinstance(form, Helicoid):
        return as_primitive(form, region.convex, triangles)
    return Primitive(
        form.kind,
        form.point,
        form.axis,
        triangles,
        radius_m=form.radius_m,
        half_angle_rad=form.half_angle_rad,
        convex=region.convex,
    )


def _sought(facets: SmoothFacets, piece: Ints) -> _Region | None:
    """A form in a smooth piece, from one of several places in it."""
    tries = min(TRIES, 3 + len(piece) // 10)
    for number in range(tries):
        seed = piece[place(number, len(piece))]
        best: _Region | None = None
        for near in _neighbourhoods(facets, piece, int(seed)):
            seen = _seen(facets, near)
            for kind in KINDS:
                form = _fitted(facets, seen, kind)
                region = None if form is None else _grown(facets, piece, int(seed), near, form)
                if region is not None and len(region.facets) == len(piece):
                    return region
                if region is not None and (best is None or len(region.facets) > len(best.facets)):
                    best = region
            if best is not None:
                return best
    return None


def _neighbourhoods(facets: SmoothFacets, piece: Ints, seed: int) -> list[Ints]:
    """Facets about a seed: wide enough to tell forms apart, or narrower so that they are of one form."""
    rings: list[Ints] = []
    for ring in facets.rings(piece, seed, MOST):
        rings.append(ring)
        turned = float((facets.normals[ring] @ facets.normals[seed]).min()) < np.cos(SPREAD)
        if len(rings) > RINGS or (turned and len(rings) > 2):
            break
    sizes = dict.fromkeys(len(rings) - 1 if k == 0 else min(k, len(rings) - 1) for k in (0, 2, 1))
    return [rings[k] for k in sizes if len(rings[k]) >= LEAST - 1]


def _grown(facets: SmoothFacets, piece: Ints, seed: int, near: Ints, form: Form) -> _Region | None:
    """The region of a form that was fitted near a seed; None where it is none of its kind."""
    region: Ints | None = None
    for _ in range(3):
        sign = _facing(facets, form, near)
        slack = allowed(form, facets.centres[near], facets.exact_m)
        if not _is_on(facets, form, sign, seed, slack):
            return None
        around = _around(facets, piece, np.array([seed]), form, sign, (-slack, slack))
        if len(around) < LEAST:
            return None
        if region is not None and np.array_equal(around, region):
            break
        region = around
        again = _fitted(facets, _seen(facets, region), form.kind)
        form = form if again is None else again
    assert region is not None
    if len(facets.corners_of(region)) < CORNERS:
        return None
    region = _with_cut_ones(facets, form, sign, piece, region)
    curved = _turns(facets, region) and _steps_are_small(facets, form, region)
    return _Region(form, sign > 0, region) if curved else None


def _seen(facets: SmoothFacets, near: Ints) -> Seen:
    corners = facets.vertices[facets.corners_of(near)]
    return Seen(corners, facets.normals[near], facets.areas[near], facets.centres[near])


def _fitted(facets: SmoothFacets, seen: Seen, kind: Round) -> Form | None:
    return fitted(kind, seen, facets.exact_m, len(facets.facet_of) >= MANY)


def _around(
    facets: SmoothFacets, piece: Ints, known: Ints, form: Form, sign: float, heights: tuple[float, float]
) -> Ints:
    return grown(facets, piece, known, form, sign, heights, len(facets.facet_of) >= MANY)


def _facing(facets: SmoothFacets, form: Form, near: Ints) -> float:
    """Whether the material is inside (1) or outside (−1)."""
    return 1.0 if (facets.normals[near] * form.outward(facets.centres[near])).sum() > 0 else -1.0


def _is_on(facets: SmoothFacets, form: Form, sign: float, facet: int, slack_m: float) -> bool:
    """Whether a facet is on a form."""
    alone = np.array([facet])
    along = sign * float(facets.normals[facet] @ form.outward(facets.centres[alone])[0])
    off = np.abs(form.heights(facets.vertices[facets.corners_of(alone)]))
    return along > np.cos(ALONG) and bool((off <= slack_m).all())


def _with_cut_ones(facets: SmoothFacets, form: Form, sign: float, piece: Ints, region: Ints) -> Ints:
    """A region and the facets beside it that were cut: their corners need not be on the form, but are inside it."""
    if len(region) == len(piece):
        return region
    deepest = CUT * float(np.abs(form.heights(facets.centres[region])).max())
    heights = -deepest, allowed(form, facets.centres[region], facets.exact_m)
    return _around(facets, piece, region, form, sign, heights)


def _turns(facets: SmoothFacets, region: Ints) -> bool:
    """Whether normals differ enough."""
    normals = facets.normals[region]
    return bool((normals @ unit(normals.sum(axis=0))).min() < np.cos(0.5 * TURN))


def _steps_are_small(facets: SmoothFacets, form: Form, region: Ints) -> bool:
    """Whether facets are small beside the form, and many enough."""
    rows, which = rows_of(facets.corner_starts, region)
    corners = facets.vertices[facets.corners[rows]]
    if form.kind == "sphere":
        ways = unit(corners - form.point)
        middles = unit(facets.centres[region] - form.point)[which]
        shared = np.bincount(facets.corners[rows]).max()  # all of them: a pyramid
        return bool((ways * middles).sum(axis=1).min() > np.cos(BALL) and shared < len(region))
    u, v = (way[0] for way in plane_axes(form.axis[None]))
    arms, middles = corners - form.point, facets.centres[region] - form.point
    about = np.arctan2(middles @ v, middles @ u)[which]
    across = np.linalg.norm(cross(arms, form.axis[None]), axis=1)
    off_axis = across > 1e-6 * across.max()  # an apex is nowhere about the axis
    turn = np.abs(np.mod(np.arctan2(arms @ v, arms @ u) - about + np.pi, 2 * np.pi) - np.pi)
    return bool(turn[off_axis].max(initial=0.0) < 0.51 * SMOOTH)
