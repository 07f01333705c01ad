"""Model `bricksim`: seed 000's breakage detector put to a structure at rest, with the paper's own constants.

Three quadratic programs choose the forces (`three_stage`); a connection is overloaded where

    u_k = max over its points of (|F_t| + F_a) / μ(F_r + F₀)  >  1                           (eq. 17)

and the structure stands if stage 1 leaves no imbalance and no connection is overloaded. The paper solves with OSQP
at a frame rate; OSQP does not converge on overloaded structures, and its error must not decide a verdict, so this is
the published model solved by Clarabel to 1e-10. Where stage 3 ends on a friction limit u_k is 1 but for rounding:
up to 1 + 1e-6 passes, and from there to 1 + 1e-5 is undecided.

The nine coefficients of a connection let it squeeze its own studs and buy friction for nothing (see `capacities`),
so this model accepts what breaks in reality. `snapfit` is the repaired one; this one is kept to compare with.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, Criterion, Verdict
from falsework.statics.clutches.capacities import Capacity
from falsework.statics.core.loads import load_scale, load_wrenches
from falsework.statics.core.presence import present
from falsework.statics.core.unknowns import CORNERS
from falsework.statics.published.push_lines import summed
from falsework.statics.published.stablelego import refuse_other_than_bricks
from falsework.statics.published.three_stage import LEAST_GRIP, ThreeStage

log = logging.getLogger(__name__)

LIMIT = 1.0 + 1e-6  # on u_k
SURELY_OVER = 1.0 + 1e-5


@dataclass(frozen=True, slots=True)
class BrickSimSettings:
    """Constants of seed 000, section VI."""

    friction: float = 0.2  # μ of ABS
    preload_n: float = 0.7  # μF₀ of one contact point
    w_a: float = 1.0  # compliance weights of eq. 13: the paper names them and gives no figures
    w_r: float = 1.0
    w_t: float = 1.0


class BrickSim:
    """The stability oracle `bricksim` of one assembly of bricks."""

    monotone_in_held = False  # stage 3 chooses by energy; what it chooses with more hands is promised nowhere
    convex = False  # the test is put to one choice of forces, not to a set of them

    def __init__(
        self,
        assembly: Assembly,
        joints: Interfaces,
        settings: BrickSimSettings | None = None,
        timeout_s: float | None = None,
    ) -> None:
        """Undecided where one of the three programs takes so many seconds."""
        refuse_other_than_bricks("bricksim", assembly)
        self._assembly, self._joints, self._settings = assembly, joints, settings or BrickSimSettings()
        self._timeout_s = timeout_s
        self.calibrated = all(kind.system == "system" for kind in joints.clutches.kinds)

    def assess(self, state: State) -> Verdict:
        """Eq. 17 on the forces of eq. 14 to 16."""
        start = time.perf_counter()
        here, joints = present(self._joints, flags(state.installed, len(self._assembly.bodies)))
        criterion, residual, shares = None, np.inf, np.zeros(len(here.clutches))
        try:
            criterion, residual, shares = self._tested(state, here)
        except (ArithmeticError, ValueError, RuntimeError):
            log.info("a solver failed", exc_info=True)
        over = criterion is not None and criterion.value > criterion.limit
        close = over and criterion is not None and criterion.value <= SURELY_OVER and residual <= FORCES_RESIDUAL
        every = np.full(len(joints), np.nan)
        every[joints] = np.where(shares <= LIMIT, np.minimum(shares, 1.0), shares)
        why = "the three programs were not solved" if criterion is None else "u comes out at its limit" if close else ""
        return Verdict(
            "undecided" if why else "unstable" if over else "stable",
            "bricksim",
            None if why else criterion,
            None if why else residual,
            utilization=None if criterion is None else float(np.nanmax(every, initial=0.0)),
            joint_utilization=None if criterion is None else every,
            calibrated=self.calibrated,
            why=why,
            solve_ms=1e3 * (time.perf_counter() - start),
        )

    def _tested(self, state: State, here: Interfaces) -> tuple[Criterion | None, float, Array]:
        """The test, the imbalance of the load and u_k of every clutch, from the forces alone."""
        assembly, settings = self._assembly, self._settings
        free = flags(state.free(assembly), len(assembly.bodies))
        loads = load_wrenches(assembly, state)
        one = Capacity(settings.preload_n, settings.friction, 0.0, True)
        shares = np.zeros(len(here.clutches))
        points, forces, pairs = np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 2), dtype=np.int64)
        if free.any() and len(here.clutches) + len(here.patches):
            weights = (settings.w_a, settings.w_r, settings.w_t)
            strengths = [one] * len(here.clutches.kinds)
            program = ThreeStage(here, assembly.coms_m, free, None, strengths, weights, self._timeout_s)
            result = program.solve(loads)
            if not result.solved:
                return None, np.inf, shares
            gripped, pressed = program.point_forces(result.unknowns)
            shares = self._overload(here, gripped)
            points, forces, pairs = _placed(here, gripped, pressed)
        left = summed(points, forces, pairs, assembly.coms_m) + loads
        radii = np.array([body.radius_m for body in assembly.bodies])
        worst = np.maximum(np.linalg.norm(left[:, :3], axis=1), np.linalg.norm(left[:, 3:], axis=1) / radii)
        residual = float(worst[free].max(initial=0.0)) / load_scale(assembly, state)
        if residual > FORCES_RESIDUAL:
            return (
                Criterion("imbalance of the load", residual, FORCES_RESIDUAL, points, forces, pairs),
                residual,
                shares,
            )
        largest = float(shares.max(initial=0.0))
        return Criterion("largest utilization (eq. 17)", largest, LIMIT, points, forces, pairs), residual, shares

    def _overload(self, here: Interfaces, gripped: Array) -> Array:
        """(k,) u_k of eq. 17 from the forces (u, v, n) on the hole brick at the contact points."""
        used, start = np.zeros(len(here.clutches)), 0
        for number, which in enumerate(here.clutches.kind.tolist()):
            kind = here.clutches.kinds[which]
            u, v, axial = -gripped[start : start + len(kind.points)].T
            start += len(kind.points)
            radial = kind.inward[:, 0] * u + kind.inward[:, 1] * v
            tangential = -kind.inward[:, 1] * u + kind.inward[:, 0] * v
            held = self._settings.friction * radial + self._settings.preload_n
            least = LEAST_GRIP * self._settings.preload_n
            used[number] = ((np.abs(tangential) + axial) / np.maximum(held, least)).max()
        return used


def _placed(here: Interfaces, gripped: Array, pressed: Array) -> tuple[Array, Array, Ints]:
    """Points and forces in the world, and the pairs of bodies: clutch points, corners, patch points."""
    clutches, patches = here.clutches, here.patches
    counts = np.array([len(kind.points) for kind in clutches.kinds], dtype=np.int64)[clutches.kind]
    owner = np.repeat(np.arange(len(clutches)), counts)
    local = np.concatenate([np.zeros((0, 2)), *(clutches.kinds[which].points for which in clutches.kind)])
    corners = np.concatenate([np.zeros((0, 2)), *(CORNERS * clutches.kinds[which].half for which in clutches.kind)])
    owners = np.concatenate([owner, np.repeat(np.arange(len(clutches)), 4)])
    inside = np.concatenate([local, corners])
    frames = clutches.T_world_clutch[owners]
    places = frames[:, :3, 3] + np.einsum("pij,pj->pi", frames[:, :3, :2], inside)
    presses = np.zeros((len(corners), 3))
    presses[:, 2] = pressed[: len(corners)]
    acting = np.einsum("pij,pj->pi", frames[:, :3, :3], np.concatenate([gripped, presses]))
    pushed = pressed[len(corners) :, None] * patches.normals[patches.owner]
    return (
        np.concatenate([places, patches.points]),
        np.concatenate([acting, pushed]),
        np.concatenate([clutches.bodies[owners], patches.bodies[patches.owner]]),
    )
