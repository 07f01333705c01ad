"""What an assembly stands on: a baseplate that clutches its lowest bricks, or a table with friction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.geometry.shapes.lattice import Lattice, lattices
from falsework.geometry.shapes.solids import make_part, surface
from falsework.geometry.shapes.studs import reach_in_world
from falsework.model.arrays import Array
from falsework.model.assembly import GROUND_NAME, Assembly, Ground
from falsework.model.catalogue import MAX_BASEPLATE_STUDS, BrickType
from falsework.model.errors import BadInput
from falsework.model.part import Part
from falsework.model.shapes import BrickShape, box

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
    found = [lattice for lattice in lattices(assembly) if lattice.T_world_lattice[2, 2] > 0.999999]
    if not found:
        raise BadInput("--ground baseplate needs at least one upright brick; use --ground table or --fixed")
    lattice = min(found, key=lambda one: float(_bottom_m(one)))
    low, high = lattice.footprints()
    bottoms = lattice.heights()[0]
    lowest = bottoms == bottoms.min()
    corner = low[lowest].min(axis=0) - MARGIN_STUDS
    sides = high[lowest].max(axis=0) + MARGIN_STUDS - corner
    if sides.max() > MAX_BASEPLATE_STUDS:
        raise BadInput(f"the lowest bricks span {sides.max()} studs; a baseplate has {MAX_BASEPLATE_STUDS} at most")
    kind = BrickType(lattice.measures.name, "baseplate", int(sides[0]), int(sides[1]), 1)
    T_world_ground = lattice.T_world_lattice.copy()
    T_world_ground[:3, 3] = lattice.to_world(np.array([*corner, bottoms.min() - 1], dtype=float))
    return make_part(GROUND_NAME, BrickShape(kind), T_world_ground)


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
