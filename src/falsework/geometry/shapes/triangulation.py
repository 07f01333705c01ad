"""Flat polygons cut into triangles over their own corners."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.geometry.shapes.planes import cross, loop_area, plane_axes
from falsework.model.arrays import Array, Bools, Ints

SHALLOW = 1e-9  # sine of a corner's turn, below which it counts as straight
MANY = 4_000  # corners of a figure from which on it is cut in another way
NEXT, LAST = [1, 2, 3, 0], [3, 0, 1, 2]


def triangulated(vertices: Array, faces: Sequence[Sequence[int]]) -> Ints:
    """(t, 3) triangles that fill the faces, each a loop over `vertices` (n, 3), convex or not; winding is kept."""
    threes = [face for face in faces if len(face) == 3]
    fours = [face for face in faces if len(face) == 4]
    hard = [face for face in faces if len(face) > 4]
    found = [np.array(threes, dtype=np.int64).reshape(-1, 3)]
    if fours:
        quads = np.array(fours, dtype=np.int64)
        easy = _convex_quads(vertices[quads])
        found.append(quads[easy][:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))
        hard.extend(quads[~easy].tolist())
    found.extend(filled(vertices, [face]) for face in hard)
    return np.concatenate(found)


def filled(vertices: Array, loops: Sequence[Sequence[int]]) -> Ints:
    """(t, 3) triangles between loops of one plane: outlines wind one way, holes in them the other."""
    import manifold3d

    chosen = [np.array(loop, dtype=np.int64) for loop in loops]
    normal = sum((loop_area(vertices[loop]) for loop in chosen), np.zeros(3))
    u, v = plane_axes(normal[None])
    axes = np.stack([u[0], v[0]], axis=1)  # (3, 2)
    flat = [(vertices[loop] - vertices[chosen[0][0]]) @ axes for loop in chosen]
    cut = _delaunay(flat) if sum(map(len, flat)) > MANY else None
    if cut is None:
        cut = np.asarray(manifold3d.triangulate(flat), dtype=np.int64).reshape(-1, 3)
    corners: Ints = np.concatenate(chosen)[cut]
    return corners


def _delaunay(flat: list[Array]) -> Ints | None:
    """(t, 3) triangles between an outline and its holes; None where these are no sound figure.

    The usual way, to cut off ears, takes a time that grows with the square of the length of nearly straight outlines.
    """
    import shapely

    outlines = [loop for loop in flat if _signed_area(loop) > 0]
    figure = shapely.Polygon(outlines[0], [loop for loop in flat if _signed_area(loop) <= 0]) if outlines else None
    if len(outlines) != 1 or not shapely.is_valid(figure):
        return None
    found = shapely.get_coordinates(shapely.get_parts(shapely.constrained_delaunay_triangles(figure)))
    three = found.reshape(-1, 4, 2)[:, :3]
    points = np.concatenate(flat)
    order = np.lexsort(points.T)
    ranked = points[order]
    wanted = three.reshape(-1, 2)
    _, label = np.unique(np.concatenate([ranked, wanted]), axis=0, return_inverse=True)
    first = np.full(int(label.max()) + 1, -1)
    first[label[: len(points)][::-1]] = order[::-1]
    cut = first[label[len(points) :]].reshape(-1, 3)
    a, b, c = np.moveaxis(three, 1, 0)
    left = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0]) > 0
    return np.where(left[:, None], cut, cut[:, ::-1]) if (cut >= 0).all() else None


def _signed_area(loop: Array) -> float:
    x, y = loop[:, 0] - loop[0, 0], loop[:, 1] - loop[0, 1]
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def _convex_quads(corners: Array) -> Bools:
    """Which of (q, 4, 3) quadrilaterals turn the same way at all four corners."""
    ahead = corners[:, NEXT] - corners
    turns = cross(ahead[:, LAST], ahead)  # (q, 4, 3)
    normal = turns.sum(axis=1, keepdims=True)
    squared = (ahead * ahead).sum(axis=2)
    bend = (turns * normal).sum(axis=2)
    straight = SHALLOW * np.sqrt(squared * squared[:, LAST] * (normal * normal).sum(axis=2))
    convex: Bools = (bend > straight).all(axis=1)
    return convex
