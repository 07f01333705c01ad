"""States that wait to be proved: one thread puts them there, as many as are free take one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.kernels.atomics import announce
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.bits import masks, packed
from falsework.model.state import State
from falsework.statics.cones.proving import COUNTS, PUT, Waiting, all_done
from falsework.statics.cones.solver import ConeSolver
from falsework.statics.proofs.compiled_referee import Case
from falsework.statics.proofs.referee import Judgement

A_WHILE = 2_000_000  # looks: about a millisecond


class ConeQueue:
    """Of one assembly, under one gravity; for at most `most` states from one judgement to the next."""

    def __init__(self, assembly: Assembly, solver: ConeSolver, loads: Array, case: Case, most: int) -> None:
        """`loads` (l, n, 6) are what may act on the bodies, and `case` knows the same."""
        self._assembly, self._solver, self._loads, self._case = assembly, solver, loads, case
        self._judged = self._put = 0
        bits = (most, len(assembly.bodies) // 8 + 1)
        self._waiting = Waiting(
            np.zeros(COUNTS, np.int64),
            np.empty(bits, np.uint8),
            np.empty(bits, np.uint8),
            np.zeros(most, np.int64),
            np.zeros(most, np.bool_),
            np.empty(bits, np.uint8),
        )

    def put(self, states: Sequence[State], acting: Ints | None = None) -> None:
        """More states, each under the row of the loads that `acting` names, else the first."""
        waiting, count = self._waiting, len(self._assembly.bodies)
        rows = self._rows(self._put, self._put + len(states))
        waiting.installed[rows] = packed([state.installed for state in states], count)
        waiting.free[rows] = packed([state.free(self._assembly) for state in states], count)
        if acting is not None:
            waiting.acting[rows] = acting
        self._put += len(states)
        announce(waiting.counts, PUT, self._put)

    def prove(self, leave: int = 0) -> None:
        """Takes states until `leave` wait or fewer."""
        self._solver.prove(self._waiting, self._loads, self._case, leave)

    def help(self) -> None:
        """Takes states, on another thread, until there have been none for a while."""
        self._solver.prove(self._waiting, self._loads, self._case, patience=A_WHILE)

    def wait(self) -> bool:
        """Whether all are proved, after a while at most."""
        return all_done(self._waiting.counts, A_WHILE)

    def judgement(self) -> Judgement:
        """Of all that were put here since the last one, when they are done."""
        rows = self._rows(self._judged, self._put)
        self._judged = self._put
        return Judgement(self._waiting.stands[rows], masks(self._waiting.moving[rows]))

    def _rows(self, begin: int, end: int) -> Ints:
        return np.arange(begin, end) % len(self._waiting.acting)
