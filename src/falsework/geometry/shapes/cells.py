"""A solid with dents as convex cells that touch.

Its hull is cut along the plane of a face that passes through it, then each half along a face that passes through
that, until no face passes through any cell: then a cell is all inside or all outside. Cutting convex cells needs no
care for how faces hang together, so that coplanar faces, holes and warped faces do no harm.
"""

from __future__ import annotations

import logging

import numpy as np

from falsework.geometry.shapes.convex_hulls import FlatHull, Hull, convex_hull
from falsework.geometry.shapes.planes import cross, unit
from falsework.model.arrays import Array, Ints
from falsework.model.shapes import Mesh

MOST_CELLS = 1024  # of one body; a cell that faces still pass through then counts as inside
SAME_PLANE = 1e-6  # of unit normals, and of a body's size
SLIVER = 1e-9  # of a body's volume: smaller cells are left out

log = logging.getLogger(__name__)


def cells(mesh: Mesh, dent: float) -> list[Array]:
    """The corners (n, 3) of convex cells that fill a solid; dents up to a fraction of its size are filled."""
    size = float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))
    planes, plane_of = _planes(mesh, size)
    triangles = mesh.vertices[mesh.triangles]
    whole = convex_hull(mesh.vertices)
    waiting = [(whole, [*triangles], plane_of)]
    found: list[Array] = []
    made = 1
    while waiting:
        body, faces, owners = waiting.pop()
        choice = _cutting_plane(body, faces, owners, dent * size)
        if choice is None or made >= MOST_CELLS:
            corners = body.points[body.vertices]
            if choice is not None or _encloses(triangles, corners.mean(axis=0)):
                found.append(corners)
            continue
        sides = body.points @ planes[choice, :3] - planes[choice, 3]
        halves = [_half(body, sign * sides) for sign in (1.0, -1.0)]
        if any(half is None for half in halves):  # the plane only grazes the cell: its faces are settled
            kept = [k for k, owner in enumerate(owners) if owner != choice]
            waiting.append((body, [faces[k] for k in kept], owners[kept]))
            continue
        for sign, half in zip((1.0, -1.0), halves, strict=True):
            inside, rows = _faces_beyond(faces, owners, sign * planes[choice], choice, SAME_PLANE * size)
            if half is not None and half.volume > SLIVER * whole.volume:
                waiting.append((half, inside, owners[rows]))
                made += 1
    if made >= MOST_CELLS:
        log.warning("a part has more than %d convex pieces; some are rougher than the part", MOST_CELLS)
    return found


def _planes(mesh: Mesh, size: float) -> tuple[Array, Ints]:
    """The distinct planes n·x = c (p, 4) of the triangles, opposite ones taken as one, and which is whose (t,)."""
    corners = mesh.vertices[mesh.triangles]
    normals = unit(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    offsets = (normals * corners.mean(axis=1)).sum(axis=1)
    keys = np.rint(np.column_stack([normals, offsets / size]) / SAME_PLANE)
    leading = keys[np.arange(len(keys)), (keys != 0).argmax(axis=1)]
    _, first, group = np.unique(
        keys * np.where(leading < 0, -1.0, 1.0)[:, None], axis=0, return_index=True, return_inverse=True
    )
    return np.column_stack([normals, offsets])[first], group.ravel().astype(np.int64)


def _cutting_plane(body: Hull, faces: list[Array], owners: Ints, shallow_m: float) -> int | None:
    """The plane with the greatest area of faces inside a cell, among those that reach deeper than a dent."""
    if not faces:
        return None
    counts = np.array([len(face) for face in faces])
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    points = np.concatenate(faces)
    middles = np.add.reduceat(points, starts) / counts[:, None]
    owner = np.repeat(np.arange(len(faces)), counts)
    following = np.concatenate([points[1:], points[:1]])
    following[starts + counts - 1] = points[starts]
    doubled = np.add.reduceat(cross(points - middles[owner], following - middles[owner]), starts)
    areas = np.bincount(owners, np.linalg.norm(doubled, axis=1))
    for plane in np.argsort(-areas, kind="stable"):
        if not areas[plane] > 0:
            return None
        mine = owners == plane
        inside = np.concatenate([middles[mine], points[mine[owner]]])
        if -float((inside @ body.equations[:, :3].T + body.equations[:, 3]).max(axis=1).min()) > shallow_m:
            return int(plane)
    return None


def _half(body: Hull, sides: Array) -> Hull | None:
    """The part of a cell where the sides of its points are positive; None where that is flat."""
    corners = body.vertices[sides[body.vertices] > 0]
    edges = body.simplices[:, [0, 1, 1, 0, 1, 2, 2, 1, 2, 0, 0, 2]].reshape(-1, 2)  # both ways
    crossing = edges[(sides[edges[:, 0]] > 0) & (sides[edges[:, 1]] <= 0)]
    share = sides[crossing[:, 0]] / (sides[crossing[:, 0]] - sides[crossing[:, 1]])
    ahead, behind = body.points[crossing[:, 0]], body.points[crossing[:, 1]]
    points = np.concatenate([body.points[corners], ahead + share[:, None] * (behind - ahead)])
    if len(points) < 4:
        return None
    try:
        return convex_hull(points)
    except FlatHull:
        return None


def _faces_beyond(
    faces: list[Array], owners: Ints, plane: Array, settled: int, near_m: float
) -> tuple[list[Array], Ints]:
    """What of the faces lies in front of a plane, those in it left out, and which faces they came from."""
    counts = np.array([len(face) for face in faces])
    sides = np.concatenate(faces) @ plane[:3] - plane[3]
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    low, high = np.minimum.reduceat(sides, starts), np.maximum.reduceat(sides, starts)
    kept, rows = [], []
    for k in np.flatnonzero((high > near_m) & (owners != settled)):
        face = faces[k]
        if low[k] < -near_m:
            face = _clipped(face, sides[starts[k] : starts[k] + counts[k]])
        kept.append(face)
        rows.append(k)
    return kept, np.array(rows, dtype=np.int64)


def _clipped(face: Array, sides: Array) -> Array:
    """The part of a convex polygon (n, 3) where sides (n,) are not negative."""
    ahead, beyond = np.roll(face, -1, axis=0), np.roll(sides, -1)
    crosses = (sides < 0) != (beyond < 0)
    share = np.where(crosses, sides, 0.0) / np.where(crosses, sides - beyond, 1.0)
    points = np.stack([face, face + share[:, None] * (ahead - face)], axis=1).reshape(-1, 3)
    kept: Array = points[np.stack([sides >= 0, crosses], axis=1).ravel()]
    return kept


def _encloses(triangles: Array, point: Array) -> bool:
    """Whether a closed surface (t, 3, 3) winds around a point: the solid angles of its triangles, over 4π."""
    a, b, c = (triangles[:, k] - point for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    volume = (a * cross(b, c)).sum(axis=1)
    cosine = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
    return bool(abs(np.arctan2(volume, cosine).sum()) > np.pi)
