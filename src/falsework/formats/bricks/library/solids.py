"""The solid of a part that is drawn as loose triangles: what nobody can see into.

Drawings are not closed, and real parts are hollow below. So the solid is what is left when everything is cut away that
can be seen from outside along an axis, but for the ways in which holes open: below bricks, behind headlights. It is the
hull of the drawing where that is nearly the same, as for slopes and round parts, else a few boxes.
"""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.shapes import ConvexPieces, Polyhedron

NEAR = 1.0  # in LDraw's unit: planes of cells are no nearer to each other, at first
WIDE = 10.0  # and no further apart, if that does not make too many
MOST_PLANES = 40  # along an axis
MOST_BOXES = 40
CONVEX = 0.87  # of its hull: what fills more is the hull
MOST_CORNERS = 96  # of a hull
THIN = 0.2  # a part that is thinner than this is none
CHUNK = 2_000_000


def solid(triangles: Array, hole_ways: Array) -> ConvexPieces | None:
    """Convex pieces for triangles (t, 3, 3), in their unit; None where there is no solid.

    `hole_ways` (n, 3): unit vectors along which holes open.
    """
    if not len(triangles) or np.ptp(triangles, axis=(0, 1)).min() < THIN:
        return None
    carved = [side for side in range(6) if not _opens(hole_ways, side)]
    near = NEAR
    while True:
        planes = [_planes(triangles, axis, near) for axis in range(3)]
        full = _unseen(triangles, planes, carved)
        if not full.any():
            return _hull(triangles.reshape(-1, 3))
        sides = [np.diff(one) for one in planes]
        volume = float(np.einsum("ijk,i,j,k->", full.astype(float), *sides))
        hull = _hull(triangles.reshape(-1, 3))
        if hull is not None and volume > CONVEX * _volume(hull):
            return hull
        boxes = _boxes(full)
        if len(boxes) <= MOST_BOXES or near > 16:
            return ConvexPieces(tuple(_box(planes, *box) for box in boxes[:MOST_BOXES]))
        near *= 2


def _opens(ways: Array, side: int) -> bool:
    """Whether holes open along −x, +x, −y, +y, −z or +z."""
    sign = 1.0 if side % 2 else -1.0
    return bool(len(ways)) and bool((sign * ways[:, side // 2] > 0.9).any())


def _planes(triangles: Array, axis: int, near: float) -> Array:
    """Where cells end along an axis: the coordinates that most of the drawing has, thinned, and some between."""
    values, counts = np.unique(np.round(triangles[..., axis].ravel(), 2), return_counts=True)
    low, high = values[0], values[-1]
    kept = [low, high]
    for value in values[np.argsort(-counts, kind="stable")].tolist():
        if min(abs(value - one) for one in kept) >= near and len(kept) < MOST_PLANES:
            kept.append(value)
    kept.sort()
    widest = max(WIDE, (high - low) / MOST_PLANES)
    planes = [kept[0]]
    for value in kept[1:]:
        parts = int(np.ceil((value - planes[-1]) / widest - 1e-9))
        planes += np.linspace(planes[-1], value, max(parts, 1) + 1)[1:].tolist()
    return np.array(planes)


def _unseen(triangles: Array, planes: list[Array], carved: list[int]) -> Bools:
    """(nx, ny, nz) cells that are not seen along any of the ways that are carved."""
    middles = [0.5 * (one[1:] + one[:-1]) for one in planes]
    full = np.ones(tuple(len(one) for one in middles), dtype=bool)
    for axis in range(3):
        if not {2 * axis, 2 * axis + 1} & set(carved):
            continue
        across = [other for other in range(3) if other != axis]
        low, high = _reached(triangles, axis, across, [middles[other] for other in across])
        shape = [1, 1, 1]
        shape[axis] = -1
        at = middles[axis].reshape(shape)
        if 2 * axis in carved:
            full &= at > np.expand_dims(low, axis)
        if 2 * axis + 1 in carved:
            full &= at < np.expand_dims(high, axis)
    return full


def _reached(triangles: Array, axis: int, across: list[int], middles: list[Array]) -> tuple[Array, Array]:
    """Where rays along an axis, through the middles of cells, first and last meet the drawing: +∞, −∞ where never."""
    u, v = np.meshgrid(*middles, indexing="ij")
    rays = np.column_stack([u.ravel() + 0.0131, v.ravel() + 0.0173])  # so that no edge is hit
    low, high = np.full(len(rays), np.inf), np.full(len(rays), -np.inf)
    a, b, c = (triangles[:, k][:, across] for k in range(3))
    area = _cross(b - a, c - a)
    flat = np.abs(area) > 1e-6
    a, b, c, area, heights = a[flat], b[flat], c[flat], area[flat], triangles[flat][..., axis]
    step = max(1, CHUNK // max(len(rays), 1))
    for begin in range(0, len(a), step):
        rows = slice(begin, begin + step)
        p = rays[:, None]
        wa, wb, wc = (
            _cross(b[rows] - p, c[rows] - p),
            _cross(c[rows] - p, a[rows] - p),
            _cross(a[rows] - p, b[rows] - p),
        )
        inside = (wa * area[rows] >= 0) & (wb * area[rows] >= 0) & (wc * area[rows] >= 0)
        h = heights[rows]
        met = (wa * h[:, 0] + wb * h[:, 1] + wc * h[:, 2]) / area[rows]
        low = np.minimum(low, np.where(inside, met, np.inf).min(axis=1, initial=np.inf))
        high = np.maximum(high, np.where(inside, met, -np.inf).max(axis=1, initial=-np.inf))
    return low.reshape(u.shape), high.reshape(u.shape)


def _cross(one: Array, other: Array) -> Array:
    return one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]


def _boxes(full: Bools) -> list[tuple[Ints, Ints]]:
    """Boxes of cells that fill the same space, each as large as it can be when its turn comes; the largest first."""
    left = full.copy()
    found = []
    while left.any():
        low = np.array(np.unravel_index(int(left.argmax()), left.shape))
        high = low + 1
        for axis in (2, 1, 0):
            while high[axis] < left.shape[axis]:
                rim = [slice(a, b) for a, b in zip(low, high, strict=True)]
                rim[axis] = slice(high[axis], high[axis] + 1)
                if not left[tuple(rim)].all():
                    break
                high[axis] += 1
        left[tuple(slice(a, b) for a, b in zip(low, high, strict=True))] = False
        found.append((low, high))
    return sorted(found, key=lambda box: -int(np.prod(box[1] - box[0])))


def _box(planes: list[Array], low: Ints, high: Ints) -> Polyhedron:
    from falsework.model.shapes import box

    start = np.array([planes[axis][low[axis]] for axis in range(3)])
    end = np.array([planes[axis][high[axis]] for axis in range(3)])
    unit = box((1.0, 1.0, 1.0))
    return Polyhedron(start + unit.vertices * (end - start), unit.faces)


def _hull(points: Array) -> ConvexPieces | None:
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
        if len(hull.vertices) > MOST_CORNERS:
            ways = _spread(MOST_CORNERS)
            hull = ConvexHull(points[np.unique(np.argmax(points @ ways.T, axis=0))])
    except QhullError:
        return None
    used, corner = np.unique(hull.simplices, return_inverse=True)
    faces = corner.reshape(-1, 3)
    vertices = hull.points[used]
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    outward = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(axis=1) > 0
    faces[~outward] = faces[~outward][:, ::-1]
    return ConvexPieces((Polyhedron(vertices, tuple(map(tuple, faces.tolist()))),))


def _spread(count: int) -> Array:
    """(count, 3) directions all about, by the golden angle."""
    k = np.arange(count) + 0.5
    height, turn = 1 - 2 * k / count, np.pi * (1 + 5**0.5) * k
    level = np.sqrt(1 - height**2)
    return np.column_stack([np.cos(turn) * level, np.sin(turn) * level, height])


def _volume(pieces: ConvexPieces) -> float:
    from falsework.geometry.shapes.solids import bulk, surface

    return bulk(surface(pieces)).volume_m3
