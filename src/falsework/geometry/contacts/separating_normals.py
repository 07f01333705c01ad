"""Along which directions two convex cones with a common apex can be kept apart.

A normal n, from the first into the second, has the first behind it and the second before it. All such normals form a
convex cone, whose outermost ones are normals of a facet of either, or normal to a way of each. One normal alone is what
a contact has in general; where there are more, the contact is ambiguous.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from falsework.geometry.contacts.corner_cones import Cones
from falsework.geometry.shapes.planes import TINY, cross, unit
from falsework.geometry.shapes.runs import rows_of, starts_of
from falsework.model.arrays import Array, Bools, Ints

LEAN = 1e-2  # rad: the most by which a way may lie on the wrong side of a normal
LEAST_LEAN = 1e-6  # rad: what rounding may do
SQUARE = 1e-4  # sine between ways below which they have no common normal
SAME = 1e-3  # rad: normals that differ less are one
CHUNK = 4_000_000  # products made together, to bound memory


def lean_of(sinks_m: Array, reach_m: Array) -> Array:
    """How far ways of some length may lean to the wrong side, rad: their ends by no more than the sinks."""
    return np.clip(sinks_m / np.maximum(reach_m, TINY), LEAST_LEAN, LEAN)


def separating_normals(cones: Cones, pairs: Ints, sinks_m: Array) -> tuple[Ints, Array]:
    """For pairs (k, 2) of cones the outermost normals, as runs: one where it is unique, none where they share space.

    `sinks_m` (k,): how far the end of a way may be on the wrong side.
    """
    owners, found = [np.zeros(0, dtype=np.int64)], [np.zeros((0, 3))]
    for rows in _alike(cones, pairs):
        normals, usable = _candidates(cones, pairs[rows], sinks_m[rows])
        row, column = np.nonzero(_distinct(normals, usable))
        owners.append(rows[row])
        found.append(normals[row, column])
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    return starts_of(np.bincount(owner, minlength=len(pairs))), np.concatenate(found)[order]


def holds(cones: Cones, pairs: Ints, normals: Array) -> Bools:
    """(k,) whether normals (k, 3) keep pairs (k, 2) of cones apart."""
    apart = np.ones(len(pairs), dtype=bool)
    for side, sign in ((0, 1.0), (1, -1.0)):
        rows, which = rows_of(cones.starts, pairs[:, side])
        np.logical_and.at(apart, which, sign * (cones.ways[rows] * normals[which]).sum(axis=1) <= LEAN)
    return apart


def _alike(cones: Cones, pairs: Ints) -> Iterator[Ints]:
    """Rows of pairs whose cones have as many ways and facets as each other's, not too many at a time."""
    sizes = np.stack([np.diff(cones.starts), np.diff(cones.normal_starts)], axis=1)[pairs].reshape(len(pairs), 4)
    shapes, group = np.unique(sizes, axis=0, return_inverse=True)
    for number, (a, f, b, g) in enumerate(shapes.tolist()):
        rows = np.flatnonzero(group.ravel() == number)
        candidates = f + g + 2 * a * b
        yield from np.array_split(rows, 1 + len(rows) * candidates * candidates // CHUNK)


def _candidates(cones: Cones, pairs: Ints, sinks_m: Array) -> tuple[Array, Bools]:
    """Every direction (k, c, 3) that may be an outermost normal, and whether it keeps the cones apart."""
    ways, reaches, facing = [], [], []
    for side in (0, 1):
        rows, _ = rows_of(cones.starts, pairs[:, side])
        ways.append(cones.ways[rows].reshape(len(pairs), -1, 3))
        reaches.append(cones.reach_m[rows].reshape(len(pairs), -1))
        rows, _ = rows_of(cones.normal_starts, pairs[:, side])
        facing.append(cones.normals[rows].reshape(len(pairs), -1, 3))
    crossed = cross(ways[0][:, :, None], ways[1][:, None]).reshape(len(pairs), -1, 3)
    skew = (crossed * crossed).sum(axis=2) > SQUARE**2
    crossed = unit(crossed)
    normals = np.concatenate([facing[0], -facing[1], crossed, -crossed], axis=1)
    usable = np.ones(normals.shape[:2], dtype=bool)
    usable[:, facing[0].shape[1] + facing[1].shape[1] :] = np.concatenate([skew, skew], axis=1)
    for side, sign in ((0, 1.0), (1, -1.0)):
        lean = lean_of(sinks_m[:, None], reaches[side])
        along = sign * (normals @ ways[side].transpose(0, 2, 1))  # (k, c, m)
        usable &= (along <= lean[:, None, :]).all(axis=2)
    return normals, usable


def _distinct(normals: Array, usable: Bools) -> Bools:
    """(k, c) the usable normals of each row that differ: one alone, the most central, where they hardly do."""
    mean = unit((normals * usable[..., None]).sum(axis=1))
    along = np.where(usable, np.einsum("kci,ki->kc", normals, mean), np.inf)
    single = along.min(axis=1, initial=np.inf) > np.cos(SAME)
    alike = (normals @ normals.transpose(0, 2, 1) > np.cos(SAME)) & usable[:, None, :] & usable[:, :, None]
    first: Bools = usable & (alike.argmax(axis=2) == np.arange(normals.shape[1]))
    central = np.where(np.isfinite(along), along, -np.inf).argmax(axis=1)
    first[single] = False
    alone = np.flatnonzero(single & usable.any(axis=1))
    first[alone, central[alone]] = True
    return first
