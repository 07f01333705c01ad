"""What a clutch can carry, as published: six modes of traction, friction at every point."""

from __future__ import annotations

import numpy as np

from tests.adversary.brick_grid import CLUTCH_FRICTION, Clutch


def clutch_rows(clutch: Clutch) -> tuple[np.ndarray, np.ndarray]:
    """(3m, 6) rows and limits on the wrench that the upper brick puts on the lower one, about the origin.

    Six modes: tractions p_n = α₀ + α₁x + α₂y, p_x = β₀ − θy, p_y = γ₀ + θx whose resultant is the wrench. At every
    point the stud is only pulled, F_a ≥ 0, and slides where |F_t| + F_a > μF_r + μF₀.
    """
    x, y = clutch.points.T
    one, zero = np.ones_like(x), np.zeros_like(x)
    tractions = np.array(
        [
            [zero, zero, zero, one, zero, -y],
            [zero, zero, zero, zero, one, x],
            [one, x, y, zero, zero, zero],
        ]
    ).transpose(2, 0, 1)  # (m, 3, 6 modes)
    arms = np.column_stack([clutch.points, zero])
    turns = np.cross(arms[:, :, None], tractions, axis=1)
    wrench = np.concatenate([tractions.sum(axis=0), turns.sum(axis=0)])  # (6, 6 modes)
    at_points = tractions @ np.linalg.inv(wrench)  # (m, 3, 6)
    inward = clutch.inward
    radial = inward[:, 0, None] * at_points[:, 0] + inward[:, 1, None] * at_points[:, 1]
    around = inward[:, 0, None] * at_points[:, 1] - inward[:, 1, None] * at_points[:, 0]
    axial = at_points[:, 2]
    slides = axial - CLUTCH_FRICTION * radial
    rows = np.concatenate([-axial, slides + around, slides - around])
    limits = np.concatenate([zero, np.full(2 * len(x), clutch.point_n)])
    return rows, limits
