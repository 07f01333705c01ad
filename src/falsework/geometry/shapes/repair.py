"""Closed, outward surfaces from triangles as files have them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from falsework.geometry.shapes.holes import caps
from falsework.geometry.shapes.linking import components_of
from falsework.geometry.shapes.planes import cross
from falsework.geometry.shapes.solids import FLAT_SOLID, bulk, is_closed
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.shapes import Mesh

WELD = 1e-7  # of the size: vertices nearer than this are one


def closed(vertices: npt.ArrayLike, triangles: npt.ArrayLike) -> tuple[Mesh, list[str]]:
    """The solid that triangles mean, and what had to be done to them, one sentence for each kind.

    Vertices (n, 3) are welded, degenerate and double triangles (m, 3) dropped, planar holes capped, and all
    triangles turned counter-clockwise seen from outside; the walls of cavities are turned inward. ValueError when
    the volume stays undefined: an open edge, a hole that is not flat, a surface without an outside.
    """
    given = Mesh(np.asarray(vertices, dtype=np.float64), np.asarray(triangles, dtype=np.int64))
    points, size = given.vertices, float(np.ptp(given.vertices, axis=0).max())
    corners, warnings = _welded(points, given.triangles, size)
    corners = _without_degenerate(corners, warnings)
    corners = _without_doubles(corners, warnings)
    if not is_closed(corners):
        corners = _wound_alike(corners, warnings)
        corners, capped = caps(points, corners, size)
        _note(warnings, capped, "capped {} planar hole")
    if not is_closed(corners):
        raise ValueError(f"the surface stays open: {_unmatched(corners)} edges are not shared by two triangles")
    mesh = _outward(_compact(points, corners), warnings)
    if not bulk(mesh).volume_m3 > FLAT_SOLID * size**3:
        raise ValueError("the surface encloses no volume")
    return mesh, warnings


def _note(warnings: list[str], count: int, sentence: str, plural: str = "s") -> None:
    """Add a sentence with its count, if there is anything to tell."""
    if count:
        warnings.append(sentence.format(count) + (plural if count > 1 else ""))


def _welded(vertices: Array, triangles: Ints, size: float) -> tuple[Ints, list[str]]:
    """The triangles with one vertex, the first, for all that coincide.

    Along each axis, coordinates without a gap between them are one; vertices that are one along all axes are one.
    """
    order = np.argsort(vertices, axis=0, kind="stable")
    gaps = np.diff(np.take_along_axis(vertices, order, axis=0), axis=0) > WELD * size
    cells = np.zeros(vertices.shape, dtype=np.int64)
    np.put_along_axis(cells, order[1:], np.cumsum(gaps, axis=0), axis=0)
    ranks = np.lexsort(cells.T)
    new = np.concatenate([[True], (np.diff(cells[ranks], axis=0) != 0).any(axis=1)])
    first = np.empty(len(vertices), dtype=np.int64)
    first[ranks] = ranks[new][np.cumsum(new) - 1]  # lexsort is stable: the first of a cell is its lowest
    welded: Ints = first[triangles]
    warnings: list[str] = []
    _note(warnings, len(np.unique(triangles)) - len(np.unique(welded)), "welded {} coincident vertices", "")
    return welded, warnings


def _without_degenerate(triangles: Ints, warnings: list[str]) -> Ints:
    """Without triangles that use a vertex twice. Flat ones with three corners keep the surface together and stay."""
    a, b, c = triangles.T
    sound = (a != b) & (b != c) & (c != a)
    _note(warnings, int((~sound).sum()), "dropped {} degenerate triangle")
    if not sound.any():
        raise ValueError("expected triangles with three different corners, found none")
    kept: Ints = triangles[sound]
    return kept


def _without_doubles(triangles: Ints, warnings: list[str]) -> Ints:
    """Each triangle once; two that face each other cancel."""
    lowest = np.argmin(triangles, axis=1)
    turned = np.take_along_axis(triangles, (lowest[:, None] + np.arange(3)) % 3, axis=1)
    sides = np.where(turned[:, 1] < turned[:, 2], 1, -1)
    _, first, label = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True, return_inverse=True)
    if len(first) == len(triangles):
        return triangles
    net = np.bincount(label.ravel(), weights=sides)
    kept = np.zeros(len(triangles), dtype=bool)
    for side in (1, -1):
        facing = np.flatnonzero((sides == side) & (np.sign(net)[label.ravel()] == side))
        kept[facing[np.unique(label.ravel()[facing], return_index=True)[1]]] = True
    _note(warnings, int((~kept).sum()), "dropped {} double triangle")
    if not kept.any():
        raise ValueError("the surface encloses no volume: its triangles cancel in pairs")
    return triangles[kept]


def _sides(triangles: Ints) -> tuple[Ints, Ints, Bools]:
    """Pairs of triangles that share an edge no third has: (e,), (e,), and whether they walk it opposite ways."""
    starts, ends = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    keys = np.minimum(starts, ends) * (np.int64(triangles.max()) + 1) + np.maximum(starts, ends)
    order = np.argsort(keys, kind="stable")
    _, first, count = np.unique(keys[order], return_index=True, return_counts=True)
    one, other = order[first[count == 2]], order[first[count == 2] + 1]
    return one // 3, other // 3, starts[one] != starts[other]


def _components(count: int, one: Ints, other: Ints) -> tuple[int, Ints]:
    label = components_of(count, one, other)
    return 1 + int(label.max(initial=-1)), label


def _wound_alike(triangles: Ints, warnings: list[str]) -> Ints:
    """Neighbours wound the same way, as few triangles turned as that takes.

    Two-colouring: each triangle as given and turned are two nodes, neighbours that agree are linked like to like,
    others crosswise; a component that holds both nodes of a triangle has no outside.
    """
    count = len(triangles)
    one, other, agree = _sides(triangles)
    crossed = np.where(agree, 0, count)
    links = np.concatenate([one, one + count]), np.concatenate([other + crossed, other + count - crossed])
    number, label = _components(2 * count, *links)
    given, turned = label[:count], label[count:]
    if (given == turned).any():
        raise ValueError("the surface has no outside: it is one-sided like a Möbius strip")
    as_given = np.bincount(given, minlength=number)
    flip = as_given[given] < as_given[turned]
    tied = as_given[given] == as_given[turned]
    flip |= tied & (given > turned)
    _note(warnings, int(flip.sum()), "turned {} triangle")
    return np.where(flip[:, None], triangles[:, ::-1], triangles)


def _unmatched(triangles: Ints) -> int:
    """How many edges are walked more often one way than the other."""
    starts, ends = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    keys = np.minimum(starts, ends) * (np.int64(triangles.max()) + 1) + np.maximum(starts, ends)
    _, edge = np.unique(keys, return_inverse=True)
    return int(np.count_nonzero(np.bincount(edge, weights=np.where(starts < ends, 1, -1))))


def _compact(vertices: Array, triangles: Ints) -> Mesh:
    """Without the vertices that no triangle uses."""
    used, corners = np.unique(triangles, return_inverse=True)
    return Mesh(vertices[used], corners.reshape(-1, 3))


def _outward(mesh: Mesh, warnings: list[str]) -> Mesh:
    """Each closed surface turned outward, or inward where it is the wall of a cavity."""
    one, other, _ = _sides(mesh.triangles)
    number, label = _components(len(mesh.triangles), one, other)
    cuts = np.cumsum(np.bincount(label, minlength=number))[:-1]
    surfaces = np.split(mesh.vertices[mesh.triangles[np.argsort(label, kind="stable")]], cuts)  # each (t, 3, 3)
    lows = np.array([corners.min(axis=(0, 1)) for corners in surfaces])
    highs = np.array([corners.max(axis=(0, 1)) for corners in surfaces])
    flip = np.zeros(number, dtype=bool)
    for k, corners in enumerate(surfaces):
        around = np.flatnonzero(((lows < lows[k]) & (highs > highs[k])).all(axis=1))
        depth = sum(_contains(surfaces[outer], corners[0].mean(axis=0)) for outer in around)
        volume = (corners[:, 0] - lows[k]) * cross(corners[:, 1] - lows[k], corners[:, 2] - lows[k])
        flip[k] = (volume.sum() < 0) != (depth % 2 == 1)
    if not flip.any():
        return mesh
    warnings.append("turned the surface the right side out")
    return Mesh(mesh.vertices, np.where(flip[label][:, None], mesh.triangles[:, ::-1], mesh.triangles))


def _contains(corners: Array, point: Array) -> bool:
    """Whether a point lies inside the closed surface of triangles (t, 3, 3): by the solid angle it fills there."""
    a, b, c = np.moveaxis(corners - point, 1, 0)
    la, lb, lc = (np.linalg.norm(arm, axis=1) for arm in (a, b, c))
    triple = (a * cross(b, c)).sum(axis=1)
    spread = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
    turns = np.arctan2(triple, spread).sum() / (2 * np.pi)
    return bool(abs(turns) > 0.75)
