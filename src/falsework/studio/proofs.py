"""What proofs say about parts: which of them fall in a motion, and how hard joints work under given forces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import STANDARD_GRAVITY, Assembly
from falsework.model.bits import flags
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Forces, Motion, Verdict
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.loads import both
from falsework.statics.core.parting import breaking
from falsework.statics.core.speeds import falling
from falsework.verdicts.limits.strength import shares


def told(assembly: Assembly, joints: Interfaces, state: State, verdict: Verdict) -> Verdict:
    """A verdict that falls with what falls and breaks, at a scale at which its fastest part accelerates by 1 g.

    The motion of a proof is a direction: solvers give it any length.
    """
    motion = verdict.certificate
    if not isinstance(motion, Motion):
        return verdict
    radii = np.array([body.radius_m for body in assembly.bodies])
    speeds = np.linalg.norm(motion.twists[:, :3], axis=1) + np.linalg.norm(motion.twists[:, 3:], axis=1) * radii
    g = float(np.linalg.norm(state.gravity_of(assembly))) or float(np.linalg.norm(STANDARD_GRAVITY))
    scaled: Array = motion.twists * (g / max(float(speeds.max(initial=0.0)), 1e-300))
    return replace(
        verdict,
        certificate=Motion(scaled, motion.clutch_slips),
        falling=falling(assembly, state, scaled),
        breaking=breaking(assembly, joints, state, scaled),
    )


def joint_shares(equilibrium: Equilibrium, state: State, forces: Forces) -> Array:
    """(clutches,) how far these forces take each joint toward its capacity; NaN for joints that are not there."""
    clutches = equilibrium.joints.clutches
    there = np.flatnonzero(both(flags(state.installed, len(equilibrium.assembly.bodies)), clutches.bodies))
    joints = np.full(len(clutches), np.nan)
    joints[there] = shares(equilibrium, there, -forces.clutch_wrenches[there])
    return joints
