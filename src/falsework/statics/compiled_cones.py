"""The compiled cone solver behind the words of the house: states in, outcomes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from falsework.model.arrays import Array, frozen
from falsework.model.assembly import Assembly
from falsework.model.errors import MissingExtra
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Forces, Motion
from falsework.statics.cones import Cone, cone_generators
from falsework.statics.loading import flags, flags_of, load_wrenches
from falsework.statics.outcome import Outcome

if TYPE_CHECKING:
    from falsework.statics.cone_solver import ConeSolver

NO_JOINTS = tuple(frozen(np.zeros((0, width))) for width in (6, 4, 3, 3))
KEPT = 8  # directions of gravity for which cones are kept ready: their edges turn with it


class Proposals(NamedTuple):
    """Forces and motions for many states, to be judged; zeros where there are none."""

    patch_forces: Array  # (m, p, 3)
    twists: Array  # (m, n, 6)


class CompiledCones:
    """Contacts with eight-edge cones, nothing else; prepared once an assembly and direction of gravity."""

    def __init__(self, assembly: Assembly, found: Interfaces) -> None:
        self._assembly, self._found = assembly, found
        self._solvers: dict[tuple[float, ...], tuple[ConeSolver, Array, Array]] = {}

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

    def solve_many(self, states: Sequence[State]) -> Proposals:
        """The same for many states under one gravity."""
        assembly, count = self._assembly, len(self._assembly.masses_kg)
        solver, _, weights = self._solver(states[0].gravity_of(assembly))
        there = flags_of([state.installed for state in states], count)
        free = flags_of([state.free(assembly) for state in states], count)
        loads = np.repeat(weights[None], len(states), axis=0)
        for row, state in enumerate(states):
            if state.loads or assembly.loads:
                loads[row] = load_wrenches(assembly, state)
        return Proposals(*solver.solve_many(there, free, loads))

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
