"""Verdicts: solvers propose forces or a motion, the referee decides.

stable      forces that balance every free part, to 1e-6 of the load
unstable    a motion on which the loads gain at least 1e-6 of load × speed
undecided   neither was found: what ran out is said
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, MOTION_POWER, Answer, Forces, Motion, Verdict
from falsework.statics.clutch import capacities, clutch_rows
from falsework.statics.compiled_clutches import CompiledClutches
from falsework.statics.compiled_cones import CompiledCones
from falsework.statics.cones import Cone, first_edges
from falsework.statics.outcome import Outcome
from falsework.statics.plain_cones import PlainCones
from falsework.statics.referee import Judgement, Referee, Strengths

if TYPE_CHECKING:
    from falsework.statics.cone_queue import ConeQueue

log = logging.getLogger(__name__)

EXACT = 1e-9  # of the load: no motion can gain 1e-6 where forces balance this well


@dataclass(frozen=True, slots=True, eq=False)
class Ruling:
    """What the referee made of the proposals."""

    answer: Answer
    certificate: Forces | Motion | None = None
    residual: float | None = None
    why: str = ""


class Equilibrium:
    """The stability oracle of convex interfaces, models `blocks` and `snapfit`, for one assembly."""

    monotone_in_held = True
    convex = True

    def __init__(self, assembly: Assembly, found: Interfaces, cone: Cone = "8", *, compiled: bool = False) -> None:
        """`compiled` solvers pay off for many questions: they take a while to load, and then microseconds."""
        self.assembly, self.found, self.cone = assembly, found, cone
        self.model = "snapfit" if len(found.clutches) else "blocks"
        kinds = found.clutches.kinds
        self.clutch_rows = tuple(clutch_rows(kind) for kind in kinds)
        self._fast = self._compiled_solver() if compiled else None
        strengths = [capacities()[kind.system, kind.narrow] for kind in kinds]
        self._point_n = np.array([strength.point_n for strength in strengths])
        self._clutch_friction = np.array([strength.friction for strength in strengths])
        self.calibrated = all(strength.calibrated for strength in strengths)
        self._edges: tuple[Array, Array] | None = None  # cone edges for the last direction of gravity

    def _compiled_solver(self) -> CompiledCones | CompiledClutches | None:
        if CompiledCones.fits(self.found, self.cone):
            return CompiledCones(self.assembly, self.found)
        if CompiledClutches.fits(self.found, self.cone):
            return CompiledClutches(self.assembly, self.found, self.clutch_rows)
        return None

    @cached_property
    def referee(self) -> Referee:
        """Judges what the solvers propose; made when first asked, as a search for strength never does."""
        return self._fast.referee if isinstance(self._fast, CompiledCones) else Referee(self.assembly, self.found)

    @property
    def is_compiled(self) -> bool:
        """Whether compiled solvers propose first."""
        return self._fast is not None

    @property
    def compiled_clutches(self) -> CompiledClutches | None:
        """The compiled snap-fit solver, where it is in use."""
        return self._fast if isinstance(self._fast, CompiledClutches) else None

    @cached_property
    def _plain_cones(self) -> PlainCones:
        return PlainCones(self.assembly, self.found)

    @property
    def has_contacts_only(self) -> bool:
        """With eight-edge cones: then many states are solved and judged at a time."""
        return CompiledCones.fits(self.found, self.cone)

    def prove(self, states: Sequence[State]) -> Judgement:
        """What the first proposals prove of states with contacts only, under one gravity."""
        strengths = self.strengths(states[0])
        if isinstance(self._fast, CompiledCones):
            return self._fast.prove(states, strengths)
        return self.referee.judge(states, *self._plain_cones.solve_many(states), strengths)

    def queue(self, like: State, most: int) -> ConeQueue | None:
        """Where threads prove states together that have the gravity of this one and no loads, if solvers can."""
        return self._fast.queue(like, self.strengths(like), most) if isinstance(self._fast, CompiledCones) else None

    def assess(self, state: State) -> Verdict:
        """Whether a state stands."""
        start = time.perf_counter()
        ruling = self.rule(state, self.proposals(state))
        spent = 1e3 * (time.perf_counter() - start)
        return Verdict(
            ruling.answer,
            self.model,
            ruling.certificate,
            ruling.residual,
            calibrated=self.calibrated,
            why=ruling.why,
            solve_ms=spent,
        )

    def proposals(self, state: State, seconds: float | None = None, *, any_motion: bool = False) -> Iterator[Outcome]:
        """From the compiled solver, where there is one, or the one for contacts alone; then from the plain program.

        Of clutches, a motion is that at their limit, unless any that proves the fall will do.
        """
        if isinstance(self._fast, CompiledClutches):
            yield self._fast.solve(state, any_motion=any_motion)
        elif self._fast is not None:
            yield self._fast.solve(state)
        elif self.has_contacts_only:
            yield self._plain_cones.solve(state, seconds)
        yield from self.plain(state, seconds)

    def accelerating(self, state: State) -> Iterator[Outcome]:
        """Proposals whose motions are the accelerations of eq. 14, seed 002."""
        if isinstance(self._fast, CompiledCones):
            yield self._fast.solve(state, accelerations=True)
        yield from self.plain(state)

    def plain(self, state: State, seconds: float | None = None) -> Iterator[Outcome]:
        """From the plain program alone, whose motions are accelerations."""
        from falsework.statics.program import Program  # brings scipy: small states are settled before

        yield Program(self.assembly, self.found, state, self.cone, self.clutch_rows).solve(seconds)

    def rule(self, state: State, proposals: Iterator[Outcome]) -> Ruling:
        """The first proposal that proves something; a solver that fails proves nothing."""
        why = "no solver had an answer"
        strengths = self.strengths(state)
        while True:
            try:
                outcome = next(proposals, None)
            except (ArithmeticError, ValueError, RuntimeError, np.linalg.LinAlgError) as failure:
                log.info("a solver failed", exc_info=True)
                return Ruling("undecided", why=f"the solver failed: {failure}")
            if outcome is None:
                return Ruling("undecided", why=why)
            ruling = self._judged(state, outcome, strengths)
            if ruling.answer != "undecided":
                return ruling
            why = ruling.why

    def strengths(self, state: State, factor: float = 1.0) -> Strengths:
        """What the referee needs to know of the interfaces."""
        gravity = state.gravity_of(self.assembly)
        if self._edges is None or not np.array_equal(self._edges[0], gravity):
            self._edges = gravity, first_edges(self.found.patches, gravity)
        return Strengths(self.cone, self._edges[1], self._point_n, self._clutch_friction, factor)

    def _judged(self, state: State, outcome: Outcome, strengths: Strengths) -> Ruling:
        """A motion that gains, or forces that balance; forces balanced to rounding need no second look."""
        residual, power = np.inf, -np.inf
        if outcome.forces is not None:
            residual = self.referee.forces_residual(state, outcome.forces, strengths)
        if residual > EXACT and outcome.motion is not None:
            power = self.referee.motion_power(state, outcome.motion, strengths)
        if power >= MOTION_POWER:
            return Ruling("unstable", outcome.motion, power)
        if residual <= FORCES_RESIDUAL:
            return Ruling("stable", outcome.forces, residual)
        return Ruling("undecided", why=f"{outcome.status}: residual {residual:.1e}, power {power:.1e} of the load")
