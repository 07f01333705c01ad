"""The published brick models: StableLego's linear program, and seed 000's three quadratic ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework.cli import main
from falsework.formats import load
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Ground, Load
from falsework.model.errors import BadInput
from falsework.model.state import State
from falsework.model.verdict import Criterion
from falsework.statics.published.bricksim import BrickSim, BrickSimSettings
from falsework.statics.published.push_lines import summed
from falsework.verdicts.check import check
from tests.conftest import brick, on_baseplate
from tests.statics.structures import stack

G = 9.81
BUILT = {
    "stair_19": True,
    "stair_20": False,
    "stick_light": True,
    "stick_heavy": False,
    "stick_heavy_good": True,
    "external_weight_good": True,
}


def pulled(name: str, newtons: float) -> Load:
    return Load(name, np.array([0.0, 0.0, newtons]))


@pytest.mark.parametrize(("name", "stood"), BUILT.items())
def test_stablelego_is_right_about_what_was_built(shared: Path, name: str, stood: bool) -> None:
    verdict = check(load(shared / "stablelego" / f"{name}.json"), model="stablelego")
    assert verdict.answer == ("stable" if stood else "unstable")


@pytest.mark.parametrize(("name", "stood"), BUILT.items())
def test_bricksim_as_published_accepts_one_that_collapsed(shared: Path, name: str, stood: bool) -> None:
    """Self-stress buys friction: stair_20 collapsed in reality (see `statics/clutches/capacities.py`)."""
    verdict = check(load(shared / "stablelego" / f"{name}.json"), model="bricksim")
    assert verdict.answer == ("stable" if stood or name == "stair_20" else "unstable")


@pytest.mark.parametrize(
    ("size", "points", "point_n", "model"),
    [
        ("1x1", 4, 0.98, "stablelego"),
        ("2x2", 12, 0.98, "stablelego"),
        ("2x4", 24, 0.98, "stablelego"),
        ("1x1", 4, 0.7, "bricksim"),
        ("2x2", 12, 0.7, "bricksim"),
    ],
)
def test_a_straight_pull_is_shared_by_all_points(size: str, points: int, point_n: float, model: str) -> None:
    one = on_baseplate(brick("b", f"brick_{size}", 0, 0, 0))
    weight = one.parts[0].mass_kg * G
    half = check(one, model=model, loads=[pulled("b", weight + 0.5 * points * point_n)])
    assert half.answer == "stable"
    assert half.utilization == pytest.approx(0.5, abs=1e-6)
    if model == "stablelego":  # self-stress lets the other model hold more
        over = check(one, model=model, loads=[pulled("b", weight + 1.001 * points * point_n)])
        assert over.answer == "unstable"
        assert over.breaking == (("ground", "b"),)


@pytest.mark.parametrize("model", ["stablelego", "bricksim"])
def test_the_criterion_can_be_recomputed_from_its_forces(model: str) -> None:
    places = ((0, 0), (1, 3), (2, 6))
    tower = on_baseplate(*(brick(f"{x}", "brick_2x4", x, 0, plates) for x, plates in places))
    found = check(tower, model=model).certificate
    assert isinstance(found, Criterion)
    assert found.passes
    squeeze = np.array([7.8 / 8, 7.8 / 8, 1.0]) if model == "stablelego" else np.ones(3)
    sums = summed(found.points, found.forces, found.pairs, tower.coms_m * squeeze)
    weights = np.array([part.mass_kg * G for part in tower.parts])
    free = range(len(tower.parts))
    assert np.allclose(sums[free, 2], weights, atol=1e-8)
    assert np.allclose(sums[free, :2], 0.0, atol=1e-8)
    assert np.allclose(sums[free, 3:5], 0.0, atol=1e-8)


@pytest.mark.parametrize("model", ["stablelego", "bricksim"])
def test_a_quarter_turn_of_everything_changes_nothing(model: str) -> None:
    """Narrow bricks: their points lie alike along both axes."""
    shifts = (0, 2, 4)
    along = on_baseplate(*(brick(f"{n}", "brick_1x4", 0, y, 3 * n) for n, y in enumerate(shifts)))
    across = on_baseplate(*(brick(f"{n}", "brick_1x4", -y, 0, 3 * n, turn_deg=90) for n, y in enumerate(shifts)))
    one, two = check(along, model=model), check(across, model=model)
    assert one.answer == two.answer == "stable"
    assert one.utilization == pytest.approx(two.utilization, rel=1e-6)


def test_bricksims_constants_are_settings() -> None:
    one = on_baseplate(brick("b", "brick_1x1", 0, 0, 0))
    state = State.complete(one)
    pull = State(state.installed, loads=(pulled("b", 1.0),))
    weak = BrickSim(one, interfaces(one), BrickSimSettings(friction=0.0, preload_n=0.1)).assess(pull)
    strong = BrickSim(one, interfaces(one), BrickSimSettings(friction=0.0, preload_n=1.0)).assess(pull)
    assert (weak.answer, strong.answer) == ("unstable", "stable")
    assert weak.utilization == pytest.approx((1.0 - one.parts[0].mass_kg * G) / 0.4, rel=1e-5)


@pytest.mark.parametrize("model", ["stablelego", "bricksim"])
def test_brick_models_refuse_other_parts(model: str) -> None:
    with pytest.raises(BadInput, match=f"model {model} knows bricks only"):
        check(stack([0.1]), model=model)


def test_stablelego_refuses_studs_that_point_two_ways() -> None:
    upright = brick("a", "brick_2x2", 0, 0, 0), brick("b", "brick_2x2", 0, 0, 3)
    turn = np.eye(4)
    turn[:3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    turn[0, 3] = 0.2
    pair = brick("c", "brick_2x2", 0, 0, 0), brick("d", "brick_2x2", 0, 0, 3)
    lying = [replace(part, T_world_part=turn @ part.T_world_part) for part in pair]
    both = Assembly((*upright, *lying), fixed=frozenset({"a", "c"}))
    with pytest.raises(BadInput, match="studs all point one way"):
        check(both, model="stablelego")


def test_the_command_line_says_what_the_criterion_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "tower.txt"
    source.write_text("2x4 (0,0,0)\n2x4 (1,0,1)\n", encoding="utf-8")
    assert main(["check", str(source), "--model", "stablelego", "--json", "--out", str(tmp_path / "out")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["model"] == "stablelego"
    assert said["certificate"]["kind"] == "criterion"
    assert said["certificate"]["residual"] <= 1e-6
    with np.load(tmp_path / "out" / "certificate.npz") as written:
        assert {"points", "forces", "pairs", "names"} <= set(written.files)
    assert main(["check", str(source), "--model", "bricksim"]) == 0
    assert "criterion" in capsys.readouterr().out


@pytest.mark.parametrize("model", ["stablelego", "bricksim"])
def test_a_loose_brick_on_a_table_stands_without_any_clutch(model: str) -> None:
    loose = grounded(Assembly((brick("b", "brick_2x4", 0, 0, 0),)), Ground("table"))
    assert check(loose, model=model).answer == "stable"
    assert check(loose, model=model, gravity=(3.0, 0.0, -9.0)).answer == "unstable"


@pytest.mark.parametrize("gravity", [1e-5, 1e-7, 1e-9, 1e-11])
def test_bricksim_takes_no_rounding_of_the_solver_for_a_fall(gravity: float) -> None:
    """Loads far below the strength are balanced to their own size."""
    stairs = on_baseplate(*(brick(f"{n}", "brick_2x4", n, 0, 3 * n) for n in range(5)))
    for way in (-gravity, gravity):
        verdict = check(stairs, model="bricksim", gravity=(0.0, 0.0, way))
        assert verdict.answer == "stable"
        assert verdict.residual is not None
        assert verdict.residual <= 1e-6


def test_a_stud_that_has_let_go_is_overloaded_by_a_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "one.txt"
    source.write_text("2x4 (0,0,0)\n", encoding="utf-8")
    assert main(["check", str(source), "--model", "bricksim", "--json", "--load", "1:1e6,3,0"]) == 1
    said = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert said["breaking"] == [["ground", "1"]]
    assert said["utilization"] == said["connections"][0]["utilization"] > 1e3
