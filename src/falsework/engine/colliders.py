"""What a part looks like to the engine: boxes where it is made of boxes, convex meshes otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from falsework.geometry.shapes.convex_hulls import convex_hull
from falsework.geometry.shapes.convex_pieces import Convex, hull, pieces_of
from falsework.geometry.shapes.solids import bulk, outer_surface
from falsework.model.arrays import Array, freeze
from falsework.model.catalogue import BrickType
from falsework.model.shapes import BrickShape, Shape

ROUGH = 5e-3  # of a part's volume: what pieces may be off it
SQUARE = 1e-9  # relative: how far the corners of a cuboid may be from where its axes put them


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A cuboid in the part's frame."""

    centre_m: Array  # (3,)
    turn: Array  # (3, 3) its axes as columns
    half_m: Array  # (3,)

    def __post_init__(self) -> None:
        freeze(self, centre_m=(3,), turn=(3, 3), half_m=(3,))


@dataclass(frozen=True, slots=True, eq=False)
class Cylinder:
    """Along the part's z."""

    centre_m: Array  # (3,)
    radius_m: float
    half_m: float

    def __post_init__(self) -> None:
        freeze(self, centre_m=(3,))


Collider = Box | Convex | Cylinder


@lru_cache(maxsize=4096)
def colliders(shape: Shape) -> tuple[Collider, ...]:
    """Convex pieces of a shape; bricks without their studs."""
    if isinstance(shape, BrickShape):
        return _brick(shape.kind)
    return tuple(as_box(piece.vertices) or piece for piece in pieces_of(shape).body)


@lru_cache(maxsize=4096)
def pieces_fill(shape: Shape) -> bool:
    """Whether the convex pieces of a shape are as large as it is: not where it would take too many of them."""
    if isinstance(shape, BrickShape):
        return True
    pieces = pieces_of(shape).body
    if len(pieces) == 1:
        return True
    filled = sum(convex_hull(piece.vertices).volume for piece in pieces)
    return abs(filled / bulk(outer_surface(shape)).volume_m3 - 1.0) <= ROUGH


def _brick(kind: BrickType) -> tuple[Collider, ...]:
    """A box. Of a slope, as much as boxes fill, and a wedge on them.

    A slope is convex, but the engine keeps four corners of where a hull and a box meet, which need not be the deepest,
    and mistakes a narrow face for the one that touches. What lies on its base or leans on its back meets boxes.
    """
    length, width, height = kind.size_m
    if kind.family != "slope":
        return (_between((0.0, 0.0, 0.0), kind.size_m),)
    flat, foot = kind.flat * kind.measures.pitch_m, kind.lip_m
    outline = [(flat, foot), (length, foot), (flat, height)]
    wedge = hull(np.array([(x, y, z) for y in (0.0, width) for x, z in outline]))
    base = _between((0.0, 0.0, 0.0), (length, width, foot))
    return (base, _between((0.0, 0.0, foot), (flat, width, height)), wedge) if flat > 0 else (base, wedge)


def _between(low: tuple[float, float, float], high: tuple[float, float, float]) -> Box:
    return Box((np.array(low) + high) / 2, np.eye(3), (np.array(high) - low) / 2)


def as_box(corners: Array) -> Box | None:
    """The cuboid with these eight corners, if they are those of one."""
    if len(corners) != 8:
        return None
    arms = corners[1:] - corners[0]
    lengths = np.linalg.norm(arms, axis=1)
    size = float(lengths.max())
    edges = arms[np.argsort(lengths, kind="stable")]
    for third in range(2, 5):  # the three edges at a corner are among its five shortest arms
        first, second, last = edges[0], edges[1], edges[third]
        if max(abs(first @ second), abs(second @ last), abs(last @ first)) <= SQUARE * size * size:
            return _box(corners, np.stack([first, second, last]), size)
    return None


def _box(corners: Array, edges: Array, size: float) -> Box | None:
    sides = np.linalg.norm(edges, axis=1)
    if not sides.min() > SQUARE * size:
        return None
    turn = (edges / sides[:, None]).T
    turn[:, 2] = np.cross(turn[:, 0], turn[:, 1])
    centre = corners.mean(axis=0)
    local = np.abs((corners - centre) @ turn)
    if np.abs(local - sides / 2).max() > SQUARE * size:
        return None
    return Box(centre, turn, sides / 2)
