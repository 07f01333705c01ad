"""Contacts between flat faces: where two bodies touch, one convex patch for each pair and plane.

Coplanar faces of each body are grouped once (`facets`), near bodies and near, opposite facets are found with arrays
over the whole assembly (`scene`), and only those are clipped against each other (`clip`). Tolerances are
fractions of the sizes of the assembly and of its parts; none depends on which body comes first or how the assembly lies
in the world.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from falsework.geometry.contacts.curved.finding import are_left
from falsework.geometry.contacts.fits import fitted_scene
from falsework.geometry.contacts.flat.clip import Regions, regions
from falsework.geometry.contacts.flat.coplanar import coplanar
from falsework.geometry.contacts.friction import beside, friction_of
from falsework.geometry.contacts.grid_contacts import grid_groups
from falsework.geometry.contacts.repeats import with_repeats
from falsework.geometry.contacts.resolution import resolved
from falsework.geometry.shapes.outlines import hulls
from falsework.geometry.shapes.placed_solids import Scene, near_between
from falsework.geometry.shapes.planes import dot, unit
from falsework.geometry.shapes.runs import rows_of, starts_of
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Clutches, Interfaces, Patches

CHUNK = 2_000_000  # facet pairs looked at together, to bound memory
DIGITS = 6  # planes that agree to this many digits are sorted by the next key
SAME_PLANE = 1e-3  # of a patch's size: how far it may lie from the clutch it belongs to
NARROW = 0.05  # of a patch's width: corners of a sliver are no blur


class PlanarContacts:
    """The contact finder for planar faces: all patches, each pair and plane once.

    Bricks that share a grid are left to `BrickContacts`, and faces that a clutch presses together to the clutch.
    """

    def find(self, assembly: Assembly, known: Interfaces) -> Interfaces:
        faces = planar_patches(assembly, grid_groups(assembly))
        found = Interfaces(_without_clutched(assembly, faces, known.clutches), Clutches.none(), known.hinges)
        return with_repeats(assembly, found)


def planar_patches(assembly: Assembly, groups: Ints) -> Patches:
    """Patches in which flat faces of two bodies touch, sorted by bodies and plane.

    `groups` (bodies,): pairs of the same group ≥ 0 are left out. A patch is the convex hull of all regions that a
    pair has in one plane, counter-clockwise about the normal, which points from the first body into the second.
    """
    if len(groups) < 2 or (groups[0] >= 0 and (groups == groups[0]).all()):
        return Patches.none()
    placed = fitted_scene(assembly, groups)
    touching = touching_regions(placed)
    touching = touching.chosen(resolved(placed, touching))
    return _patches(assembly, placed, touching) if len(touching.pair) else Patches.none()


@lru_cache(maxsize=2)  # corners are looked for after faces, and ask how exact these are
def touching_regions(placed: Scene) -> Regions:
    """Where flat faces of two bodies touch, the narrowest included."""
    return _joined([Regions.none(), *(regions(placed, *_flat(placed, *pairs)) for pairs in _facing(placed))])


def _flat(placed: Scene, pair: Ints, one: Ints, other: Ints) -> tuple[Ints, Ints, Ints]:
    """Pairs of facets without those of curved surfaces."""
    left = are_left(placed, one, other)
    return pair[left], one[left], other[left]


def _facing(placed: Scene) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Pairs of facets that may touch: index of their bodies' pair, facet of the first body, facet of the second."""
    low = placed.lows[placed.pairs].max(axis=1) - placed.gaps_m[:, None]  # (k, 3) what the boxes have in common
    high = placed.highs[placed.pairs].min(axis=1) + placed.gaps_m[:, None]
    pairs = np.arange(len(placed.pairs) + 1)
    pair_of_first, first = _within(placed, placed.pairs[:, 0], low, high)
    pair_of_second, second = _within(placed, placed.pairs[:, 1], low, high)
    starts, others = np.searchsorted(pair_of_first, pairs), np.searchsorted(pair_of_second, pairs)
    work = np.diff(starts) * np.diff(others)
    for large in np.flatnonzero(work > CHUNK):
        ones = first[starts[large] : starts[large + 1]]
        yield _facing_of_large(placed, int(large), ones, second[others[large] : others[large + 1]])
    small = np.flatnonzero((work > 0) & (work <= CHUNK))
    for chunk in np.split(small, np.flatnonzero(np.diff(np.cumsum(work[small]) // CHUNK)) + 1):
        rows, which = rows_of(starts, chunk)
        columns, row = rows_of(others, chunk[which])
        pair, one, other = chunk[which[row]], first[rows[row]], second[columns]
        may = _may_touch(placed, pair, one, other)
        yield pair[may], one[may], other[may]


def _facing_of_large(placed: Scene, pair: int, ones: Ints, others: Ints) -> tuple[Ints, Ints, Ints]:
    """The same for one pair of bodies with very many facets: a tree finds those that are near."""
    boxes = [(placed.facet_lows[facets], placed.facet_highs[facets]) for facets in (ones, others)]
    near = near_between(boxes[0], boxes[1], float(placed.sinks_m[pair]))
    one, other = ones[near[:, 0]], others[near[:, 1]]
    pairs = np.full(len(near), pair)
    may = _may_touch(placed, pairs, one, other)
    return pairs[may], one[may], other[may]


def _within(placed: Scene, bodies: Ints, low: Array, high: Array) -> tuple[Ints, Ints]:
    """Facets of bodies (k,) that reach into boxes (k, 3): index of the box, facet."""
    rows, box = rows_of(placed.facet_starts, bodies)
    facet = placed.facet_order[rows]
    meets = (placed.facet_lows[facet] <= high[box]) & (placed.facet_highs[facet] >= low[box])
    inside = meets.all(axis=1)
    return box[inside], facet[inside]


def _may_touch(placed: Scene, pair: Ints, one: Ints, other: Ints) -> Bools:
    """Whether facets are opposite and their boxes and planes near: cheap tests that let no contact slip."""
    planes = placed.facets
    facing: Bools = dot(planes.normals[one], planes.normals[other]) < -np.cos(placed.leans[pair])
    rows = np.flatnonzero(facing)
    one, other, pair = one[rows], other[rows], pair[rows]
    sink = placed.sinks_m[pair]
    low = np.maximum(placed.facet_lows[one], placed.facet_lows[other])
    high = np.minimum(placed.facet_highs[one], placed.facet_highs[other])
    near = (low <= high + sink[:, None]).all(axis=1)
    mean = 0.5 * (planes.normals[one] - planes.normals[other])
    apart = np.abs(((planes.centres[other] - planes.centres[one]) * mean).sum(axis=1))
    reach = np.linalg.norm(placed.facet_highs[one] - placed.facet_lows[one], axis=1)
    reach = reach + np.linalg.norm(placed.facet_highs[other] - placed.facet_lows[other], axis=1)
    near &= apart <= 2 * sink + placed.leans[pair] * reach
    facing[rows] = near
    return facing


def _joined(tables: list[Regions]) -> Regions:
    """Regions of several chunks as one table."""
    counts = np.concatenate([np.diff(table.starts) for table in tables])
    return Regions(
        np.concatenate([table.pair for table in tables]),
        np.concatenate([table.normals for table in tables]),
        np.concatenate([table.centres for table in tables]),
        np.concatenate([table.areas for table in tables]),
        np.concatenate([table.widths for table in tables]),
        np.concatenate([table.misfits for table in tables]),
        np.concatenate([table.apart_m for table in tables]),
        starts_of(counts),
        np.concatenate([table.points for table in tables]),
    )


def _patches(assembly: Assembly, placed: Scene, touching: Regions) -> Patches:
    """Regions of one pair and plane joined to patches."""
    label = coplanar(touching, placed.nears_m[touching.pair])
    order = np.argsort(label, kind="stable")
    members = starts_of(np.bincount(label))
    weighted = (touching.normals * touching.areas[:, None])[order]
    normals = unit(np.add.reduceat(weighted, members[:-1]))
    rows, region = rows_of(touching.starts, order)
    starts = np.concatenate([np.searchsorted(region, members[:-1]), [len(rows)]])
    pair = touching.pair[order[members[:-1]]]
    widths = np.add.reduceat(touching.widths[order], members[:-1])
    blurs = np.minimum(placed.nears_m[pair], NARROW * widths)
    starts, points = hulls(starts, touching.points[rows], normals, blurs)
    bodies = placed.body[placed.pairs[pair]]
    friction = friction_of(assembly, bodies, normals)
    offsets = (points[starts[:-1]] * normals).sum(axis=1) / placed.size_m
    keys = np.round(np.column_stack([offsets, normals[:, ::-1]]), DIGITS)
    ranks = np.lexsort((*keys.T, bodies[:, 1], bodies[:, 0]))
    counts = np.diff(starts)[ranks]
    rows, _ = rows_of(starts, ranks)
    return Patches(bodies[ranks], normals[ranks], friction[ranks], starts_of(counts), points[rows])


def _without_clutched(assembly: Assembly, faces: Patches, clutches: Clutches) -> Patches:
    """Patches without those that a clutch goes with."""
    if not len(faces) or not len(clutches):
        return faces
    is_fitted = np.array([body.is_fitted for body in assembly.bodies])
    facing = is_fitted[faces.bodies].all(axis=1) & ~beside(assembly, faces.bodies, faces.normals)
    kept = np.ones(len(faces), dtype=bool)
    planes: dict[tuple[int, int], list[int]] = {}
    for number, pair in enumerate(np.sort(clutches.bodies, axis=1).tolist()):
        planes.setdefault((pair[0], pair[1]), []).append(number)
    for k in np.flatnonzero(facing):
        frames = clutches.T_world_clutch[planes.get((int(faces.bodies[k, 0]), int(faces.bodies[k, 1])), [])]
        gaps = np.einsum("ni,ni->n", frames[:, :3, 2], frames[:, :3, 3] - faces.points[faces.starts[k]])
        size = np.abs(faces.points[faces.starts[k] : faces.starts[k + 1]] - faces.points[faces.starts[k]]).max()
        kept[k] = not (np.abs(gaps) < SAME_PLANE * size).any()
    return faces.chosen(kept)
