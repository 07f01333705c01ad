"""Joints along a path of poses: each found from the one before, so that an arm can follow them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from falsework.kernels.exact import compiled
from falsework.model.arrays import Array, Bools
from falsework.model.poses import exponential, inverse, logarithm
from falsework.robots.kinematics.chain import Chain
from falsework.robots.kinematics.refining import GOOD, REACHED, descend

ITERATIONS = 12
JUMP = 0.35  # rad or m between two poses of a path: an arm that must go farther has passed a singular place


@compiled
def followed(chain: Chain, starts: Array, wanted: Array, jump: float) -> tuple[Array, Bools]:
    """(m, k, n) joints from starts (m, n) along paths of poses (m, k, 3, 4), and (m,) whether all are reached.

    The start reaches the first pose, or is near to joints that do. No joint leaves its limits, or goes farther than
    `jump` from one pose to the next.
    """
    m, k, n = wanted.shape[0], wanted.shape[1], starts.shape[1]
    found, reached = np.zeros((m, k, n)), np.ones(m, np.bool_)
    q = np.empty(n)
    for row in range(m):
        for j in range(n):
            q[j] = starts[row, j]
        for one in range(k):
            if descend(chain, wanted[row, one], q, ITERATIONS, True, REACHED) > GOOD:
                reached[row] = False
                break
            for j in range(n):
                before = starts[row, j] if one == 0 else found[row, one - 1, j]
                if abs(q[j] - before) > jump:
                    reached[row] = False
                found[row, one, j] = q[j]
            if not reached[row]:
                break
    return found, reached


def along(T_begin: Array, T_end: Array, spacing_m: float, spacing_rad: float = 0.05) -> Array:
    """(k, 4, 4) poses from one to another on a screw, straight where nothing turns; no farther apart than told.

    >>> T = np.eye(4)
    >>> T[0, 3] = 1.0
    >>> along(np.eye(4), T, 0.4)[:, 0, 3].round(3).tolist()
    [0.0, 0.333, 0.667, 1.0]
    """
    turns = not np.array_equal(T_begin[:3, :3], T_end[:3, :3])
    twist = logarithm(inverse(T_begin) @ T_end) if turns else np.zeros(6)
    far = max(np.linalg.norm(T_end[:3, 3] - T_begin[:3, 3]) / spacing_m, np.linalg.norm(twist[3:]) / spacing_rad)
    shares = np.linspace(0.0, 1.0, max(1, int(np.ceil(far - 1e-9))) + 1)
    if np.linalg.norm(twist[3:]) < 1e-12:
        poses = np.repeat(np.asarray(T_begin, dtype=np.float64)[None], len(shares), axis=0)
        poses[:, :3, 3] += shares[:, None] * (T_end[:3, 3] - T_begin[:3, 3])
    else:
        poses = np.array([T_begin @ exponential(share * twist) for share in shares])
    poses[-1] = T_end
    return poses


def along_all(path: Array, spacing_m: float) -> Array:
    """(k, 4, 4) the same through poses (p, 4, 4) one after another."""
    pieces = [along(begin, end, spacing_m) for begin, end in pairwise(path)]
    return np.concatenate([path[:1], *(piece[1:] for piece in pieces)])
