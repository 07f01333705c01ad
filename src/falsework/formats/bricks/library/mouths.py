"""Where a part takes studs: found by trying one, since no primitive says what is a hole.

A stud fits at a place if nothing of the part comes nearer to its axis than its radius, from the mouth to where its top
is; and it is gripped if the part touches it from sides that leave it no way out. So walls, ribs, bars and tubes of any
part count for what they do. Places that are tried lie on the half-stud grid about the part's origin, as parts are
drawn; mouths lie where the part has faces across the way in.
"""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Bools

HALF_STUD = 10.0  # all lengths in LDraw's unit, 0.4 mm
FREE = 5.4  # of a stud's radius 6: circles are drawn with eight corners or more
GRIPPED = 6.6  # what is nearer to the axis touches
OPEN_TURN = np.deg2rad(200.0)  # a stud that nothing touches over so wide an angle is not held
DEPTHS = (0.7, 2.0, 3.0)  # below the mouth; a stud is 4 high
OUTSIDE = 0.7  # above the mouth, where nothing may grip
LEAST_RIM = 10.0  # area of the faces that make a mouth's level
SAME_LEVEL = 0.05
MOST_PLACES = 40_000


def mouths(triangles: Array) -> Array:
    """(n, 6) holes of a part drawn as triangles (t, 3, 3): the middle of the mouth, and which way it opens."""
    found = [np.zeros((0, 6))]
    if not len(triangles):
        return found[0]
    for axis in range(3):
        across = [other for other in range(3) if other != axis]
        places = _places(triangles[..., across])
        if len(places) > MOST_PLACES:
            continue
        for level in _levels(triangles, axis):
            for side in (-1.0, 1.0):
                centres = _gripping(triangles, axis, across, level, side, places)
                rows = np.zeros((len(centres), 6))
                rows[:, across], rows[:, axis], rows[:, 3 + axis] = centres, level, side
                found.append(rows)
    return np.concatenate(found)


def _places(flat: Array) -> Array:
    low = np.ceil((flat.min(axis=(0, 1)) + FREE) / HALF_STUD).astype(int)
    high = np.floor((flat.max(axis=(0, 1)) - FREE) / HALF_STUD).astype(int)
    u, v = np.meshgrid(np.arange(low[0], high[0] + 1), np.arange(low[1], high[1] + 1), indexing="ij")
    return HALF_STUD * np.column_stack([u.ravel(), v.ravel()]).astype(float)


def _levels(triangles: Array, axis: int) -> list[float]:
    """Heights along an axis at which the part has faces across it."""
    heights = triangles[..., axis]
    flat = np.ptp(heights, axis=1) < SAME_LEVEL
    sides = triangles[flat][:, 1:] - triangles[flat][:, :1]
    areas = 0.5 * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    level = np.round(heights[flat].mean(axis=1) / SAME_LEVEL).astype(int)
    distinct, which = np.unique(level, return_inverse=True)
    enough = np.bincount(which, weights=areas, minlength=len(distinct)) > LEAST_RIM
    return [float(number * SAME_LEVEL) for number in distinct[enough]]


def _gripping(triangles: Array, axis: int, across: list[int], level: float, side: float, places: Array) -> Array:
    """(n, 2) places at which a stud that comes in at a level, against `side`, fits and is held."""
    left = places
    for depth in DEPTHS:
        if not len(left):
            return left
        free, held = _about(_section(triangles, axis, across, level - side * depth), left)
        left = left[free & held] if depth == DEPTHS[1] else left[free]
    if not len(left):
        return left
    _, held = _about(_section(triangles, axis, across, level + side * OUTSIDE), left)
    left = left[~held]
    return left[~_covered(triangles, axis, across, level, side, left)]


def _section(triangles: Array, axis: int, across: list[int], height: float) -> Array:
    """(m, 2, 2) where triangles pass a plane across an axis."""
    above = triangles[..., axis] > height
    passing = above.any(axis=1) & ~above.all(axis=1)
    corners, above = triangles[passing], above[passing]
    if not len(corners):
        return np.zeros((0, 2, 2))
    alone = np.where(above.sum(axis=1) == 1, above.argmax(axis=1), (~above).argmax(axis=1))
    rows = np.arange(len(corners))
    tip = corners[rows, alone]
    ends = []
    for step in (1, 2):
        other = corners[rows, (alone + step) % 3]
        share = (height - tip[:, axis]) / (other[:, axis] - tip[:, axis])
        ends.append((tip + share[:, None] * (other - tip))[:, across])
    return np.stack(ends, axis=1)


def _about(segments: Array, places: Array) -> tuple[Bools, Bools]:
    """Whether a stud at each place is free of the segments, and whether they hold it."""
    import shapely

    free, held = np.ones(len(places), dtype=bool), np.zeros(len(places), dtype=bool)
    if not len(segments):
        return free, held
    tree = shapely.STRtree(shapely.linestrings(segments))
    place, segment = tree.query(shapely.points(places), predicate="dwithin", distance=GRIPPED)
    start, along = segments[segment, 0], segments[segment, 1] - segments[segment, 0]
    apart = places[place] - start
    length = np.maximum((along * along).sum(axis=1), 1e-12)
    nearest = np.clip((apart * along).sum(axis=1) / length, 0.0, 1.0)[:, None] * along - apart
    far = np.linalg.norm(nearest, axis=1)
    free[place[far < FREE]] = False
    angles = np.arctan2(nearest[:, 1], nearest[:, 0])
    for number in np.unique(place).tolist():
        mine = np.sort(angles[place == number])
        turns = np.append(np.diff(mine), mine[0] + 2 * np.pi - mine[-1])
        held[number] = turns.max() < OPEN_TURN
    return free, held


def _covered(triangles: Array, axis: int, across: list[int], level: float, side: float, places: Array) -> Bools:
    """Whether a face lies across the way in."""
    heights = side * (level - triangles[..., axis])  # depth below the mouth
    near = (heights.max(axis=1) > -0.3) & (heights.min(axis=1) < DEPTHS[-1])
    corners, depth = triangles[near][..., across], heights[near]
    a, b, c = (corners[:, k] for k in range(3))
    area = _cross(b - a, c - a)
    flat = np.abs(area) > 1e-6
    a, b, c, area, depth = a[flat], b[flat], c[flat], area[flat], depth[flat]
    shifted = places[:, None] + np.array([0.0131, 0.0173])  # so that no edge is hit
    weights = np.stack(
        [_cross(b - shifted, c - shifted), _cross(c - shifted, a - shifted), _cross(a - shifted, b - shifted)], axis=-1
    )
    weights = weights / area[None, :, None]
    inside = (weights > 0).all(axis=-1)
    hit = (weights * depth).sum(axis=-1)
    covered: Bools = (inside & (hit > -0.3) & (hit < DEPTHS[-1])).any(axis=1)
    return covered


def _cross(one: Array, other: Array) -> Array:
    return one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]
