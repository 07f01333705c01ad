"""Several views of one brick: each is off with its camera, so each counts as much as its camera is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.model.arrays import Array
from falsework.perception.locator.edge_rows import POINT_PX

_NONE = 1e-9  # of what is known: so much is added where nothing is


def with_its_camera(known: Array, right: Array, camera: Array) -> tuple[Array, Array]:
    """The normal equations A (3, 3), g (3,) of one view's outline, in px, less what its camera may be off by.

    An outline that says g = A·x with variance A⁻¹·σ² says it of where the camera puts the brick; of the brick itself
    with A⁻¹·σ² + C, where C is the `camera`'s covariance (3, 3) there. That is M·A·x = M·g with M = (1 + A·C/σ²)⁻¹,
    also where A has no inverse.
    """
    less = _less(known, camera)
    return less @ known, less @ right


def fused(known: Sequence[Array], cameras: Sequence[Array]) -> tuple[Array, Array]:
    """(information (3, 3) in 1/px² on where all views have the brick, covariance (3, 3) by all their cameras).

    Weighed as `with_its_camera` has it, by W = T⁻¹·M·A with T = Σ M·A, outlines leave σ²·T⁻¹·(Σ M·A·Mᵀ)·T⁻¹ and the
    cameras, each of which errs by itself, Σ W·C·Wᵀ.

    >>> one = np.eye(3)
    >>> fused([one, one], [np.zeros((3, 3))] * 2)[0].round(6).diagonal().tolist()
    [2.0, 2.0, 2.0]
    >>> fused([one, one], [one, one])[1].round(6).diagonal().tolist()
    [0.5, 0.5, 0.5]
    """
    least = _NONE * np.diag(np.maximum(np.sum([np.diag(one) for one in known], axis=0), 1e-3))
    parts = [_less(one, camera) for one, camera in zip(known, cameras, strict=True)]
    total = np.sum([less @ one for less, one in zip(parts, known, strict=True)], axis=0) + least
    left = np.sum([less @ one @ less.T for less, one in zip(parts, known, strict=True)], axis=0) + least
    weights = [np.linalg.solve(total, less @ one + least / len(known)) for less, one in zip(parts, known, strict=True)]
    shared = np.sum([one @ camera @ one.T for one, camera in zip(weights, cameras, strict=True)], axis=0)
    return np.asarray(total @ np.linalg.solve(left, total)), np.asarray(shared)


def _less(known: Array, camera: Array) -> Array:
    return np.asarray(np.linalg.inv(np.eye(3) + known @ camera / POINT_PX**2))
