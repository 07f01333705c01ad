"""Where parts rest in the exploded view of a plan: each out along its own way, clear of all that came before it.

Taken apart last part first, every part goes along the path that the plan has for it, and on in the same direction
until its box is beyond everything that leaves after it, wherever that goes. So nothing is ever in anything's way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from falsework.geometry.shapes.placed_solids import diameter
from falsework.geometry.shapes.studs import reach_in_world
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly

GAP = 0.03  # of the assembly's size, between boxes
LEVEL = 1e-9

Coming = tuple[tuple[int, ...], Array | None]  # parts that come as one, and the path of the first, from free to final


def ways_apart(assembly: Assembly, coming: Sequence[Coming], there: Iterable[int]) -> list[Array] | None:
    """(k, 4, 4) for each step in building order: poses of its first part, from its place to where it rests.

    `there` are the parts that are there from the start, which stay. None where a path is not known.
    """
    if not coming or any(path is None or not len(path) for _, path in coming):
        return None
    points = [reach_in_world(part) for part in assembly.parts]
    gap = GAP * diameter(assembly)
    taken = [_box(points[number]) for number in there if number < len(points)]
    ways = []
    for group, path in coming:
        assert path is not None
        home = _box(np.concatenate([points[number] for number in group]))
        way = _way(home, path, taken, gap)
        ways.append(way)
        taken.append(_swept(home, way, path[-1]))
    return ways


def _way(home: Array, path: Array, taken: Sequence[Array], gap: float) -> Array:
    """Out of the taken boxes: straight ones end as soon as they can, others go their path to its end first."""
    final, outward = path[-1], _outward(path)
    is_straight = len(path) <= 2 and np.array_equal(path[0, :3, :3], final[:3, :3])
    before = path[-1:] if is_straight else path[::-1]
    rest = before[-1].copy()
    rest[:3, 3] += outward * _first_clear(_swept(home, rest[None], final), outward, taken, gap)
    return np.concatenate([before, rest[None]])


def _outward(path: Array) -> Array:
    """(3,) where the part comes from, as it begins its path; from above where it only turns."""
    far = max(1.0, float(np.abs(path[:, :3, 3]).max()))
    legs = path[:-1, :3, 3] / far - path[1:, :3, 3] / far  # as shares: squares of huge lengths overflow
    lengths = np.linalg.norm(legs, axis=1)
    moving = np.flatnonzero(lengths > LEVEL)
    return legs[moving[0]] / lengths[moving[0]] if len(moving) else np.array([0.0, 0.0, 1.0])


def _first_clear(box: Array, way: Array, taken: Sequence[Array], gap: float) -> float:
    """How far a box (2, 3) has to go until it meets none of those that are taken."""
    if not taken:
        return 0.0
    others = np.stack(taken)  # (k, 2, 3)
    near, far = others[:, 0] - gap - box[1], others[:, 1] + gap - box[0]  # (k, 3) shifts between which they meet
    moves = np.abs(way) > LEVEL
    speed = np.where(moves, way, 1.0)
    ends = np.sort(np.stack([near / speed, far / speed]), axis=0)  # (2, k, 3)
    meets = (near < 0.0) & (far > 0.0)
    enters = np.where(moves, ends[0], np.where(meets, -np.inf, np.inf)).max(axis=1)
    leaves = np.where(moves, ends[1], np.where(meets, np.inf, -np.inf)).min(axis=1)
    clear = 0.0
    for k in np.argsort(enters, kind="stable"):
        if enters[k] <= clear < leaves[k]:
            clear = float(leaves[k])
    return clear


def _swept(home: Array, poses: Array, final: Array) -> Array:
    """(2, 3) a box around the places of a box (2, 3) whose first part, at home in `final`, goes through (k, 4, 4)."""
    moves = poses @ np.linalg.inv(final)
    corners = np.array(np.meshgrid(*home.T)).reshape(3, -1)  # (3, 8)
    return _box((moves[:, :3, :3] @ corners + moves[:, :3, 3:]).transpose(0, 2, 1).reshape(-1, 3))


def _box(points: Array) -> Array:
    """(2, 3) lowest and highest."""
    return np.stack([points.min(axis=0), points.max(axis=0)])
