"""The compiled cone solver behind the words of the house: states in, outcomes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from falsework.model.arrays import Array, Ints, frozen
from falsework.model.assembly import Assembly
from falsework.model.bits import flags, masks, packed
from falsework.model.errors import MissingExtra
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Forces, Motion
from falsework.statics.core.loads import load_wrenches
from falsework.statics.core.outcome import Outcome, Wanted
from falsework.statics.proofs.referee import Judgement

if TYPE_CHECKING:
    from falsework.statics.cones.solver import ConeSolver
    from falsework.statics.proofs.compiled_referee import Case, CompiledReferee

NO_JOINTS = tuple(frozen(np.zeros((0, width))) for width in (6, 4, 3, 3))


class CompiledCones:
    """Contacts, nothing else; prepared once for an assembly."""

    gives_accelerations = True

    def __init__(self, assembly: Assembly, joints: Interfaces) -> None:
        self._assembly, self._joints = assembly, joints
        self._bare: dict[tuple[float, float, float] | None, tuple[Array, Case]] = {}

    @cached_property
    def referee(self) -> CompiledReferee:
        """Judges in the same call."""
        from falsework.statics.proofs.compiled_referee import CompiledReferee

        return CompiledReferee(self._assembly, self._joints)

    @staticmethod
    def fits(joints: Interfaces) -> bool:
        """Whether this solver knows all interfaces of an assembly."""
        return not len(joints.clutches) and not len(joints.hinges)

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
        solver = self._solver
        from falsework.statics.cones.proving import Batch  # there is machine code, now that there is a solver

        contexts, acting = _contexts(self._assembly, states)
        count = len(self._assembly.bodies)
        installed = packed([state.installed for state in states], count)
        free = packed([state.free(self._assembly) for state in states], count)
        batch = Batch(installed, free, acting, np.zeros(len(states), np.bool_), np.empty_like(installed))
        solver.prove(batch, *self._prepared(contexts))
        return Judgement(batch.stands, masks(batch.moving))

    def _prepared(self, contexts: list[State]) -> tuple[Array, Case]:
        """The wrenches of gravity and loads, for the solver and for the referee; those of gravity alone are kept."""
        if len(contexts) > 1:
            return self._wrenches(contexts)
        gravity = contexts[0].gravity
        if gravity not in self._bare:
            self._bare = {gravity: self._wrenches(contexts)}
        return self._bare[gravity]

    def _wrenches(self, contexts: list[State]) -> tuple[Array, Case]:
        loads = np.array([load_wrenches(self._assembly, context) for context in contexts])
        return loads, self.referee.case(contexts)

    @cached_property
    def _solver(self) -> ConeSolver:
        try:
            from falsework.statics.cones.solver import ConeSolver
        except ImportError as why:
            raise MissingExtra("numba", "fast") from why
        patches, bodies = self._joints.patches, self._assembly.bodies
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
