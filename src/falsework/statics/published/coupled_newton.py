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
from dataclasses import dataclass

import numpy as np
from scipy.sparse import block_array, bsr_array, csc_array, csc_matrix, eye_array
from scipy.sparse.linalg import MatrixRankWarning, spsolve

from falsework.model.arrays import Array
from falsework.statics.published.coupled_program import SOFT, CoupledProgram

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
    here = _Point.at(program, np.asarray(program.inverse_mass @ (program.A @ f + program.b)), f, weight)
    for _ in range(rounds):
        if float(np.abs(here.left).max(initial=0.0)) <= EXACT:
            return here.a, here.f.reshape(-1, 3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MatrixRankWarning)
            step = here.step(program, weight)
        if not all(np.isfinite(change).all() for change in step):
            return None
        here = _moved(program, here, step, weight)
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    """Accelerations and forces, and what is left of the equations there."""

    a: Array  # (6 × free,)
    f: Array  # (3 × points,)
    tried: Array  # (points, 3) f − ρ(a + κ f) at the contacts
    left: Array  # (6 × free + 3 × points,)

    @staticmethod
    def at(program: CoupledProgram, a: Array, f: Array, weight: float) -> _Point:
        tried = (f - weight * (np.asarray(program.A.T @ a) + SOFT * f)).reshape(-1, 3)
        normal = np.maximum(tried[:, 0], 0.0)
        reach = np.linalg.norm(tried[:, 1:], axis=1)
        shrink = np.minimum(1.0, program.friction * normal / np.where(reach > 0, reach, 1.0))
        made = np.column_stack([normal, shrink[:, None] * tried[:, 1:]])
        left = np.concatenate([a - program.inverse_mass @ (program.A @ f + program.b), f - made.ravel()])
        return _Point(a, f, tried, left)

    def step(self, program: CoupledProgram, weight: float) -> tuple[Array, Array]:
        """Newton's step, from the derivative D of what the contacts make by what was tried there.

        a − M⁻¹A f = −left_a and ρ D Aᵀ a + E f = −left_f with E = 1 − (1 − ρκ) D. At rest ρκ = ½, so E is far from
        singular at every contact, f is eliminated there, and what is left is of the size of the bodies.
        """
        A, size, slope = program.A, len(self.a), self._slope(program)
        blocks = np.eye(3) - (1 - weight * SOFT) * slope
        if weight != AT_REST:
            jacobian = block_array(
                [
                    [eye_array(size), -(program.inverse_mass @ A)],
                    [weight * (_blocks(slope) @ A.T), _blocks(blocks)],
                ],
                format="csc",
            )
            step = np.asarray(spsolve(csc_matrix(jacobian), -self.left))
            return step[:size], step[size:]
        inverse = np.linalg.inv(blocks)
        onto = csc_array(program.inverse_mass @ A)
        left_a, left_f = self.left[:size], self.left[size:].reshape(-1, 3, 1)
        springs = onto @ _blocks(weight * inverse @ slope) @ A.T
        pull = -left_a - onto @ (inverse @ left_f).ravel()
        a = np.asarray(spsolve(csc_matrix(eye_array(size) + springs), pull))
        at = np.asarray(A.T @ a).reshape(-1, 3, 1)
        return a, -(inverse @ (left_f + weight * slope @ at)).ravel()

    def _slope(self, program: CoupledProgram) -> Array:
        """(p, 3, 3) derivative of what the contacts make by what was tried there."""
        pressed = self.tried[:, 0] > 0
        room = program.friction * np.where(pressed, self.tried[:, 0], 0.0)
        reach = np.linalg.norm(self.tried[:, 1:], axis=1)
        sticks = reach <= room
        ways = self.tried[:, 1:] / np.where(reach > 0, reach, 1.0)[:, None]
        shrink = room / np.where(reach > 0, reach, 1.0)
        turning = np.eye(2) - np.einsum("pi,pj->pij", ways, ways)
        slope = np.zeros((len(self.tried), 3, 3))
        slope[:, 0, 0] = pressed
        slope[:, 1:, 1:] = np.where(sticks[:, None, None], np.eye(2), shrink[:, None, None] * turning)
        slope[:, 1:, 0] = np.where((~sticks & pressed)[:, None], program.friction[:, None] * ways, 0.0)
        return slope


def _moved(program: CoupledProgram, here: _Point, step: tuple[Array, Array], weight: float) -> _Point:
    """The largest halving of the step that gets nearer; where none does, the smallest: it leaves the kink."""
    norm = float(np.linalg.norm(here.left))
    for halving in range(HALVINGS):
        share = 0.5**halving
        there = _Point.at(program, here.a + share * step[0], here.f + share * step[1], weight)
        if float(np.linalg.norm(there.left)) < (1 - 1e-4 * share) * norm:
            break
    return there


def _blocks(blocks: Array) -> csc_array:
    """(p, 3, 3) along the diagonal."""
    count = len(blocks)
    size = 3 * count
    return csc_array(bsr_array((blocks, np.arange(count), np.arange(count + 1)), shape=(size, size)))
