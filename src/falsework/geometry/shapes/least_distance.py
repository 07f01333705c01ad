"""The least-distance problem: the shortest z with rows·z ≥ limits, by Lawson and Hanson's way.

The u ≥ 0 with the least |rowsᵀu|² + |limits·u − 1|² leaves the residual r of its least squares, and z = −r / r₁ of the
last row; where r₁ is 0, no z keeps all limits. It ends after finitely many rows, however many say nearly the same.
"""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array

PATIENCE = 50  # rows taken in or left out, for each row


def pressing_rows(rows: Array, limits: Array) -> Array:
    """(m,) u ≥ 0 for rows (m, n) and limits (m,): positive where a row presses; RuntimeError if it does not end."""
    from scipy.optimize import nnls  # loaded where something has to slide: most plans do without

    asked = np.vstack([rows.T, limits])
    u: Array = nnls(asked, np.append(np.zeros(rows.shape[1]), 1.0), maxiter=PATIENCE * (len(limits) + 1))[0]
    return u
