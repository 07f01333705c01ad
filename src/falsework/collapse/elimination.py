"""The first instant by elimination: motions that keep hinges and sticking contacts exactly.

The method of multipliers closes hinges and contacts a little more in each round, slowly where thin bars hang in long or
nearly straight chains. Where nothing slides the problem is a linear one with nonnegative pressures:

    minimise ½|v − w|²_M   subject to   J v = 0  at hinges and where contacts stick,   J v ≥ 0  at smooth contacts,

whose dual is the least |w + M⁻¹Jᵀf|_M over the forces f. Dense, so for linkages of up to a hundred bars or so.
"""

from __future__ import annotations

import numpy as np

from falsework.collapse.contacts import Contacts
from falsework.collapse.friction_cone import JOINT
from falsework.model.arrays import Array, Bools

SINGULAR = 1e-10  # of the largest singular value: rows that say what others say already
MOST_ROWS = 2000  # beyond, dense algebra takes too long


def eliminated(contacts: Contacts, mass: Array, w: Array, forces: Array) -> tuple[Array, Array] | None:
    """Motion (n, 6) and forces (k, 3), from forces near by that tell what sticks; None where none was found."""
    from scipy.optimize import nnls  # few beginnings need it

    if forces.size > MOST_ROWS or not len(w):
        return None
    roots = np.linalg.cholesky(mass)  # M = L Lᵀ
    J = _jacobian(contacts, len(w))
    B = np.linalg.solve(roots[None], J.reshape(len(J), len(w), 6, 1))[..., 0].reshape(len(J), -1).T
    wanted = np.einsum("nji,nj->ni", roots, w).ravel()
    pushes = np.zeros(forces.shape, dtype=bool)
    pushes[contacts.friction == 0.0, 0] = True
    holds = _held(contacts, forces)
    equal, across = _basis(B[:, holds.ravel()])
    free, smooth = _without(equal, wanted), _without(equal, B[:, pushes.ravel()])
    lengths = np.linalg.norm(smooth, axis=0)
    moved = lengths > SINGULAR * np.linalg.norm(B[:, pushes.ravel()], axis=0)
    pressed = np.zeros(len(lengths))
    if moved.any():  # scipy's solver fails badly on no columns at all
        try:
            pressed[moved] = nnls(smooth[:, moved] / lengths[moved], -free)[0] / lengths[moved]
        except RuntimeError:
            return None
    found = np.zeros(forces.shape)
    found[pushes] = pressed
    found[holds] = -across @ (wanted + B[:, pushes.ravel()] @ pressed)
    left = free + smooth @ pressed
    return np.asarray(np.linalg.solve(np.swapaxes(roots, 1, 2), left.reshape(len(w), 6, 1))[..., 0], float), found


def _basis(columns: Array) -> tuple[Array, Array]:
    """An orthonormal basis of what columns span, and the matrix that finds their least coefficients."""
    lengths = np.linalg.norm(columns, axis=0)
    lengths[lengths == 0.0] = 1.0
    U, sizes, Vt = np.linalg.svd(columns / lengths, full_matrices=False)
    sound = sizes > SINGULAR * sizes.max(initial=0.0)
    U, sizes, Vt = U[:, sound], sizes[sound], Vt[sound]
    return U, (Vt.T / sizes) @ U.T / lengths[:, None]


def _without(basis: Array, vectors: Array) -> Array:
    """What is left of vectors across a basis; twice, as the first time rounds."""
    once = vectors - basis @ (basis.T @ vectors)
    left: Array = once - basis @ (basis.T @ once)
    return left


def _held(contacts: Contacts, forces: Array) -> Bools:
    """(k, 3) along which axes hinges, and contacts with friction that press, keep their bodies together."""
    rough = (contacts.friction > 0.0) & (forces[:, 0] > 0.0)
    held: Bools = np.repeat(((contacts.friction == JOINT) | rough)[:, None], 3, axis=1)
    return held


def _jacobian(contacts: Contacts, count: int) -> Array:
    """(3k, 6n) rows of J v, as `contacts.relative` computes it."""
    k = len(contacts.bodies)
    J = np.zeros((k, 3, count, 6))
    for side, sign in ((1, 1.0), (0, -1.0)):
        at = np.flatnonzero(contacts.bodies[:, side] >= 0)
        bodies, frames, arms = contacts.bodies[at, side], contacts.frames[at], contacts.arms[at, side]
        J[at, :, bodies, :3] += sign * frames
        J[at, :, bodies, 3:] += sign * np.cross(arms[:, None, :], frames)
    return J.reshape(3 * k, 6 * count)
