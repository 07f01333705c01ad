"""Verdicts against answers known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.state import State
from falsework.statics.core.eight_edges import EightEdges
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.unknowns import Cone
from tests.statics.structures import arch, diamond, four_brick_overhang, harmonic, incline


def answer(assembly: Assembly, cone: Cone = "exact") -> str:
    oracle = EightEdges if cone == "8" else Equilibrium
    return oracle(assembly, interfaces(assembly)).assess(State.complete(assembly)).answer


@pytest.mark.parametrize("cone", ["8", "exact"])
@pytest.mark.parametrize("friction", [0.2, 0.55, 1.0])
@pytest.mark.parametrize(("beyond", "expected"), [(-2e-6, "stable"), (0.0, "stable"), (2e-6, "unstable")])
def test_a_block_stands_on_an_incline_up_to_the_angle_of_friction(
    cone: Cone, friction: float, beyond: float, expected: str
) -> None:
    assert answer(incline(np.arctan(friction) + beyond, friction), cone) == expected


def test_what_is_out_of_balance_by_less_than_a_millionth_counts_as_standing() -> None:
    """Files round their numbers: structures that were drawn in exact balance must not come out as undecided."""
    assert answer(incline(np.arctan(0.55) + 3e-7, 0.55), "exact") == "stable"


@pytest.mark.parametrize("bricks", range(2, 31))
def test_harmonic_stacks_stand_up_to_their_overhang(bricks: int) -> None:
    assert answer(harmonic(bricks, 1 - 1e-4)) == "stable"
    assert answer(harmonic(bricks, 1 + 1e-4)) == "unstable"


@pytest.mark.parametrize(("shift", "expected"), [(-1e-4, "stable"), (1e-4, "unstable")])
def test_the_best_overhang_of_four_bricks(shift: float, expected: str) -> None:
    assert answer(four_brick_overhang(shift)) == expected


@pytest.mark.parametrize("cone", ["8", "exact"])
@pytest.mark.parametrize(("middle", "expected"), [(3, "stable"), (4, "stable"), (5, "unstable"), (6, "unstable")])
def test_diamonds_of_seed_003_fall_from_five(middle: int, expected: str, cone: Cone) -> None:
    assert answer(diamond(middle), cone) == expected


@pytest.mark.parametrize(("thickness", "expected"), [(0.1070, "unstable"), (0.1080, "stable")])
def test_a_semicircular_arch_needs_a_thickness(thickness: float, expected: str) -> None:
    assert answer(arch(60, thickness, 1.0)) == expected


def test_the_arch_limit_with_sixty_voussoirs() -> None:
    low, high = 0.1070, 0.1080
    while high - low > 1e-5:
        middle = (low + high) / 2
        low, high = (low, middle) if answer(arch(60, middle, 1.0)) == "stable" else (middle, high)
    assert high == pytest.approx(0.10745, abs=5e-5)
