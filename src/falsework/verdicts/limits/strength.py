"""How near its limit a snap-fit structure is, overall and joint by joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.model.bits import flags
from falsework.model.state import State
from falsework.model.travel import MadeAnew
from falsework.statics.core.compiled_clutches import CompiledClutches
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.loads import both
from falsework.statics.core.program import Program

ROOM = 1e-6  # beyond the least factor, where the elastic problem would have no inside


@dataclass(frozen=True, slots=True, eq=False)
class Strength(MadeAnew):
    """The least factor on all capacities with which it stands, and each joint's share at max(1, that factor).

    >>> import falsework
    >>> falsework.margins("examples/bridge.txt", only="strength").strength.utilization < 0.02
    True
    """

    utilization: float | None  # None: not found, or no factor suffices
    unbounded: bool  # no factor suffices
    joints: Array  # (clutches,) NaN for clutches that are not there, or where the share was not found


def strength_of(equilibrium: Equilibrium, state: State, timeout_s: float | None = None) -> Strength:
    """Limit analysis for the factor; the energy-minimal distribution at that strength for the shares."""
    joints = equilibrium.joints
    there = flags(state.installed, len(equilibrium.assembly.bodies))
    present = np.flatnonzero(both(there, joints.clutches.bodies))
    needed = np.full(len(joints.clutches), np.nan)
    if equilibrium.compiled_clutches is not None:
        return _compiled_strength(equilibrium, equilibrium.compiled_clutches, state, present)
    program = Program(equilibrium.assembly, joints, state, equilibrium.clutch_rows)
    factor, status = program.least_factor(timeout_s)
    if factor is None:
        return Strength(None, "PrimalInfeasible" in status, needed)
    forces = program.elastic(max(1.0, factor * (1 + ROOM)), timeout_s)
    if forces is not None:
        needed[present] = shares(equilibrium, present, -forces.clutch_wrenches[present])
    return Strength(factor, False, needed)


def strength_by_pieces(equilibrium: Equilibrium, state: State) -> Strength:
    """The same of each piece alone: for states in which a load on one blurs what another needs."""
    each = [strength_of(equilibrium, piece) for piece in equilibrium.pieces.split(state)]
    factors = [one.utilization for one in each]
    known = [factor for factor in factors if factor is not None]
    joints = np.full(len(equilibrium.joints.clutches), np.nan)
    for one in each:
        joints = np.where(np.isnan(one.joints), joints, one.joints)
    return Strength(max(known) if len(known) == len(factors) else None, any(one.unbounded for one in each), joints)


def _compiled_strength(equilibrium: Equilibrium, solver: CompiledClutches, state: State, present: Ints) -> Strength:
    """The same by the compiled solver, for large structures."""
    joints = np.full(len(equilibrium.joints.clutches), np.nan)
    least = solver.limit(state)
    if least.status != "exact":
        return Strength(None, least.status == "unbounded", joints)
    forces = solver.elastic(state, max(1.0, least.factor * (1 + ROOM)))
    if forces is not None:
        joints[present] = shares(equilibrium, present, -forces.clutch_wrenches[present])
    return Strength(least.factor, False, joints)


def shares(equilibrium: Equilibrium, rows: Ints, wrenches: Array) -> Array:
    """(k,) how far each wrench is toward its capacity: the least s with rows·w ≤ s·limits on the sliding rows."""
    kinds = equilibrium.joints.clutches.kind[rows]
    result = np.zeros(len(rows))
    for number, kind in enumerate(equilibrium.clutch_rows):
        members = np.flatnonzero(kinds == number)
        sliding = kind.limits > 0
        loads = wrenches[members] @ kind.rows[sliding].T / kind.limits[sliding]
        result[members] = np.maximum(0.0, loads.max(axis=1, initial=0.0))
    return result
