"""Whether a part that is carried along a path keeps out of another: a proof, or where and with which faces it meets it.

What is proved: the part, its faces moved inward by half an allowance and its corners by no more than the whole, touches
the other at no instant of the path, which leads from each pose to the next by a screw. So nothing of it reaches deeper
into the other than the allowance. This shares surfaces with those who search for paths, and no code of theirs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from falsework.geometry.distance.feature_normals import welded
from falsework.geometry.distance.shrinking import shrunk
from falsework.geometry.distance.surface import Surface, compiles
from falsework.model.arrays import Array, Ints
from falsework.model.checkpoints import checkpoint
from falsework.model.errors import BadInput
from falsework.model.poses import exponential, logarithm

if TYPE_CHECKING:
    from falsework.geometry.distance.clouds import Sweepable

BUDGET = 200_000_000  # pairs of nodes looked at, before it is said that nothing could be settled; about two minutes
AT_ONCE = 2_000_000  # of them, between two checkpoints
AT_FIRST = 20_000  # of them, before it is looked at which faces can meet on the screw at all
ALONG = 10_000_000  # of them, along orbits: they cost a tenth
TURNS = 1e-3  # rad: what turns less is not looked at so
SHORTEST = 1e-7  # of a segment: intervals are halved down to this
STRICTLY = 1e-12  # of the size: gaps that rounding could make

Answer = Literal["free", "meets", "not settled"]


@dataclass(frozen=True, slots=True)
class Sweep:
    """What came of it. For "meets" and "not settled": on which segment, between which shares of it, and which faces.

    "meets" is sure of the shrunk part: the part itself is then deeper in the other than half the allowance, or has an
    edge too sharp to shrink there. "not settled" names no faces (−1) where the budget was spent.
    """

    answer: Answer
    allowance_m: float
    segment: int = -1  # from 0
    shares: tuple[float, float] = (math.nan, math.nan)
    faces: tuple[int, int] = (-1, -1)  # of the moving and of the still surface
    tests: int = 0


def free_motion(
    moving: Surface, still: Surface, path: npt.ArrayLike, allowance_m: float, budget: int = BUDGET
) -> Sweep:
    """Whether `moving`, carried through the poses of a path (k, 4, 4), keeps out of `still`.

    Poses lead from the moving one's frame to that of the still one. `allowance_m` is how deep it may reach in, m.

    >>> from falsework.geometry.distance.surface import surface_of
    >>> from falsework.model.shapes import box
    >>> cube, path = surface_of(box((1, 1, 1))), np.stack([np.eye(4)] * 2)
    >>> path[:, :3, 3] = [[2, 0, 1], [0, 0, 1]]
    >>> free_motion(cube, cube, path, 1e-4).answer
    'free'
    >>> path[:, 2, 3] = 0.5
    >>> free_motion(cube, cube, path, 1e-4).answer
    'meets'
    """
    poses = np.array(path, dtype=np.float64)
    if poses.ndim != 3 or poses.shape[1:] != (4, 4) or not len(poses):
        raise BadInput(f"expected a path of poses (n x 4 x 4), found an array of shape {poses.shape}")
    if not allowance_m > 0:
        raise BadInput(f"expected an allowance above 0 m, found {allowance_m:g}")
    small = _shrunk(moving, allowance_m)
    nested = _nested(small, still, poses[0])
    if nested is not None:
        return Sweep("meets", allowance_m, 0, (0.0, 0.0), nested)
    tests = 0
    for segment, (start, end) in enumerate(pairwise(poses if len(poses) > 1 else poses[[0, 0]])):
        found = _segment(small, still, start, logarithm(np.linalg.inv(start) @ end), budget - tests)
        tests += found.tests
        if found.answer != "free":
            return Sweep(found.answer, allowance_m, segment, found.shares, found.faces, tests)
    return Sweep("free", allowance_m, tests=tests)


def free_screw(
    moving: Surface, still: Surface, start: Array, twist: Array, allowance_m: float, budget: int = BUDGET
) -> Sweep:
    """The same for start · exp(s·twist), s from 0 to 1: a single screw, of more than half a turn if need be.

    >>> from falsework.geometry.distance.surface import surface_of
    >>> from falsework.model.shapes import box
    >>> cube, start = surface_of(box((1, 1, 1))), np.eye(4)
    >>> start[:3, 3] = [3, 0, 0]
    >>> free_screw(cube, cube, start, np.array([0, 0, 0, 0, 0, 4 * np.pi]), 1e-4).answer
    'free'
    """
    small = _shrunk(moving, allowance_m)
    nested = _nested(small, still, start)
    if nested is not None:
        return Sweep("meets", allowance_m, 0, (0.0, 0.0), nested)
    return replace(_segment(small, still, start, np.asarray(twist, dtype=np.float64), budget), allowance_m=allowance_m)


def _segment(small: Surface, still: Surface, start: Array, twist: Array, budget: int) -> Sweep:
    """One screw; on from where the last piece of work ended, until it is settled or the budget is spent."""
    gap = STRICTLY * (small.size_m + still.size_m)
    if not compiles():
        from falsework.geometry.distance.plain_motion import swept_plainly

        answer, low, high, faces, tests = swept_plainly(small.corners, still.corners, start, twist, SHORTEST, gap)
        return Sweep(answer, 0.0, 0, (low, high), faces, tests)
    from falsework.geometry.distance.swept_pairs import FREE, MEETS, TOO_MUCH, swept

    one, other = _sweepable(small), _sweepable(still)
    turns = float(np.linalg.norm(twist[3:])) > TURNS
    pairs = np.zeros((1, 2), dtype=np.int64)  # all of both
    done, tests, at_once = 0.0, 0, AT_FIRST if turns else AT_ONCE
    while True:
        checkpoint()
        pose = start @ exponential(done * twist)
        rest = 1.0 - done
        limits = (SHORTEST / max(rest, SHORTEST), gap, min(at_once, budget - tests))
        found = swept(one, other, pairs, pose[:3, :3].copy(), pose[:3, 3].copy(), rest * twist, limits)
        tests += found.tests
        shares = done + rest * found.low, done + rest * found.high
        if found.answer == FREE:
            return Sweep("free", 0.0, tests=tests)
        if found.answer == MEETS:
            return Sweep("meets", 0.0, 0, shares, found.faces, tests)
        if found.answer != TOO_MUCH or tests >= budget:
            return Sweep("not settled", 0.0, 0, shares, found.faces, tests)
        if turns:  # once: what cannot meet on the whole screw is done with
            pairs, looked = _can_meet(one, other, start, twist, gap, budget - tests)
            tests, turns, at_once = tests + looked, False, AT_ONCE
        else:
            at_once = AT_ONCE if shares[0] > done else 2 * at_once  # all before is proved
        done = shares[0]


def _can_meet(
    one: Sweepable, other: Sweepable, start: Array, twist: Array, gap: float, budget: int
) -> tuple[Ints, int]:
    """Pairs of nodes (k, 2) beyond which nothing of two surfaces meets on a screw; and how many were looked at."""
    from falsework.geometry.distance.orbits import can_meet, seen_along

    turn, shift = start[:3, :3] @ twist[3:], start[:3, :3] @ twist[:3]
    shift -= np.cross(turn, start[:3, 3])
    angle = float(np.linalg.norm(turn))
    axis, origin, lead = turn / angle, np.cross(turn, shift) / angle**2, float(turn @ shift) / angle**2
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across /= np.linalg.norm(across)
    to_axis = np.eye(4)  # from the still one's frame to that of the axis
    to_axis[:3, :3] = across, np.cross(axis, across), axis
    to_axis[:3, 3] = -to_axis[:3, :3] @ origin
    seen = seen_along(one, np.ascontiguousarray((to_axis @ start)[:3]), lead)
    seen_other = seen_along(other, np.ascontiguousarray(to_axis[:3]), lead)
    most = max(min(ALONG, budget), 1)
    pairs, tests = can_meet(one, other, seen, seen_other, (lead, angle, gap), most)
    return (pairs, tests) if tests < most else (np.zeros((1, 2), dtype=np.int64), tests)


@lru_cache(maxsize=64)
def _shrunk(surface: Surface, allowance_m: float) -> Surface:
    return shrunk(surface, allowance_m)


@lru_cache(maxsize=64)
def _sweepable(surface: Surface) -> Sweepable:
    from falsework.geometry.distance.bvh import built
    from falsework.geometry.distance.clouds import FACING, sweepable

    return sweepable(built(surface.vertices, surface.faces, 1, FACING))


def _nested(small: Surface, still: Surface, pose: Array) -> tuple[int, int] | None:
    """Two faces of solids of which one is, at a pose, inside the other; None where none is.

    Surfaces that never meet stay outside each other if they begin so; one point of each connected piece tells.
    """
    for one, other, T, turned in ((small, still, pose, False), (still, small, np.linalg.inv(pose), True)):
        faces = _one_face_a_piece(one)
        points = one.corners[faces, 0] @ T[:3, :3].T + T[:3, 3]
        inside = np.flatnonzero(other.inside(points))
        if len(inside):
            around = int(other.unsigned(points[inside[:1]]).faces[0])
            within = int(faces[inside[0]])
            return (around, within) if turned else (within, around)
    return None


@lru_cache(maxsize=64)
def _one_face_a_piece(surface: Surface) -> Ints:
    """The first face of each connected piece of a surface."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    loops = welded(surface.vertices, surface.faces)
    count = int(loops.max()) + 1
    rows, columns = loops.ravel(), np.roll(loops, -1, axis=1).ravel()
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(count, count))
    _, piece = connected_components(graph, directed=False)
    _, first = np.unique(piece[loops[:, 0]], return_index=True)
    return first.astype(np.int64)
