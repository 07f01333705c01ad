"""The referee on its own: true certificates with one error planted in them are refused, each kind of error by name.

Every structure's own certificate is accepted first, so each test can fail both ways.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba")

from falsework.model.arrays import Array
from falsework.model.verdict import FORCES_RESIDUAL, MOTION_POWER
from falsework.statics.proofs.compiled_referee import CompiledReferee
from falsework.statics.proofs.referee import Judgement, Referee
from tests.statics.planted_errors import ALL, CONTACTS, WRONG_FORCES, WRONG_MOTIONS, Planted
from tests.statics.proved_cases import Case, falling, standing


def _planted(wrong: dict[str, tuple[Planted, tuple[str, ...]]]) -> list[tuple[str, str]]:
    return [(error, structure) for error, (_, structures) in wrong.items() for structure in structures]


@pytest.mark.parametrize("structure", ALL)
def test_true_forces_are_accepted(structure: str) -> None:
    assert standing(structure).residual() < 1e-3 * FORCES_RESIDUAL


@pytest.mark.parametrize("structure", [*ALL, "slope"])
def test_true_motions_are_accepted(structure: str) -> None:
    assert falling(structure).power() > 1e3 * MOTION_POWER


@pytest.mark.parametrize(("error", "structure"), _planted(WRONG_FORCES))
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_wrong_forces_are_refused(error: str, structure: str) -> None:
    assert WRONG_FORCES[error][0](standing(structure)).residual() > FORCES_RESIDUAL


@pytest.mark.parametrize(("error", "structure"), _planted(WRONG_MOTIONS))
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_wrong_motions_are_refused(error: str, structure: str) -> None:
    assert not WRONG_MOTIONS[error][0](falling(structure)).power() >= MOTION_POWER


@pytest.mark.parametrize("structure", CONTACTS)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_the_compiled_referee_refuses_the_same_forces(structure: str) -> None:
    """One call for each true certificate and everything that was planted in it."""
    assert _stands(standing(structure))
    errors = [error for error, name in _planted(WRONG_FORCES) if name == structure]
    assert len(errors) > 20
    assert [error for error in errors if _stands(WRONG_FORCES[error][0](standing(structure)))] == []


@pytest.mark.parametrize("structure", [*CONTACTS, "slope"])
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_the_compiled_referee_refuses_the_same_motions(structure: str) -> None:
    assert _falls(falling(structure))
    errors = [error for error, name in _planted(WRONG_MOTIONS) if name == structure]
    assert [error for error in errors if _falls(WRONG_MOTIONS[error][0](falling(structure)))] == []


def _judged(case: Case, forces: Array, moved: Array) -> Judgement:
    """By machine code, after the plain referee has judged the same."""
    asked = [case.state], forces[None], moved[None], case.strengths
    plain, fast = (kind(case.assembly, case.joints).judge(*asked) for kind in (Referee, CompiledReferee))
    assert (plain.stands.tolist(), plain.moving) == (fast.stands.tolist(), fast.moving)
    return fast


def _stands(case: Case) -> bool:
    return bool(_judged(case, case.forces.patch_forces, np.zeros((len(case.assembly.bodies), 6))).stands[0])


def _falls(case: Case) -> bool:
    return bool(_judged(case, np.zeros((len(case.joints.patches.points), 3)), case.motion.twists).moving[0])
