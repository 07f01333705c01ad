"""A step of rigid bodies from where they are: straight for their centres, free rotation about them.

Rotation by the implicit midpoint rule on the angular momentum, and Cayley's map of the angular velocity it gives:

    Ω = I⁻¹(Π₀ + Π₁)/2,   Π₁ = cay(hΩ)ᵀ Π₀,   R₁ = R₀ cay(hΩ)          (Π = Rᵀ L, in the body's axes)

keeps the angular momentum L in space and the energy ½ΠᵀI⁻¹Π exactly, so a tumbling brick gains nothing in flight.
"""

from __future__ import annotations

import numpy as np

from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Ints

ROUNDS = 20
SETTLED = 1e-16  # rad


@compiled
def flown(
    free: Ints, turns: Array, centres: Array, v: Array, inertia: Array, h: float, new_turns: Array, new_centres: Array
) -> None:
    """Places (b, 3, 3), (b, 3) of all bodies after a step h; v (n, 6) of the free ones is their motion at its start."""
    new_turns[:] = turns
    new_centres[:] = centres
    spin, momentum, after, rate = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    cayley = np.empty((3, 3))
    for k in range(free.shape[0]):
        b = free[k]
        for i in range(3):
            new_centres[b, i] += h * v[k, i]
        if v[k, 3] == 0.0 and v[k, 4] == 0.0 and v[k, 5] == 0.0:
            continue
        turn, moment = turns[b], inertia[k]
        inverse = np.linalg.inv(moment)
        for i in range(3):
            spin[i] = turn[0, i] * v[k, 3] + turn[1, i] * v[k, 4] + turn[2, i] * v[k, 5]
        for i in range(3):
            momentum[i] = moment[i, 0] * spin[0] + moment[i, 1] * spin[1] + moment[i, 2] * spin[2]
            rate[i] = spin[i]
        for _ in range(ROUNDS):
            _cay(rate, h, cayley)
            change = 0.0
            for i in range(3):
                after[i] = cayley[0, i] * momentum[0] + cayley[1, i] * momentum[1] + cayley[2, i] * momentum[2]
            for i in range(3):
                value = 0.0
                for j in range(3):
                    value += 0.5 * inverse[i, j] * (momentum[j] + after[j])
                change = max(change, abs(value - rate[i]))
                rate[i] = value
            if h * change <= SETTLED:
                break
        _cay(rate, h, cayley)
        for i in range(3):
            for j in range(3):
                new_turns[b, i, j] = turn[i, 0] * cayley[0, j] + turn[i, 1] * cayley[1, j] + turn[i, 2] * cayley[2, j]
        _straightened(new_turns[b])


@inner
def _cay(rate: Array, h: float, out: Array) -> None:
    """(1 − hΩ×/2)⁻¹(1 + hΩ×/2)."""
    x, y, z = 0.5 * h * rate[0], 0.5 * h * rate[1], 0.5 * h * rate[2]
    scale = 2.0 / (1.0 + x * x + y * y + z * z)
    out[0, 0], out[0, 1], out[0, 2] = 1.0 - scale * (y * y + z * z), scale * (x * y - z), scale * (x * z + y)
    out[1, 0], out[1, 1], out[1, 2] = scale * (x * y + z), 1.0 - scale * (x * x + z * z), scale * (y * z - x)
    out[2, 0], out[2, 1], out[2, 2] = scale * (x * z - y), scale * (y * z + x), 1.0 - scale * (x * x + y * y)


@inner
def _straightened(turn: Array) -> None:
    """R ← R (3 − RᵀR)/2: rounding does not add up."""
    square = np.empty((3, 3))
    old = turn.copy()
    for i in range(3):
        for j in range(3):
            value = old[0, i] * old[0, j] + old[1, i] * old[1, j] + old[2, i] * old[2, j]
            square[i, j] = (1.5 if i == j else 0.0) - 0.5 * value
    for i in range(3):
        for j in range(3):
            turn[i, j] = old[i, 0] * square[0, j] + old[i, 1] * square[1, j] + old[i, 2] * square[2, j]
