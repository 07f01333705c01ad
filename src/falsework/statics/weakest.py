"""The weakest joints: those that give way when a state has a little less than the strength it needs.

Bricks need a share of their clutch strength, blocks a friction. With a little less there is a motion that proves the
fall, and the joints that open or slide in it are the weakest. (Less strength and more load are the same question:
contacts do not mind the scale, so the loads are raised instead.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Load
from falsework.model.state import State
from falsework.model.verdict import Motion
from falsework.statics.bracket import Bracket
from falsework.statics.equilibrium import Equilibrium
from falsework.statics.least_friction import least_friction, rougher
from falsework.statics.strength import strength_of

BELOW = (1e-4, 1e-3, 1e-2)  # less than the strength needed, relative: as little as the referee can tell
PARTING = 1e-3  # of the largest relative speed


@dataclass(frozen=True, slots=True, eq=False)
class Weakest:
    """What gives way first, fastest first."""

    pairs: tuple[tuple[str, str], ...]
    motion: Motion | None  # the proof; None: no joint is needed, or none was found


def weakest(equilibrium: Equilibrium, state: State, friction: Bracket | None = None) -> Weakest:
    """The joints that open or slide with a little less strength; `friction` is the least one where it is known."""
    found = equilibrium.found
    if len(found.clutches):
        motion = _with_less_clutch(equilibrium, state)
        speeds = None if motion is None else _clutch_speeds(equilibrium, motion.twists)
        bodies = found.clutches.bodies
    else:
        motion = _with_less_friction(equilibrium, state, friction or least_friction(equilibrium, state))
        speeds = None if motion is None else _patch_speeds(equilibrium, motion.twists)
        bodies = found.patches.bodies
    return Weakest(() if speeds is None else _parted(equilibrium, state, bodies, speeds), motion)


def _with_less_clutch(equilibrium: Equilibrium, state: State) -> Motion | None:
    needed = strength_of(equilibrium, state).utilization
    if not needed:
        return None
    for less in BELOW:
        raised = overloaded(equilibrium, state, 1 / (needed * (1 - less)))
        certificate = equilibrium.assess(raised).certificate
        if isinstance(certificate, Motion):
            return certificate
    return None


def overloaded(equilibrium: Equilibrium, state: State, factor: float) -> State:
    """The state with its weight and all its loads times a factor."""
    x, y, z = (factor * state.gravity_of(equilibrium.assembly)).tolist()
    loads = tuple(Load(load.part, factor * load.force_n, load.point_m) for load in state.loads_of(equilibrium.assembly))
    return replace(state, gravity=(x, y, z), loads=loads)


def _with_less_friction(equilibrium: Equilibrium, state: State, friction: Bracket) -> Motion | None:
    if not friction.falls:
        return None
    unit = float(equilibrium.found.patches.friction.max(initial=0.0)) or equilibrium.assembly.friction
    weaker = rougher(equilibrium.assembly, equilibrium.found, friction.falls / unit, equilibrium)
    certificate = weaker.assess(state).certificate
    return certificate if isinstance(certificate, Motion) else None


def _clutch_speeds(equilibrium: Equilibrium, twists: Array) -> Array:
    """(k,) speed at which the two bricks of each clutch part company: at its origin, and turning about it."""
    clutches = equilibrium.found.clutches
    half = np.array([np.linalg.norm(kind.half) for kind in clutches.kinds])[clutches.kind]
    apart, turned = _apart(equilibrium, twists, clutches.bodies, clutches.T_world_clutch[:, :3, 3])
    speeds: Array = np.linalg.norm(apart, axis=1) + half * np.linalg.norm(turned, axis=1)
    return speeds


def _patch_speeds(equilibrium: Equilibrium, twists: Array) -> Array:
    """(k,) the largest relative speed of the two bodies at a point of each contact."""
    patches = equilibrium.found.patches
    apart, _ = _apart(equilibrium, twists, patches.bodies[patches.owner], patches.points)
    speeds = np.zeros(len(patches))
    np.maximum.at(speeds, patches.owner, np.linalg.norm(apart, axis=1))
    return speeds


def _apart(equilibrium: Equilibrium, twists: Array, pairs: Ints, points: Array) -> tuple[Array, Array]:
    """(p, 3) relative velocities at points, and relative angular velocities."""
    coms = equilibrium.assembly.coms_m
    moved = [twists[pairs[:, side], :3] + np.cross(twists[pairs[:, side], 3:], points - coms[pairs[:, side]])
             for side in range(2)]  # fmt: skip
    return moved[1] - moved[0], twists[pairs[:, 1], 3:] - twists[pairs[:, 0], 3:]


def _parted(equilibrium: Equilibrium, state: State, bodies: Ints, speeds: Array) -> tuple[tuple[str, str], ...]:
    names = [body.name for body in equilibrium.assembly.bodies]
    there = np.array([(state.installed >> int(a)) & (state.installed >> int(b)) & 1 for a, b in bodies], dtype=bool)
    speeds = np.where(there, speeds, 0.0)
    parted = [row for row in np.argsort(-speeds, kind="stable") if speeds[row] > PARTING * speeds.max(initial=0.0)]
    return tuple(dict.fromkeys((names[a], names[b]) for a, b in bodies[parted].tolist()))
