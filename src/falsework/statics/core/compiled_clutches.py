"""The compiled snap-fit solver behind the words of the house: states in, outcomes out, warm for changed loads."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.errors import MissingExtra
from falsework.model.interfaces import Interfaces, Patches
from falsework.model.state import State
from falsework.model.verdict import Forces, Motion
from falsework.statics.clutches.capacities import ClutchRows
from falsework.statics.clutches.changing_loads import WarmClutches
from falsework.statics.core.friction_cones import cone_generators
from falsework.statics.core.loads import both, load_wrenches
from falsework.statics.core.outcome import Outcome, Wanted

if TYPE_CHECKING:
    from falsework.statics.clutches.kinds import ClutchKinds
    from falsework.statics.clutches.proposals import ClutchForces, ClutchMotion, LeastStrength
    from falsework.statics.clutches.solver import ClutchSolver

KEPT = 8  # topologies whose factors are kept


class CompiledClutches:
    """Clutches, and contacts with eight-edge cones; factors are kept for the topologies asked about last.

    The edges are inside the true cones: what it proposes may be too careful, and the plain program is asked then.
    """

    gives_accelerations = False

    def __init__(self, assembly: Assembly, joints: Interfaces, rows: tuple[ClutchRows, ...]) -> None:
        self._assembly, self._joints, self._rows = assembly, joints, rows
        self._topologies: OrderedDict[tuple[object, ...], _Topology] = OrderedDict()

    @cached_property
    def _kinds(self) -> ClutchKinds:
        from falsework.statics.clutches.kinds import ClutchKinds  # brings scipy, which plans of blocks do without

        return ClutchKinds.of(self._rows, np.array([kind.half for kind in self._joints.clutches.kinds]))

    def propose(self, state: State, wanted: Wanted) -> Outcome:
        """The screen or the anchor's forces, shifted; Newton's method from the last forces; then the exact limit.

        A motion is that of the limit, unless any that proves the fall will do.
        """
        return self._topology(state).solve(load_wrenches(self._assembly, state), wanted.any_motion)

    def limit(self, state: State) -> LeastStrength:
        """The least factor on the clutches' strength with which a state stands."""
        return self._topology(state).solver.least_strength(load_wrenches(self._assembly, state))

    def elastic(self, state: State, factor: float) -> Forces | None:
        """Forces of least elastic energy with the clutches' strength times a factor."""
        topology = self._topology(state)
        found = topology.solver.elastic(load_wrenches(self._assembly, state), factor)
        return None if found is None else topology.forces(found)

    def slipping(self, state: State, twists: Array) -> Motion | None:
        """A motion (bodies, 6) of a state's free bodies with the least slips that it takes."""
        topology = self._topology(state)
        found = topology.solver.slipping(twists, load_wrenches(self._assembly, state))
        return None if found is None else topology.motion(found)

    def _topology(self, state: State) -> _Topology:
        gravity = tuple(state.gravity_of(self._assembly).tolist())
        key = (state.installed, state.held, gravity)
        topology = self._topologies.pop(key, None) or _Topology(self._assembly, self._joints, self._kinds, state)
        self._topologies[key] = topology
        if len(self._topologies) > KEPT:
            self._topologies.popitem(last=False)
        return topology


class _Topology:
    """One set of installed and held parts: its solver, and where its interfaces stand among all."""

    def __init__(self, assembly: Assembly, joints: Interfaces, kinds: ClutchKinds, state: State) -> None:
        self._joints = joints
        there = flags(state.installed, len(assembly.bodies))
        self._clutches = np.flatnonzero(both(there, joints.clutches.bodies))
        self._patches = np.flatnonzero(both(there, joints.patches.bodies))
        patches, self._points = _chosen(joints.patches, self._patches)
        self._generators = cone_generators(patches, state.gravity_of(assembly))
        self._slips, self._slip_count = _slip_places(joints, self._clutches)
        self.solver = _solver(assembly, joints, kinds, self._clutches, patches, self._generators, state)
        self._warm = WarmClutches(self.solver)

    def solve(self, loads: Array, any_motion: bool) -> Outcome:
        answer = self._warm.answer(loads, any_motion=any_motion)
        if answer.forces is not None:
            return Outcome(self.forces(answer.forces), None, self._warm.way)
        if answer.motion is None:
            return Outcome(None, None, answer.status)
        return Outcome(None, self.motion(answer.motion), answer.status)

    def motion(self, found: ClutchMotion) -> Motion:
        """Slips scattered over all clutches of the assembly."""
        slips = np.zeros(self._slip_count)
        slips[self._slips] = found.slips
        return Motion(found.twists, slips)

    def forces(self, found: ClutchForces) -> Forces:
        """Scattered over all interfaces of the assembly; what is absent carries nothing."""
        pushes = np.zeros((len(self._joints.patches.points), 3))
        pushes[self._points] = np.einsum("pe,pei->pi", found.patch_weights, self._generators)
        wrenches, pressure = np.zeros((len(self._joints.clutches), 6)), np.zeros((len(self._joints.clutches), 4))
        wrenches[self._clutches] = -found.clutch_wrenches
        pressure[self._clutches] = found.clutch_pressure
        return Forces(pushes, wrenches, pressure, np.zeros((0, 3)), np.zeros((0, 3)))


def _solver(
    assembly: Assembly,
    joints: Interfaces,
    kinds: ClutchKinds,
    chosen: Ints,
    patches: Patches,
    generators: Array,
    state: State,
) -> ClutchSolver:
    try:
        from falsework.statics.clutches.solver import ClutchSolver
    except ImportError as why:
        raise MissingExtra("numba", "fast") from why
    clutches = joints.clutches
    free: Bools = flags(state.free(assembly), len(assembly.bodies))
    gripping = (clutches.bodies[chosen], clutches.T_world_clutch[chosen], kinds, clutches.kind[chosen])
    return ClutchSolver(*gripping, patches.bodies, patches.starts, patches.points, generators, assembly.coms_m, free)


def _chosen(patches: Patches, rows: Ints) -> tuple[Patches, Ints]:
    """Some of the patches, and the numbers of their points among all points."""
    keep = np.zeros(len(patches), dtype=bool)
    keep[rows] = True
    points = np.flatnonzero(keep[patches.owner])
    counts = np.diff(patches.starts)[rows]
    starts = np.concatenate([[0], np.cumsum(counts)])
    normals, friction = patches.normals[rows], patches.friction[rows]
    return Patches(patches.bodies[rows], normals, friction, starts, patches.points[points]), points


def _slip_places(joints: Interfaces, chosen: Ints) -> tuple[Ints, int]:
    """Where the rows of the chosen clutches stand among the rows of all, and how many there are."""
    counts = np.array([3 * len(kind.points) for kind in joints.clutches.kinds], dtype=np.int64)[joints.clutches.kind]
    keep = np.zeros(len(counts), dtype=bool)
    keep[chosen] = True
    return np.flatnonzero(np.repeat(keep, counts)), int(counts.sum())
