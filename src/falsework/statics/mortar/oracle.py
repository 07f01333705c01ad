"""The stability model `mortar`: are there forces that joints of limited strength bear?"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.mortar import Mortar
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, MOTION_POWER, Forces, Motion, Verdict
from falsework.statics.mortar.cells import Cells, cells_of
from falsework.statics.mortar.program import MortarProgram
from falsework.statics.proofs.checked_mortar import CheckedMortar

log = logging.getLogger(__name__)

MODEL = "mortar"
FINENESS = (2, 4, 8, 16, 32)  # of the cells, tried in turn until it is decided
MOST_CELLS = 40_000


class MortarOracle:
    """Of one assembly of blocks; coarse cells first, finer ones where these decide nothing."""

    monotone_in_held = True
    convex = True
    calibrated = True

    def __init__(self, assembly: Assembly, joints: Interfaces, mortar: Mortar, timeout_s: float | None = None) -> None:
        if len(joints.clutches) or len(joints.hinges):
            raise BadInput(f"model {MODEL} knows contacts only, no clutches or hinges")
        self._assembly, self._joints, self._mortar = assembly, joints, mortar
        self._timeout_s = np.inf if timeout_s is None else timeout_s
        self._made: list[tuple[Cells, CheckedMortar]] = []

    def assess(self, state: State) -> Verdict:
        """Stable with forces at the middles of cells, unstable with a motion, or undecided."""
        start = time.perf_counter()
        for cells, referee in self._finer():
            verdict = self._judged(state, cells, referee, start)
            if verdict is not None:
                return verdict
            if time.perf_counter() - start > self._timeout_s:
                return self._undecided("time ran out", start)
        return self._undecided("it is nearer to the limit than the cells of its joints are fine", start)

    def _finer(self) -> Iterator[tuple[Cells, CheckedMortar]]:
        for number, fineness in enumerate(FINENESS):
            if number == len(self._made):
                cells = cells_of(self._joints, fineness, with_corners=math.isinf(self._mortar.crushing_pa))
                if number and len(cells.areas_m2) > MOST_CELLS:
                    return
                checked = CheckedMortar(self._assembly, cells.joints, cells.areas_m2, cells.corners_m, self._mortar)
                self._made.append((cells, checked))
            yield self._made[number]

    def _judged(self, state: State, cells: Cells, referee: CheckedMortar, start: float) -> Verdict | None:
        """What the program's forces or motion prove; None where neither does."""
        left = self._timeout_s - (time.perf_counter() - start)
        program = MortarProgram(self._assembly, cells, self._mortar, state)
        try:
            outcome = program.solve(left if np.isfinite(left) else None)
        except (ArithmeticError, ValueError, RuntimeError, np.linalg.LinAlgError):
            log.info("a solver failed", exc_info=True)
            return None
        if outcome.forces is not None:
            residual = referee.forces_residual(state, outcome.forces.patch_forces)
            if residual <= FORCES_RESIDUAL:
                return self._verdict("stable", outcome.forces, residual, cells, start)
        if outcome.motion is not None:
            power = referee.motion_power(state, outcome.motion.twists)
            if power >= MOTION_POWER:
                return self._verdict("unstable", _alone(outcome.motion.twists), power, cells, start)
        return None

    def _verdict(self, answer: str, proof: Forces | Motion, figure: float, cells: Cells, start: float) -> Verdict:
        spent = 1e3 * (time.perf_counter() - start)
        return Verdict(answer, MODEL, proof, figure, about=cells.joints, solve_ms=spent)  # type: ignore[arg-type]

    def _undecided(self, why: str, start: float) -> Verdict:
        return Verdict("undecided", MODEL, None, None, why=why, solve_ms=1e3 * (time.perf_counter() - start))


def _alone(twists: Array) -> Motion:
    return Motion(twists, np.zeros(0))
