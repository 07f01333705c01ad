"""The dependable road to the least strength: the limit-analysis linear program, by Clarabel.

    minimise t   subject to   A·x + b = 0,   R·w ≤ t·c per clutch,   pressures and weights ≥ 0

Its dual is a motion y with slips z: Rᵀz = −(Aᵀy)_w, no gap closes, c·z = 1, and b·y = t.
"""

from __future__ import annotations

from dataclasses import dataclass

import clarabel
import numpy as np
from scipy.sparse import csc_array, eye_array, hstack, vstack

from falsework.model.arrays import Array
from falsework.statics.clutches.network import Network

TIME_LIMIT_S = 20.0
SOLVED = ("Solved", "AlmostSolved")


@dataclass(frozen=True, slots=True, eq=False)
class ProgramResult:
    """Scaled."""

    factor: float
    wrenches: Array  # (k, 6)
    pressure: Array  # (k, 4)
    weights: Array  # (g,)
    twists: Array  # (n, 6)


def row_matrix(network: Network) -> csc_array:
    """All thinned capacity rows on all wrenches, (rows, 6k)."""
    down = np.repeat(np.arange(len(network.row_clutch)), 6)
    across = (6 * network.row_clutch[:, None] + np.arange(6)).ravel()
    values = network.kinds.rows[network.row_local].ravel()
    return csc_array((values, (down, across)), shape=(len(network.row_clutch), 6 * network.clutches))


def solve_program(network: Network, balance: csc_array, loads: Array) -> ProgramResult | None:
    """Least factor for scaled loads (n, 6), or None when Clarabel does not solve it."""
    wrenches, all_unknowns = 6 * network.clutches, balance.shape[1]
    pushes = all_unknowns - wrenches
    rows, limits = row_matrix(network), network.kinds.limits[network.row_local]
    above = hstack([rows, csc_array((len(limits), pushes)), csc_array(-limits[:, None])])
    below = hstack([csc_array((pushes + 1, wrenches)), -eye_array(pushes + 1)])
    table = vstack([hstack([balance, csc_array((balance.shape[0], 1))]), above, below])
    right = np.concatenate([-loads.ravel(), np.zeros(len(limits) + pushes + 1)])
    cost = np.zeros(all_unknowns + 1)
    cost[-1] = 1.0
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.time_limit = TIME_LIMIT_S
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    cones = [clarabel.ZeroConeT(balance.shape[0]), clarabel.NonnegativeConeT(len(limits) + pushes + 1)]
    solution = clarabel.DefaultSolver(
        csc_array((len(cost), len(cost))), cost, csc_array(table), right, cones, settings
    ).solve()
    if str(solution.status) not in SOLVED:
        return None
    x, duals = np.array(solution.x), np.array(solution.z)
    return ProgramResult(
        float(x[-1]),
        x[:wrenches].reshape(-1, 6),
        np.maximum(x[wrenches : wrenches + 4 * network.clutches], 0.0).reshape(-1, 4),
        np.maximum(x[wrenches + 4 * network.clutches : -1], 0.0),
        duals[: balance.shape[0]].reshape(-1, 6),
    )
