"""What a build is worth: the five figures of seed 004 (5.2), from the truth.

success     every brick of the product is at its place, attached, and no hand touches it
accuracy    the share of the product's connections, those with the plate included, that are there, in their relative
            pose and pressed home; a brick that is off by more than the window has none of its connections right
violations  the share of bricks in the building area that do not hang together with the main structure
planning, manipulation   seconds, from the log

Bricks of one kind and colour are interchangeable: which of them stands where is the assignment that serves best.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.optimize import linear_sum_assignment

from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.model.poses import about, inverse
from falsework.model.shapes import BrickShape

OFF_M, OFF_DEG = 1e-3, 1.0  # more than that from its place is not at its place: joined bricks sit to the micrometre
Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What is really there."""

    parts: tuple[Part, ...]  # with the poses that they have
    connections: frozenset[tuple[str, str]]  # names of stud part and hole part, pressed home
    touched: frozenset[str]  # by a hand
    T_world_structure: Array  # (4, 4) where the plate is
    area_m: tuple[Array, Array]  # (2,), (2,) least and greatest corner of the building area in structure coordinates
    ground: str | None = None  # the plate's name


@dataclass(frozen=True, slots=True)
class Scores:
    """What was reached of a product.

    >>> Scores(True, 1.0, 0.0, 5, 5, ()).success
    True
    """

    success: bool
    accuracy: float
    violations: float
    in_place: int
    bricks: int
    missing: tuple[str, ...]  # bricks of the product that are not in their place, or not attached


def scored(product: Assembly, truth: Truth) -> Scores:
    """The product against the truth."""
    stand_ins = _assigned(product, truth)
    right = {name for name, actual in stand_ins.items() if _is_right(product, truth, name, actual)}
    wanted = _connections(product)
    there = {_unordered(pair) for pair in truth.connections}
    made = sum(_made(pair, stand_ins, right, there, truth.ground) for pair in wanted)
    main = _main_structure(truth)
    attached = {name for name in right if stand_ins[name] in main}
    in_area = [part.name for part in truth.parts if _in_area(part, truth)]
    strays = sum(name not in main for name in in_area)
    free = not any(stand_ins[name] in truth.touched for name in right)
    missing = tuple(part.name for part in product.parts if part.name not in attached)
    return Scores(
        success=not missing and free,
        accuracy=made / len(wanted) if wanted else 1.0,
        violations=strays / len(in_area) if in_area else 0.0,
        in_place=len(attached),
        bricks=len(product.parts),
        missing=missing,
    )


def wilson(successes: int, count: int, z: float = Z95) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson).

    >>> [round(100 * one, 1) for one in wilson(29, 30)]
    [83.3, 99.4]
    """
    if count == 0:
        return 0.0, 1.0
    share = successes / count
    middle = share + z * z / (2 * count)
    half = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return max((middle - half) / scale, 0.0), min((middle + half) / scale, 1.0)


def _kind(part: Part) -> tuple[str, str | None]:
    shape = part.shape
    return (str(shape.kind) if isinstance(shape, BrickShape) else part.name), part.color


def _assigned(product: Assembly, truth: Truth) -> dict[str, str]:
    """Which actual part stands for each of the product: of the same kind and colour, nearest overall."""
    found: dict[str, str] = {}
    for kind in sorted({_kind(part) for part in product.parts}, key=str):
        wanted = [part for part in product.parts if _kind(part) == kind]
        actual = [part for part in truth.parts if _kind(part) == kind]
        if not actual:
            continue
        cost = np.array([[_cost(truth, a, b) for b in actual] for a in wanted])
        for row, column in zip(*linear_sum_assignment(cost), strict=True):
            found[wanted[row].name] = actual[column].name
    return found


def _cost(truth: Truth, wanted: Part, actual: Part) -> float:
    """Near places count, far ones are all alike, so that one brick far off moves no other."""
    distance, degrees = _difference(wanted, actual, truth.T_world_structure)
    return min(distance / OFF_M, 10.0) + min(degrees / OFF_DEG, 10.0)


def _difference(wanted: Part, actual: Part, T_world_structure: Array) -> tuple[float, float]:
    """Distance in m of the middles, and turn in degrees, by which an actual part is off."""
    goal = T_world_structure @ wanted.T_world_part
    middle = np.append(wanted.com_part_m, 1.0)
    distance = float(np.linalg.norm((goal @ middle - actual.T_world_part @ middle)[:3]))
    turned = goal[:3, :3].T @ actual.T_world_part[:3, :3]
    return distance, min(_degrees(turned @ about(2, alike)) for alike in _looks_alike(wanted))


def _looks_alike(part: Part) -> tuple[float, ...]:
    """Turns about the vertical, in degrees, after which a part is where it was."""
    if not isinstance(part.shape, BrickShape):
        return (0.0,)
    kind = part.shape.kind
    if not np.allclose(part.com_part_m[:2], np.array(kind.size_m[:2]) / 2, atol=1e-9):
        return (0.0,)  # a slope
    return (0.0, 90.0, 180.0, 270.0) if kind.length == kind.width else (0.0, 180.0)


def _degrees(turned: Array) -> float:
    return float(np.degrees(np.arccos(np.clip((np.trace(turned) - 1) / 2, -1, 1))))


def _is_right(product: Assembly, truth: Truth, name: str, actual: str) -> bool:
    """Whether a part is where it should be."""
    wanted = product.parts[product.index[name]]
    (part,) = (one for one in truth.parts if one.name == actual)
    distance, degrees = _difference(wanted, part, truth.T_world_structure)
    return distance <= OFF_M and degrees <= OFF_DEG


def _connections(product: Assembly) -> set[tuple[str, str]]:
    """Pairs of the product that a clutch joins; the plate is called by no name."""
    pairs = set()
    for a, b in interfaces(product).clutches.bodies.tolist():
        names = [product.bodies[n].name if n < len(product.parts) else "" for n in (a, b)]
        pairs.add(_unordered((names[0], names[1])))
    return pairs


def _made(
    pair: tuple[str, str],
    stand_ins: Mapping[str, str],
    right: set[str],
    there: set[tuple[str, str]],
    ground: str | None,
) -> bool:
    """Whether a connection of the product is there between the parts that stand for its ends, both in place."""
    ends = [ground if name == "" else stand_ins.get(name) for name in pair]
    placed = all(name == "" or name in right for name in pair)
    return placed and None not in ends and _unordered((str(ends[0]), str(ends[1]))) in there


def _unordered(pair: Sequence[str]) -> tuple[str, str]:
    a, b = sorted(pair)
    return a, b


def _main_structure(truth: Truth) -> set[str]:
    """What hangs together with the plate; without one, the largest piece."""
    pieces = _pieces([part.name for part in truth.parts] + ([truth.ground] if truth.ground else []), truth.connections)
    if truth.ground is not None:
        return next(piece for piece in pieces if truth.ground in piece)
    return max(pieces, key=len)


def _pieces(names: Iterable[str], pairs: Iterable[tuple[str, str]]) -> list[set[str]]:
    piece_of = {name: {name} for name in names}
    for a, b in pairs:
        if piece_of[a] is not piece_of[b]:
            merged = piece_of[a] | piece_of[b]
            for name in merged:
                piece_of[name] = merged
    return list({id(piece): piece for piece in piece_of.values()}.values())


def _in_area(part: Part, truth: Truth) -> bool:
    """Whether the middle of a part is over the building area."""
    middle = inverse(truth.T_world_structure) @ part.T_world_part @ np.append(part.com_part_m, 1.0)
    low, high = truth.area_m
    return bool((middle[:2] >= low).all() and (middle[:2] <= high).all())
