"""How deep parts of a brick world are inside each other: separating axes on poses alone, nothing of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.spatial import ConvexHull

from falsework.brickworld.colliding import floor, stud_slab
from falsework.brickworld.world import World
from falsework.engine.colliders import Box, as_box
from falsework.geometry.shapes.convex_pieces import pieces_of
from falsework.model.arrays import Array
from falsework.model.shapes import BrickShape, Shape

SIGNS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


@dataclass(frozen=True, slots=True, eq=False)
class Convex:
    """A convex solid in its part's frame."""

    corners: Array  # (n, 3)
    normals: Array  # (f, 3) of its faces
    edges: Array  # (e, 3) directions


def depth_m(world: World) -> float:
    """The farthest that any two parts of different components, or a part and the floor, reach into each other."""
    poses, groups = world.poses(), world.grouping.group_of
    bodies = world.assembly.bodies
    engaged = world.monitor.seated
    below = floor(world.assembly)
    ground = world.assembly.ground_part
    worst = 0.0
    for first, one in enumerate(bodies):
        if one is ground and world.assembly.ground.kind == "table":
            continue
        if below is not None and one is not ground:
            worst = max(
                worst, below[0] - min(float(_placed(piece, poses[first])[:, 2].min()) for piece in solid(one.shape))
            )
        for second in range(first):
            other = bodies[second]
            table = other is ground and world.assembly.ground.kind == "table"
            if groups[first] == groups[second] or table:
                continue
            pairs = [(a, b) for a in solid(one.shape) for b in solid(other.shape)]
            pairs += [(a, b) for a in studs(one.shape) for b in solid(other.shape) if second not in engaged]
            pairs += [(a, b) for a in solid(one.shape) for b in studs(other.shape) if first not in engaged]
            for a, b in pairs:
                worst = max(worst, _depth(a, poses[first], b, poses[second]))
    return worst


@lru_cache(maxsize=512)
def solid(shape: Shape) -> tuple[Convex, ...]:
    """Its convex pieces, studs not counted."""
    corners = [piece.vertices for piece in pieces_of(shape).body]
    boxes = [as_box(each) for each in corners]
    return tuple(_hull(each) if box is None else _box(box) for each, box in zip(corners, boxes, strict=True))


@lru_cache(maxsize=512)
def studs(shape: Shape) -> tuple[Convex, ...]:
    """All studs of a brick as one slab."""
    return tuple(_box(one) for one in stud_slab(shape.kind)) if isinstance(shape, BrickShape) else ()


def _box(box: Box) -> Convex:
    return Convex(box.centre_m + (SIGNS * box.half_m) @ box.turn.T, box.turn.T, box.turn.T)


def _hull(corners: Array) -> Convex:
    hull = ConvexHull(corners)
    ends = corners[hull.simplices]
    edges = np.concatenate([ends[:, 1] - ends[:, 0], ends[:, 2] - ends[:, 1]])
    edges /= np.linalg.norm(edges, axis=1, keepdims=True)
    return Convex(
        corners, np.unique(np.round(hull.equations[:, :3], 12), axis=0), np.unique(np.round(edges, 12), axis=0)
    )


def _placed(convex: Convex, pose: Array) -> Array:
    return convex.corners @ pose[:3, :3].T + pose[:3, 3]


def _depth(first: Convex, T_first: Array, second: Convex, T_second: Array) -> float:
    """The least shift that parts two convex solids; 0 if they are apart."""
    a, b = _placed(first, T_first), _placed(second, T_second)
    if np.linalg.norm(a.mean(axis=0) - b.mean(axis=0)) > np.ptp(a, axis=0).sum() + np.ptp(b, axis=0).sum():
        return 0.0
    edges, others = first.edges @ T_first[:3, :3].T, second.edges @ T_second[:3, :3].T
    crossed = np.cross(edges[:, None], others[None]).reshape(-1, 3)
    sizes = np.linalg.norm(crossed, axis=1)
    crossed = crossed[sizes > 1e-6] / sizes[sizes > 1e-6, None]
    axes = np.concatenate([first.normals @ T_first[:3, :3].T, second.normals @ T_second[:3, :3].T, crossed])
    p, q = a @ axes.T, b @ axes.T
    apart = np.minimum(p.max(axis=0) - q.min(axis=0), q.max(axis=0) - p.min(axis=0))
    return max(0.0, float(apart.min()))
