"""How near its limit a snap-fit structure is, overall and joint by joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.interfaces import Patches
from falsework.model.state import State
from falsework.statics.clutch_solver import ClutchSolver
from falsework.statics.cones import cone_generators
from falsework.statics.equilibrium import Equilibrium
from falsework.statics.loading import both, flags, load_wrenches


@dataclass(frozen=True, slots=True, eq=False)
class Strength:
    """The least factor on all capacities with which it stands, and each joint's share at max(1, that factor)."""

    utilization: float | None  # None: not found, or no factor suffices
    unbounded: bool  # no factor suffices
    joints: Array  # (clutches,) NaN for clutches that are not there, or where the share was not found


def strength_of(equilibrium: Equilibrium, state: State) -> Strength:
    """Limit analysis for the factor; the energy-minimal distribution at that strength for the shares."""
    clutches = equilibrium.found.clutches
    there = flags(state.installed, len(equilibrium.assembly.bodies))
    present = np.flatnonzero(both(there, clutches.bodies))
    joints = np.full(len(clutches), np.nan)
    if len(equilibrium.found.hinges):  # the limit analysis knows contacts and clutches only
        return Strength(None, False, joints)
    solver = clutch_solver(equilibrium, state)
    loads = load_wrenches(equilibrium.assembly, state)
    least = solver.least_strength(loads)
    if least.status == "unbounded":
        return Strength(None, True, joints)
    if least.status != "exact":
        return Strength(None, False, joints)
    spread = solver.elastic(loads, max(1.0, least.factor * (1 + 1e-6)))
    if spread is not None:
        joints[present] = shares(equilibrium, present, spread.clutch_wrenches)
    return Strength(least.factor, False, joints)


def clutch_solver(equilibrium: Equilibrium, state: State) -> ClutchSolver:
    """The solver of a state's installed interfaces."""
    assembly, clutches = equilibrium.assembly, equilibrium.found.clutches
    there = flags(state.installed, len(assembly.bodies))
    rows = np.flatnonzero(both(there, clutches.bodies))
    patches = _installed(equilibrium.found.patches, there)
    return ClutchSolver(
        clutches.bodies[rows],
        clutches.T_world_clutch[rows],
        equilibrium.clutch_rows,
        np.array([kind.half for kind in clutches.kinds]).reshape(-1, 2),
        clutches.kind[rows],
        patches.bodies,
        patches.starts,
        patches.points,
        cone_generators(patches, state.gravity_of(assembly)),
        assembly.coms_m,
        flags(state.free(assembly), len(assembly.bodies)),
    )


def _installed(patches: Patches, there: Bools) -> Patches:
    keep = both(there, patches.bodies)
    counts = np.diff(patches.starts)
    points = patches.points[np.repeat(keep, counts)]
    starts = np.concatenate([[0], np.cumsum(counts[keep])])
    return Patches(patches.bodies[keep], patches.normals[keep], patches.friction[keep], starts, points)


def shares(equilibrium: Equilibrium, rows: Ints, wrenches: Array) -> Array:
    """(k,) how far each wrench is toward its capacity: the least s with rows·w ≤ s·limits on the sliding rows."""
    kinds = equilibrium.found.clutches.kind[rows]
    result = np.zeros(len(rows))
    for number, kind in enumerate(equilibrium.clutch_rows):
        members = np.flatnonzero(kinds == number)
        sliding = kind.limits > 0
        loads = wrenches[members] @ kind.rows[sliding].T / kind.limits[sliding]
        result[members] = np.maximum(0.0, loads.max(axis=1, initial=0.0))
    return result
