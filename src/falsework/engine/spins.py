"""Bodies that turn fast: spins that keep their angular momentum, whatever the step."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array


def kept_spins(inertia: Array, spin: Array, moved: Array, turn: Array, turned: Array, step_s: float) -> Array:
    """(n, 3) spins after a step of the engine, which went from `spin` to `moved` (n, 3), `turn` to `turned` (n, 3, 3).

    The engine's ω' = ω + h·I⁻¹(τ − ω × Iω) gains energy, and diverges when ωh nears one. With the same torque τ,
    R'·Iω″ = R·(Iω + hτ) keeps the angular momentum. Inertias (n, 3, 3) and spins are in body axes.
    """
    old, new = (np.einsum("nij,nj->ni", inertia, one) for one in (spin, moved))
    momentum = np.einsum("nij,nj->ni", turn, new + step_s * np.cross(spin, old))
    back = np.einsum("nji,nj->ni", turned, momentum)
    kept: Array = np.linalg.solve(inertia, back[:, :, None])[:, :, 0]
    return kept
