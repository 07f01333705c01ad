"""The least rectangle around points, as of a face that is seen from above."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array


def least_rectangle(points: Array) -> tuple[Array, Array, Array]:
    """Middle (2,), sides (2,) and axes (2, 2) of the least rectangle around points (n, 2), stray ones left out."""
    best: tuple[float, Array, Array, Array] | None = None
    for angle in np.deg2rad(np.arange(0.0, 90.0, 1.0)):
        axes = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        low, high = np.quantile(points @ axes.T, (0.01, 0.99), axis=0)
        area = float(np.prod(high - low))
        if best is None or area < best[0]:
            best = area, axes.T @ ((low + high) / 2), high - low, axes
    assert best is not None
    return best[1:]
