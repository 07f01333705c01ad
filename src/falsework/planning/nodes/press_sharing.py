"""How a rigid brick that lies on others shares out what presses on it: as on springs, stiff alike, that only push.

The forces f ≥ 0 at the points x with Σ f = 1 and Σ f x = p and the least Σ f² are f = max(0, a + b·x); (a, b) makes
½ Σ max(0, a + b·x)² − a − b·p least, a convex function of three numbers, by Newton's method.
"""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array

ROUNDS = 30


def shared(points: Array, press: Array) -> Array:
    """(n,) shares of a press at a place (2,) among points (n, 2) that surround it."""
    size = max(float(np.abs(points - press).max()), 1e-12)
    rows = np.column_stack([np.ones(len(points)), (points - press) / size])
    wanted, line = np.array([1.0, 0.0, 0.0]), np.zeros(3)
    pushing = np.ones(len(points), dtype=bool)
    for _ in range(ROUNDS):
        line = np.linalg.lstsq(rows[pushing].T @ rows[pushing], wanted, rcond=None)[0]
        now = rows @ line > 0
        if (now == pushing).all():
            break
        pushing = now if now.any() else pushing
    shares: Array = np.maximum(0.0, rows @ line)
    total = float(shares.sum())
    return shares / total
