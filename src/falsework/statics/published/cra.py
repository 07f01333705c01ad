"""Model `cra`: coupled rigid-block analysis (Kao et al. 2022). Forces are only where a displacement calls for them.

Plain equilibrium lets a structure press itself together as hard as friction needs: a bar between two fixed legs
stays up. Here every contact force belongs to one displacement of the blocks, as on equal springs (`coupled_newton`):
pressure only where the contact is pressed together, friction only against the shift, up to μ × pressure. The bar
cannot be pressed into both legs at once, so it slides.

Newton's method on the coupled system comes first, from the least forces of plain equilibrium: where none of them is at
its friction limit, they are those of the springs. Else staggered projections (Kaufman et al. 2008), each a convex
program: forces for a given room for friction, then the room from the pressure, beginning with none and damped where it
swings; Newton's method finishes. Three answers:

stable      forces that balance (the referee of `blocks`, exact cones) and agree with their displacement, to 1e-6
unstable    a motion from rest that obeys Coulomb's law, complementarity to 1e-6, faster than 1e-3 g
undecided   neither: the coupled problem is not convex, and may have several answers or none that is found

Kao et al. ask for the same displacement ε at every pressed contact and solve with IPOPT; springs make the pressure
proportional to it, which keeps what the coupling is for. Friction cones are exact, whatever --cone says.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace

import numpy as np

from falsework.geometry.shapes.linking import components_of
from falsework.model.arrays import Array
from falsework.model.assembly import STANDARD_GRAVITY, Assembly
from falsework.model.bits import flags, masks_of
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, Forces, Motion, Verdict
from falsework.statics.core.loads import load_scale, load_wrenches
from falsework.statics.proofs.checked_clutches import Strengths
from falsework.statics.proofs.coulomb import coupling_residual, motion_residual, relative
from falsework.statics.proofs.referee import Referee
from falsework.statics.published.coupled_newton import AT_REST, IN_MOTION, MORE_ROUNDS, OTHERWISE, polished
from falsework.statics.published.coupled_program import SOFT, CoupledProgram

log = logging.getLogger(__name__)

ROUNDS = 33
FINISHES = (1, 2, 4, 8, 16, 32)  # rounds after which Newton's method is tried
AT_ONCE = 12  # rounds of Newton's method from forces of plain equilibrium: more of them find little more
COUPLED = 1e-6  # of the load: complementarity and coupling
MOVING = 1e-3  # of g: seed 002's threshold for a part that moves (eq. 14)
LEAST_DAMPING = 0.1


class Cra:
    """The stability oracle `cra` of one assembly of blocks."""

    monotone_in_held = False
    convex = False
    calibrated = True

    def __init__(self, assembly: Assembly, joints: Interfaces, timeout_s: float | None = None) -> None:
        """Undecided after so many seconds, counted between programs."""
        if len(joints.clutches) or len(joints.hinges):
            raise BadInput("model cra knows contacts only, no clutches or hinges")
        self._assembly, self._joints, self._timeout_s = assembly, joints, np.inf if timeout_s is None else timeout_s
        self._referee = Referee(assembly, joints)

    def assess(self, state: State) -> Verdict:
        """Whether a state stands."""
        start = time.perf_counter()
        pieces = [self._attempted(piece, start + self._timeout_s) for piece in self.pieces(state)]
        return replace(self.together(pieces), solve_ms=1e3 * (time.perf_counter() - start))

    def pieces(self, state: State) -> list[State]:
        """Free bodies that touch each other, all others held: what is far apart, or much heavier, is another matter."""
        bodies = len(self._assembly.bodies)
        free = flags(state.free(self._assembly), bodies)
        pairs = self._joints.patches.bodies
        pairs = pairs[free[pairs].all(axis=1)]
        label = components_of(bodies, pairs[:, 0], pairs[:, 1])
        everything = state.free(self._assembly)
        masks = masks_of(free & (label == np.unique(label[free])[:, None]))
        return [replace(state, held=state.held | everything & ~mask) for mask in masks]

    def _attempted(self, state: State, until: float) -> Verdict:
        try:
            return self._assessed(state, until)
        except (ArithmeticError, ValueError, RuntimeError, np.linalg.LinAlgError) as failure:
            log.info("a solver failed", exc_info=True)
            return undecided(f"the solver failed: {failure}")

    def together(self, pieces: list[Verdict]) -> Verdict:
        """It falls if a piece falls, by the motions of all that do, and stands if all do."""
        motions = [piece.certificate for piece in pieces if isinstance(piece.certificate, Motion)]
        worst = max((piece.residual for piece in pieces if piece.residual is not None), default=0.0)
        if motions:
            twists = np.sum([motion.twists for motion in motions], axis=0)
            return Verdict("unstable", "cra", Motion(twists, np.zeros(0)), worst)
        why = [piece.why for piece in pieces if piece.answer == "undecided"]
        if why:
            return undecided(why[0])
        forces = np.zeros_like(self._joints.patches.points)
        for piece in pieces:
            assert isinstance(piece.certificate, Forces), "what stands has forces"
            forces += piece.certificate.patch_forces
        return Verdict("stable", "cra", self._forces(forces), worst)

    def _assessed(self, state: State, until: float) -> Verdict:
        program = CoupledProgram(self._assembly, self._joints, state)
        at_once = self._at_once(state, program, program.least()) if time.perf_counter() <= until else None
        if at_once is not None:
            return at_once
        room, damping, last = np.zeros(program.points), 1.0, np.inf
        forces: Array | None = np.zeros((program.points, 3))
        why = "the staggered projections did not settle"
        for number in range(ROUNDS):
            if time.perf_counter() > until:
                return undecided("time ran out")
            rest = program.at_rest(room)
            forces = rest if rest is not None else program.moving(room)
            if forces is None:
                return undecided("a convex program was not solved")
            weight = IN_MOTION if rest is None else AT_REST
            if number in FINISHES and (solved := polished(program, forces, weight)) is not None:
                verdict = self._judged(state, program, *solved)
                if verdict.answer != "undecided":
                    return verdict
                why = verdict.why
            change = program.friction * np.maximum(forces[:, 0], 0.0) - room
            size = float(np.abs(change).max(initial=0.0))
            damping = max(damping / 2, LEAST_DAMPING) if size > 0.9 * last else damping
            room, last = room + damping * change, size
        assert forces is not None, "a round without forces has returned"
        otherwise = self._found_otherwise(state, program, forces, until)
        return undecided(why) if otherwise is None else otherwise

    def rests_near(self, state: State, forces: Array) -> bool:
        """Whether forces of plain equilibrium, (p, 3) N, are soon made those of a consistent rest; checked.

        Much quicker than `assess`, but False proves nothing.
        """
        try:
            return all(self._rests_near(piece, forces) for piece in self.pieces(state))
        except (ArithmeticError, ValueError, RuntimeError, np.linalg.LinAlgError):
            log.info("a solver failed", exc_info=True)
            return False

    def _rests_near(self, state: State, forces: Array) -> bool:
        program = CoupledProgram(self._assembly, self._joints, state)
        own = np.einsum("pi,pki->pk", forces[program.acting], program.axes) / program.force_n
        return self._at_once(state, program, own) is not None

    def _at_once(self, state: State, program: CoupledProgram, forces: Array | None) -> Verdict | None:
        """Proof that it rests, from forces of plain equilibrium; None where Newton's method does not soon get there."""
        solved = None if forces is None else polished(program, forces, AT_REST, AT_ONCE)
        verdict = None if solved is None else self._judged(state, program, *solved)
        return verdict if verdict is not None and verdict.stands else None

    def _found_otherwise(self, state: State, program: CoupledProgram, forces: Array, until: float) -> Verdict | None:
        """What Newton's method proves from where the projections ended, weighed in other ways and with patience."""
        for weight in (IN_MOTION, *OTHERWISE):
            if time.perf_counter() > until:
                return None
            solved = polished(program, forces, weight, MORE_ROUNDS)
            if solved is not None and (verdict := self._judged(state, program, *solved)).answer != "undecided":
                return verdict
        return None

    def _judged(self, state: State, program: CoupledProgram, scaled: Array, scaled_forces: Array) -> Verdict:
        """What the proposal proves, recomputed in SI from the points and forces alone."""
        bodies = len(self._assembly.bodies)
        there, free = flags(state.installed, bodies), flags(state.free(self._assembly), bodies)
        forces = np.zeros_like(self._joints.patches.points)
        forces[program.acting] = program.force_n * np.einsum("pk,pki->pi", scaled_forces, program.axes)
        swift = program.force_n / program.mass_kg
        twists = np.zeros((bodies, 6))
        twists[free] = swift * scaled.reshape(-1, 6) / np.array([1.0] * 3 + [program.length_m] * 3)
        radii = np.array([body.radius_m for body in self._assembly.bodies])
        speed = max(
            float(np.linalg.norm(twists[:, :3], axis=1).max()),
            float((np.linalg.norm(twists[:, 3:], axis=1) * radii).max()),
        )
        g = float(np.linalg.norm(state.gravity_of(self._assembly))) or float(np.linalg.norm(STANDARD_GRAVITY))
        patches = self._joints.patches
        if speed >= MOVING * g:
            loads = load_wrenches(self._assembly, state)
            residual = motion_residual(self._assembly, patches, (there, free), loads, forces, twists)
            if residual <= COUPLED:
                return Verdict("unstable", "cra", Motion(twists, np.zeros(0)), residual)
            return undecided(f"the motion misses Coulomb's law by {residual:.1e}")
        certificate = self._forces(forces)
        strengths = Strengths(np.zeros(0), np.zeros(0))
        shifts = relative(self._assembly, patches, twists) * (program.force_n / (swift * SOFT))
        shifts[np.setdiff1d(np.arange(len(shifts)), program.acting)] = 0.0
        residual = self._referee.forces_residual(state, certificate, strengths)
        coupled = coupling_residual(patches, there, forces, shifts, load_scale(self._assembly, state))
        if residual <= FORCES_RESIDUAL and coupled <= COUPLED:
            return Verdict("stable", "cra", certificate, max(residual, coupled))
        return undecided(f"imbalance {residual:.1e}, forces off their displacement by {coupled:.1e} of the load")

    def _forces(self, forces: Array) -> Forces:
        none = np.zeros((0, 3))
        return Forces(forces, np.zeros((0, 6)), np.zeros((0, 4)), none, none)


def undecided(why: str) -> Verdict:
    return Verdict("undecided", "cra", None, None, why=why)
