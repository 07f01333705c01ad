"""Verdicts: solvers propose forces or a motion, the referee decides.

stable      forces that balance every free part, to 1e-6 of its own load
unstable    a motion on which the loads gain at least 1e-6 of load × speed, both of the piece that moves
undecided   neither was found: what ran out is said
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np

from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, MOTION_POWER, Answer, Criterion, Forces, Motion, Verdict
from falsework.statics.clutches.capacities import capacities, clutch_rows
from falsework.statics.core.ambiguity import certain, possible, settled
from falsework.statics.core.compiled_clutches import CompiledClutches
from falsework.statics.core.compiled_cones import CompiledCones
from falsework.statics.core.outcome import Outcome, Proposer, Wanted
from falsework.statics.core.permitted import permitted
from falsework.statics.core.pieces import Pieces
from falsework.statics.core.plain_cones import PlainCones
from falsework.statics.proofs.checked_clutches import Strengths
from falsework.statics.proofs.referee import Fall, Judgement, Referee

log = logging.getLogger(__name__)

EXACT = 1e-9  # of each part's load: no motion can gain 1e-6 where forces balance this well
ENOUGH = 1e3  # times all loads: clutches that bear so much at each point bear them on any lever that bricks have
Model = Literal["blocks", "snapfit"]
USUAL = Wanted()


@dataclass(frozen=True, slots=True, eq=False)
class Ruling:
    """What the referee made of the proposals."""

    answer: Answer
    certificate: Forces | Motion | Criterion | None = None
    residual: float | None = None
    why: str = ""


_rows_of = lru_cache(maxsize=4096)(clutch_rows)  # of kinds that structures share, with what solvers keep of each


class PlainProgram:
    """The one convex program in its plain form, which knows every interface; brings scipy when it is first asked.

    Interior points keep to the middle of what is allowed. Where clutches bear millions of times the loads, as in weak
    gravity, forces are so large there that their rounding outweighs a part; `strongest` keeps them small.
    """

    gives_accelerations = True

    def __init__(self, equilibrium: Equilibrium, strongest: float = np.inf) -> None:
        self._equilibrium, self._strongest = equilibrium, strongest

    def propose(self, state: State, wanted: Wanted) -> Outcome:
        from falsework.statics.core.program import Program

        like = self._equilibrium
        return Program(like.assembly, like.joints, state, like.clutch_rows).solve(wanted.timeout_s, self._strongest)


class Equilibrium:
    """The stability oracle of convex interfaces, models `blocks` and `snapfit`, for one assembly.

    >>> import falsework
    >>> arch = falsework.load("examples/arch.yaml")
    >>> Equilibrium(arch, falsework.interfaces(arch)).assess(State.complete(arch, absent="keystone")).answer
    'unstable'
    """

    monotone_in_held = True
    convex = True

    def __init__(self, assembly: Assembly, joints: Interfaces, *, compiled: bool = False) -> None:
        """`compiled` solvers pay off for many questions: they take a while to load, and then microseconds."""
        self.assembly, self.joints = assembly, joints
        self.model: Model = "snapfit" if len(joints.clutches) else "blocks"
        kinds = joints.clutches.kinds
        self.clutch_rows = tuple(_rows_of(kind) for kind in kinds)
        strengths = [capacities()[kind.system, kind.narrow] for kind in kinds]
        self._point_n = np.array([strength.point_n for strength in strengths])
        self._clutch_friction = np.array([strength.friction for strength in strengths])
        self.calibrated = all(strength.calibrated for strength in strengths)
        self.is_compiled = compiled and not len(joints.hinges)  # compiled solvers propose first
        self.compiled_clutches: CompiledClutches | None = None
        if self.is_compiled and len(joints.clutches):
            self.compiled_clutches = CompiledClutches(assembly, joints, self.clutch_rows)
        self.has_contacts_only = CompiledCones.fits(joints)  # then many states are solved and judged at a time

    @cached_property
    def _cones(self) -> CompiledCones | PlainCones:
        """What solves contacts alone."""
        return CompiledCones(self.assembly, self.joints) if self.is_compiled else PlainCones(self.assembly, self.joints)

    @cached_property
    def proposers(self) -> tuple[Proposer, ...]:
        """Who is asked, the quickest first; the plain program has the last word."""
        first: tuple[Proposer, ...] = () if self.compiled_clutches is None else (self.compiled_clutches,)
        last = (PlainProgram(self, ENOUGH),) if len(self.joints.clutches) else ()
        if self.has_contacts_only:
            first = (self._cones, PlainCones(self.assembly, self.joints)) if self.is_compiled else (self._cones,)
        return (*first, PlainProgram(self), *last)

    @cached_property
    def referee(self) -> Referee:
        """Judges what the solvers propose; made when first asked, as a search for strength never does."""
        cones = self._cones if self.has_contacts_only else None
        return cones.referee if isinstance(cones, CompiledCones) else Referee(self.assembly, self.joints)

    @cached_property
    def pieces(self) -> Pieces:
        """How states fall apart."""
        return Pieces(self.assembly, self.joints)

    def prove(self, states: Sequence[State]) -> Judgement:
        """What the first proposals prove of states with contacts only, under one gravity."""
        if isinstance(self._cones, CompiledCones):
            return self._cones.prove(states)
        return self.referee.judge(states, *self._cones.solve_many(states), self.strengths())

    @cached_property
    def at_least(self) -> Equilibrium:
        """The same with what ambiguous contacts bear whichever way they push: what stands by it stands."""
        return self._with(certain(self.joints)) if len(self.joints.ambiguous) else self

    @cached_property
    def at_most(self) -> Equilibrium:
        """The same with all that ambiguous contacts might bear: what falls by it falls."""
        return self._with(possible(self.joints)) if len(self.joints.ambiguous) else self

    def _with(self, joints: Interfaces) -> Equilibrium:
        return Equilibrium(self.assembly, joints, compiled=self.is_compiled)

    def assess(self, state: State) -> Verdict:
        """Whether a state stands; undecided where it depends on which way ambiguous contacts push."""
        verdict = self._assessed(state)
        if not len(self.joints.ambiguous):
            return verdict
        asked = {certain(self.joints): self.at_least, possible(self.joints): self.at_most}
        return settled(self.assembly, self.joints, state, verdict, lambda joints: asked[joints]._assessed(state))

    def _assessed(self, state: State) -> Verdict:
        """The same without ambiguous contacts."""
        start = time.perf_counter()
        ruling = self.rule(state)
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

    def rule(self, state: State, wanted: Wanted = USUAL, first: Proposer | None = None) -> Ruling:
        """What the first proposal proves that proves something; `first` is asked before the usual ones.

        Where the whole state stays undecided its pieces are asked one by one: what is heavy in one piece then blurs
        nothing in another.
        """
        whole = self._rule_together(state, wanted, first)
        if whole.answer != "undecided" or wanted.timeout_s == 0.0:
            return whole
        pieces = self.pieces.split(state)
        if len(pieces) < 2:
            return whole
        rulings = [self._rule_together(piece, wanted, first) for piece in pieces]
        return self._joined(state, rulings) or whole

    def _rule_together(self, state: State, wanted: Wanted, first: Proposer | None) -> Ruling:
        """A solver that fails proves nothing."""
        why = "no solver had an answer"
        for outcome in self._proposals(state, wanted, first):
            ruling = self.judged(state, outcome)
            if ruling.answer != "undecided":
                return ruling
            why = ruling.why
        return Ruling("undecided", why=why)

    def _proposals(self, state: State, wanted: Wanted, first: Proposer | None) -> Iterator[Outcome]:
        usual = [proposer for proposer in self.proposers if proposer.gives_accelerations or not wanted.accelerations]
        for proposer in (first, *usual):
            if proposer is None:
                continue
            try:
                yield proposer.propose(state, wanted)
            except (ArithmeticError, ValueError, RuntimeError, np.linalg.LinAlgError) as failure:
                log.info("a solver failed", exc_info=True)
                yield Outcome(None, None, f"the solver failed: {failure}")

    def strengths(self, factor: float = 1.0) -> Strengths:
        """What the referee needs to know of the clutches."""
        return Strengths(self._point_n, self._clutch_friction, factor)

    def fall(self, state: State, motion: Motion) -> Fall:
        """What the referee makes of a motion."""
        return self.referee.fall(state, motion, self.strengths())

    def judged(self, state: State, outcome: Outcome) -> Ruling:
        """A motion that gains, or forces that balance; forces balanced to rounding need no second look."""
        residual, power, motion = np.inf, -np.inf, outcome.motion
        if outcome.forces is not None:
            residual = self.referee.forces_residual(state, outcome.forces, self.strengths())
        if residual > EXACT and motion is not None:
            power, motion = self._power(state, motion)
        if power >= MOTION_POWER:
            return Ruling("unstable", motion, power)
        if residual <= FORCES_RESIDUAL:
            return Ruling("stable", outcome.forces, residual)
        return Ruling("undecided", why=f"{outcome.status}: residual {residual:.1e}, power {power:.1e} of the load")

    def _power(self, state: State, motion: Motion) -> tuple[float, Motion]:
        """What a motion gains; where it proves nothing as it is, also mended, and without bodies that hardly move."""
        fall = self.fall(state, motion)
        if fall.power >= MOTION_POWER or len(self.joints.clutches) or not np.isfinite(fall.power):
            return fall.power, motion
        mended = permitted(self.assembly, self.joints, state, motion)
        for tried in (motion, mended):
            fewest = None if tried is None else self.referee.fewest(state, tried, self.strengths())
            if tried is not None and fewest is not None:
                return fewest.power, Motion(np.where(fewest.moving[:, None], tried.twists, 0.0), tried.clutch_slips)
        return fall.power, motion

    def _joined(self, state: State, rulings: list[Ruling]) -> Ruling | None:
        """What is proved of the whole by what is proved of its pieces."""
        motions = [ruling.certificate for ruling in rulings if isinstance(ruling.certificate, Motion)]
        if motions:
            together = Motion(
                np.sum([motion.twists for motion in motions], axis=0),
                np.sum([motion.clutch_slips for motion in motions], axis=0),
            )
            return Ruling("unstable", together, self.referee.motion_power(state, together, self.strengths()))
        undecided = [ruling for ruling in rulings if ruling.answer == "undecided"]
        if undecided:
            return undecided[0]
        forces = [ruling.certificate for ruling in rulings if isinstance(ruling.certificate, Forces)]
        if len(forces) < len(rulings):
            return None
        whole = Forces(
            np.sum([each.patch_forces for each in forces], axis=0),
            np.sum([each.clutch_wrenches for each in forces], axis=0),
            np.sum([each.clutch_pressure for each in forces], axis=0),
            np.sum([each.hinge_forces for each in forces], axis=0),
            np.sum([each.hinge_moments for each in forces], axis=0),
        )
        residual = self.referee.forces_residual(state, whole, self.strengths())
        return Ruling("stable", whole, residual) if residual <= FORCES_RESIDUAL else None
