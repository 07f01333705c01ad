"""One question to a snap-fit structure, asked a few steps at a time: for callers who must be done with a frame.

    search = ClutchSearch(solver, loads)
    while search.open: search.relax(1)       # Newton's method: forces, if it finds any
    while search.limit_open: search.limit(1) # the exact limit: forces, or a motion that proves there are none
    search.status                            # stable | unstable | undecided, with `search.motion`

A step of a large structure takes many times a frame, nearly all of it for its factor: `relaxing` and `limiting` do the
same in pieces and tell before each what it costs.

What it finds after so many steps depends on the structure and the loads alone, not on what was asked before. Forces
count as found when they balance and every clutch can carry them, though the limit may be far from exact by then.
"""

# The kernels it calls are typed by numba.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from falsework.kernels.block_parts import PRODUCT_MS, PartlyFactored
from falsework.model.arrays import Array
from falsework.statics.clutches.direction import tangents
from falsework.statics.clutches.interior import BALANCE, MAX_STEPS, Interior, interior, residuals, solve_interior
from falsework.statics.clutches.newton import COLD_HARDENING, CONVERGED, assembled, relax
from falsework.statics.clutches.proposals import ClutchMotion, Status
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

JOINT_MS, PUSH_MS = 3.5e-3, 4e-4  # what a step costs besides its factor, ms of the machine it was measured on
FILL = 0.18  # products of the factor of m bodies are about so much times m^2.3


def step_ms(solver: ClutchSolver) -> float:
    """About what a step of either method costs; counted, so the same number on every machine."""
    return sum(solver.parts.costs_ms) + rest_ms(solver)


def rest_ms(solver: ClutchSolver) -> float:
    """The same without its factor."""
    return JOINT_MS * solver.network.clutches + PUSH_MS * len(solver.network.pushes)


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

    def relaxing(self, at_once: int) -> Iterator[float]:
        """So many of Newton's steps, or one of a large structure, in pieces; before each about what it costs, ms."""
        solver = self._solver
        if solver.parts.at_once:
            yield at_once * step_ms(solver)
            self.relax(at_once)
            return
        yield rest_ms(solver)
        if assembled(
            *(solver.springs, self._answer, self._scaled, 1.0, self._y, BALANCED),
            *(self._hardening, self._factored, self._hardened, *self._factor),
        ):
            yield from _factoring(PartlyFactored(solver.parts, solver.springs, *self._factor))
        yield rest_ms(solver)
        self.relax(1)

    def slips(self) -> Array:
        """(k,) how far every joint has yielded where Newton's method stands."""
        net = self._solver.springs
        moved = np.concatenate([self._y, np.zeros((1, 6))])[net.pairs]
        start = np.einsum("ksqp,ksp->kq", net.gain, moved)
        yielded: Array = np.linalg.norm(start - self._answer.x, axis=1)
        return yielded

    def limiting(self, at_once: int) -> Iterator[float]:
        """So many steps toward the exact least strength, or one of a large structure, in pieces as in `relaxing`."""
        solver = self._solver
        if solver.parts.at_once:
            yield at_once * step_ms(solver)
            self.limit(at_once)
            return
        yield rest_ms(solver)
        it = self._iterate
        gamma = tangents(solver.springs, it, 0.0)
        yield from _factoring(PartlyFactored(solver.parts, solver.springs, it.diagonal, it.lower))
        yield rest_ms(solver)
        self.limit(1, gamma)

    @property
    def _iterate(self) -> Interior:
        if self._it is None:
            self._it = interior(self._solver.network, len(self._solver.springs.frows), LIMIT_START)
        return self._it

    def limit(self, steps: int, gamma: float = math.nan) -> None:
        """So many steps toward the exact least strength, or until forces are found on the way.

        `gamma` is that of the tangents where the factor of the first step is there already.
        """
        network, net, size = self._solver.network, self._solver.springs, float(np.abs(self._scaled).max())
        cost = float(net.limits[network.row_local].sum())
        scaled = self._scaled / size
        self._t, self._gap, taken = solve_interior(
            net, self._iterate, scaled, self._t, cost, 0.0, EXACT, self._gap, steps, gamma
        )
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


def _factoring(made: PartlyFactored) -> Iterator[float]:
    while made.open:
        yield made.next_ms
        made.go_on()
