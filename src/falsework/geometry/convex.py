"""Solids as convex pieces, which is what physics engines can collide.

A solid that is not convex is cut along the planes of its reflex edges, each time along the plane that leaves the least
empty space in the hulls of what it gives, until hardly any is left. For flat-faced solids the pieces are exact.
"""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import Any

import numpy as np

from falsework.geometry.planes import cross, unit
from falsework.geometry.solids import surface
from falsework.model.arrays import Array, Ints
from falsework.model.shapes import ConvexPieces, Mesh, Shape

EMPTY = 1e-3  # of a piece's volume: how much larger the hull of a convex piece may be
SPECK = 1e-6  # of a solid's volume: smaller pieces are rounding
MOST_PIECES = 48  # curved hollows would go on for ever; the last pieces are replaced by their hulls
MOST_PLANES = 24  # tried for one cut
KERF = 1e-8  # of a piece's size: half the width of a cut, or faces in its plane would leave flaps without volume
BENT = 1e-6  # of a solid's size: how far a neighbour must stand before a face for the edge to be reflex

log = logging.getLogger(__name__)


@lru_cache(maxsize=4096)
def convex_pieces(shape: Shape) -> tuple[Array, ...]:
    """Corners (n, 3) of convex pieces that fill a shape, in its frame."""
    if isinstance(shape, ConvexPieces):
        return tuple(piece.vertices for piece in shape.pieces)
    mesh = surface(shape)
    if _is_convex(mesh):
        return (mesh.vertices,)
    return _cut(mesh)


def _is_convex(mesh: Mesh) -> bool:
    """No vertex stands before a face."""
    corners = mesh.vertices[mesh.triangles]
    normals = unit(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    size = float(np.ptp(mesh.vertices, axis=0).max())
    offsets = (normals * corners[:, 0]).sum(axis=1)
    return all(float((mesh.vertices @ n).max() - d) <= BENT * size for n, d in zip(normals, offsets, strict=True))


def _cut(mesh: Mesh) -> tuple[Array, ...]:
    import manifold3d

    arrays = np.array(mesh.vertices), np.array(mesh.triangles, dtype=np.uint64)
    solid = manifold3d.Manifold(manifold3d.Mesh64(*arrays))
    if solid.status() != manifold3d.Error.NoError:
        log.warning("a surface that is not closed collides as its convex hull")
        return (mesh.vertices,)
    whole = float(solid.volume())
    waiting: list[Any] = list(solid.decompose())
    done: list[Any] = []
    while waiting:
        piece = waiting.pop()
        if piece.volume() <= SPECK * whole:
            continue
        halves = None if _is_full(piece) or len(waiting) + len(done) >= MOST_PIECES else _halves(piece)
        if halves is None:
            done.append(piece)
        else:
            waiting += halves
    return tuple(_vertices(piece) for piece in done)


def _is_full(piece: Any) -> bool:
    """Its hull has hardly any empty space."""
    return bool(piece.hull().volume() <= (1 + EMPTY) * piece.volume())


def _halves(piece: Any) -> list[Any] | None:
    """The pieces of the best cut, or None if no plane of a reflex edge divides it."""
    best, least = None, np.inf
    kerf = KERF * float(np.ptp(_vertices(piece), axis=0).max())
    for normal, offset in _planes(piece):
        sides = piece.trim_by_plane(normal, offset + kerf), piece.trim_by_plane([-n for n in normal], kerf - offset)
        parts = [one for half in sides for one in half.decompose()]
        volumes = [one.volume() for one in parts]
        if sum(volume > SPECK * piece.volume() for volume in volumes) < 2:
            continue
        hulls = sum(one.hull().volume() for one in parts)
        if hulls < least:
            best, least = parts, hulls
    return best


def _planes(piece: Any) -> list[tuple[tuple[float, float, float], float]]:
    """Distinct planes of the faces that meet at reflex edges."""
    vertices, triangles = _vertices(piece), _triangles(piece)
    corners = vertices[triangles]
    normals = unit(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    first, second, across = _neighbours(triangles)
    ahead = ((vertices[across] - corners[first, 0]) * normals[first]).sum(axis=1)
    reflex = ahead > BENT * float(np.ptp(vertices, axis=0).max())
    faces = np.unique(np.concatenate([first[reflex], second[reflex]]))
    offsets = (normals[faces] * corners[faces, 0]).sum(axis=1)
    size = float(np.ptp(vertices, axis=0).max())
    keys = np.round(np.column_stack([normals[faces], offsets / size]), 6)
    chosen = np.sort(np.unique(keys, axis=0, return_index=True)[1])[:MOST_PLANES]
    return [((float(x), float(y), float(z)), float(offsets[k])) for k in chosen for x, y, z in [normals[faces[k]]]]


def _neighbours(triangles: Ints) -> tuple[Ints, Ints, Ints]:
    """Triangles on both sides of every edge, and the second one's corner that is not on it."""
    starts, ends = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    span = np.int64(triangles.max()) + 1
    forward, backward = starts * span + ends, ends * span + starts
    order = np.argsort(forward, kind="stable")
    found = order[np.searchsorted(forward, backward, sorter=order).clip(max=len(order) - 1)]
    both = forward[found] == backward
    first, second = np.flatnonzero(both) // 3, found[both] // 3
    opposite = triangles.ravel()[3 * second + (found[both] % 3 + 2) % 3]
    return first, second, opposite


def _vertices(piece: Any) -> Array:
    vertices: Array = np.asarray(piece.to_mesh64().vert_properties, dtype=np.float64)[:, :3]
    return vertices


def _triangles(piece: Any) -> Ints:
    """Over vertices of which each place has one; manifold3d keeps copies where cuts meet."""
    mesh = piece.to_mesh64()
    same = np.arange(len(mesh.vert_properties))
    same[np.asarray(mesh.merge_from_vert, dtype=np.int64)] = np.asarray(mesh.merge_to_vert, dtype=np.int64)
    triangles: Ints = same[np.asarray(mesh.tri_verts, dtype=np.int64)]
    return triangles
