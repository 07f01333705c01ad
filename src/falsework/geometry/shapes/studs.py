"""Studs as solids: what everything that is not pressed onto them lies on or runs into.

A stud is a prism over a regular polygon of SIDES corners inscribed in the true circle, two of them along each axis of
the brick. So a patch on stud tops lies inside the true discs, and a wall across an axis touches the stud where the
true cylinder does. Bricks of one stud grid are clutched and do not see each other's studs.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput, shown
from falsework.model.part import Part
from falsework.model.shapes import BrickShape, Mesh

SIDES = 12
SEATED = 0.025  # of a stud's pitch, and rad: how far off its seat a brick may be that studs enter
MOST_STUDS = 20_000  # of one brick under other parts, to bound memory
_ANGLES = np.arange(SIDES) * (2 * np.pi / SIDES)
RING: Array = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])


def studs_near_others(assembly: Assembly, grid: Ints, boxes: tuple[Array, Array], gap_m: float) -> dict[int, Mesh]:
    """The studs of bricks that parts of no or another grid come near, by body, in world coordinates.

    `boxes`: lowest and highest corners (bodies, 3) of the bodies without studs.
    """
    studded = [
        k for k, body in enumerate(assembly.bodies) if isinstance(body.shape, BrickShape) and body.shape.kind.has_studs
    ]
    if not studded or (grid[studded[0]] == grid).all():
        return {}
    lows, highs = (np.array(corners) for corners in boxes)  # of the bodies with their studs
    slabs = np.array([_slab(assembly, k) for k in studded])  # (n, 8, 3)
    lows[studded] = np.minimum(lows[studded], slabs.min(axis=1))
    highs[studded] = np.maximum(highs[studded], slabs.max(axis=1))
    found = {}
    for k, slab in zip(studded, slabs, strict=True):
        near = (lows <= slab.max(axis=0) + gap_m).all(axis=1) & (highs >= slab.min(axis=0) - gap_m).all(axis=1)
        others = np.flatnonzero(near & (grid != grid[k]))
        cells = [_cells_under(assembly, k, lows[other], highs[other], gap_m) for other in others]
        if sum(map(len, cells)):
            found[k] = _placed(assembly, k, np.unique(np.concatenate(cells), axis=0))
    return found


def in_holes(assembly: Assembly, studded: int, other: int) -> bool:
    """Whether studs of a brick stand in the holes of another, but not all the way: a brick that is partly seated.

    Straight, on the grid sideways, and lifted by less than a stud: holes take studs, so nothing overlaps.
    """
    lower, upper = assembly.bodies[studded].shape, assembly.bodies[other].shape
    if not (isinstance(lower, BrickShape) and isinstance(upper, BrickShape)):
        return False
    measures = lower.kind.measures
    if upper.kind.measures is not measures and upper.kind.measures != measures:
        return False
    T = np.linalg.inv(assembly.poses[studded]) @ assembly.poses[other]
    lifted = T[2, 3] - lower.kind.size_m[2]
    if not -SEATED * measures.stud_height_m < lifted < measures.stud_height_m:
        return False
    turned, offset = np.rint(T[:2, :2]), T[:2, 3] / measures.pitch_m
    straight = T[2, 2] > 1 - SEATED**2 and np.abs(T[:2, :2] - turned).max() < SEATED
    return bool(straight and np.abs(offset - np.rint(offset)).max() < SEATED)


def stud_reach(kind: BrickType) -> Array:
    """(n, 3) points in the brick's frame whose hull is that of all its studs; none without studs."""
    if not kind.has_studs:
        return np.zeros((0, 3))
    ends = np.array([(x, y) for x in (0, kind.flat - 1) for y in (0, kind.width - 1)])
    return stud_mesh(kind, ends).vertices


def reach_in_world(part: Part) -> Array:
    """(n, 3) points whose hull is that of a part where it stands, its studs included."""
    points = surface(part.shape).vertices
    if isinstance(part.shape, BrickShape):
        points = np.concatenate([points, stud_reach(part.shape.kind)])
    placed: Array = points @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
    return placed


def stud_mesh(kind: BrickType, cells: Ints) -> Mesh:
    """Closed prisms for the studs on some cells (n, 2) of a brick, in its frame."""
    measures = kind.measures
    centres = (cells + 0.5) * measures.pitch_m
    rings = centres[:, None] + measures.stud_radius_m * RING  # (n, SIDES, 2)
    bottom, top = kind.size_m[2], kind.size_m[2] + measures.stud_height_m
    flat = np.concatenate([rings, rings], axis=1).reshape(-1, 2)
    heights = np.tile(np.repeat([bottom, top], SIDES), len(cells))
    first = np.arange(len(cells))[:, None, None] * 2 * SIDES
    return Mesh(np.column_stack([flat, heights]), (first + _PRISM).reshape(-1, 3))


def _prism() -> Ints:
    """The triangles of one prism: bottom ring 0 to SIDES − 1, top ring after it."""
    around = np.arange(SIDES)
    after = (around + 1) % SIDES
    inner = np.arange(1, SIDES - 1)
    caps = [np.column_stack([0 * inner, inner + 1, inner]), SIDES + np.column_stack([0 * inner, inner, inner + 1])]
    sides = [np.column_stack([around, after, SIDES + after]), np.column_stack([around, SIDES + after, SIDES + around])]
    return np.concatenate(caps + sides)


_PRISM = _prism()


def _slab(assembly: Assembly, body: int) -> Array:
    """(8, 3) corners of the block above a brick in which its studs stand, in the world."""
    kind, pose = _kind(assembly, body), assembly.poses[body]
    length, width = kind.flat * kind.measures.pitch_m, kind.size_m[1]
    heights = kind.size_m[2], kind.size_m[2] + kind.measures.stud_height_m
    corners = np.array([(x, y, z) for x in (0.0, length) for y in (0.0, width) for z in heights])
    placed: Array = corners @ pose[:3, :3].T + pose[:3, 3]
    return placed


def _cells_under(assembly: Assembly, body: int, low: Array, high: Array, gap_m: float) -> Ints:
    """(n, 2) cells of a brick whose studs a box between two corners may touch."""
    kind, pose = _kind(assembly, body), assembly.poses[body]
    corners = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    local = (corners - pose[:3, 3]) @ pose[:3, :3] / kind.measures.pitch_m
    blur = gap_m / kind.measures.pitch_m
    first = np.maximum(np.floor(local[:, :2].min(axis=0) - blur), 0).astype(np.int64)
    last = np.minimum(np.ceil(local[:, :2].max(axis=0) + blur), (kind.flat, kind.width)).astype(np.int64)
    sides = np.maximum(last - first, 0)
    if int(sides[0]) * int(sides[1]) > MOST_STUDS:
        name = shown(assembly.bodies[body].name)
        raise BadInput(f"a part lies over {int(sides[0]) * int(sides[1])} studs of {name}; the limit is {MOST_STUDS}")
    x, y = np.meshgrid(np.arange(sides[0]), np.arange(sides[1]), indexing="ij")
    cells: Ints = np.column_stack([x.ravel(), y.ravel()]) + first
    return cells


def _placed(assembly: Assembly, body: int, cells: Ints) -> Mesh:
    local, pose = stud_mesh(_kind(assembly, body), cells), assembly.poses[body]
    return Mesh(local.vertices @ pose[:3, :3].T + pose[:3, 3], local.triangles)


def _kind(assembly: Assembly, body: int) -> BrickType:
    shape = assembly.bodies[body].shape
    assert isinstance(shape, BrickShape), "studs are asked of bricks only"
    return shape.kind
