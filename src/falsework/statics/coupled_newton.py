"""Contact forces whose room for friction is their own pressure: the coupled half, by a semismooth Newton method.

Unknown accelerations a of the free bodies and forces f at the contacts, in the units of `CoupledProgram`:

    M a = A f + b
    f_n = max(0, f_n − ρ(a_n + κ f_n))                  pressed together by κ f_n, or open and without force
    f_t = proj[ |·| ≤ μ f_n ] (f_t − ρ(a_t + κ f_t))     shifted by −κ f_t, or sliding against its friction

with a_n, a_t the relative acceleration at the contact, and any ρ > 0: it only weighs accelerations against forces,
about 1/κ where all is at rest and 1 where something moves. One system for both answers: where the bodies can come to
rest a is κ × their displacement on springs (order 1e-8), where they cannot it is Coulomb's motion from rest.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.sparse import block_array, coo_array, csc_array, csc_matrix, eye_array
from scipy.sparse.linalg import MatrixRankWarning, spsolve

from falsework.model.arrays import Array
from falsework.statics.coupled_program import SOFT, CoupledProgram

ROUNDS = 25
MORE_ROUNDS = 100
EXACT = 1e-11  # of the load: what counts as solved
HALVINGS = 12
AT_REST = 0.5 / SOFT  # ρ
IN_MOTION = 1.0
OTHERWISE = (100.0, 0.01, 10.0, 0.1)  # where a motion is not found with that: other weights end in other kinks


def polished(program: CoupledProgram, forces: Array, weight: float, rounds: int = ROUNDS) -> tuple[Array, Array] | None:
    """Accelerations (6 × free,) and forces (p, 3) that solve the system, from forces near by; None if not found."""
    f = forces.ravel().copy()
    a = np.asarray(program.inverse_mass @ (program.A @ f + program.b))
    left, jacobian = _system(program, a, f, weight)
    for _ in range(rounds):
        size = float(np.abs(left).max(initial=0.0))
        if size <= EXACT:
            return a, f.reshape(-1, 3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MatrixRankWarning)
            step = np.asarray(spsolve(csc_matrix(jacobian), -left))
        if not np.isfinite(step).all():
            return None
        a, f, left, jacobian = _moved(program, a, f, step, float(np.linalg.norm(left)), weight)
    return None


def _moved(
    program: CoupledProgram, a: Array, f: Array, step: Array, norm: float, weight: float
) -> tuple[Array, Array, Array, csc_array]:
    """The largest halving of the step that gets nearer; where none does, the smallest: it leaves the kink."""
    for halving in range(HALVINGS):
        share = 0.5**halving
        there = a + share * step[: len(a)], f + share * step[len(a) :]
        left, jacobian = _system(program, *there, weight)
        if float(np.linalg.norm(left)) < (1 - 1e-4 * share) * norm:
            break
    return *there, left, jacobian


def _system(program: CoupledProgram, a: Array, f: Array, weight: float) -> tuple[Array, csc_array]:
    """What is left of the equations, and their derivative."""
    A, size = program.A, len(f)
    at = np.asarray(A.T @ a)
    tried = (f - weight * (at + SOFT * f)).reshape(-1, 3)
    pressed = tried[:, 0] > 0
    normal = np.where(pressed, tried[:, 0], 0.0)
    room = program.friction * normal
    reach = np.linalg.norm(tried[:, 1:], axis=1)
    sticks = reach <= room
    ways = tried[:, 1:] / np.where(reach > 0, reach, 1.0)[:, None]
    shrink = np.where(sticks, 1.0, room / np.where(reach > 0, reach, 1.0))
    made = np.column_stack([normal, shrink[:, None] * tried[:, 1:]])
    # derivative of `made` by `tried`, (p, 3, 3)
    slope = np.zeros((len(tried), 3, 3))
    slope[:, 0, 0] = pressed
    turning = np.eye(2) - np.einsum("pi,pj->pij", ways, ways)
    slope[:, 1:, 1:] = np.where(sticks[:, None, None], np.eye(2), shrink[:, None, None] * turning)
    slope[:, 1:, 0] = np.where((~sticks & pressed)[:, None], program.friction[:, None] * ways, 0.0)
    place = 3 * np.arange(len(tried))[:, None, None]
    down = np.broadcast_to(place + np.arange(3)[None, :, None], slope.shape).ravel()
    along = np.broadcast_to(place + np.arange(3)[None, None, :], slope.shape).ravel()
    D = csc_array(coo_array((slope.ravel(), (down, along)), shape=(size, size)))
    left = np.concatenate([a - program.inverse_mass @ (A @ f + program.b), f - made.ravel()])
    jacobian = block_array(
        [
            [eye_array(len(a)), -(program.inverse_mass @ A)],
            [weight * (D @ A.T), eye_array(size) - (1 - weight * SOFT) * D],
        ],
        format="csc",
    )
    return left, csc_array(jacobian)
