"""Snap-fit bricks: limits known from the points of the clutch, and structures that were built in reality."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from falsework.formats import load
from falsework.model.assembly import Assembly, Load
from falsework.verdicts.check import check
from tests.conftest import brick, on_baseplate

G = 9.81


def pulled(name: str, newtons: float) -> Load:
    return Load(name, np.array([0.0, 0.0, newtons]))


@pytest.mark.parametrize(
    ("size", "limit"), [("1x1", 2.80), ("2x2", 6.72), ("2x4", 13.44), ("4x4", 29.12), ("1x4", 11.20)]
)
def test_a_straight_pull_breaks_at_points_times_capacity(size: str, limit: float) -> None:
    one = on_baseplate(brick("b", f"brick_{size}", 0, 0, 0))
    weight = one.parts[0].mass_kg * G
    at_limit = check(one, loads=[pulled("b", limit + weight)])
    assert at_limit.utilization == pytest.approx(1.0, rel=1e-6)
    assert check(one, loads=[pulled("b", 0.999 * limit + weight)]).answer == "stable"
    broken = check(one, loads=[pulled("b", 1.001 * limit + weight)])
    assert broken.answer == "unstable"
    assert broken.breaking == (("ground", "b"),)


def test_a_brick_hung_from_one_stud_falls_at_2_80_newtons() -> None:
    above, hung = brick("above", "brick_1x1", 0, 0, 3), brick("hung", "brick_1x1", 0, 0, 0)
    pair = Assembly((above, hung), fixed=frozenset({"above"}))
    weight = hung.mass_kg * G
    assert check(pair, loads=[pulled("hung", weight - 2.79)]).answer == "stable"
    fallen = check(pair, loads=[pulled("hung", weight - 2.81)])
    assert fallen.answer == "unstable"
    assert fallen.falling == ("hung",)


def test_utilization_is_proportional_to_the_load_when_only_clutches_carry_it() -> None:
    one = on_baseplate(brick("b", "brick_2x4", 0, 0, 0))
    weight = one.parts[0].mass_kg * G
    halves = [check(one, loads=[pulled("b", weight + pull)]).utilization for pull in (1.0, 2.0, 4.0)]
    assert halves == pytest.approx([1 / 13.44, 2 / 13.44, 4 / 13.44], rel=1e-6)


def test_pressing_needs_no_clutch() -> None:
    tower = on_baseplate(brick("a", "brick_2x2", 0, 0, 0), brick("b", "brick_2x2", 0, 0, 3))
    pressed = check(tower, loads=[pulled("b", -50.0)])
    assert pressed.answer == "stable"
    assert pressed.utilization == pytest.approx(0.0, abs=1e-6)


def test_no_joint_of_an_absent_brick_breaks() -> None:
    tower = on_baseplate(brick("a", "brick_2x2", 0, 0, 0), brick("b", "brick_2x2", 0, 0, 3))
    fallen = check(tower, absent=["a"])
    assert fallen.falling == ("b",)
    assert fallen.breaking == ()


def test_joints_of_what_stands_or_falls_as_one_do_not_break() -> None:
    beside = [brick("c", "brick_2x4", 10, 0, 9), brick("d", "brick_2x4", 11, 0, 12)]
    both = on_baseplate(brick("a", "brick_2x4", 0, 0, 0), brick("b", "brick_2x4", 0, 0, 3), *beside)
    fallen = check(both)
    assert fallen.falling == ("c", "d")
    assert fallen.breaking == ()


def test_a_floating_brick_falls_whatever_the_strength() -> None:
    apart = on_baseplate(brick("a", "brick_2x2", 0, 0, 0), brick("b", "brick_2x2", 8, 0, 9))
    verdict = check(apart)
    assert verdict.answer == "unstable"
    assert verdict.unbounded
    assert verdict.utilization is None
    assert verdict.falling == ("b",)
    motion = verdict.certificate
    assert motion.twists[1, 2] == pytest.approx(-G, rel=1e-6)  # type: ignore[union-attr]


def test_holding_or_removing_parts_changes_the_answer() -> None:
    arm = on_baseplate(
        brick("foot", "brick_2x2", 0, 0, 0), brick("arm", "brick_8x2", 0, 0, 3), brick("load", "brick_2x2", 6, 0, 6)
    )
    heavy = [pulled("load", -5.0)]
    assert check(arm, loads=heavy).answer == "unstable"
    assert check(arm, loads=heavy, held=["arm"]).answer == "stable"
    assert check(arm, absent=["foot"]).falling == ("arm", "load")


def test_duplo_is_not_calibrated_and_says_so() -> None:
    verdict = check(on_baseplate(brick("b", "duplo:brick_2x2", 0, 0, 0)))
    assert verdict.answer == "stable"
    assert verdict.calibrated is False


def test_turning_gravity_on_its_side_loads_the_clutch_in_shear() -> None:
    one = on_baseplate(brick("b", "brick_2x2", 0, 0, 0))
    verdict = check(one, gravity=(9.81, 0, 0))
    assert verdict.answer == "stable"
    assert verdict.utilization is not None
    assert 0 < verdict.utilization < 0.05


@pytest.mark.parametrize(
    ("structure", "expected", "factor"),
    [
        ("stair_19", "stable", 0.760 * 0.70 / 0.56),
        ("stair_20", "unstable", 0.849 * 0.70 / 0.56),
        ("stick_light", "stable", 0.956),
        ("stick_heavy", "unstable", 1.061),
        ("stick_heavy_good", "stable", 0.970),
        ("external_weight_good", "stable", 0.465 * 0.70 / 0.56),
    ],
)
def test_structures_built_in_reality(structure: str, expected: str, factor: float, shared: Path) -> None:
    verdict = check(load(shared / "stablelego" / f"{structure}.json"))
    assert verdict.answer == expected
    assert verdict.utilization == pytest.approx(factor, rel=2e-3)


@pytest.mark.parametrize("name", ["car", "chair", "ship", "texture_chair", "texture_guitar", "old_output_apple"])
def test_published_brick_models_stand(name: str, shared: Path) -> None:
    assert check(load(shared / "brickgpt" / f"{name}.txt")).answer == "stable"


@pytest.mark.parametrize("name", ["bridge", "cliff", "faucet", "tower"])
def test_models_that_robots_built_stand(name: str, shared: Path) -> None:
    assert check(load(shared / "apexmr" / f"{name}.json")).answer == "stable"
