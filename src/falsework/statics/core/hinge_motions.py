"""Motions that keep every hinge, exactly but for rounding.

A hinge bears any force, so a motion that tears one apart ever so little may still be resisted: two bars in a nearly
straight line carry ten thousand times their weight. A solver's motion keeps hinges to its tolerance only. Here it is
replaced by the nearest one that keeps them to rounding.
"""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Hinges

SAME = 1e-12  # of the largest singular value: hinges that say no more than others do


def keeping_hinges(assembly: Assembly, hinges: Hinges, there: Bools, free: Bools, twists: Array) -> Array:
    """(bodies, 6) the motion of free bodies nearest to `twists`, angular speeds times radius, that tears no hinge.

    Bodies that are not free move as `twists` say, and are left out of the answer.
    """
    acting = there[hinges.bodies].all(axis=1) & free[hinges.bodies].any(axis=1)
    if not acting.any():
        return twists
    radii = np.array([body.radius_m for body in assembly.bodies])
    units = np.concatenate([np.ones((len(radii), 3)), np.repeat(1.0 / radii[:, None], 3, axis=1)], axis=1)
    rows = np.zeros((int(acting.sum()), 6, len(radii), 6))
    numbers = np.arange(len(rows))
    for side, sign in ((1, 1.0), (0, -1.0)):
        bodies = hinges.bodies[acting, side]
        arms = hinges.points[acting] - assembly.coms_m[bodies]
        axes = hinges.axes[acting]
        rows[numbers, :3, bodies, :3] += sign * np.eye(3)
        rows[numbers, :3, bodies, 3:] += sign * np.cross(np.eye(3)[None], arms[:, None, :]).swapaxes(1, 2)
        across = np.eye(3) - axes[:, :, None] * axes[:, None, :]  # what is turned about another axis
        rows[numbers, 3:, bodies, 3:] += sign * radii[hinges.bodies[acting]].max(axis=1)[:, None, None] * across
    torn = rows.reshape(-1, len(radii), 6)
    kept = (torn * units)[:, free].reshape(len(torn), -1)
    U, sizes, Vt = np.linalg.svd(kept, full_matrices=False)
    rank = int((sizes > SAME * sizes.max(initial=0.0)).sum())
    U, Vt = U[:, :rank], Vt[:rank]
    drawn = -(torn[:, ~free] * twists[~free]).sum(axis=(1, 2))  # what supports that move ask for
    following = Vt.T @ (U.T @ drawn / sizes[:rank])
    scaled = (twists / units)[free].ravel() - following
    for _ in range(2):  # the second takes away what rounding left
        scaled = scaled - Vt.T @ (Vt @ scaled)
    scaled = scaled + following
    moved: Array = np.zeros_like(twists)
    moved[free] = scaled.reshape(-1, 6) * units[free]
    return moved
