"""The compiled cone solver behind the words of the house: states in, outcomes out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from falsework.model.arrays import Array, Ints, frozen
from falsework.model.assembly import Assembly
from falsework.model.errors import MissingExtra
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Forces, Motion
from falsework.statics.bits import flags, packed
from falsework.statics.cones import Cone, cone_generators
from falsework.statics.loading import load_wrenches
from falsework.statics.outcome import Outcome
from falsework.statics.referee import Judgement, Strengths

if TYPE_CHECKING:
    from falsework.statics.compiled_referee import CompiledReferee
    from falsework.statics.cone_solver import ConeSolver

NO_JOINTS = tuple(frozen(np.zeros((0, width))) for width in (6, 4, 3, 3))
KEPT = 8  # directions of gravity for which cones are kept ready: their edges turn with it


class CompiledCones:
    """Contacts with eight-edge cones, nothing else; prepared once an assembly and direction of gravity."""

    def __init__(self, assembly: Assembly, found: Interfaces) -> None:
        self._assembly, self._found = assembly, found
        self._solvers: dict[tuple[float, ...], tuple[ConeSolver, Array, Array]] = {}

    @cached_property
    def referee(self) -> CompiledReferee:
        """Judges in the same call."""
        from falsework.statics.compiled_referee import CompiledReferee

        return CompiledReferee(self._assembly, self._found)

    @staticmethod
    def fits(found: Interfaces, cone: Cone) -> bool:
        """Whether this solver knows all interfaces of an assembly."""
        return cone == "8" and not len(found.clutches) and not len(found.hinges)

    def solve(self, state: State, *, accelerations: bool = False) -> Outcome:
        """Forces or a motion; with `accelerations` the motion is that of eq. 14, seed 002."""
        assembly = self._assembly
        solver, generators, weights = self._solver(state.gravity_of(assembly))
        count = len(assembly.masses_kg)
        free, there = flags(state.free(assembly), count), flags(state.installed, count)
        loads = load_wrenches(assembly, state) if state.loads_of(assembly) else weights
        answer = solver.solve(there, free, loads, refine_motion=accelerations)
        forces = motion = None
        if answer.weights is not None:
            pushes = np.einsum("pe,pei->pi", answer.weights, generators)
            forces = Forces(pushes, *NO_JOINTS)
        if answer.twists is not None:
            motion = Motion(answer.twists, np.zeros(0))
        return Outcome(forces, motion, answer.answer)

    def prove(self, states: Sequence[State], strengths: Strengths) -> Judgement:
        """What the referee makes of the same for many states under one gravity."""
        assembly, count = self._assembly, len(self._assembly.bodies)
        solver, _, weights = self._solver(states[0].gravity_of(assembly))
        contexts, acting = _contexts(assembly, states)
        loads = np.array([weights, *(load_wrenches(assembly, context) for context in contexts[1:])])
        installed = packed([state.installed for state in states], count)
        free = packed([state.free(assembly) for state in states], count)
        return solver.prove(installed, free, acting, loads, self.referee.case(contexts, strengths))

    def _solver(self, gravity: Array) -> tuple[ConeSolver, Array, Array]:
        """The solver for a direction of gravity, its cone generators, and the weights of all bodies as wrenches."""
        key = tuple(gravity.tolist())
        if key not in self._solvers:
            try:
                from falsework.statics.cone_solver import ConeSolver
            except ImportError as why:
                raise MissingExtra("numba", "fast") from why
            if len(self._solvers) >= KEPT:
                self._solvers.pop(next(iter(self._solvers)))
            patches, bodies = self._found.patches, self._assembly.bodies
            generators = cone_generators(patches, gravity)
            turned = [body.T_world_part[:3, :3] for body in bodies]
            inertias = np.array([R @ body.inertia_part_kgm2 @ R.T for R, body in zip(turned, bodies, strict=True)])
            solver = ConeSolver(
                patches.bodies,
                patches.starts,
                patches.points,
                generators,
                self._assembly.coms_m,
                self._assembly.masses_kg,
                inertias,
            )
            weights = np.zeros((len(bodies), 6))
            weights[:, :3] = self._assembly.masses_kg[:, None] * gravity
            self._solvers[key] = (solver, generators, weights)
        return self._solvers[key]


def _contexts(assembly: Assembly, states: Sequence[State]) -> tuple[list[State], Ints]:
    """Everything there, without loads and with those of each state that has some; and which of these is whose."""
    everything, gravity = (1 << len(assembly.bodies)) - 1, states[0].gravity
    contexts, acting = [State(everything, 0, gravity, ())], np.zeros(len(states), np.int64)
    if assembly.loads or any(state.loads for state in states):
        for row, state in enumerate(states):
            if loads := state.loads_of(assembly):
                acting[row] = len(contexts)
                contexts.append(State(everything, 0, gravity, loads))
    return contexts, acting
