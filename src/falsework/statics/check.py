"""`check`: does it stand, with what margin, and if not, what breaks and what falls."""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from falsework.geometry.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import STANDARD_GRAVITY, Assembly, Load
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.interfaces import Interfaces
from falsework.model.ports import StabilityOracle
from falsework.model.state import State
from falsework.model.verdict import Motion, Verdict
from falsework.statics.ambiguity import settled
from falsework.statics.cones import Cone
from falsework.statics.equilibrium import Equilibrium
from falsework.statics.machine_code import pays_off
from falsework.statics.parting import clutch_speeds, parted
from falsework.statics.speeds import part_radii, part_speeds
from falsework.statics.strength import Strength, strength_of

Model = Literal["auto", "blocks", "cra", "snapfit", "bricksim", "stablelego", "simulated"]
MODELS: tuple[Model, ...] = get_args(Model)
OTHER = {  # models that are not the one convex program, by where they live: one lives in a room beside this one
    "cra": ("falsework.statics.cra", "Cra"),
    "bricksim": ("falsework.statics.bricksim", "BrickSim"),
    "stablelego": ("falsework.statics.stablelego", "StableLego"),
    "simulated": ("falsework.engine.simulated_check", "SimulatedCheck"),
}
LARGE = 400  # clutches: from here on the compiled solvers pay off for a single question
FALLING = 1e-3  # of g: parts that accelerate more than this are said to fall (seed 002, eq. 14)


@dataclass(frozen=True, slots=True)
class Question:
    """What to check of an assembly: which model, which parts are held or absent, under what loads."""

    model: Model = "auto"
    cone: Cone = "8"
    held: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    loads: tuple[Load, ...] | None = None
    gravity: tuple[float, float, float] | None = None
    seconds: float | None = None

    def state_of(self, assembly: Assembly) -> State:
        state = State.complete(assembly, assembly.mask(self.held), assembly.mask(self.absent))
        for load in self.loads or ():
            if not state.installed & assembly.mask([load.part]):
                raise BadInput(f"load: part {shown(load.part)} is absent")
        return replace(state, gravity=self.gravity, loads=self.loads)


def question_of(
    *,
    model: Model = "auto",
    cone: Cone = "8",
    held: Iterable[str] = (),
    absent: Iterable[str] = (),
    loads: Iterable[Load] | None = None,
    gravity: Iterable[float] | None = None,
    seconds: float | None = None,
) -> Question:
    """A question from what a caller gives; gravity must be three finite numbers."""
    pull = None if gravity is None else tuple(float(g) for g in gravity)
    if pull is not None and not (len(pull) == 3 and all(map(math.isfinite, pull))):
        raise BadInput(f"gravity: found {shown(pull)}, expected three finite numbers")
    return Question(
        model,
        cone,
        tuple(held),
        tuple(absent),
        None if loads is None else tuple(loads),
        None if pull is None else (pull[0], pull[1], pull[2]),
        seconds,
    )


def check(
    assembly: Assembly,
    *,
    model: Model = "auto",
    cone: Cone = "8",
    held: Iterable[str] = (),
    absent: Iterable[str] = (),
    loads: Iterable[Load] | None = None,
    gravity: Iterable[float] | None = None,
    seconds: float | None = None,
    found: Interfaces | None = None,
) -> Verdict:
    """Whether the assembly stands; `found` are its interfaces where they are known already.

    >>> check(load("tower.txt"), absent=["3"]).answer
    'unstable'
    """
    question = question_of(
        model=model, cone=cone, held=held, absent=absent, loads=loads, gravity=gravity, seconds=seconds
    )
    return answer(assembly, question, found)


def answer(assembly: Assembly, question: Question, found: Interfaces | None = None) -> Verdict:
    """The verdict on one question, its certificate checked; no choice of an ambiguous contact's normal decides it."""
    assembly.require_ground()
    start = time.perf_counter()
    state = question.state_of(assembly)
    touching = interfaces(assembly) if found is None else found
    verdict = _answer(assembly, question, state, touching, start)
    return settled(
        assembly, touching, state, verdict, lambda more: _answer(assembly, question, state, more, time.perf_counter())
    )


def _answer(assembly: Assembly, question: Question, state: State, touching: Interfaces, start: float) -> Verdict:
    """The verdict by the model that was asked for, on certain interfaces."""
    if question.model in OTHER:
        return _by_other_model(assembly, touching, state, question, start)
    large = len(touching.clutches) >= LARGE and pays_off(touching, worthwhile=True)
    equilibrium = Equilibrium(assembly, touching, question.cone, compiled=large)
    _refuse_wrong_model(question.model, equilibrium)
    built = time.perf_counter()
    ruling = equilibrium.rule(state, equilibrium.proposals(state, question.seconds))
    if large and ruling.answer == "unstable":  # how the parts accelerate, the plain program tells
        told = equilibrium.rule(state, equilibrium.plain(state, question.seconds))
        ruling = told if told.answer == "unstable" else ruling
    verdict = Verdict(
        ruling.answer,
        equilibrium.model if question.model == "auto" else question.model,
        ruling.certificate,
        ruling.residual,
        calibrated=equilibrium.calibrated,
        why=ruling.why,
    )
    if isinstance(ruling.certificate, Motion):
        verdict = replace(
            verdict,
            falling=falling(assembly, state, ruling.certificate.twists),
            breaking=breaking(assembly, touching, state, ruling.certificate.twists),
        )
    if len(touching.clutches) and ruling.answer != "undecided":
        verdict = _with_strength(verdict, strength_of(equilibrium, state))
    done = time.perf_counter()
    return replace(verdict, build_ms=1e3 * (built - start), solve_ms=1e3 * (done - built))


def _by_other_model(assembly: Assembly, found: Interfaces, state: State, question: Question, start: float) -> Verdict:
    """The verdict of a model that is not the one convex program; what falls where it gave a motion."""
    room, name = OTHER[question.model]
    oracle: StabilityOracle = getattr(importlib.import_module(room), name)(assembly, found, seconds=question.seconds)
    built = time.perf_counter()
    verdict = oracle.assess(state)
    if isinstance(verdict.certificate, Motion):
        verdict = replace(verdict, falling=falling(assembly, state, verdict.certificate.twists))
    if verdict.answer == "unstable" and verdict.joint_utilization is not None:
        names = [body.name for body in assembly.bodies]
        over = found.clutches.bodies[verdict.joint_utilization > 1.0]
        verdict = replace(verdict, breaking=tuple((names[a], names[b]) for a, b in over.tolist()))
    return replace(verdict, build_ms=1e3 * (built - start))


def _refuse_wrong_model(model: str, equilibrium: Equilibrium) -> None:
    if model not in MODELS:
        raise BadInput(f"model {shown(model)}: {did_you_mean(model, MODELS)}")
    if model == "blocks" and len(equilibrium.found.clutches):
        raise BadInput(f"model blocks knows no clutches, and this has {len(equilibrium.found.clutches)}; use snapfit")


def _with_strength(verdict: Verdict, strength: Strength) -> Verdict:
    return replace(
        verdict,
        utilization=strength.utilization,
        unbounded=strength.unbounded,
        joint_utilization=strength.joints,
    )


def falling(assembly: Assembly, state: State, accelerations: Array) -> tuple[str, ...]:
    """Parts that accelerate by more than FALLING g: linear, or angular times the part's radius."""
    g = float(np.linalg.norm(state.gravity_of(assembly))) or float(np.linalg.norm(STANDARD_GRAVITY))
    moving = part_speeds(accelerations, part_radii(assembly)) > FALLING * g
    return tuple(part.name for part, moves in zip(assembly.parts, moving, strict=False) if moves)


def breaking(assembly: Assembly, found: Interfaces, state: State, accelerations: Array) -> tuple[tuple[str, str], ...]:
    """Joints of a state whose two bricks part company in the motion."""
    pairs = found.clutches.bodies
    rows = parted(assembly, state, pairs, clutch_speeds(assembly, found, accelerations), accelerations)
    names = [body.name for body in assembly.bodies]
    return tuple((names[a], names[b]) for a, b in pairs[rows].tolist())
