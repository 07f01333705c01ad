"""The compiled cone solver behind the words of the house: states in, outcomes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from falsework.model.arrays import Ints, frozen
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.errors import MissingExtra
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Forces, Motion
from falsework.statics.core.loads import load_wrenches
from falsework.statics.core.outcome import Outcome, Wanted
from falsework.statics.proofs.referee import Judgement

if TYPE_CHECKING:
    from falsework.statics.cones.queue import ConeQueue
    from falsework.statics.cones.solver import ConeSolver
    from falsework.statics.proofs.compiled_referee import CompiledReferee

NO_JOINTS = tuple(frozen(np.zeros((0, width))) for width in (6, 4, 3, 3))


class CompiledCones:
    """Contacts, nothing else; prepared once for an assembly."""

    gives_accelerations = True

    def __init__(self, assembly: Assembly, found: Interfaces) -> None:
        self._assembly, self._found = assembly, found

    @cached_property
    def referee(self) -> CompiledReferee:
        """Judges in the same call."""
        from falsework.statics.proofs.compiled_referee import CompiledReferee

        return CompiledReferee(self._assembly, self._found)

    @staticmethod
    def fits(found: Interfaces) -> bool:
        """Whether this solver knows all interfaces of an assembly."""
        return not len(found.clutches) and not len(found.hinges)

    def propose(self, state: State, wanted: Wanted) -> Outcome:
        """Forces or a motion."""
        assembly = self._assembly
        count = len(assembly.masses_kg)
        free, there = flags(state.free(assembly), count), flags(state.installed, count)
        answer = self._solver.solve(there, free, load_wrenches(assembly, state), refine_motion=wanted.accelerations)
        forces = Forces(answer.forces, *NO_JOINTS) if answer.answer == "stable" and answer.forces is not None else None
        motion = None if answer.twists is None else Motion(answer.twists, np.zeros(0))
        return Outcome(forces, motion, answer.answer)

    def prove(self, states: Sequence[State]) -> Judgement:
        """What the referee makes of the same for many states under one gravity."""
        contexts, acting = _contexts(self._assembly, states)
        queue = self._queue(contexts, len(states))
        queue.put(states, acting)
        queue.prove()
        return queue.judgement()

    def queue(self, like: State, most: int) -> ConeQueue:
        """Where states wait that have the gravity of this one, and no loads."""
        return self._queue([_unloaded(self._assembly, like)], most)

    def _queue(self, contexts: list[State], most: int) -> ConeQueue:
        """Where states wait under the gravity and loads of these, the first of which has none."""
        loads = np.array([load_wrenches(self._assembly, context) for context in contexts])
        solver = self._solver
        from falsework.statics.cones.queue import ConeQueue  # there is machine code, now that there is a solver

        return ConeQueue(self._assembly, solver, loads, self.referee.case(contexts), most)

    @cached_property
    def _solver(self) -> ConeSolver:
        try:
            from falsework.statics.cones.solver import ConeSolver
        except ImportError as why:
            raise MissingExtra("numba", "fast") from why
        patches, bodies = self._found.patches, self._assembly.bodies
        turned = [body.T_world_part[:3, :3] for body in bodies]
        return ConeSolver(
            patches.bodies,
            patches.starts,
            patches.points,
            patches.normals,
            patches.friction,
            self._assembly.coms_m,
            self._assembly.masses_kg,
            np.array([R @ body.inertia_part_kgm2 @ R.T for R, body in zip(turned, bodies, strict=True)]),
            np.array([body.radius_m for body in bodies]),
        )


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
