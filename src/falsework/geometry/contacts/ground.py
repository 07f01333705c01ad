"""What an assembly stands on: a baseplate that clutches its lowest bricks, or a table with friction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.geometry.shapes.fittings import SEATED_M
from falsework.geometry.shapes.lattice import Lattice, lattices
from falsework.geometry.shapes.solids import make_part, surface
from falsework.geometry.shapes.studs import reach_in_world
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import GROUND_NAME, Assembly, Ground
from falsework.model.catalogue import MAX_BASEPLATE_STUDS, BrickType, systems
from falsework.model.errors import BadInput
from falsework.model.part import Part
from falsework.model.shapes import BrickShape, box

UPRIGHT = 0.999999  # cosine to straight up
MARGIN_STUDS = 2  # of the baseplate around the lowest bricks
TABLE_MARGIN = 0.5  # of the assembly's size, on every side


def grounded(assembly: Assembly, ground: Ground) -> Assembly:
    """The assembly on another ground; the one it had, if any, goes.

    >>> from falsework.gallery import make
    >>> grounded(make("semicircular-arch"), Ground("table")).ground_part.name
    'ground'
    """
    bare = assembly.changed(ground=ground, ground_part=None)
    if ground.kind == "none":
        return bare
    if GROUND_NAME in bare.index:
        raise BadInput(f"a part is named {GROUND_NAME!r}, as the {ground.kind} is; rename it or use --ground none")
    part = _baseplate(bare) if ground.kind == "baseplate" else _table(bare)
    return bare.changed(ground_part=part)


def table_under(assembly: Assembly, installed: int, T_world_assembly: Array) -> Part:
    """A table under the installed parts (a mask) of an assembly that lies another way, in the assembly frame.

    It is wide enough for all parts, whether they are there yet or not. With none there, its top is at z = 0.
    """
    lying = [replace(part, T_world_part=T_world_assembly @ part.T_world_part) for part in assembly.parts]
    there = [part for number, part in enumerate(lying) if installed >> number & 1]
    low, high = bounds_m(assembly.changed(parts=tuple(lying), ground_part=None))
    top = _lowest_m(Assembly(tuple(there))) if there else 0.0
    table = _slab(np.array([low[0], low[1], top]), high)
    return replace(table, T_world_part=np.linalg.inv(T_world_assembly) @ table.T_world_part)


def bounds_m(assembly: Assembly) -> Array:
    """(2, 3) lowest and highest corner of all parts in world axes, the ground not counted.

    >>> bounds_m(Assembly.from_boxes([1, 1, 1], [0, 0, 0.5])).tolist()
    [[-0.5, -0.5, 0.0], [0.5, 0.5, 1.0]]
    """
    corners = []
    for part in assembly.parts:
        vertices = surface(part.shape).vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
        corners.append((vertices.min(axis=0), vertices.max(axis=0)))
    low, high = zip(*corners, strict=True)
    return np.stack([np.min(low, axis=0), np.max(high, axis=0)])


def _lowest_m(assembly: Assembly) -> float:
    """The height of the lowest point of all parts, studs included: bricks that lie upside down stand on these."""
    return min(float(reach_in_world(part)[:, 2].min()) for part in assembly.parts)


def _baseplate(assembly: Assembly) -> Part:
    """A plate under the lowest layer, on the grid of the lowest upright brick."""
    found = [lattice for lattice in lattices(assembly) if lattice.T_world_lattice[2, 2] > UPRIGHT]
    lattice = min(found, key=lambda one: float(_bottom_m(one)), default=None)
    below = lowest_mouth(assembly)
    if below is not None and (lattice is None or below[2, 3] < _bottom_m(lattice) - SEATED_M):
        return _plate_under_mouths(assembly, below)
    if lattice is None:
        raise BadInput("--ground baseplate needs at least one upright brick; use --ground table or --fixed")
    low, high = lattice.footprints()
    bottoms = lattice.heights()[0]
    lowest = bottoms == bottoms.min()
    bottom = _bottom_m(lattice)
    first, last = _under_moulds(assembly, lattice, low[lowest].min(axis=0), high[lowest].max(axis=0), bottom)
    corner = first - MARGIN_STUDS
    sides = last + MARGIN_STUDS - corner
    return _plate(lattice, corner, sides, int(bottoms.min()) - 1)


def _plate(lattice: Lattice, corner: Ints, sides: Ints, level: int) -> Part:
    """A baseplate of so many studs from a cell of a lattice, its bottom at a level in plates."""
    if sides.max() > MAX_BASEPLATE_STUDS:
        raise BadInput(f"the lowest bricks span {sides.max()} studs; a baseplate has {MAX_BASEPLATE_STUDS} at most")
    kind = BrickType(lattice.measures.name, "baseplate", int(sides[0]), int(sides[1]), 1)
    T_world_ground = lattice.T_world_lattice.copy()
    T_world_ground[:3, 3] = lattice.to_world(np.array([*corner, level], dtype=float))
    return make_part(GROUND_NAME, BrickShape(kind), T_world_ground)


def lowest_mouth(assembly: Assembly) -> Array | None:
    """(4, 4) a frame at the lowest hole of a mould that opens straight down, with its axes; None without one."""
    lowest = None
    for part in assembly.parts:
        turn = part.T_world_part[:3, :3]
        if part.mould is None or np.abs(turn[2]).max() < UPRIGHT:
            continue
        for row in part.mould.holes:
            point = turn @ row[:3] + part.T_world_part[:3, 3]
            if turn[2] @ row[3:] < -UPRIGHT and (lowest is None or point[2] < lowest[2, 3]):
                lowest = np.eye(4)
                level = [axis for axis in range(3) if abs(turn[2, axis]) < 0.5]
                lowest[:3, 0] = turn[:, level[0]]
                lowest[:3, 1] = np.cross([0.0, 0.0, 1.0], lowest[:3, 0])
                lowest[:3, 3] = point
    return lowest


def _plate_under_mouths(assembly: Assembly, T_world_mouth: Array) -> Part:
    """A plate whose studs stand in all holes at the height of a mouth that are on its grid."""
    measures = systems()["system"]
    corner = T_world_mouth.copy()
    corner[:3, 3] += corner[:3, :3] @ (-0.5 * measures.pitch_m, -0.5 * measures.pitch_m, 0.0)
    nothing = np.zeros((0, 3), dtype=np.int64)
    lattice = Lattice(measures, corner, nothing[:, 0], (), nothing, nothing[:, 0])
    low, high = _under_moulds(assembly, lattice, np.array([0, 0]), np.array([1, 1]), float(corner[2, 3]))
    return _plate(lattice, low - MARGIN_STUDS, high + 2 * MARGIN_STUDS - low, -1)


def _under_moulds(assembly: Assembly, lattice: Lattice, low: Ints, high: Ints, bottom: float) -> tuple[Ints, Ints]:
    """The cells from `low` to `high`, widened so that holes of moulds at the height `bottom` are over them too."""
    for part in assembly.parts:
        if part.mould is None or not len(part.mould.holes):
            continue
        mouths = part.mould.holes[:, :3] @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
        mouths = mouths[np.abs(mouths[:, 2] - bottom) < SEATED_M]
        if len(mouths):
            cells = (
                (mouths - lattice.T_world_lattice[:3, 3]) @ lattice.T_world_lattice[:3, :2] / lattice.measures.pitch_m
            )
            low = np.minimum(low, np.floor(cells.min(axis=0)).astype(np.int64))
            high = np.maximum(high, np.ceil(cells.max(axis=0)).astype(np.int64))
    return low, high


def _bottom_m(lattice: Lattice) -> float:
    return float(lattice.T_world_lattice[2, 3] + lattice.heights()[0].min() * lattice.measures.plate_m)


def _table(assembly: Assembly) -> Part:
    """A slab under the lowest point, wide enough for everything to come down on."""
    low, high = bounds_m(assembly)
    return _slab(np.array([low[0], low[1], _lowest_m(assembly)]), high)


def _slab(low: Array, high: Array) -> Part:
    """A slab whose top is at the height of `low`, under the box between two corners."""
    margin = TABLE_MARGIN * float((high - low).max())
    size = (*(high - low + 2 * margin)[:2].tolist(), margin)
    T_world_table = np.eye(4)
    T_world_table[:3, 3] = low - margin
    return make_part(GROUND_NAME, box(size), T_world_table)
