"""Closed, outward surfaces from triangles as files have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from falsework.geometry.mending.crossings import wound
from falsework.geometry.mending.holes import capped
from falsework.geometry.mending.junctions import without_junctions
from falsework.geometry.mending.sheets import Sheet, bare_halves, spot
from falsework.geometry.mending.shells import neighbours, outward
from falsework.geometry.shapes.linking import components_of
from falsework.geometry.shapes.solids import FLAT_SOLID, bulk
from falsework.model.arrays import Array, Ints
from falsework.model.shapes import Mesh
from falsework.model.surfaces import Primitive

FURTHER = (1e-6, 1e-5, 1e-4)  # of the size: what is tried where that does not close a surface
MOST_NEAR = 20  # corners within that distance of each, on average
CLOSED = 1e-2  # of the open edges: what may be left of them
PASSES = 1e-2  # of what a surface encloses: what it may pass through itself
TOLD = 1e-4
WELD = 1e-7  # of the size: vertices nearer than this are one


def closed(
    vertices: npt.ArrayLike, triangles: npt.ArrayLike, primitives: Sequence[Primitive] = (), *, apart: bool = False
) -> tuple[Mesh, list[str]]:
    """The solid that triangles mean, and what had to be done to them, one sentence for each kind.

    Vertices (n, 3) are welded, degenerate and double triangles (m, 3) dropped, T-junctions mended, planar holes capped,
    and all triangles turned counter-clockwise seen from outside; the walls of cavities are turned inward, and surfaces
    that pass through each other united. `primitives` go with their triangles. `apart`: vertices are repeated because
    there was no other way to write them, so that this is not told. ValueError when the volume stays undefined: an open
    edge, a hole that is not flat, a surface without an outside.
    """
    given = Mesh(np.asarray(vertices, dtype=np.float64), np.asarray(triangles, dtype=np.int64), tuple(primitives))
    size = float(np.ptp(given.vertices, axis=0).max())
    sheet = Sheet(given.vertices, given.triangles, np.arange(len(given.triangles)), size)
    sheet = _without_degenerate(_welded(sheet))
    sheet = _without_doubles(replace(sheet, notes=()) if apart else sheet)
    sheet = _welded_further(sheet)
    if len(bare_halves(sheet.corners)):
        sheet = _without_doubles(capped(_wound_alike(without_junctions(sheet))))
    if len(bare := bare_halves(sheet.corners)):
        place = spot(sheet.points[sheet.corners.ravel()[bare[0]]])
        raise ValueError(f"the surface stays open: {len(bare)} edges are not shared by two triangles, near {place}")
    sheet = _wound_once(outward(sheet))
    mesh = _compact(sheet, given.primitives)
    if not bulk(mesh).volume_m3 > FLAT_SOLID * size**3:
        raise ValueError("the surface encloses no volume")
    return mesh, list(sheet.notes)


def _welded(sheet: Sheet) -> Sheet:
    """The triangles with one vertex, the first, for all that coincide.

    Along each axis, coordinates without a gap between them are one; vertices that are one along all axes are one.
    """
    vertices, triangles = sheet.points, sheet.corners
    order = np.argsort(vertices, axis=0, kind="stable")
    gaps = np.diff(np.take_along_axis(vertices, order, axis=0), axis=0) > WELD * sheet.size
    cells = np.zeros(vertices.shape, dtype=np.int64)
    np.put_along_axis(cells, order[1:], np.cumsum(gaps, axis=0), axis=0)
    ranks = np.lexsort(cells.T)
    new = np.concatenate([[True], (np.diff(cells[ranks], axis=0) != 0).any(axis=1)])
    if new.all():
        return sheet
    first = np.empty(len(vertices), dtype=np.int64)
    first[ranks] = ranks[new][np.cumsum(new) - 1]  # lexsort is stable: the first of a cell is its lowest
    welded: Ints = first[triangles]
    fewer = _count(triangles, len(vertices)) - _count(welded, len(vertices))
    return sheet.with_corners(welded).noted(fewer, "welded {} coincident vertices", "")


def _welded_further(sheet: Sheet) -> Sheet:
    """With corners of open edges welded that are a little further apart, where that closes nearly all of them."""
    bare = bare_halves(sheet.corners)
    if not len(bare):
        return sheet
    from scipy.spatial import KDTree  # a third of a second: only for what needs it

    for near in FURTHER:
        ends = np.unique(np.stack([sheet.corners[bare // 3, bare % 3], sheet.corners[bare // 3, (bare + 1) % 3]]))
        tree = KDTree(sheet.points[ends])
        if tree.count_neighbors(tree, near * sheet.size) > MOST_NEAR * len(ends):
            break  # its triangles are hardly larger
        one, other = ends[tree.query_pairs(near * sheet.size, output_type="ndarray")].T
        label = components_of(len(sheet.points), one, other)
        first = np.unique(label, return_index=True)[1]
        a, b, c = (joined := first[label][sheet.corners]).T
        sound = (a != b) & (b != c) & (c != a)
        if sound.any() and len(bare_halves(joined[sound])) <= CLOSED * len(bare):
            fewer = len(sheet.points) - len(first)
            apart = f"welded {{}} vertices up to {near:g} of the size apart"
            return _without_doubles(sheet.with_corners(joined).kept(sound).noted(fewer, apart, ""))
    return sheet


def _wound_once(sheet: Sheet) -> Sheet:
    """ValueError where a surface passes through itself, but for a little, which is noted."""
    found = wound(sheet.points, sheet.corners)
    share = found.odd / max(found.sound + found.odd, np.finfo(float).tiny)
    if share > PASSES:
        raise ValueError(
            f"the surface passes through itself near {spot(found.place)}: "
            f"{share:.1%} of what it encloses would count twice or inside out"
        )
    told = (f"left a surface that passes through itself, {share:.2g} of what it encloses",) if share > TOLD else ()
    return replace(sheet, notes=(*sheet.notes, *told))


def _count(triangles: Ints, most: int) -> int:
    """How many vertices triangles use."""
    used = np.zeros(most, dtype=bool)
    used[triangles.ravel()] = True
    return int(used.sum())


def _without_degenerate(sheet: Sheet) -> Sheet:
    """Without triangles that use a vertex twice. Flat ones with three corners keep the surface together and stay."""
    a, b, c = sheet.corners.T
    sound = (a != b) & (b != c) & (c != a)
    if not sound.any():
        raise ValueError("expected triangles with three different corners, found none")
    return sheet.kept(sound).noted(int((~sound).sum()), "dropped {} degenerate triangle")


def _without_doubles(sheet: Sheet) -> Sheet:
    """Each triangle once; two that face each other cancel."""
    triangles = sheet.corners
    ordered = np.sort(triangles, axis=1)
    ranks = np.lexsort(ordered.T)
    new = np.concatenate([[True], (np.diff(ordered[ranks], axis=0) != 0).any(axis=1)])
    if new.all():
        return sheet
    label = np.empty(len(triangles), dtype=np.int64)
    label[ranks] = np.cumsum(new) - 1
    lowest = np.argmin(triangles, axis=1)
    turned = np.take_along_axis(triangles, (lowest[:, None] + np.arange(3)) % 3, axis=1)
    sides = np.where(turned[:, 1] < turned[:, 2], 1, -1)
    net = np.bincount(label, weights=sides)
    kept = np.zeros(len(triangles), dtype=bool)
    for side in (1, -1):
        facing = np.flatnonzero((sides == side) & (np.sign(net)[label] == side))
        kept[facing[np.unique(label[facing], return_index=True)[1]]] = True
    if not kept.any():
        raise ValueError("the surface encloses no volume: its triangles cancel in pairs")
    return sheet.kept(kept).noted(int((~kept).sum()), "dropped {} double triangle")


def _wound_alike(sheet: Sheet) -> Sheet:
    """Neighbours wound the same way, as few triangles turned as that takes.

    Two-colouring: each triangle as given and turned are two nodes, neighbours that agree are linked like to like,
    others crosswise; a component that holds both nodes of a triangle has no outside.
    """
    count = len(sheet.corners)
    one, other, agree = neighbours(sheet.corners)
    crossed = np.where(agree, 0, count)
    links = np.concatenate([one, one + count]), np.concatenate([other + crossed, other + count - crossed])
    label = components_of(2 * count, *links)
    number = 1 + int(label.max(initial=-1))
    given, turned = label[:count], label[count:]
    if (given == turned).any():
        raise ValueError("the surface has no outside: it is one-sided like a Möbius strip")
    as_given = np.bincount(given, minlength=number)
    flip = as_given[given] < as_given[turned]
    tied = as_given[given] == as_given[turned]
    flip |= tied & (given > turned)
    return sheet.turned(flip).noted(int(flip.sum()), "turned {} triangle")


def _compact(sheet: Sheet, primitives: tuple[Primitive, ...]) -> Mesh:
    """Without the vertices that no triangle uses."""
    used = np.zeros(len(sheet.points), dtype=bool)
    used[sheet.corners.ravel()] = True
    number = np.cumsum(used) - 1
    points: Array = sheet.points[used]
    return Mesh(points, number[sheet.corners], _followed(primitives, sheet.source))


def _followed(primitives: tuple[Primitive, ...], source: Ints) -> tuple[Primitive, ...]:
    """The same surfaces for what became of their triangles; `source` (t,) says of which each was made, −1 of none."""
    if not primitives:
        return ()
    owner = np.full(int(source.max()) + 2, -1)  # the last for −1 to pick
    for number, one in enumerate(primitives):
        owner[one.triangles[one.triangles < len(owner) - 1]] = number
    became = owner[source]
    order = np.argsort(became, kind="stable")
    starts = np.searchsorted(became[order], np.arange(len(primitives) + 1))
    return tuple(
        replace(one, triangles=order[begin:end])
        for one, begin, end in zip(primitives, starts[:-1], starts[1:], strict=True)
        if end > begin
    )
