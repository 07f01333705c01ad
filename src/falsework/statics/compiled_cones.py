"""The compiled cone solver behind the words of the house: states in, outcomes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from falsework.model.arrays import Array, Ints, frozen
from falsework.model.assembly import Assembly
from falsework.model.errors import MissingExtra
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Forces, Motion
from falsework.statics.bits import flags
from falsework.statics.cones import Cone, cone_generators
from falsework.statics.loading import load_wrenches
from falsework.statics.outcome import Outcome
from falsework.statics.referee import Judgement, Strengths

if TYPE_CHECKING:
    from falsework.statics.compiled_referee import CompiledReferee
    from falsework.statics.cone_queue import ConeQueue
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
        contexts, acting = _contexts(self._assembly, states)
        queue = self._queue(contexts, strengths, len(states))
        queue.put(states, acting)
        queue.prove()
        return queue.judgement()

    def queue(self, like: State, strengths: Strengths, most: int) -> ConeQueue:
        """Where states wait that have the gravity of this one, and no loads."""
        return self._queue([_unloaded(self._assembly, like)], strengths, most)

    def _queue(self, contexts: list[State], strengths: Strengths, most: int) -> ConeQueue:
        """Where states wait under the gravity and loads of these, the first of which has none."""
        solver, _, weights = self._solver(contexts[0].gravity_of(self._assembly))
        loads = np.array([weights, *(load_wrenches(self._assembly, context) for context in contexts[1:])])
        from falsework.statics.cone_queue import ConeQueue  # there is machine code, now that there is a solver

        return ConeQueue(self._assembly, solver, loads, self.referee.case(contexts, strengths), most)

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


def _unloaded(assembly: Assembly, like: State) -> State:
    """Everything there, under the gravity of a state and no loads."""
    return State((1 << len(assembly.bodies)) - 1, 0, like.gravity, ())


def _contexts(assembly: Assembly, states: Sequence[State]) -> tuple[list[State], Ints]:
    """Everything there, without loads and with those of each state that has some; and which of these is whose."""
    contexts, acting = [_unloaded(assembly, states[0])], np.zeros(len(states), np.int64)
    if assembly.loads or any(state.loads for state in states):
        for row, state in enumerate(states):
            if loads := state.loads_of(assembly):
                acting[row] = len(contexts)
                contexts.append(replace(contexts[0], loads=loads))
    return contexts, acting
