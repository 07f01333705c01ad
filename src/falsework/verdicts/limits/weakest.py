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
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.parting import clutch_speeds, parted, patch_speeds
from falsework.verdicts.limits.bracket import Bracket
from falsework.verdicts.limits.least_friction import least_friction, rougher
from falsework.verdicts.limits.strength import strength_of

BELOW = (1e-4, 1e-3, 1e-2)  # less than the strength needed, relative: as little as the referee can tell


@dataclass(frozen=True, slots=True, eq=False)
class Weakest:
    """What gives way first, fastest first."""

    pairs: tuple[tuple[str, str], ...]
    motion: Motion | None  # the proof; None: no joint is needed, or none was found


def weakest(equilibrium: Equilibrium, state: State, friction: Bracket | None = None) -> Weakest:
    """The joints that open or slide with a little less strength; `friction` is the least one where it is known."""
    assembly, joints = equilibrium.assembly, equilibrium.joints
    if len(joints.clutches):
        motion, speeds_of, bodies = _with_less_clutch(equilibrium, state), clutch_speeds, joints.clutches.bodies
    else:
        least = friction or least_friction(equilibrium, state)
        motion, speeds_of, bodies = _with_less_friction(equilibrium, state, least), patch_speeds, joints.patches.bodies
    if motion is None:
        return Weakest((), None)
    return Weakest(_parting(equilibrium, state, bodies, speeds_of(assembly, joints, motion.twists), motion), motion)


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
    unit = float(equilibrium.joints.patches.friction.max(initial=0.0)) or equilibrium.assembly.friction
    weaker = rougher(equilibrium.assembly, equilibrium.joints, friction.falls / unit, equilibrium)
    certificate = weaker.assess(state).certificate
    return certificate if isinstance(certificate, Motion) else None


def _parting(
    equilibrium: Equilibrium, state: State, bodies: Ints, speeds: Array, motion: Motion
) -> tuple[tuple[str, str], ...]:
    assembly = equilibrium.assembly
    names = [body.name for body in assembly.bodies]
    rows = parted(assembly, state, bodies, speeds, motion.twists)
    first = rows[np.argsort(-speeds[rows], kind="stable")]
    return tuple(dict.fromkeys((names[a], names[b]) for a, b in bodies[first].tolist()))
