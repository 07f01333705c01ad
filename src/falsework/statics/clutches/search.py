"""One question to a snap-fit structure, asked a few steps at a time: for callers who must be done with a frame.

    search = ClutchSearch(solver, loads)
    while search.open: search.relax(1)       # Newton's method: forces, if it finds any
    while search.limit_open: search.limit(1) # the exact limit: forces, or a motion that proves there are none
    search.status                            # stable | unstable | undecided, with `search.motion`

What it finds after so many steps depends on the structure and the loads alone, not on what was asked before. Forces
count as found when they balance and every clutch can carry them, though the limit may be far from exact by then.
"""

# The kernels it calls are typed by numba.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import math

import numpy as np

from falsework.model.arrays import Array
from falsework.statics.clutches.forces import ClutchMotion, Status
from falsework.statics.clutches.interior import BALANCE, MAX_STEPS, Interior, interior, residuals, solve_interior
from falsework.statics.clutches.newton import COLD_HARDENING, CONVERGED, relax
from falsework.statics.clutches.screen import largest_use
from falsework.statics.clutches.solver import (
    BALANCED,
    EXACT,
    LIMIT_START,
    NEWTON_STEPS,
    SURE,
    TRUSTED,
    ClutchSolver,
)
from falsework.statics.clutches.springs import no_answer

# What a step costs, ms of the machine it was measured on: products of blocks in the factor, joints, pushes.
PRODUCT_MS, JOINT_MS, PUSH_MS = 2.5e-5, 3.5e-3, 4e-4
FILL = 0.18  # products of the factor of m bodies are about so much times m^2.3


def step_ms(solver: ClutchSolver) -> float:
    """About what a step of either method costs; counted, so the same number on every machine."""
    columns = np.diff(solver.springs.fstarts)
    products = float((columns * (columns + 1)).sum()) / 2
    network = solver.network
    return PRODUCT_MS * products + JOINT_MS * network.clutches + PUSH_MS * len(network.pushes)


def likely_step_ms(bodies: int, joints: int, pushes: int) -> float:
    """The same for a structure that is not set up yet."""
    return PRODUCT_MS * FILL * math.pow(bodies, 2.3) + JOINT_MS * joints + PUSH_MS * pushes


class ClutchSearch:
    """For one structure and its loads, without contacts alone to hold anything: every body hangs on a clutch."""

    def __init__(self, solver: ClutchSolver, loads: Array) -> None:
        self._solver, self._loads = solver, loads
        network, net = solver.network, solver.springs
        self._scaled = network.scaled_loads(loads)
        self.status: Status = "undecided"
        self.motion: ClutchMotion | None = None
        self.steps = 0  # of Newton's method
        self.open = bool(self._scaled.any())
        if not self.open:
            self.status = "stable"
        self._answer = no_answer(network)
        self._y, self._step = np.zeros((network.bodies, 6)), np.empty((network.bodies, 6))
        self._factored, self._hardened = np.zeros(1, dtype=np.uint64), np.full(1, np.inf)
        self._hardening = np.full(1, COLD_HARDENING)
        self._factor = np.empty((network.bodies, 6, 6)), np.empty((len(net.frows), 6, 6))
        self._it: Interior | None = None
        self._t, self._gap, self._taken = 1.0, np.inf, 0
        self.limit_open = self.status == "undecided"

    def relax(self, steps: int) -> None:
        """So many of Newton's steps, or until it gives up."""
        solver = self._solver
        status, taken = relax(
            *(solver.springs, self._answer, self._scaled, 1.0, self._y, self._step, BALANCED, steps),
            *(self._hardening, self._factored, self._hardened, *self._factor, np.empty(len(self._y), dtype=np.int64)),
        )
        self.steps += taken
        if status == CONVERGED:
            self.status, self.open, self.limit_open = "stable", False, False
        elif taken < steps or self.steps >= NEWTON_STEPS:
            self.open = False

    def slips(self) -> Array:
        """(k,) how far every joint has yielded where Newton's method stands."""
        net = self._solver.springs
        moved = np.concatenate([self._y, np.zeros((1, 6))])[net.pairs]
        start = np.einsum("ksqp,ksp->kq", net.gain, moved)
        yielded: Array = np.linalg.norm(start - self._answer.x, axis=1)
        return yielded

    def limit(self, steps: int) -> None:
        """So many steps toward the exact least strength, or until forces are found on the way."""
        network, net, size = self._solver.network, self._solver.springs, float(np.abs(self._scaled).max())
        if self._it is None:
            self._it = interior(network, len(net.frows), LIMIT_START)
        cost = float(net.limits[network.row_local].sum())
        scaled = self._scaled / size
        self._t, self._gap, taken = solve_interior(net, self._it, scaled, self._t, cost, 0.0, EXACT, self._gap, steps)
        self._taken += taken
        if self._t * size < 1.0 and self._holds(scaled, size, cost):
            self.status, self.limit_open = "stable", False
        elif taken < steps or self._taken >= MAX_STEPS or self._gap < TRUSTED:
            self.limit_open = False
            self._fall()

    def _holds(self, scaled: Array, size: float, cost: float) -> bool:
        """Whether the forces reached balance the loads, and no clutch is asked too much of."""
        assert self._it is not None
        network, kinds, net = self._solver.network, self._solver.network.kinds, self._solver.springs
        if not residuals(net, self._it, scaled, self._t, cost, 0.0)[0] < BALANCE:
            return False
        wrenches = np.einsum("kij,kj->ki", kinds.roots[network.kind], self._it.x) * size
        return bool(largest_use(network.kind, kinds.starts, kinds.rows, kinds.limits, wrenches) <= 1.0)

    def _fall(self) -> None:
        """The motion reached, if it proves that no forces exist."""
        assert self._it is not None
        motion = self._solver.falling(self._it.y, self._loads)
        spare = TRUSTED if self._gap < TRUSTED else SURE
        if motion is not None and (1.0 - spare) * motion.power > motion.dissipation:
            self.status, self.motion = "unstable", motion
