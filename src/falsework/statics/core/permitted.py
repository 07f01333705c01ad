"""A motion that enters contacts by a solver's rounding, made one that does not, by the least change.

Points that neither open nor slip are kept together, points that slip are kept on their cone, and hinges closed: linear
equations for the change, solved for the least one, and again where the direction of a slip turned with it. The referee
judges what comes out.
"""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Motion
from falsework.statics.core.loads import both
from falsework.statics.core.speeds import part_radii, part_speeds

CLOSED = 1e-6  # of the fastest part: slower is no slip, and nearer is no opening
ROUNDS = 3
MOST = 3000  # unknowns and rows: larger ones take too long


def permitted(assembly: Assembly, joints: Interfaces, state: State, motion: Motion) -> Motion | None:
    """Nearly the same motion of a state's free bodies; None where there is nothing to mend or too much."""
    free = flags(state.free(assembly), len(assembly.bodies))
    rows, normals, friction = _rows(assembly, joints, state, free)
    if not len(rows) or max(rows.shape[-1], 3 * len(rows)) > MOST:
        return None
    radii = part_radii(assembly)[free]
    lengths = np.stack([np.ones_like(radii)] * 3 + [radii] * 3, axis=1).ravel()  # speeds count, not turns
    v = motion.twists[free].ravel() * lengths
    rows = rows / lengths
    fastest = float(part_speeds(motion.twists[free], radii).max(initial=0.0))
    if not 0.0 < fastest < np.inf:
        return None
    for _ in range(ROUNDS):
        equations, missing = _equations(rows, normals, friction, v, CLOSED * fastest)
        if not len(equations):
            break
        try:
            v = v + np.linalg.lstsq(equations, missing, rcond=1e-12)[0]
        except np.linalg.LinAlgError:
            return None
    twists = np.zeros_like(motion.twists)
    twists[free] = (v / lengths).reshape(-1, 6)
    return Motion(twists, motion.clutch_slips)


def _rows(assembly: Assembly, joints: Interfaces, state: State, free: Bools) -> tuple[Array, Array, Array]:
    """(k, 3, 6f) relative velocities at contact points and hinges; (k, 3) normals, (k,) friction, −1 for hinges.

    A hinge is two entries: how it is torn apart, and how it is turned about other axes than its own.
    """
    there = flags(state.installed, len(assembly.bodies))
    patches, hinges = joints.patches, joints.hinges
    owner = patches.owner
    pairs = np.concatenate([patches.bodies[owner], hinges.bodies, hinges.bodies])
    points = np.concatenate([patches.points, hinges.points, hinges.points])
    turning = np.arange(len(pairs)) >= len(owner) + len(hinges)
    axes = np.concatenate([patches.normals[owner], hinges.axes, hinges.axes])
    friction = np.concatenate([patches.friction[owner], np.full(2 * len(hinges), -1.0)])
    used = np.flatnonzero(both(there, pairs) & free[pairs].any(axis=1))
    place = np.cumsum(free) - 1
    rows = np.zeros((len(used), 3, 6 * int(free.sum())))
    for at, k in enumerate(used):
        across = np.eye(3) - np.outer(axes[k], axes[k])
        for side, sign in ((0, -1.0), (1, 1.0)):
            body = pairs[k, side]
            if not free[body]:
                continue
            start = 6 * place[body]
            if turning[k]:
                rows[at, :, start + 3 : start + 6] += sign * across
            else:
                rows[at, :, start : start + 3] += sign * np.eye(3)
                rows[at, :, start + 3 : start + 6] += sign * _turned(points[k] - assembly.coms_m[body])
    return rows, axes[used], friction[used]


def _turned(arm: Array) -> Array:
    """The matrix of w ↦ w × arm."""
    x, y, z = arm
    return np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])


def _equations(rows: Array, normals: Array, friction: Array, v: Array, closed: float) -> tuple[Array, Array]:
    """What the change must satisfy: rows (m, 6f) and right-hand sides (m,)."""
    speeds = rows @ v
    along = np.einsum("ki,ki->k", speeds, normals)
    sideways = speeds - along[:, None] * normals
    slips = np.linalg.norm(sideways, axis=1)
    hinged = friction < 0
    room = along - friction * slips
    rests = hinged | (np.linalg.norm(speeds, axis=1) <= closed) | ((friction == 0.0) & (np.abs(along) <= closed))
    slides = ~rests & (room <= closed)
    smooth = rests & (friction == 0.0)  # nothing holds these sideways
    kept = rests & ~smooth
    slipping = np.where(slips > 0.0, slips, 1.0)[slides, None]
    directions = normals[slides] - friction[slides, None] * sideways[slides] / slipping
    equations = [
        rows[kept].reshape(-1, rows.shape[-1]),
        np.einsum("ki,kij->kj", normals[smooth], rows[smooth]),
        np.einsum("ki,kij->kj", directions, rows[slides]),
    ]
    missing = [-speeds[kept].ravel(), -along[smooth], np.maximum(0.0, -room[slides])]
    return np.concatenate(equations), np.concatenate(missing)
