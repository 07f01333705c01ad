"""In which small motions a part slides along what it touches, without leaving it or entering it.

The motions that no contact feels are the small eigenvectors of Σ row·rowᵀ over the contacts' rows (Gelfand and Guibas,
Shape segmentation using local slippage analysis): of a shaft its shift and its turn, of a thread its screw, with the
pitch. Where several are free, any mixture is an eigenvector, so shifts and turns are taken apart.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.ways.surfaces.touching import Limits
from falsework.model.arrays import Array

FREE = 0.02  # of the largest eigenvalue's root, squared mean row: what contacts feel less of is free
PURE = 0.05  # of a unit twist: less turn than this is none
LEAST_ROWS = 4
MANY = 300  # rows of faces that tell a twist well
ENOUGH = 50  # rows of faces, beside which edges say nothing more
EDGE_WEIGHT = 0.1  # of a mean area, for what touches at an edge
SAME = 1 - 1e-3  # cosine between twists


def free_twists(near: Limits, scales_m: tuple[float, ...]) -> Array:
    """(k, 6) unit twists, both ways, that contacts within each of the scales leave free; those of the least first.

    Contacts at several gaps: a fit with play has its walls at different distances.
    """
    found: list[tuple[Array, int]] = []
    counted = -1
    for scale in scales_m:
        touching = near.within(scale)
        if len(touching.gaps) < LEAST_ROWS or len(touching.gaps) == counted:
            continue
        counted = len(touching.gaps)
        found += [(twist, int((touching.weights > 0).sum())) for twist in _apart(_unfelt(touching))]
    kept: list[tuple[Array, int]] = []
    for twist, told in found:  # of those that are nearly the same the first that enough contacts tell
        same = [k for k, (other, _) in enumerate(kept) if abs(float(twist @ other)) > SAME]
        if not same:
            kept.append((twist, told))
        elif kept[same[0]][1] < MANY:
            kept[same[0]] = twist, told
    return np.array([sign * twist for twist, _ in kept for sign in (1.0, -1.0)]).reshape(-1, 6)


def _unfelt(near: Limits) -> Array:
    """(6, m) an orthonormal basis of what the rows do not feel; at least the direction that they feel the least."""
    mean = float(near.weights.max(initial=0.0)) or 1.0
    edge = 0.0 if (near.weights > 0).sum() >= ENOUGH else EDGE_WEIGHT * mean
    weights = np.where(near.weights > 0, near.weights, edge)
    felt = (near.felt * weights[:, None]).T @ near.felt / weights.sum()
    values, vectors = np.linalg.eigh(felt)
    count = max(1, int((values <= FREE**2 * values[-1]).sum()))
    basis: Array = vectors[:, :count]
    return basis


def _apart(basis: Array) -> list[Array]:
    """Unit twists that span a space: pure shifts, and turns with no more shift than they need."""
    _, turns, mixing = np.linalg.svd(basis[3:], full_matrices=True)
    size = np.zeros(basis.shape[1])
    size[: len(turns)] = turns
    mixed = basis @ mixing.T  # the columns that turn the most come first
    shifts = [column / np.linalg.norm(column) for column, turn in zip(mixed.T, size, strict=True) if turn <= PURE]
    found = list(shifts)
    for column, turn in zip(mixed.T, size, strict=True):
        if turn > PURE:
            for shift in shifts:
                column = column - (column @ shift) * shift
            found.append(column / np.linalg.norm(column))
    return found
