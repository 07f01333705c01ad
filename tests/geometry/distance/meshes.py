"""Surfaces for the tests of this room: balls, threads, gears, broken ones."""

from __future__ import annotations

import numpy as np

from falsework.geometry.distance.surface import Surface
from falsework.model.arrays import Array, Ints


def ball(rings: int = 14, around: int = 17, axes: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Surface:
    """An ellipsoid of facets."""
    polar, turned = np.linspace(0, np.pi, rings + 1)[1:-1], np.linspace(0, 2 * np.pi, around, endpoint=False)
    t, p = np.meshgrid(polar, turned, indexing="ij")
    belt = np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], axis=-1).reshape(-1, 3)
    vertices = np.concatenate([belt, [[0, 0, 1], [0, 0, -1]]]) * np.array(axes)
    return Surface(vertices, _tube(rings - 1, around, capped=True))


def _tube(rows: int, around: int, *, capped: bool, rise: int = 0, threaded: int = 0) -> Ints:
    """Triangles between rows of corners, each a ring; two more corners cap them, above the first, below the last.

    Of the first `threaded` rows each goes on, once around, as the one `rise` rows further.
    """
    i, j = (array.ravel() for array in np.meshgrid(np.arange(rows - 1), np.arange(around), indexing="ij"))

    def beside(row: Ints) -> Ints:
        further = np.where(row < threaded, np.minimum(row + rise, threaded - 1), row)
        return np.where(j + 1 < around, row * around + j + 1, further * around)

    a, b, c, d = i * around + j, (i + 1) * around + j, beside(i + 1), beside(i)
    sides = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    if not capped:
        return sides
    k = np.arange(around)
    last, top, bottom = (rows - 1) * around, rows * around, rows * around + 1
    over = np.stack([np.full(around, top), k, (k + 1) % around], axis=1)
    under = np.stack([np.full(around, bottom), last + (k + 1) % around, last + k], axis=1)
    return np.concatenate([sides, over, under])


def _threaded(length: float, pitch: float, profile: Array, around: int) -> tuple[Array, int]:
    """(rows, around, 3) corners of a thread from z = 0 to its length; rows run along the helix, cut off at both ends.

    `profile` (k, 2): heights within one pitch, in shares of it, and radii there.
    """
    turns = int(np.ceil(length / pitch)) + 4
    phases = (np.arange(turns)[:, None] + profile[None, :, 0]).ravel() - 2.0
    share = np.arange(around) / around
    raw = pitch * (phases[:, None] + share[None, :])
    z = np.clip(raw, 0.0, length)
    knots = np.append(profile[:, 0], 1.0 + profile[0, 0])
    within = (z / pitch - share - profile[0, 0]) % 1.0 + profile[0, 0]
    exact = np.broadcast_to(np.tile(profile[:, 1], turns)[:, None], z.shape)
    radii = np.where(z == raw, exact, np.interp(within, knots, np.append(profile[:, 1], profile[0, 1])))
    angle = 2 * np.pi * share
    return np.stack([radii * np.cos(angle), radii * np.sin(angle), z], axis=-1), len(z)


def _whole(vertices: Array, faces: Ints) -> Surface:
    """Without faces that have no area, corners in one place as one."""
    places, number = np.unique(np.round(vertices, 12), axis=0, return_inverse=True)
    faces = number.reshape(-1)[faces]
    real = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return Surface(places, faces[real])


def _profile(radius: float, pitch: float, flanks: int) -> Array:
    """Of a 60° thread with flats of an eighth of the pitch on top and a quarter at its foot."""
    depth = 0.625 * np.cos(np.pi / 6) * pitch
    rise = np.linspace(0.0, 1.0, flanks + 1)
    up = np.stack([0.25 + 0.3125 * rise, radius - depth * (1 - rise)], axis=1)
    down = np.stack([0.6875 + 0.3125 * rise, radius - depth * rise], axis=1)
    return np.concatenate([up, down])


def bolt(radius: float, pitch: float, length: float, around: int = 48, flanks: int = 1) -> Surface:
    """A threaded rod along z, from 0 up."""
    profile = _profile(radius, pitch, flanks)
    rows, count = _threaded(length, pitch, profile, around)
    vertices = np.concatenate([rows.reshape(-1, 3), [[0, 0, 0], [0, 0, length]]])
    return _whole(vertices, _tube(count, around, capped=True, rise=len(profile), threaded=count)[:, ::-1])


def nut(
    radius: float, pitch: float, length: float, play: float, around: int = 48, flanks: int = 1, outer: float = 1.8
) -> Surface:
    """A round nut for that bolt, its thread wider by `play` all around, from 0 up."""
    profile = _profile(radius, pitch, flanks)
    profile[:, 1] += play * 2.0  # radial: half of it is what flanks of 30° have between them
    rows, count = _threaded(length, pitch, profile, around)
    angle = 2 * np.pi * np.arange(around) / around
    ring = outer * radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    rims = [np.column_stack([ring, np.full(around, z)]) for z in (length, 0.0)]
    vertices = np.concatenate([rows.reshape(-1, 3), *rims, rows[0]])
    return _whole(vertices, _tube(count + 3, around, capped=False, rise=len(profile), threaded=count))
