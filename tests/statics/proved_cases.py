"""Structures with true certificates, for tests that plant errors in them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Load
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Forces, Motion
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.proofs.checked_clutches import Strengths
from falsework.statics.proofs.referee import Referee
from tests.collapse.linkages import framework, hinges_only
from tests.conftest import brick, on_baseplate
from tests.statics.structures import arch, block, harmonic, incline, stack

PITCH, PLATE, STUD = 0.008, 0.0032, 0.0017  # m


@dataclass(frozen=True, eq=False)
class Case:
    """What a referee is asked, and the certificate it is given."""

    assembly: Assembly
    joints: Interfaces
    state: State
    strengths: Strengths
    proof: Forces | Motion

    @property
    def forces(self) -> Forces:
        assert isinstance(self.proof, Forces)
        return self.proof

    @property
    def motion(self) -> Motion:
        assert isinstance(self.proof, Motion)
        return self.proof

    def residual(self) -> float:
        return Referee(self.assembly, self.joints).forces_residual(self.state, self.forces, self.strengths)

    def power(self) -> float:
        return Referee(self.assembly, self.joints).motion_power(self.state, self.motion, self.strengths)

    def but(self, **fields: object) -> Case:
        return replace(self, **fields)  # type: ignore[arg-type]

    def with_forces(self, **fields: object) -> Case:
        return replace(self, proof=replace(self.forces, **fields))  # type: ignore[arg-type]

    def with_motion(self, **fields: object) -> Case:
        return replace(self, proof=replace(self.motion, **fields))  # type: ignore[arg-type]


def proved(assembly: Assembly, joints: Interfaces | None = None, state: State | None = None) -> Case:
    joints = interfaces(assembly) if joints is None else joints
    oracle, chosen = Equilibrium(assembly, joints), State.complete(assembly) if state is None else state
    proof = oracle.assess(chosen).certificate
    assert isinstance(proof, Forces | Motion)
    return Case(assembly, joints, chosen, oracle.strengths(), proof)


def _cantilever(load: Load) -> Assembly:
    """The arm is turned, so that the frames of the clutches differ."""
    foot, arm = brick("foot", "brick_2x4", 0, 0, 0), brick("arm", "brick_2x6", 2, 0, 3, turn_deg=90)
    return on_baseplate(foot, arm).changed(loads=(load,))


def _mixed(reach: float, mass_kg: float) -> Assembly:
    """A plank on the studs of a brick that is clutched to another, whose clutches pull where the plank presses."""
    foot, arm = brick("foot", "brick_2x2", 0, 0, 0), brick("arm", "brick_6x2", 0, 0, 3)
    plank = block("plank", (3 * PITCH, 0.0, 6 * PLATE + STUD), (reach * PITCH, 2 * PITCH, 0.004))
    return on_baseplate(foot, arm, replace(plank, mass_kg=mass_kg))


@cache
def standing(name: str) -> Case:
    """Structures that stand, with forces."""
    if name == "arch":
        return proved(arch(9, 0.2, 0.6))
    if name == "stack":
        return proved(stack([0.3, 0.2]))
    if name == "cantilever":
        return proved(_cantilever(Load("arm", np.array([0.1, 0.2, -0.4]), np.array([0.01, 0.04, 0.02]))))
    if name == "mixed":
        return proved(_mixed(3.0, 0.02))
    truss = framework(np.array([[0.0, 0, 0], [1.0, 0, 0], [0.4, 0, 0.7]]), [(0, 2), (1, 2)], [0, 1])
    loaded = truss.changed(loads=(Load("0-2", np.array([2.0, 0.5, -1.0]), np.array([0.3, 0.0, 0.5])),))
    return proved(loaded, hinges_only(loaded))


@cache
def falling(name: str) -> Case:
    """Structures that fall, with a motion."""
    if name == "arch":
        return proved(arch(9, 0.05, 0.6))
    if name == "stack":
        return proved(harmonic(3, 1.1))
    if name == "cantilever":
        return proved(_cantilever(Load("arm", np.array([0.0, 0.0, -2.0]), np.array([0.01, 0.045, 0.02]))))
    if name == "mixed":
        return proved(_mixed(3.0, 0.5))
    if name == "slope":
        return proved(incline(0.6, 0.3))
    loose = framework(
        np.array([[0.0, 0, 0], [0.3, 0, 0.6], [1.0, 0, 0.5], [1.2, 0, 0]]), [(0, 1), (1, 2), (2, 3)], [0, 3]
    )
    return proved(loose, hinges_only(loose))
