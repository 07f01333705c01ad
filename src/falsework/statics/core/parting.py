"""How fast the two bodies of an interface part company in a motion."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.statics.core.loads import both
from falsework.statics.core.speeds import part_radii, part_speeds

PARTING = 1e-3  # of the largest relative speed: interfaces below do not count as parting
ROUNDING = 1e-6  # of the fastest part: where no interface parts faster than this, none parts


def parted(assembly: Assembly, state: State, bodies: Ints, speeds: Array, twists: Array) -> Ints:
    """The interfaces of a state, by their (k, 2) bodies and (k,) relative speeds, that part in a motion."""
    speeds = np.where(both(flags(state.installed, len(assembly.bodies)), bodies), speeds, 0.0)
    fastest = float(part_speeds(twists, part_radii(assembly)).max(initial=0.0))
    rows: Ints = np.flatnonzero(speeds > max(PARTING * float(speeds.max(initial=0.0)), ROUNDING * fastest))
    return rows


def breaking(assembly: Assembly, joints: Interfaces, state: State, accelerations: Array) -> tuple[tuple[str, str], ...]:
    """Joints of a state whose two bricks part company in the motion."""
    pairs = joints.clutches.bodies
    rows = parted(assembly, state, pairs, clutch_speeds(assembly, joints, accelerations), accelerations)
    names = [body.name for body in assembly.bodies]
    return tuple((names[a], names[b]) for a, b in pairs[rows].tolist())


def clutch_speeds(assembly: Assembly, joints: Interfaces, twists: Array) -> Array:
    """(k,) at the origin of each clutch, and turning about it."""
    clutches = joints.clutches
    half = np.array([np.linalg.norm(kind.half) for kind in clutches.kinds])[clutches.kind]
    apart, turned = _apart(assembly, twists, clutches.bodies, clutches.T_world_clutch[:, :3, 3])
    speeds: Array = np.linalg.norm(apart, axis=1) + half * np.linalg.norm(turned, axis=1)
    return speeds


def patch_speeds(assembly: Assembly, joints: Interfaces, twists: Array) -> Array:
    """(k,) at the point of each contact where it is largest."""
    patches = joints.patches
    apart, _ = _apart(assembly, twists, patches.bodies[patches.owner], patches.points)
    speeds = np.zeros(len(patches))
    np.maximum.at(speeds, patches.owner, np.linalg.norm(apart, axis=1))
    return speeds


def _apart(assembly: Assembly, twists: Array, pairs: Ints, points: Array) -> tuple[Array, Array]:
    """(p, 3) velocities of the second body against the first at points, and angular velocities."""
    first, second = pairs.T
    arms = points - assembly.coms_m[first], points - assembly.coms_m[second]
    apart = twists[second, :3] + np.cross(twists[second, 3:], arms[1])
    apart -= twists[first, :3] + np.cross(twists[first, 3:], arms[0])
    return apart, twists[second, 3:] - twists[first, 3:]
