"""Parts of one shape: whichever of them lies somewhere, it is told by the next name that is left.

Files hold equal parts where they stand in the assembly, each rounded by itself. Two are equal if a rigid motion brings
the vertices of each onto the surface of the other. Where it brings them follows from their principal axes; where two of
these are alike, as of a round bar, turns about the third are tried and settled by nearest points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import product

import numpy as np

from falsework.geometry.distance.surface import Surface
from falsework.model.arrays import Array
from falsework.model.poses import inverse
from falsework.perception.parts.templates import PartModel, Twin

EQUAL = 2e-4  # of the size: further apart, two surfaces are of two shapes
ALIKE = 2e-3  # of a second moment: so near, two axes cannot be told apart
NEARLY = 0.17  # rad: two turns that are nearer may be one
STEPS, TURNS = 12, 24  # of settling, and of a turn
LOOKED_AT = 400  # vertices; all of them at the end


def each_shape_once(parts: Iterable[PartModel]) -> list[PartModel]:
    """The first part of every shape, with the others as its twins.

    >>> from falsework.model.shapes import box
    >>> bar = box((0.1, 0.03, 0.02))
    >>> [one.name for one in each_shape_once([PartModel("a", bar), PartModel("b", bar)])[0].twins]
    ['b']
    """
    kept: list[PartModel] = []
    for part in parts:
        for number, known in enumerate(kept):
            T = moved_onto(known, part)
            if T is not None:
                kept[number] = replace(known, twins=(*known.twins, Twin(part.name, T)))
                break
        else:
            kept.append(part)
    return kept


def moved_onto(one: PartModel, other: PartModel) -> Array | None:
    """(4, 4) from the frame of another part to that of one whose shape it has; None where it has another."""
    if one.surface.digest == other.surface.digest:
        return np.eye(4)
    near = EQUAL * one.surface.size_m
    for start in _starts(one, other, near):
        T = _settled(one.surface, other.surface, start)
        if _lies_on(one.surface, other.surface, T, near) and _lies_on(other.surface, one.surface, inverse(T), near):
            return T
    return None


def is_symmetry(part: PartModel, T: Array) -> bool:
    """Whether a part that is moved so (4, 4), give or take a little, looks as before: its middle is where it was."""
    if any((np.trace(T[:3, :3].T @ turn) - 1) / 2 > np.cos(NEARLY) for turn in _symmetries(part)):
        return True
    start = np.array(T)
    start[:3, 3] = part.middle_m - start[:3, :3] @ part.middle_m
    settled = _settled(part.surface, part.surface, start)
    return _lies_on(part.surface, part.surface, settled, EQUAL * part.surface.size_m)


@lru_cache(maxsize=64)
def _symmetries(part: PartModel) -> tuple[Array, ...]:
    """(3, 3) turns about its axes that leave it as it is: from a few degrees off, nearest points do not lead there."""
    near = EQUAL * part.surface.size_m
    starts = [T for T in _starts(part, part, near) if np.trace(T[:3, :3]) < 3 - 1e-9]
    settled = (_settled(part.surface, part.surface, T) for T in starts)
    return tuple(T[:3, :3] for T in settled if _lies_on(part.surface, part.surface, T, near))


def same_outside(part: PartModel, T: Array, near_m: float) -> Array | None:
    """(4, 4) the motion nearest to this one that leaves a part's hull where it is, to `near_m`; None if none does."""
    settled = _settled(part.outside, part.outside, T)
    return settled if _lies_on(part.outside, part.outside, settled, near_m) else None


def _starts(one: PartModel, other: PartModel, near: float) -> Iterator[Array]:
    """Motions that bring middle to middle and axes to axes."""
    (lengths, axes), (others, other_axes) = one.principal_axes, other.principal_axes
    if np.abs(lengths - others).max() > 2 * near:
        return
    single = _single_axis(lengths)
    turns = np.arange(1 if single is None else TURNS) * 2 * np.pi / TURNS
    for flips, turn in product(((1, 1), (1, -1), (-1, 1), (-1, -1)), turns):
        mirror = np.diag([*flips, 1.0])
        mirror[2, 2] = np.linalg.det(axes) * np.linalg.det(other_axes) * flips[0] * flips[1]
        about = np.eye(3) if single is None else _about(single, turn)
        T = np.eye(4)
        T[:3, :3] = axes @ about @ mirror @ other_axes.T
        T[:3, 3] = one.middle_m - T[:3, :3] @ other.middle_m
        yield T


def _single_axis(lengths: Array) -> int | None:
    """The axis about which a part may be turned without a change of its moments; None where there is none."""
    for axis in range(3):
        first, second = np.delete(lengths, axis)
        if abs(first - second) < ALIKE * lengths.max():
            return axis
    return None


def _about(axis: int, angle: float) -> Array:
    R = np.eye(3)
    first, second = (axis + 1) % 3, (axis + 2) % 3
    R[first, first] = R[second, second] = np.cos(angle)
    R[first, second], R[second, first] = -np.sin(angle), np.sin(angle)
    return R


def _settled(one: Surface, other: Surface, T: Array) -> Array:
    """Moved so that vertices of the other come to lie on the one, by nearest points."""
    points = other.vertices[:: max(1, len(other.vertices) // LOOKED_AT)]
    for _ in range(STEPS):
        placed = points @ T[:3, :3].T + T[:3, 3]
        goals = one.unsigned(placed).points
        here, there = placed.mean(axis=0), goals.mean(axis=0)
        U, _, V = np.linalg.svd((placed - here).T @ (goals - there))
        step = np.eye(4)
        step[:3, :3] = V.T @ np.diag([1.0, 1.0, np.linalg.det(V.T @ U.T)]) @ U.T
        step[:3, 3] = there - step[:3, :3] @ here
        T = step @ T
    return T


def _lies_on(one: Surface, other: Surface, T: Array, near: float) -> bool:
    """Whether all vertices of the other are on the surface of the one."""
    placed = other.vertices @ T[:3, :3].T + T[:3, 3]
    return bool(one.unsigned(placed).distances.max() < near)
