"""`check`: does it stand, with what margin, and if not, what breaks and what falls."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Unpack

from falsework.formats.opening import READING, Reading, Source, opened_with
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.contacts.near_misses import near_misses
from falsework.model.assembly import Assembly, Load, Loads, as_loads
from falsework.model.errors import BadInput, shown
from falsework.model.given import Names, names, three
from falsework.model.interfaces import Interfaces
from falsework.model.mortar import DRY, Mortar
from falsework.model.ports import StabilityOracle
from falsework.model.state import State
from falsework.model.verbs import verb
from falsework.model.verdict import Motion, Verdict
from falsework.statics.core.ambiguity import settled
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.friction_cones import Cone
from falsework.statics.core.outcome import Wanted
from falsework.statics.core.parting import breaking
from falsework.statics.core.speeds import falling
from falsework.statics.core.worth_compiling import pays_off
from falsework.verdicts.limits.strength import Strength, strength_by_pieces, strength_of
from falsework.verdicts.other_laws import judged_with_play, other_answers
from falsework.verdicts.registry import AUTO, StabilityModel, Terms, model_for

LARGE = 400  # clutches: from here on the compiled solvers pay off for a single question
_many_to_come: ContextVar[bool] = ContextVar("many_to_come", default=False)


@contextmanager
def many_to_come() -> Iterator[None]:
    """Inside, every `check` asks the compiled solvers first: this process has so many questions that they pay off.

    >>> with many_to_come():
    ...     check("examples/bridge.txt").answer
    'stable'
    """
    token = _many_to_come.set(True)
    try:
        yield
    finally:
        _many_to_come.reset(token)


@dataclass(frozen=True, slots=True)
class Question:
    """What to check of an assembly: which model, which parts are held or absent, under what loads.

    >>> Question(absent=("keystone",)).model
    'auto'
    """

    model: str = AUTO
    cone: Cone = "exact"
    held: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    loads: tuple[Load, ...] | None = None  # None: those of the assembly
    gravity: tuple[float, float, float] | None = None  # m/s², world; None: the assembly's
    timeout_s: float | None = None
    also: bool = True  # whether other laws are asked where they may differ
    mortar: Mortar = DRY  # strengths of joints

    def state_of(self, assembly: Assembly) -> State:
        state = State.complete(assembly, assembly.mask(self.held), assembly.mask(self.absent))
        for load in self.loads or ():
            if not state.installed & assembly.mask([load.part]):
                raise BadInput(f"load: part {shown(load.part)} is absent")
        return replace(state, gravity=self.gravity, loads=self.loads)


def question_of(
    *,
    model: str = AUTO,
    cone: Cone = "exact",
    held: Names = (),
    absent: Names = (),
    loads: Loads | None = None,
    gravity: Iterable[float] | None = None,
    timeout_s: float | None = None,
    also: bool = True,
    cohesion_pa: float = 0.0,
    crushing_pa: float = math.inf,
) -> Question:
    """A question from what a caller gives; gravity must be three finite numbers."""
    mortar = Mortar(cohesion_pa, crushing_pa)
    if mortar != DRY and model not in (AUTO, "mortar"):
        raise BadInput(f"cohesion and crushing are for model mortar, found model {shown(model)}")
    return Question(
        "mortar" if mortar != DRY else model,
        cone,
        names(held),
        names(absent),
        None if loads is None else as_loads(loads),
        None if gravity is None else three(gravity, "gravity"),
        timeout_s,
        also,
        mortar,
    )


@verb(*READING)
def check(
    source: Source,
    *,
    model: str = AUTO,
    cone: Cone = "exact",
    held: Names = (),
    absent: Names = (),
    loads: Loads | None = None,
    gravity: Iterable[float] | None = None,
    timeout_s: float | None = None,
    also: bool = True,
    cohesion_pa: float = 0.0,
    crushing_pa: float = math.inf,
    joints: Interfaces | None = None,
    **reading: Unpack[Reading],
) -> Verdict:
    """Whether an assembly, or the assembly in a file, stands; with the forces or the motion that proves it.

    model      by which law: "auto", "blocks", "snapfit", "cra", "mortar", "bricksim", "stablelego", "simulated" or one
               of yours
    cone       of friction: "exact", or "8" edges inside the exact one
    held       parts that a hand holds: it can put any force and moment on them
    absent     parts that are not there
    loads      forces on parts instead of the assembly's own: (part, (fx, fy, fz)) or (part, force, point), N and m in
               world axes, at the centre of mass unless a point is given; one or several, or {part: force}
    gravity    m/s², world axes; (0, 0, -9.81) unless the assembly says otherwise
    timeout_s  seconds of computing, after which it is undecided
    also       whether other laws are asked where they may differ: `verdict.also`
    cohesion_pa, crushing_pa
               shear that joints bear without being pressed, and pressure that they bear, Pa: the model is then "mortar"
    joints     the interfaces of the assembly, where they are known already

    `fixed`, `ground`, `mu`, `scale`, `allow_overlap_m` and `gap` are those of `load`.

    >>> check("examples/arch.yaml").answer
    'stable'
    >>> check("examples/arch.yaml", absent="keystone").answer
    'unstable'
    >>> check("examples/bridge.txt", loads=("10", (0, 0, -10))).stands
    False
    """
    question = question_of(
        model=model,
        cone=cone,
        held=held,
        absent=absent,
        loads=loads,
        gravity=gravity,
        timeout_s=timeout_s,
        also=also,
        cohesion_pa=cohesion_pa,
        crushing_pa=crushing_pa,
    )
    assembly, joints = opened_with(source, reading, joints)
    return answer(assembly, question, joints)


def answer(assembly: Assembly, question: Question, joints: Interfaces | None = None) -> Verdict:
    """The verdict on one question, its certificate checked; no choice of an ambiguous contact's normal decides it."""
    assembly.require_ground()
    start = time.perf_counter()
    state = question.state_of(assembly)
    joints = interfaces(assembly) if joints is None else joints
    verdict = answer_state(assembly, question, state, joints, start)
    if verdict.answer != "unstable":
        return verdict
    return replace(verdict, missing=near_misses(assembly, joints, state.installed, verdict.falling))


def answer_state(
    assembly: Assembly, question: Question, state: State, joints: Interfaces, start: float | None = None
) -> Verdict:
    """The same on a state as bit masks; of the question only the model and its terms matter."""
    verdict = answer_on(joints, assembly, question, state, start)
    if not model_for(question.model, assembly, joints).is_core:  # what is between points is between convex sets
        joints = replace(joints, ambiguous=joints.ambiguous.cornered)
    verdict = settled(assembly, joints, state, verdict, lambda more: answer_on(more, assembly, question, state))
    if question.model != AUTO:
        return verdict
    return judged_with_play(verdict, assembly, joints, state, question.timeout_s)


def answer_on(
    joints: Interfaces, assembly: Assembly, question: Question, state: State, start: float | None = None
) -> Verdict:
    """The verdict by the model that was asked for, and what other laws say, on these interfaces."""
    begun = time.perf_counter() if start is None else start
    model = model_for(question.model, assembly, joints)
    many = len(joints.clutches) >= LARGE or _many_to_come.get()
    compiled = model.is_core and many and pays_off(joints, worthwhile=True)
    oracle = model.oracle(assembly, joints, Terms(question.cone, question.timeout_s, compiled, question.mortar))
    return asked(model, oracle, assembly, joints, question, state, begun)


def asked(
    model: StabilityModel,
    oracle: StabilityOracle,
    assembly: Assembly,
    joints: Interfaces,
    question: Question,
    state: State,
    start: float,
) -> Verdict:
    """The verdict of an oracle that is ready, and what other laws say."""
    built = time.perf_counter()
    if isinstance(oracle, Equilibrium):
        verdict = replace(_by_equilibrium(oracle, state, question.timeout_s), model=model.name)
        if question.also and not (question.model == AUTO and joints.patches.has_play):
            left = None if question.timeout_s is None else max(question.timeout_s - (time.perf_counter() - built), 0.0)
            verdict = replace(verdict, also=other_answers(verdict, assembly, joints, state, left))
    else:
        verdict = _by_other_model(oracle, assembly, joints, state)
    done = time.perf_counter()
    return replace(verdict, build_ms=1e3 * (built - start), solve_ms=1e3 * (done - built))


def _by_equilibrium(equilibrium: Equilibrium, state: State, timeout_s: float | None) -> Verdict:
    """The verdict of the one convex program, with what falls, what breaks and what strength is needed."""
    assembly, joints = equilibrium.assembly, equilibrium.joints
    ruling = equilibrium.rule(state, Wanted(timeout_s=timeout_s))
    if equilibrium.is_compiled and ruling.answer == "unstable":  # how the parts accelerate, the plain program tells
        told = equilibrium.rule(state, Wanted(accelerations=True, timeout_s=timeout_s))
        ruling = told if told.answer == "unstable" else ruling
    verdict = Verdict(
        ruling.answer,
        equilibrium.model,
        ruling.certificate,
        ruling.residual,
        calibrated=equilibrium.calibrated,
        why=ruling.why,
    )
    if isinstance(ruling.certificate, Motion):
        verdict = replace(
            verdict,
            falling=falling(assembly, state, ruling.certificate.twists),
            breaking=breaking(assembly, joints, state, ruling.certificate.twists),
        )
    if len(joints.clutches) and ruling.answer != "undecided":
        strength = strength_of(equilibrium, state)
        if ruling.answer == "unstable" and strength.utilization is not None and strength.utilization <= 1.0:
            strength = strength_by_pieces(equilibrium, state)
        verdict = _with_strength(verdict, strength)
    return verdict


def _by_other_model(oracle: StabilityOracle, assembly: Assembly, joints: Interfaces, state: State) -> Verdict:
    """The verdict of a model that is not the one convex program; what falls where it gave a motion."""
    verdict = oracle.assess(state)
    if isinstance(verdict.certificate, Motion):
        verdict = replace(verdict, falling=falling(assembly, state, verdict.certificate.twists))
    if verdict.answer == "unstable" and verdict.joint_utilization is not None:
        names = [body.name for body in assembly.bodies]
        over = joints.clutches.bodies[verdict.joint_utilization > 1.0]
        verdict = replace(verdict, breaking=tuple((names[a], names[b]) for a, b in over.tolist()))
    return verdict


def _with_strength(verdict: Verdict, strength: Strength) -> Verdict:
    return replace(
        verdict,
        utilization=strength.utilization,
        unbounded=strength.unbounded,
        joint_utilization=strength.joints,
    )
