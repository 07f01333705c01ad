"""The bodies of an assembly as convex pieces with flat faces, as arrays for the compiled search of contacts.

Coordinates are the part's axes from its centre of mass, so a body's place is a rotation and the place of its centre.
A table is one endless face; a baseplate has an endless floor under it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from falsework.geometry.shapes.convex_pieces import Convex, pieces_of
from falsework.geometry.shapes.facets import facets
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.model.shapes import Mesh, Shape

PARALLEL = 1e-6  # sine between edges that count as one direction


class Hulls(NamedTuple):
    """Convex pieces; a piece with one face and no corners is an endless floor."""

    body: Ints  # (p,) of each piece, in `Assembly.bodies`
    corner_starts: Ints  # (p + 1,)
    corners: Array  # (v, 3)
    face_starts: Ints  # (p + 1,)
    normals: Array  # (f, 3) outward
    anchors: Array  # (f, 3) a point of each face
    loop_starts: Ints  # (f + 1,)
    loops: Ints  # (l,) corners around each face, counter-clockwise from outside
    edge_starts: Ints  # (p + 1,)
    edges: Array  # (e, 3) distinct directions of edges, unit
    corner_body: Ints  # (v,)
    face_body: Ints  # (f,)
    sizes_m: Array  # (p,) of each piece; infinite for a floor


class _Piece(NamedTuple):
    corners: Array
    normals: Array
    anchors: Array
    loops: list[Ints]
    edges: Array


def hulls(assembly: Assembly) -> Hulls:
    """All pieces of all bodies, in order."""
    pieces: list[tuple[int, _Piece]] = []
    for number, body in enumerate(assembly.bodies):
        if body is assembly.ground_part and assembly.ground.kind == "table":
            pieces.append((number, _floor(body, top=True)))
            continue
        pieces += [(number, _about(piece, body.com_part_m)) for piece in _pieces(body.shape)]
        if body is assembly.ground_part:
            pieces.append((number, _floor(body, top=False)))
    return _joined(pieces)


def _about(piece: _Piece, centre: Array) -> _Piece:
    return piece._replace(corners=piece.corners - centre, anchors=piece.anchors - centre)


@lru_cache(maxsize=4096)
def _pieces(shape: Shape) -> tuple[_Piece, ...]:
    """Convex pieces of a shape; a brick's studs are one block, as nothing here is pressed onto them."""
    return tuple(_piece(piece) for piece in pieces_of(shape).all)


def _piece(made: Convex) -> _Piece:
    """A convex piece with its coplanar triangles joined to faces."""
    vertices = made.vertices
    found = facets(Mesh(vertices, made.triangles))
    loops = [
        _without_repeats(found.loop_vertices[start:end])
        for start, end in zip(found.loop_starts[:-1], found.loop_starts[1:], strict=True)
    ]
    outline = [int(np.flatnonzero(found.loop_facets == face)[0]) for face in range(len(found))]
    chosen = [loops[k] for k in outline]
    edges = np.concatenate([vertices[np.roll(loop, -1)] - vertices[loop] for loop in chosen])
    return _Piece(vertices, found.normals, found.centres, chosen, _directions(edges))


def _without_repeats(loop: Ints) -> Ints:
    kept: Ints = loop[loop != np.roll(loop, -1)]
    return kept


def _directions(edges: Array) -> Array:
    """Distinct directions, opposite ones counted once."""
    lengths = np.linalg.norm(edges, axis=1)
    units = edges[lengths > 0] / lengths[lengths > 0, None]
    kept: list[Array] = []
    for unit in units:
        if all(np.linalg.norm(np.cross(unit, other)) > PARALLEL for other in kept):
            kept.append(unit)
    return np.array(kept)


def _floor(body: Part, *, top: bool) -> _Piece:
    """An endless level face at the top or the bottom of a body, seen from above."""
    turn, none = body.T_world_part[:3, :3], np.zeros((0, 3))
    heights = pieces_of(body.shape).body[0].vertices @ turn.T
    level = (heights[:, 2].max() if top else heights[:, 2].min()) + body.T_world_part[2, 3]
    anchor = np.array([*body.com_world_m[:2], level]) - body.com_world_m
    return _Piece(none, turn.T[:, 2][None, :].copy(), (turn.T @ anchor)[None, :], [np.zeros(0, np.int64)], none)


def _joined(pieces: list[tuple[int, _Piece]]) -> Hulls:
    bodies = np.array([number for number, _ in pieces], np.int64)
    corner_starts = _starts([len(piece.corners) for _, piece in pieces])
    face_starts = _starts([len(piece.normals) for _, piece in pieces])
    loops = [loop + corner_starts[k] for k, (_, piece) in enumerate(pieces) for loop in piece.loops]
    sizes = [float(np.ptp(piece.corners, axis=0).max()) if len(piece.corners) else np.inf for _, piece in pieces]
    return Hulls(
        bodies,
        corner_starts,
        _stacked([piece.corners for _, piece in pieces]),
        face_starts,
        _stacked([piece.normals for _, piece in pieces]),
        _stacked([piece.anchors for _, piece in pieces]),
        _starts([len(loop) for loop in loops]),
        np.concatenate([np.zeros(0, np.int64), *loops]).astype(np.int64),
        _starts([len(piece.edges) for _, piece in pieces]),
        _stacked([piece.edges for _, piece in pieces]),
        np.repeat(bodies, np.diff(corner_starts)),
        np.repeat(bodies, np.diff(face_starts)),
        np.array(sizes),
    )


def _starts(counts: list[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _stacked(rows: list[Array]) -> Array:
    return np.ascontiguousarray(np.concatenate([np.zeros((0, 3)), *rows]), np.float64)
