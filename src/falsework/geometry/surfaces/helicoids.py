"""Flanks of threads: surfaces that a straight line sweeps when it is screwed along an axis.

In cylindrical coordinates about the axis, z = climb · turn + slope · radius, once each turn: a flank is where z − climb
· turn − slope · radius is a whole number of pitches. Its screw motion is found first, as the one along which all
normals see nothing move (slippage), or about the axis of the cone that they lie on; then the rest by Gauss' and
Newton's method on the corners.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from falsework.geometry.shapes.planes import TINY, cross, plane_axes, unit
from falsework.model.arrays import Array, Ints
from falsework.model.surfaces import Primitive

STEPS = 15  # of Gauss' and Newton's method
PATIENT = 4  # of them that together do not halve what is left lead nowhere, or have arrived
STRAIGHT = 1e-3  # of the radius a turn: what climbs less is a ring, and
STEEP = 20.0  # what climbs more an extrusion


class Helicoid(NamedTuple):
    """A flank without bounds: turns are measured from `side`, heights from `point`."""

    kind: Literal["thread"]
    point: Array  # (3,) on the axis
    axis: Array  # (3,) unit
    side: Array  # (3,) unit, square to the axis
    climb_m: float  # along the axis for each radian; negative: a left-hand thread
    slope: float  # along the axis for each metre of radius

    @property
    def pitch_m(self) -> float:
        return 2 * np.pi * self.climb_m

    def round_about(self, points: Array) -> tuple[Array, Array, Array]:
        """(n,) radius, turn and height of points (n, 3)."""
        arms = points - self.point
        x, y = arms @ self.side, arms @ cross(self.axis, self.side)
        return np.hypot(x, y), np.arctan2(y, x), arms @ self.axis

    def above(self, points: Array) -> Array:
        """(n,) how far along the axis points (n, 3) are from the nearest turn of the flank."""
        radius, turn, height = self.round_about(points)
        off = height - self.climb_m * turn - self.slope * radius
        pitch = abs(self.pitch_m)
        nearest: Array = off - pitch * np.round(off / pitch)
        return nearest

    def heights(self, points: Array) -> Array:
        """(n,) the same, square to the flank."""
        return np.asarray(self.above(points) * (self.outward(points) @ self.axis))

    def outward(self, points: Array) -> Array:
        """(n, 3) unit normals of the flanks through points (n, 3), up the axis."""
        arms = points - self.point
        radial = arms - (arms @ self.axis)[:, None] * self.axis
        radius = np.maximum(np.linalg.norm(radial, axis=1), TINY)
        radial = radial / radius[:, None]
        around = cross(self.axis[None], radial)
        return unit(self.axis - (self.climb_m / radius)[:, None] * around - self.slope * radial)

    def wound(self, points: Array) -> Array:
        """(n,) which turn of the flank points (n, 3) of it are on: unlike `round_about`, all turns counted."""
        radius, _, height = self.round_about(points)
        turns: Array = (height - self.slope * radius) / self.climb_m
        return turns

    def moved(self, pose: Array) -> Helicoid:
        """In the frame that a pose (4, 4) maps to."""
        turn = pose[:3, :3]
        return self._replace(point=turn @ self.point + pose[:3, 3], axis=turn @ self.axis, side=turn @ self.side)


def helicoid_of(primitive: Primitive) -> Helicoid:
    """The flank of a thread, turns measured from a way that its axis tells."""
    side = plane_axes(primitive.axis[None])[0][0]
    return Helicoid("thread", primitive.point, primitive.axis, side, primitive.pitch_m / (2 * np.pi), primitive.slope)


def helicoids_through(corners: Array, normals: Array, weights: Array, centres: Array) -> Iterator[Helicoid]:
    """Flanks near to corners, seen by the normals of facets: by slippage, and by the cone that its normals lie on."""
    middle = corners.mean(axis=0)
    arms = centres - middle
    for spin, shift in (_slipping(arms, normals, weights), _along_a_cone(arms, normals, weights)):
        speed = float(np.linalg.norm(spin))
        if speed < 1e-6:
            continue
        axis, climb = spin / speed, float(shift @ spin) / speed**2
        point = middle + cross(spin, shift) / speed**2
        radius = float(np.linalg.norm(cross(corners - point, axis[None]), axis=1).max())
        if STRAIGHT * radius < abs(2 * np.pi * climb) < STEEP * radius:
            yield _polished(_levelled(axis, point, climb, corners), corners)


def _slipping(arms: Array, normals: Array, weights: Array) -> tuple[Array, Array]:
    """The screw along which normals see the least move, as a turn and a shift of the middle."""
    size = float(np.linalg.norm(arms, axis=1).max())
    rows = np.concatenate([normals, cross(arms / size, normals)], axis=1)
    _, vectors = np.linalg.eigh((rows * weights[:, None]).T @ rows)
    return vectors[3:, 0], size * vectors[:3, 0]


def _along_a_cone(arms: Array, normals: Array, weights: Array) -> tuple[Array, Array]:
    """The same about the axis to which normals keep their angle: where a few coarse turns seem to slip otherwise."""
    roots = np.sqrt(weights / weights.sum())
    spread = roots[:, None] * (normals - np.average(normals, axis=0, weights=weights))
    axis: Array = np.linalg.eigh(spread.T @ spread)[1][:, 0]
    moved = (normals * cross(axis[None], arms)).sum(axis=1)
    shift: Array = np.linalg.lstsq(roots[:, None] * normals, -roots * moved, rcond=None)[0]
    return axis, shift


def _levelled(axis: Array, point: Array, climb: float, corners: Array) -> Helicoid:
    """With slope and height from corners; over the width of a flank these are within half a pitch of each other."""
    made = Helicoid("thread", point, axis, plane_axes(axis[None])[0][0], climb, 0.0)
    radius, turn, height = made.round_about(corners)
    phase = (height - climb * turn) / climb
    mean = float(np.angle(np.exp(1j * phase).sum()))
    off = climb * (np.mod(phase - mean + np.pi, 2 * np.pi) - np.pi)
    (slope, rest), *_ = np.linalg.lstsq(np.column_stack([radius, np.ones(len(radius))]), off, rcond=None)
    return made._replace(point=point + (climb * mean + float(rest)) * axis, slope=float(slope))


def _polished(form: Helicoid, corners: Array) -> Helicoid:
    """The flank nearest to most corners: all count by how near they are, as where a thread was cut off some are not."""
    first, best, least = form, form, np.inf
    size = float(np.linalg.norm(np.ptp(corners, axis=0)))
    units = np.array([size, size, 1.0, 1.0, abs(form.climb_m), 1.0, abs(form.climb_m)])
    leasts: list[float] = []
    for _ in range(STEPS):
        here = form.above(corners)
        off = float(np.median(np.abs(here)))
        if off < least:
            best, least = form, off
        leasts.append(least)
        if len(leasts) > PATIENT and least > 0.5 * leasts[-1 - PATIENT]:
            break
        weights = 1 / np.sqrt(np.abs(here) + off + 1e-12 * size)
        slopes = _slopes(form, corners) * units
        step = np.linalg.lstsq(slopes * weights[:, None], -here * weights, rcond=1e-12)[0]
        form = _nudged(form, np.clip(step, -0.05, 0.05) * units)
        if not 0.7 < form.climb_m / first.climb_m < 1.4:  # with no pitch all would be near
            break
    return best


def _slopes(form: Helicoid, corners: Array) -> Array:
    """(n, 7) how `above` changes with what `_nudged` changes."""
    arms = corners - form.point
    x, y, z = arms @ form.side, arms @ cross(form.axis, form.side), arms @ form.axis
    radius = np.maximum(np.hypot(x, y), TINY)
    by_x = form.climb_m * y / radius**2 - form.slope * x / radius  # of −climb · turn − slope · radius
    by_y = -form.climb_m * x / radius**2 - form.slope * y / radius
    turn, one = np.arctan2(y, x), np.ones(len(x))
    turns = 2 * np.pi * np.round((z - form.climb_m * turn - form.slope * radius) / form.pitch_m)  # of the flank, below
    return np.stack([-by_x, -by_y, x - z * by_x, y - z * by_y, -turn - turns, -radius, -one], axis=1)


def _nudged(form: Helicoid, change: Array) -> Helicoid:
    """Shifted across, leaned, with another climb and slope, and shifted along, by so much (7,)."""
    across = cross(form.axis, form.side)
    axis = unit(form.axis + change[2] * form.side + change[3] * across)
    side = unit(form.side - (form.side @ axis) * axis)
    point = form.point + change[0] * form.side + change[1] * across + change[6] * form.axis
    return Helicoid("thread", point, axis, side, form.climb_m + float(change[4]), form.slope + float(change[5]))


def as_primitive(form: Helicoid, out: bool, triangles: Ints) -> Primitive:
    """The flank as data; turns measured as `helicoid_of` does."""
    side = plane_axes(form.axis[None])[0][0]
    turn = float(np.arctan2(side @ cross(form.axis, form.side), side @ form.side))
    point = form.point + form.climb_m * turn * form.axis
    return Primitive("thread", point, form.axis, triangles, pitch_m=form.pitch_m, slope=form.slope, convex=out)
