"""Normal equations of a few rows with weights many orders of magnitude apart, without forming them.

For M = ε·1 + Rᵀ·W·R with W = z/s the square root of the condition number is lost if M is formed. A Householder
factor of the rows √W·R, heaviest row first and with exchanged columns, keeps small and large weights apart (Cox and
Higham, 1998).
"""

# Kernels take named tuples of arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.compiled import compiled


@compiled
def weighted_inverse(rows, limits, z, s, elastic, inverse, column):
    """Fill `inverse` = M⁻¹ and `column` = M⁻¹·Rᵀ·W·c; returns cᵀWc − cᵀWR·M⁻¹·RᵀWc ≥ 0."""
    count = len(limits)
    extra = 6 if elastic > 0.0 else 0
    total = count + extra
    weight = np.empty(total)
    for r in range(count):
        weight[r] = np.sqrt(z[r] / s[r])
    for r in range(extra):
        weight[count + r] = np.sqrt(elastic)
    order = np.argsort(-weight)
    a = np.zeros((total, 7))
    for at in range(total):
        r = order[at]
        if r < count:
            for q in range(6):
                a[at, q] = weight[r] * rows[r, q]
            a[at, 6] = weight[r] * limits[r]
        else:
            a[at, r - count] = weight[r]
    swap = np.arange(6)
    for j in range(6):
        best, most = j, -1.0
        for c in range(j, 6):
            norm = 0.0
            for r in range(j, total):
                norm += a[r, c] * a[r, c]
            if norm > most:
                best, most = c, norm
        if best != j:
            swap[j], swap[best] = swap[best], swap[j]
            for r in range(total):
                a[r, j], a[r, best] = a[r, best], a[r, j]
        norm = np.sqrt(most)
        if norm == 0.0:
            norm = 1e-150
            a[j, j] = norm
            continue
        head = a[j, j] + (norm if a[j, j] >= 0.0 else -norm)
        turned = -norm if a[j, j] >= 0.0 else norm
        scale = 1.0 / (norm * abs(head))  # 2 / |v|², v = (head, rest of the column)
        for c in range(j + 1, 7):
            along = head * a[j, c]
            for r in range(j + 1, total):
                along += a[r, j] * a[r, c]
            along *= scale
            a[j, c] -= along * head
            for r in range(j + 1, total):
                a[r, c] -= along * a[r, j]
        a[j, j] = turned
    up = np.zeros((6, 6))  # inverse of the triangular factor
    for j in range(6):
        up[j, j] = 1.0 / a[j, j]
        for i in range(j - 1, -1, -1):
            value = 0.0
            for c in range(i + 1, j + 1):
                value -= a[i, c] * up[c, j]
            up[i, j] = value / a[i, i]
    for i in range(6):
        value = 0.0
        for c in range(i, 6):
            value += up[i, c] * a[c, 6]
        column[swap[i]] = value
        for j in range(i + 1):
            value = 0.0
            for c in range(i, 6):
                value += up[i, c] * up[j, c]
            inverse[swap[i], swap[j]] = inverse[swap[j], swap[i]] = value
    rest = 0.0
    for r in range(6, total):
        rest += a[r, 6] * a[r, 6]
    return rest
