"""The contact finder of studs and holes that share no grid: sideways, upside down, shifted by half a stud, at an angle.

Where the base of a stud lies in the mouth of a hole that opens towards it, the two clutch. Studs of one pair in one
plane make one clutch for each rectangle of cells that they fill. What grips a stud is told by the holes beside its own:
where there is none, there is a wall, else tubes (see `clutches`). A pin in a bore is a clutch of the make `technic`,
whose four points lie as far from its axis as half of its length, so that it resists bending as a pin does.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from falsework.geometry.contacts.clutches import gripped_directions
from falsework.geometry.shapes.fittings import (
    SEATED_M,
    STRAIGHT,
    Fittings,
    fitted_bodies,
    met,
    pitch_of,
    world_fittings,
)
from falsework.geometry.shapes.lattice import grids_of, lattices
from falsework.geometry.shapes.placed_solids import Scene
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickSystem, systems
from falsework.model.interfaces import Clutches, ClutchKind, Interfaces, Patches
from falsework.model.shapes import BrickShape

BESIDE = 0.2  # of a pitch: holes this near to one cell from another are its neighbours
PIN_REACH_M = 4e-3  # half the length of a pin in its bore
AXLE_DEPTH_M = 1.6e-3  # how far an axle must reach into a bore
AXES: Array = np.array([(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)])


class FittedContacts:
    """Clutches of studs, pins and axles off a common grid."""

    def find(self, assembly: Assembly, known: Interfaces) -> Interfaces:
        return Interfaces(Patches.none(), fitted_clutches(assembly), known.hinges)


@lru_cache(maxsize=2)  # asked before what overlaps is refused, and again by the finder
def fitted_clutches(assembly: Assembly) -> Clutches:
    """All clutches between bodies that share no stud grid."""
    if not len(fitted_bodies(assembly)):
        return Clutches.none()
    world = world_fittings(assembly)
    grid = grids_of(assembly, lattices(assembly))
    found: list[tuple[int, int, Array, ClutchKind]] = []
    for stud_body, hole_body, studs, holes in _groups(met(world["studs"], world["holes"], grid), world):
        found += _studs_in_holes(assembly, world, stud_body, hole_body, studs, holes)
    found += [
        (stud, hole, _frame(point, along, None), _pin_kind())
        for stud, hole, point, along in (*_pins(world, grid), *_axles(world))
    ]
    return _table(sorted(found, key=lambda row: row[:2]))


def without_moulds(assembly: Assembly, placed: Scene) -> Scene:
    """A scene without pairs of moulds with bricks or with each other.

    Like bricks, moulds are a little narrower than their cells, and edges and curves of their solids are none of theirs.
    """
    moulded = np.array([body.mould is not None for body in assembly.bodies])
    if not moulded.any():
        return placed
    pairs = placed.body[placed.pairs]
    fitted = np.array([body.is_fitted for body in assembly.bodies])
    left_out = np.logical_and(fitted[pairs].all(axis=1), moulded[pairs].any(axis=1))
    return placed.with_pairs(np.logical_not(left_out))


def _table(found: list[tuple[int, int, Array, ClutchKind]]) -> Clutches:
    if not found:
        return Clutches.none()
    kinds = list(dict.fromkeys(kind for *_, kind in found))
    nowhere = np.zeros((len(found), 2), dtype=np.int64)  # offsets and turns are those of a grid
    return Clutches(
        np.array([row[:2] for row in found]),
        nowhere,
        nowhere[:, 0],
        np.array([row[2] for row in found]),
        tuple(kinds),
        np.array([kinds.index(kind) for *_, kind in found]),
    )


def _groups(pairs: Ints, world: dict[str, Fittings]) -> Iterator[tuple[int, int, Ints, Ints]]:
    """Studs and holes of one pair of bodies, in one direction and one plane."""
    studs, holes = world["studs"], world["holes"]
    groups: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for s, h in pairs.tolist():
        along = studs.directions[s]
        level = round(float(along @ studs.points[s]) / SEATED_M / 2)
        way = tuple(np.rint(along * 20).astype(int).tolist())
        key = (int(studs.body[s]), int(holes.body[h]), *way)
        nearby = next((k for k in ((*key, level), (*key, level - 1), (*key, level + 1)) if k in groups), (*key, level))
        groups.setdefault(nearby, []).append((s, h))
    for key, members in groups.items():
        rows = np.array(members)
        yield key[0], key[1], rows[:, 0], rows[:, 1]


def _studs_in_holes(
    assembly: Assembly, world: dict[str, Fittings], stud_body: int, hole_body: int, studs: Ints, holes: Ints
) -> Iterator[tuple[int, int, Array, ClutchKind]]:
    """Clutches of one pair and plane, one for each rectangle of cells that is full of studs."""
    points, along = world["studs"].points[studs], world["studs"].directions[studs[0]]
    frame = _frame(points[0], along, assembly.poses[hole_body, :3, :3])
    measures = _measures(assembly, hole_body)
    own = (points - points[0]) @ frame[:3, :2] / measures.pitch_m  # (n, 2) in studs
    cells = np.rint(own).astype(np.int64)
    walls, narrow = _walls(
        world["holes"], hole_body, world["holes"].points[holes], frame, pitch_of(assembly, hole_body)
    )
    for chosen in _rectangles(cells):
        low, high = cells[chosen].min(axis=0), cells[chosen].max(axis=0)
        T = frame.copy()
        T[:3, 3] += frame[:3, :2] @ ((low + high) / 2 * measures.pitch_m)
        placed = tuple(
            (tuple(cell), tuple(wall))
            for cell, wall in zip((cells[chosen] - low).tolist(), walls[chosen].tolist(), strict=True)
        )
        yield stud_body, hole_body, T, _stud_kind(measures, narrow, placed)


def _measures(assembly: Assembly, body: int) -> BrickSystem:
    shape = assembly.bodies[body].shape
    return shape.kind.measures if isinstance(shape, BrickShape) else systems()["system"]


def _walls(holes: Fittings, body: int, mouths: Array, frame: Array, pitch: float) -> tuple[Bools, bool]:
    """(n, 4) at which sides −u, +u, −v, +v of its hole a stud has a wall, and whether the holes make one row only."""
    others = holes.points[holes.body == body]
    level = np.abs((others - mouths[0]) @ frame[:3, 2]) < SEATED_M
    apart = (others[level][None] - mouths[:, None]) @ frame[:3, :2] / pitch  # (n, m, 2)
    whole = (np.abs(apart - np.rint(apart)) < BESIDE).all(axis=2)
    field = np.rint(apart[0][whole[0]])
    narrow = bool((np.ptp(field, axis=0) == 0).any())
    beside = (np.abs(apart[:, :, None] - AXES) < BESIDE).all(axis=3) & whole[:, :, None]
    return ~beside.any(axis=1), narrow


def _rectangles(cells: Ints) -> Iterator[Ints]:
    """Numbers of cells that make up full rectangles: all of them where they do, else rectangles one after the other."""
    left = {tuple(cell): number for number, cell in enumerate(cells.tolist())}
    while left:
        x, y = first = min(left)
        length = 1
        while (x + length, y) in left:
            length += 1
        width = 1
        while all((x + step, y + width) in left for step in range(length)):
            width += 1
        yield np.array([left.pop((first[0] + i, first[1] + j)) for i in range(length) for j in range(width)])


def _frame(point: Array, along: Array, axes: Array | None) -> Array:
    """(4, 4) the frame of a joint: n along the stud, u the axis of the upper part that is most across it."""
    candidates = np.eye(3) if axes is None else axes.T
    across = candidates[int(np.argmin(np.abs(candidates @ along)))]
    u = across - (across @ along) * along
    u /= np.linalg.norm(u)
    frame = np.eye(4)
    frame[:3, 0], frame[:3, 1], frame[:3, 2], frame[:3, 3] = u, np.cross(along, u), along, point
    return frame


@lru_cache(maxsize=4096)
def _stud_kind(
    measures: BrickSystem, narrow: bool, placed: tuple[tuple[tuple[int, int], tuple[bool, bool, bool, bool]], ...]
) -> ClutchKind:
    """The kind of clutch of studs on cells from (0, 0), each with the walls beside it."""
    pitch = measures.pitch_m
    last = np.array([cell for cell, _ in placed]).max(axis=0)
    points, inward = [], []
    for cell, walls in placed:
        outward = gripped_directions(narrow, np.array(walls))
        points.append((np.array(cell) - last / 2) * pitch + measures.stud_radius_m * outward)
        inward.append(-outward)
    half = (last + 1) * pitch / 2
    return ClutchKind(measures.name, narrow, len(placed), np.concatenate(points), np.concatenate(inward), half)


@lru_cache(maxsize=1)
def _pin_kind() -> ClutchKind:
    radius = systems()["system"].stud_radius_m
    return ClutchKind("technic", True, 1, PIN_REACH_M * AXES, -AXES, np.array([radius, radius]))


def _pins(world: dict[str, Fittings], grid: Ints) -> Iterator[tuple[int, int, Array, Array]]:
    """Pins in bores, and studs in bores, which take them too."""
    for sort in ("pins", "studs"):
        for p, b in met(world[sort], world["bores"], grid).tolist():
            pins = world[sort]
            yield int(pins.body[p]), int(world["bores"].body[b]), pins.points[p], pins.directions[p]


def _axles(world: dict[str, Fittings]) -> Iterator[tuple[int, int, Array, Array]]:
    """Axles that pass the mouths of bores along their axes."""
    rods, bores = world["rods"], world["bores"]
    for r in range(len(rods)):
        half = float(np.linalg.norm(rods.directions[r]))
        axis = rods.directions[r] / half
        apart = bores.points - rods.points[r]
        along = apart @ axis
        aside = np.linalg.norm(apart - along[:, None] * axis, axis=1)
        facing = bores.directions @ axis
        inside = np.abs(along) < half + SEATED_M
        reaches = (along * np.sign(facing) > -half + AXLE_DEPTH_M) & (aside < SEATED_M) & (np.abs(facing) > STRAIGHT)
        for b in np.flatnonzero(inside & reaches & (bores.body != rods.body[r])).tolist():
            yield int(rods.body[r]), int(bores.body[b]), bores.points[b], -bores.directions[b]
