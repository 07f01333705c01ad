"""The same answers by looking at every triangle, with numpy: slow and clear.

What compiled searches are tested against, and what stands in for them where there is no compiler.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from falsework.geometry.distance.trees import Gap, Hits, Nearest, NearPairs
from falsework.geometry.shapes.planes import cross
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.checkpoints import checkpoint

AT_ONCE = 200_000  # pairs looked at together


def nearest_points(corners: Array, points: Array, band: float) -> Nearest:
    """The nearest point of triangles (m, 3, 3) for points (n, 3)."""
    rows = []
    for chunk in _chunks(len(points), len(corners)):
        places, features = nearest_on_triangles(points[chunk, None], corners[None])  # (k, m, 3), (k, m)
        distances = np.linalg.norm(points[chunk, None] - places, axis=2)
        best = distances.argmin(axis=1)
        at = np.arange(len(best))
        rows.append((distances[at, best], places[at, best], best, features[at, best]))
    if not rows:
        return Nearest(np.zeros(0), np.zeros((0, 3)), np.zeros(0, np.int64), np.zeros(0, np.int64))
    found, places, faces, features = (np.concatenate(row) for row in zip(*rows, strict=True))
    beyond = found > band
    found[beyond], places[beyond], faces[beyond], features[beyond] = np.inf, np.nan, -1, 0
    return Nearest(found, places, faces, features)


def nearest_on_triangles(points: Array, corners: Array) -> tuple[Array, Ints]:
    """(…, 3) the nearest point of each triangle (…, 3, 3) to each point (…, 3), and its feature: inside, edge, corner.

    It is the foot of the perpendicular where that is inside, and else the nearest point of one of the edges.
    """
    foot, inside = _feet(points, corners)
    ends = np.roll(corners, -1, axis=-2)
    along = ends - corners
    square = (along * along).sum(axis=-1)
    share = ((points[..., None, :] - corners) * along).sum(axis=-1) / np.where(square > 0, square, 1.0)
    share = np.clip(share, 0.0, 1.0)
    places = corners + share[..., None] * along  # (…, 3 edges, 3)
    distances = np.linalg.norm(points[..., None, :] - places, axis=-1)
    edge = distances.argmin(axis=-1)
    chosen = np.take_along_axis(places, edge[..., None, None], axis=-2)[..., 0, :]
    where = np.take_along_axis(share, edge[..., None], axis=-1)[..., 0]
    feature = np.where(where <= 0, 4 + edge, np.where(where >= 1, 4 + (edge + 1) % 3, 1 + edge))
    return np.where(inside[..., None], foot, chosen), np.where(inside, 0, feature)


def _feet(points: Array, corners: Array) -> tuple[Array, Bools]:
    """Of perpendiculars onto the planes of triangles, and whether they are inside."""
    a, b, c = corners[..., 0, :], corners[..., 1, :], corners[..., 2, :]
    normal = cross(b - a, c - a)
    square = (normal * normal).sum(axis=-1)
    safe = np.where(square > 0, square, 1.0)
    rise = ((points - a) * normal).sum(axis=-1) / safe
    foot = points - rise[..., None] * normal
    inside = square > 0
    for start, end in ((a, b), (b, c), (c, a)):
        inside = inside & ((cross(end - start, foot - start) * normal).sum(axis=-1) > 0)
    return foot, inside


def windings(corners: Array, points: Array) -> Array:
    """(n,) how often a surface winds around points: the sum of all solid angles."""
    found = [np.zeros(0)]
    for chunk in _chunks(len(points), len(corners)):
        a, b, c = (corners[None, :, k] - points[chunk, None] for k in range(3))
        la, lb, lc = (np.linalg.norm(one, axis=2) for one in (a, b, c))
        volume = (a * cross(b, c)).sum(axis=2)
        below = la * lb * lc + (a * b).sum(axis=2) * lc + (b * c).sum(axis=2) * la + (c * a).sum(axis=2) * lb
        found.append(2.0 * np.arctan2(volume, below).sum(axis=1) / (4.0 * np.pi))
    return np.concatenate(found)


def hits(corners: Array, origins: Array, ways: Array) -> Iterator[tuple[slice, Array]]:
    """For slices of rays (n, 3): (k, m) how far along each meets each triangle; NaN where it does not."""
    slack = 1e-12
    b, c = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    for chunk in _chunks(len(origins), len(corners)):
        way, start = ways[chunk, None], origins[chunk, None] - corners[None, :, 0]
        across = cross(np.broadcast_to(way, start.shape), np.broadcast_to(c, start.shape))
        with np.errstate(divide="ignore", invalid="ignore"):
            volume = (b * across).sum(axis=2)
            v = (start * across).sum(axis=2) / volume
            turned = cross(start, np.broadcast_to(b, start.shape))
            w = (way * turned).sum(axis=2) / volume
            far = (c * turned).sum(axis=2) / volume
        met = (volume != 0) & (v >= -slack) & (w >= -slack) & (v + w <= 1 + slack)
        yield chunk, np.where(met, far, np.nan)


def first_hits(corners: Array, origins: Array, ways: Array, after: float, before: float) -> Hits:
    """Where rays first meet a triangle."""
    distances, faces = np.full(len(origins), np.inf), np.full(len(origins), -1)
    for chunk, far in hits(corners, origins, ways):
        ahead = np.where((far > after) & (far < before), far, np.inf)
        best = ahead.argmin(axis=1)
        distances[chunk] = ahead[np.arange(len(best)), best]
        faces[chunk] = np.where(np.isfinite(distances[chunk]), best, -1)
    return Hits(distances, faces)


def crossings(corners: Array, origins: Array, ways: Array) -> Ints:
    """(n,) how many triangles each ray meets."""
    found = np.zeros(len(origins), dtype=np.int64)
    for chunk, far in hits(corners, origins, ways):
        found[chunk] = (far > 0).sum(axis=1)
    return found


def closer_than(one: Array, other: Array, band: float) -> NearPairs:
    """All pairs of triangles (n, 3, 3), (m, 3, 3), both in one frame, no further apart than a band."""
    faces, distances, points = [np.zeros((0, 2), np.int64)], [np.zeros(0)], [np.zeros((0, 2, 3))]
    lows, highs = other.min(axis=1), other.max(axis=1)
    for chunk in _chunks(len(one), len(other)):
        low, high = one[chunk].min(axis=1)[:, None], one[chunk].max(axis=1)[:, None]
        i, j = np.nonzero(((low <= highs + band) & (lows <= high + band)).all(axis=2))
        for part in _chunks(len(i), 32):
            k, m = i[part] + chunk.start, j[part]
            found, where = nearest_of_triangles(one[k], other[m])
            near = found <= band
            faces.append(np.stack([k, m], axis=1)[near])
            distances.append(found[near])
            points.append(where[near])
    return NearPairs(np.concatenate(faces), np.concatenate(distances), np.concatenate(points))


def least(one: Array, other: Array, band: float) -> Gap:
    """The least distance, if it is less than a band: of the pairs nearer than what corners of the one show."""
    bound = min(band, float(nearest_points(other, one[:, 0], np.inf).distances.min()) * (1 + 1e-12))
    pairs = closer_than(one, other, bound)
    if not len(pairs.distances):
        return Gap(np.inf, np.full((2, 3), np.nan), (-1, -1))
    best = int(pairs.distances.argmin())
    k, m = pairs.faces[best]
    return Gap(float(pairs.distances[best]), pairs.points[best], (int(k), int(m)))


def nearest_of_triangles(one: Array, other: Array) -> tuple[Array, Array]:
    """(n,), (n, 2, 3) distances and nearest points of triangles (n, 3, 3) and (n, 3, 3), pair by pair."""
    best, points = np.full(len(one), np.inf), np.zeros((len(one), 2, 3))
    for side, (a, b) in enumerate(((one, other), (other, one))):
        for c in range(3):
            places, _ = nearest_on_triangles(a[:, c], b)
            pair = (a[:, c], places) if side == 0 else (places, a[:, c])
            _keep(best, points, pair)
            _keep(best, points, _pierced(a[:, c], a[:, (c + 1) % 3], b))
    for c in range(3):
        for d in range(3):
            _keep(best, points, _between_segments(one[:, c], one[:, (c + 1) % 3], other[:, d], other[:, (d + 1) % 3]))
    return best, points


def _keep(best: Array, points: Array, pair: tuple[Array, Array]) -> None:
    distances = np.linalg.norm(pair[0] - pair[1], axis=1)
    nearer = distances < best  # false for NaN
    best[nearer] = distances[nearer]
    points[nearer] = np.stack(pair, axis=1)[nearer]


def _pierced(start: Array, end: Array, corners: Array) -> tuple[Array, Array]:
    """Where segments pass through triangles, twice; NaN where they do not."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normal = cross(b - a, c - a)
    above, below = ((start - a) * normal).sum(axis=1), ((end - a) * normal).sum(axis=1)
    through = (above * below <= 0) & (above != below)
    share = np.where(through, above / np.where(through, above - below, 1.0), np.nan)
    place = start + share[:, None] * (end - start)
    for one, next_one in ((a, b), (b, c), (c, a)):
        inside = (cross(next_one - one, place - one) * normal).sum(axis=1) >= 0
        place = np.where(inside[:, None], place, np.nan)
    return place, place


def _between_segments(p: Array, q: Array, r: Array, s: Array) -> tuple[Array, Array]:
    """Where the lines of two segments are nearest, if that is inside both; ends are other features' business."""
    d, e, g = q - p, s - r, p - r
    dd, ee, de = (d * d).sum(axis=1), (e * e).sum(axis=1), (d * e).sum(axis=1)
    dg, eg = (d * g).sum(axis=1), (e * g).sum(axis=1)
    square = dd * ee - de * de
    skew = square > 1e-12 * dd * ee
    safe = np.where(skew, square, 1.0)
    u, t = (de * eg - dg * ee) / safe, (dd * eg - de * dg) / safe
    inside = skew & (u >= 0) & (u <= 1) & (t >= 0) & (t <= 1)
    u, t = np.where(inside, u, np.nan)[:, None], np.where(inside, t, np.nan)[:, None]
    return p + u * d, r + t * e


def _chunks(rows: int, columns: int) -> Iterator[slice]:
    """Slices of rows, few enough that their table is not too large."""
    step = max(1, AT_ONCE // max(columns, 1))
    for begin in range(0, rows, step):
        checkpoint()
        yield slice(begin, min(begin + step, rows))
