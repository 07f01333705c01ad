"""Grasps: solved by hand for boxes, wedges and bricks, and refused for what cannot be gripped."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from falsework import box, tool_named
from falsework.geometry.shapes.solids import make_part
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput
from falsework.model.part import Material, Part
from falsework.model.robots.grasp import Grasp
from falsework.model.robots.tool import Tool
from falsework.model.shapes import BrickShape, Polyhedron, Shape
from falsework.robots.grasps.bearing import Burden, pinch_capacity, set_force, suction_capacity
from falsework.robots.grasps.grasps import grasps_of
from falsework.robots.grasps.pinching import antipodal_pairs
from falsework.robots.grasps.skin import skin_of


def block(size: tuple[float, float, float], density: float = 500.0) -> Part:
    return made("block", box(size), density)


def made(name: str, shape: Shape, density: float) -> Part:
    return make_part(name, shape, np.eye(4), material=Material("stuff", density))


@pytest.fixture(scope="module")
def hand() -> Tool:
    return tool_named("panda-hand")


def test_a_box_is_pinched_across_each_of_its_three_widths() -> None:
    pairs = antipodal_pairs(skin_of(box((0.1, 0.04, 0.02))), 0.5)
    assert {round(float(width), 9) for width in pairs.widths_m} == {0.1, 0.04, 0.02}
    assert pairs.tapers.max() == 0.0
    assert np.allclose(np.abs(pairs.axes).max(axis=1), 1.0)


def test_a_wedge_is_pinched_along_the_bisector_of_its_faces_while_friction_holds() -> None:
    """Two faces 20 degrees apart: each is 10 degrees off the pads."""
    slope = math.tan(math.radians(10.0))
    low, high = 0.03, 0.03 + 0.04 * slope
    corners = [(x, side * (high if z else low), z) for z in (0.0, 0.04) for x in (0.0, 0.05) for side in (-1, 1)]
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    skin = skin_of(Polyhedron(np.array(corners), faces))
    across = antipodal_pairs(skin, 0.5)
    slanted = across.tapers > 1e-6
    assert np.degrees(across.tapers[slanted]).max() == pytest.approx(10.0)
    assert np.allclose(np.abs(across.axes[slanted][:, 1]), 1.0)
    slippery = antipodal_pairs(skin, math.tan(math.radians(9.0)))
    assert not (np.abs(slippery.axes[:, 1]) > 0.9).any()


def test_what_a_pinch_bears_is_twice_friction_times_force(hand: Tool) -> None:
    """Gripped at its centre of mass nothing twists or bends: 2 · 0.5 · 70 N against 1 kg · (9.81 + 2)."""
    capacity = pinch_capacity(hand, 0.04, 0.0)
    assert capacity is not None
    assert capacity.margin(70.0, Burden(1.0), 0.0, 0.0) == pytest.approx(70.0 / 11.81)
    assert capacity.margin(70.0, Burden(1.0, press_n=20.0), 0.0, 0.0) == pytest.approx(70.0 / (20.0 + 11.81))


def test_taper_takes_its_angle_off_the_friction(hand: Tool) -> None:
    capacity = pinch_capacity(hand, 0.04, math.radians(10.0))
    assert capacity is not None
    assert capacity.slip == pytest.approx(2 * math.tan(math.atan(0.5) - math.radians(10.0)))


def test_a_grip_off_the_centre_of_mass_bears_less_and_never_more(hand: Tool) -> None:
    capacity = pinch_capacity(hand, 0.04, 0.0)
    assert capacity is not None
    margins = [capacity.margin(70.0, Burden(0.5), aside, aside) for aside in (0.0, 0.01, 0.03)]
    assert margins[0] > margins[1] > margins[2]


def test_a_cup_slides_before_it_is_pulled_off() -> None:
    cup = tool_named("suction")
    assert suction_capacity(cup).margin(75.0, Burden(1.0), 0.0, 0.0) == pytest.approx(0.5 * 75.0 / 11.81)


def test_grips_are_set_to_twice_the_load_within_what_the_tool_gives(hand: Tool) -> None:
    assert set_force(hand, 4.0) == pytest.approx(35.0)
    assert set_force(hand, 1.5) == 70.0
    assert set_force(hand, 1000.0) == 1.0


def test_grasps_keep_the_open_hand_off_the_part_and_close_upon_its_width(hand: Tool) -> None:
    found = grasps_of(block((0.1, 0.04, 0.03)), hand).grasps
    assert found
    for grasp in found:
        assert grasp.kind == "pinch"
        assert grasp.margin >= 1.0
        assert round(grasp.opening_m, 6) in (0.04, 0.03)
        assert grasp.open_m > grasp.opening_m
        assert np.allclose(grasp.T_part_tool[:3, :3].T @ grasp.T_part_tool[:3, :3], np.eye(3), atol=1e-12)


def test_the_first_grasps_come_from_all_sides(hand: Tool) -> None:
    found = grasps_of(block((0.04, 0.04, 0.04)), hand).grasps[:30]
    ways = np.array([grasp.T_part_tool[:3, 2] for grasp in found])
    for axis in np.concatenate([np.eye(3), -np.eye(3)]):
        assert (ways @ axis).max() > 0.9


@pytest.mark.parametrize(
    ("size", "density", "tool", "why"),
    [
        ((0.3, 0.3, 0.3), 500.0, "panda-hand", "opens 80 mm"),
        ((0.07, 0.07, 0.07), 90_000.0, "panda-hand", "times what it must"),
        ((0.02, 0.02, 0.02), 500.0, "suction", "level enough for a cup of 40 mm"),
        ((0.1, 0.1, 0.1), 500.0, "stud-tool", "no brick"),
    ],
)
def test_what_cannot_be_gripped_is_said(size: tuple[float, float, float], density: float, tool: str, why: str) -> None:
    found = grasps_of(block(size, density), tool_named(tool))
    assert not found.grasps
    assert why in found.why_not


def test_a_cup_sits_on_faces_that_are_wide_enough_and_no_others() -> None:
    found = grasps_of(block((0.1, 0.08, 0.02)), tool_named("suction")).grasps
    assert found
    assert {round(abs(float(grasp.T_part_tool[2, 2])), 9) for grasp in found} == {1.0}
    assert {round(float(grasp.T_part_tool[2, 3]), 9) for grasp in found} == {0.0, 0.02}


def test_a_brick_is_taken_by_its_studs_from_above_or_by_its_sides() -> None:
    brick = made("brick", BrickShape(BrickType("system", "brick", 4, 2, 3)), 500.0)
    studs = grasps_of(brick, tool_named("stud-tool")).grasps
    assert studs
    assert all(grasp.kind == "studs" and grasp.T_part_tool[2, 2] == -1.0 for grasp in studs)
    assert max(studs, key=lambda grasp: grasp.margin).T_part_tool[:2, 3] == pytest.approx([0.016, 0.008])
    sides = grasps_of(brick, tool_named("panda-hand")).grasps
    assert sides
    assert {round(grasp.opening_m, 6) for grasp in sides} <= {0.016, 0.032}


def test_the_same_part_has_the_same_grasps_wherever_it_stands(hand: Tool) -> None:
    part = block((0.1, 0.04, 0.03))
    T = np.eye(4)
    T[:3, 3] = [1.0, 2.0, 3.0]
    moved = replace(part, T_world_part=T)
    first, second = grasps_of(part, hand).grasps, grasps_of(moved, hand).grasps
    assert len(first) == len(second)
    assert all(np.array_equal(a.T_part_tool, b.T_part_tool) for a, b in zip(first, second, strict=True))


def test_a_grasp_refuses_what_makes_no_sense() -> None:
    with pytest.raises(BadInput, match="did you mean 'pinch'"):
        Grasp("a", "pinsh", np.eye(4), 0.0, 0.0, 1.0, 1.0)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="force_n"):
        Grasp("a", "pinch", np.eye(4), 0.0, 0.0, math.nan, 1.0)
