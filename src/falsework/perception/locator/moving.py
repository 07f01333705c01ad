"""Small moves of a solid: the normal equations they follow from, and the pose after one."""

# Kernels take arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.casting import LENGTH, WIDTH
from falsework.kernels.exact import compiled, inner


@inner
def add_row(A, g, row, weight, r):
    """Adds one residual to A (6, 6) = Σ w·JᵀJ and g (6) = Σ w·Jᵀr."""
    for p in range(6):
        g[p] += weight * row[p] * r
        for q in range(6):
            A[p, q] += weight * row[p] * row[q]


@compiled
def moved(T, solid, step):
    """(4, 4) a brick shifted and turned by a small step (6,) about the middle of its underside."""
    turn = np.eye(3)
    angle = np.sqrt(step[3] ** 2 + step[4] ** 2 + step[5] ** 2)
    if angle > 1e-12:
        x, y, z = step[3] / angle, step[4] / angle, step[5] / angle
        K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        turn = turn + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)
    out = np.eye(4)
    middle = np.empty(3)
    for i in range(3):
        middle[i] = T[i, 0] * solid[LENGTH] / 2 + T[i, 1] * solid[WIDTH] / 2 + T[i, 3]
    for i in range(3):
        out[i, 3] = middle[i] + step[i]
        for k in range(3):
            out[i, 3] += turn[i, k] * (T[k, 3] - middle[k])
            for j in range(3):
                out[i, j] += turn[i, k] * T[k, j]
        out[i, i] -= 1.0
    return out


@compiled
def stepped(T, solid, A, g, free, stay):
    """(the pose (4, 4) after a Gauss–Newton step, the step (6,)): only the columns in `free` move.

    `stay` is a weak pull towards staying, as a share of what is known: what no edge says does not move.
    """
    count = len(free)
    small, right = np.empty((count, count)), np.empty(count)
    lever = max(solid[LENGTH], solid[WIDTH]) / 2
    size = (A[0, 0] + A[1, 1] + A[2, 2]) / 3
    for p in range(count):
        right[p] = g[free[p]]
        for q in range(count):
            small[p, q] = A[free[p], free[q]]
        small[p, p] += stay * size * (1.0 if free[p] < 3 else lever * lever)
    solved = np.linalg.solve(small, right)
    step = np.zeros(6)
    for p in range(count):
        step[free[p]] = solved[p]
    return moved(T, solid, step), step
