"""Clutches from poses: where the studs of one brick stand in the holes of another.

Notes on the contact points follow seed 000, Fig. 4: a stud is gripped by the walls and tubes of the brick
above it, so the points depend on the stud's place under the *upper* brick.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from falsework.geometry.shapes.lattice import QUARTER_TURNS, Lattice
from falsework.geometry.shapes.rectangles import overlapping
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickSystem
from falsework.model.errors import BadInput, shown
from falsework.model.interfaces import Clutches, ClutchKind


@dataclass(frozen=True, slots=True)
class Grip:
    """What decides a clutch's contact points: the studs engaged, and which sides of the upper brick they reach.

    `sides` are the brick's −x, +x, −y and +y walls.
    """

    system: str
    narrow: bool
    along_x: int
    along_y: int
    sides: tuple[bool, bool, bool, bool]


def clutches_of(assembly: Assembly, lattice: Lattice) -> Clutches:
    """All clutches between bricks of one stud grid."""
    studs, bottoms = lattice.stud_rectangles(), lattice.bottom_rectangles()
    i, j = overlapping(studs, bottoms)
    if not len(i):
        return Clutches.none()
    lower, upper = studs.owner[i], bottoms.owner[j]
    _refuse_closed_bottoms(assembly, lattice, lower, upper)
    low, high = np.maximum(studs.low[i], bottoms.low[j]), np.minimum(studs.high[i], bottoms.high[j])
    kinds, kind = _kinds(lattice, upper, low, high)
    relative = lattice.origins[upper, :2] - lattice.origins[lower, :2]
    back = QUARTER_TURNS[-lattice.turns[lower] % 4]
    return Clutches(
        np.column_stack([lattice.bodies[lower], lattice.bodies[upper]]),
        np.einsum("kij,kj->ki", back, relative),
        (lattice.turns[upper] - lattice.turns[lower]) % 4,
        _frames(lattice, upper, low, high, bottoms.level[j]),
        kinds,
        kind,
    )


def _refuse_closed_bottoms(assembly: Assembly, lattice: Lattice, lower: Ints, upper: Ints) -> None:
    closed = np.flatnonzero(~np.array([kind.has_holes for kind in lattice.kinds])[upper])
    if len(closed):
        above, below = int(upper[closed[0]]), int(lower[closed[0]])
        names = [shown(assembly.bodies[lattice.bodies[n]].name) for n in (above, below)]
        raise BadInput(f"part {names[0]} is a {lattice.kinds[above]} on the studs of {names[1]}, but has no holes")


def _kinds(lattice: Lattice, upper: Ints, low: Ints, high: Ints) -> tuple[tuple[ClutchKind, ...], Ints]:
    """The distinct kinds of clutch, and which kind each one is; rectangles are seen from the upper brick."""
    back = QUARTER_TURNS[-lattice.turns[upper] % 4]
    first = np.einsum("kij,kj->ki", back, low - lattice.origins[upper, :2])
    second = np.einsum("kij,kj->ki", back, high - lattice.origins[upper, :2])
    low, high = np.minimum(first, second), np.maximum(first, second)
    size = np.array([(kind.length, kind.width) for kind in lattice.kinds])[upper]
    flags = np.column_stack([(size == 1).any(axis=1), low == 0, high == size]) @ (1 << np.arange(5))
    keys, kind = np.unique(((high - low) @ np.array([1 << 20, 1])) << 5 | flags, return_inverse=True)
    grips = [_grip(lattice.measures.name, int(key)) for key in keys]
    return tuple(clutch_kind(grip, lattice.measures) for grip in grips), kind


def _grip(system: str, key: int) -> Grip:
    """The grip that `_kinds` packed into one integer."""
    narrow, low_x, low_y, high_x, high_y = (bool(key >> bit & 1) for bit in range(5))
    return Grip(system, narrow, key >> 25, key >> 5 & (1 << 20) - 1, (low_x, high_x, low_y, high_y))


def _frames(lattice: Lattice, upper: Ints, low: Ints, high: Ints, level: Ints) -> Array:
    """(k, 4, 4) frames of the joints: the upper brick's axes at the centre of the engaged rectangle."""
    frames = np.tile(np.eye(4), (len(upper), 1, 1))
    frames[:, :2, :2] = QUARTER_TURNS[lattice.turns[upper]]
    frames[:, :3, :3] = lattice.T_world_lattice[:3, :3] @ frames[:, :3, :3]
    frames[:, :3, 3] = lattice.to_world(np.column_stack([(low + high) / 2, level]))
    return frames


@lru_cache(maxsize=4096)  # few grips make up most models, and what follows from them is kept with them
def clutch_kind(grip: Grip, measures: BrickSystem) -> ClutchKind:
    """Contact points and inward normals of a grip, in the frame of the joint."""
    rows = np.array(list(np.ndindex(grip.along_x, grip.along_y)))
    half = np.array([grip.along_x, grip.along_y]) * measures.pitch_m / 2
    centres = (rows + 0.5) * measures.pitch_m - half
    points, inward = [], []
    for cell, centre in zip(rows, centres, strict=True):
        outward = gripped_directions(grip.narrow, _at_wall(grip, cell))
        points.append(centre + measures.stud_radius_m * outward)
        inward.append(-outward)
    return ClutchKind(grip.system, grip.narrow, len(rows), np.concatenate(points), np.concatenate(inward), half)


def _at_wall(grip: Grip, cell: Ints) -> Bools:
    """(4,) at which of the sides −x, +x, −y, +y a stud stands by a wall of the upper brick."""
    last = np.array([grip.along_x - 1, grip.along_y - 1])
    at_edge = np.array([cell[0] == 0, cell[0] == last[0], cell[1] == 0, cell[1] == last[1]])
    at_wall: Bools = np.array(grip.sides) & at_edge
    return at_wall


def gripped_directions(narrow: bool, at_wall: Bools) -> Array:
    """(3 or 4, 2) unit directions from a stud's centre to the points where it is gripped.

    `at_wall` (4,): where it stands by a wall, at its sides −x, +x, −y, +y.
    """
    axes = np.array([(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)])
    if narrow:
        return axes
    diagonals = np.array([(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)]) / np.sqrt(2.0)
    # Walls grip on the axes, tubes on the diagonals that face away from every wall.
    away = (diagonals @ axes[at_wall].T < 0).all(axis=1)
    directions: Array = np.concatenate([axes[at_wall], diagonals[away]])
    return directions
