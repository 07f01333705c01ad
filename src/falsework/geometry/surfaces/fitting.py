"""Cylinders, cones and spheres through the corners of flat facets.

The corners of a tessellated surface lie on it. So does the right form through them, to rounding, and the normals of
its facets show its axis: those of a cylinder are square to it, those of a cone lean by the same angle. Where facets do
not run along the axis that is only nearly so, and a few steps of Gauss' and Newton's method follow. A surface of many
facets is fitted thousands of forms to, few of which fit: there machine code does the same (`compiled_fitting`).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from falsework.geometry.shapes.planes import plane_axes, unit
from falsework.geometry.surfaces.forms import Form, Round
from falsework.model.arrays import Array

STEPS = 6  # of Gauss' and Newton's method
NEARER = 0.5  # of what is left is left after a step, at most
FLAT_CONE = 1e-3  # rad: narrower cones are cylinders, wider ones planes
WEAK = 1e-10  # of the largest singular value: what weighs less is not determined
MENDED = 1.0  # times as far as facets are off a first form may corners be, and it is worth mending
ON_IT = 0.01  # of how far facets are off a form: how far their corners may be off it
KINDS: tuple[Round, ...] = ("cylinder", "cone", "sphere")  # two rings of corners are on all three: the simplest first


class Seen(NamedTuple):
    """What is seen of some facets."""

    corners: Array  # (n, 3) all of theirs, each once
    normals: Array  # (f, 3)
    areas: Array  # (f,)
    centres: Array  # (f, 3)


def fitted(kind: Round, seen: Seen, exact_m: float, many: bool) -> Form | None:
    """A form of a kind through the corners of facets, if they lie on it; `many`: it is worth loading machine code."""
    if many and compiles():
        from falsework.geometry.surfaces import compiled_fitting  # it needs the extra `fast`

        row = compiled_fitting.fitted(KINDS.index(kind), *seen, exact_m)
        return None if np.isnan(row[0]) else Form(kind, row[:3], row[3:6], float(row[6]), float(row[7]))
    form = _THROUGH[kind](*seen)
    if form is None:
        return None
    off = float(np.abs(form.heights(seen.corners)).max())
    if exact_m < off <= MENDED * float(np.abs(form.heights(seen.centres)).max()) + exact_m:
        form = refined(form, seen.corners)
        off = float(np.abs(form.heights(seen.corners)).max())
    return form if off <= allowed(form, seen.centres, exact_m) else None


def allowed(form: Form, centres: Array, exact_m: float) -> float:
    """How far corners may be off a form on which facets with such centres (f, 3) are."""
    return max(2 * exact_m, ON_IT * float(np.median(np.abs(form.heights(centres)))))


@cache
def compiles() -> bool:
    """Whether machine code can be made here."""
    return importlib.util.find_spec("numba") is not None


def sphere_through(corners: Array, normals: Array, weights: Array, centres: Array) -> Form | None:
    """|x|² = 2 c·x + k is linear in the centre c."""
    middle = corners.mean(axis=0)
    arms = corners - middle
    rows = np.column_stack([2 * arms, np.ones(len(arms))])
    found, _, rank, _ = np.linalg.lstsq(rows, (arms * arms).sum(axis=1), rcond=WEAK)
    squared = float(found[3] + found[:3] @ found[:3])
    if rank < 4 or not squared > 0:
        return None
    return Form("sphere", middle + found[:3], np.array([0.0, 0.0, 1.0]), float(np.sqrt(squared)))


def cylinder_through(corners: Array, normals: Array, weights: Array, centres: Array) -> Form | None:
    """Its axis is the way that all normals are square to; a circle goes through what is seen along it."""
    _, vectors = np.linalg.eigh((normals * weights[:, None]).T @ normals)
    axis = vectors[:, 0]
    u, v = (way[0] for way in plane_axes(axis[None]))
    middle = corners.mean(axis=0)
    flat = (corners - middle) @ np.stack([u, v], axis=1)
    rows = np.column_stack([2 * flat, np.ones(len(flat))])
    found, _, rank, _ = np.linalg.lstsq(rows, (flat * flat).sum(axis=1), rcond=WEAK)
    squared = float(found[2] + found[:2] @ found[:2])
    if rank < 3 or not squared > 0:
        return None
    return Form("cylinder", middle + found[0] * u + found[1] * v, axis, float(np.sqrt(squared)))


def cone_through(corners: Array, normals: Array, weights: Array, centres: Array) -> Form | None:
    """All normals lean alike from its axis, and all its tangent planes go through the apex."""
    mean = weights @ normals / weights.sum()
    _, vectors = np.linalg.eigh(((normals - mean) * weights[:, None]).T @ (normals - mean))
    axis = vectors[:, 0]
    middle = corners.mean(axis=0)
    offsets = ((centres - middle) * normals).sum(axis=1)
    arm, _, rank, _ = np.linalg.lstsq(normals, offsets, rcond=WEAK)
    if rank < 3:
        return None
    apex = middle + arm
    along = (corners - apex) @ axis
    if along.sum() < 0:
        axis, along = -axis, -along
    across = np.linalg.norm(corners - apex - along[:, None] * axis, axis=1)
    half = float(np.arctan2(across.sum(), along.sum()))
    if not FLAT_CONE < half < 0.5 * np.pi - FLAT_CONE:
        return None
    return Form("cone", apex, axis, 0.0, half)


def refined(form: Form, corners: Array) -> Form:
    """The form nearest to corners, from one that is near; the better of the two."""
    best, worst = form, float(np.abs(form.heights(corners)).max())
    size = float(np.linalg.norm(np.ptp(corners, axis=0)))
    for _ in range(STEPS):
        form = _STEP[form.kind](form, corners, size)
        if not np.isfinite(form.point).all() or (form.kind != "cone" and not form.radius_m > 0):
            break
        left = float(np.abs(form.heights(corners)).max())
        if not left < worst:
            break
        slow = left > NEARER * worst
        best, worst = form, left
        if slow:  # near what goes through all corners each step gets much nearer
            break
    return best


def _solved(rows: Array, heights: Array) -> Array:
    return np.asarray(np.linalg.lstsq(rows, -heights, rcond=WEAK)[0], dtype=np.float64)


def _sphere_step(form: Form, corners: Array, size: float) -> Form:
    rows = np.column_stack([-form.outward(corners), -np.ones(len(corners))])
    step = _solved(rows, form.heights(corners))
    return form._replace(point=form.point + step[:3], radius_m=form.radius_m + float(step[3]))


def _cylinder_step(form: Form, corners: Array, size: float) -> Form:
    base = corners.mean(axis=0)
    form = form._replace(point=form.point + ((base - form.point) @ form.axis) * form.axis)  # turned about the middle
    sides = np.stack([way[0] for way in plane_axes(form.axis[None])], axis=1)  # (3, 2)
    radial = form.outward(corners) @ sides
    along = (corners - form.point) @ form.axis
    rows = np.column_stack([-radial, -radial * (along / size)[:, None], -np.ones(len(corners))])
    step = _solved(rows, form.heights(corners))
    axis = unit(form.axis + sides @ step[2:4] / size)
    return form._replace(point=form.point + sides @ step[:2], axis=axis, radius_m=form.radius_m + float(step[4]))


def _cone_step(form: Form, corners: Array, size: float) -> Form:
    sides = np.stack([way[0] for way in plane_axes(form.axis[None])], axis=1)
    arms = corners - form.point
    along = arms @ form.axis
    across = np.linalg.norm(arms - along[:, None] * form.axis, axis=1)
    normals = form.outward(corners)
    radial = unit(arms - along[:, None] * form.axis) @ sides
    sine, cosine = np.sin(form.half_angle_rad), np.cos(form.half_angle_rad)
    turn = -(cosine * along + sine * across)
    rows = np.column_stack([-normals, radial * (turn / size)[:, None], turn / size])
    step = _solved(rows, form.heights(corners))
    axis = unit(form.axis + sides @ step[3:5] / size)
    half = float(np.clip(form.half_angle_rad + step[5] / size, FLAT_CONE, 0.5 * np.pi - FLAT_CONE))
    return form._replace(point=form.point + step[:3], axis=axis, half_angle_rad=half)


_STEP: dict[str, Callable[[Form, Array, float], Form]] = {
    "sphere": _sphere_step,
    "cylinder": _cylinder_step,
    "cone": _cone_step,
}
_THROUGH: dict[str, Callable[[Array, Array, Array, Array], Form | None]] = {
    "sphere": sphere_through,
    "cylinder": cylinder_through,
    "cone": cone_through,
}
