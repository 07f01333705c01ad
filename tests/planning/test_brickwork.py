"""Bricks: how they are taken, what the press does, and what hangs together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from falsework.formats import load
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.lattice import lattices
from falsework.geometry.ways.brick_grasps import BrickGrasps, Gripper
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.planning.bricks.brickwork import Brickwork, PressCheck
from falsework.planning.nodes.moves import Move, Node
from falsework.planning.nodes.presses import pressings
from falsework.planning.plan import plan
from falsework.planning.plans.jobs import Planned
from falsework.planning.rules.named import rules_for
from falsework.planning.rules.support_polygon import PolygonPressCheck
from falsework.planning.verification.verify import verify
from tests.conftest import brick, on_baseplate


def model(tmp_path: Path, text: str) -> Assembly:
    (tmp_path / "model.txt").write_text(text)
    return load(tmp_path / "model.txt")


def planned(assembly: Assembly, *, robots: int = 1, press_n: float = 1.0, grasps: str = "any") -> Planned:
    """A plan that was verified, if there is one."""
    found = plan(assembly, rules="bricks", robots=robots, press_n=press_n, grasps=grasps)  # type: ignore[arg-type]
    if found.status == "complete":
        assert verify(found.plan, assembly).failures == ()
    return found


def placed(found: Planned) -> list[tuple[str, ...]]:
    return [step.parts for step in found.plan.steps if step.action == "place"]


# Grasps


def test_fingers_close_on_the_long_sides_and_on_both_pairs_of_a_square_brick() -> None:
    pair = on_baseplate(brick("long", "brick_2x4", 0, 0, 0), brick("square", "brick_2x2", 9, 9, 0))
    grasps = BrickGrasps(lattices(pair)[0])
    long = [reach.grasp for reach in grasps.of(0) if reach.grasp.kind == "side"]
    assert len(long) == 3 and all(abs(grasp.closing[1]) == 0 or abs(grasp.closing[0]) == 0 for grasp in long)
    assert {tuple(np.abs(np.round(grasp.closing)).tolist()) for grasp in long} == {(1.0, 0.0, 0.0)}
    assert long[0].width_m == pytest.approx(0.016)
    assert long[0].point_m == pytest.approx([0.008, 0.016, 0.0048])  # the middle first
    square = {
        tuple(np.abs(np.round(reach.grasp.closing)).tolist()) for reach in grasps.of(1) if reach.grasp.kind == "side"
    }
    assert square == {(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)}


def test_a_neighbour_beside_the_long_side_or_above_a_finger_bars_it() -> None:
    crowd = on_baseplate(
        brick("taken", "brick_2x4", 0, 0, 0), brick("beside", "brick_2x4", 2, 0, 0), brick("far", "brick_2x4", 5, 0, 0)
    )
    grasps = BrickGrasps(lattices(crowd)[0])
    assert grasps.free(0, crowd.mask(["far"]), kinds=("side",)) is not None
    assert grasps.free(0, crowd.mask(["beside"]), kinds=("side",)) is None
    top = grasps.free(0, crowd.mask(["beside"]))
    assert top is not None and top.kind == "top"
    wide = BrickGrasps(lattices(crowd)[0], Gripper(beside=4))
    assert wide.free(0, crowd.mask(["far"]), kinds=("side",)) is None


def test_the_hand_opens_only_so_far() -> None:
    plate = on_baseplate(brick("plate", "plate_12x12", 0, 0, 0))
    assert all(reach.grasp.kind == "top" for reach in BrickGrasps(lattices(plate)[0]).of(0))


def test_by_the_sides_alone_two_bricks_side_by_side_cannot_be_placed(tmp_path: Path) -> None:
    tight = model(tmp_path, "2x4 (0,0,0)\n2x4 (2,0,0)\n")
    assert planned(tight, grasps="side").status == "infeasible"
    kinds = {step.grasp.kind for step in planned(tight).plan.steps if step.grasp is not None}
    assert kinds == {"side", "top"}
    loose = model(tmp_path, "2x4 (0,0,0)\n2x4 (3,0,0)\n")
    assert planned(loose, grasps="side").status == "complete"


# Presses

ARM = "2x2 (0,0,0)\n6x2 (0,0,1)\n2x2 (4,0,2)\n"


def test_the_press_goes_through_the_studs_that_it_closes(tmp_path: Path) -> None:
    arm = model(tmp_path, ARM)
    (pressed,) = pressings(arm, interfaces(arm), 1, arm.mask(["1"]), 5.0)
    assert pressed.load.force_n == pytest.approx([0, 0, -5])
    assert pressed.load.point_m == pytest.approx([0.008, 0.008, 0.0096])
    (below,) = pressed.below
    assert below.part == "1" and below.force_n == pytest.approx([0, 0, -5])
    assert below.point_m == pytest.approx([0.008, 0.008, 0.0096])
    (from_below,) = pressings(arm, interfaces(arm), 0, arm.mask(["2"]), 5.0)
    assert from_below.load.force_n == pytest.approx([0, 0, 5]) and from_below.below[0].part == "2"
    assert pressings(arm, interfaces(arm), 2, arm.mask(["1"]), 5.0) == []


def test_a_brick_across_two_is_pressed_over_both_or_over_one(tmp_path: Path) -> None:
    """Over both each gets its force; over one, far from the other, nearly all goes through that one."""
    gate = model(tmp_path, "2x2 (0,0,0)\n2x2 (8,0,0)\n10x2 (0,0,1)\n")
    both, *each = pressings(gate, interfaces(gate), 2, gate.mask(["1", "2"]), 1.0)
    assert [load.force_n[2] for load in both.below] == pytest.approx([-1, -1])
    assert both.load.force_n == pytest.approx([0, 0, -2])
    assert both.load.point_m == pytest.approx([0.040, 0.008, 0.0096])
    for one, name in zip(each, ("1", "2"), strict=True):
        forces = {load.part: -load.force_n[2] for load in one.below}
        assert forces.pop(name) == pytest.approx(1)
        assert 0 < sum(forces.values()) < 0.1
        assert -one.load.force_n[2] == pytest.approx(1 + sum(forces.values()))
    for pressed in (both, *each):  # no turning moment is left over for the hand
        assert pressed.load.point_m is not None
        moments = [np.cross(load.point_m, load.force_n) for load in pressed.below if load.point_m is not None]
        assert sum(moments) == pytest.approx(np.cross(pressed.load.point_m, pressed.load.force_n), abs=1e-12)


def test_a_brick_that_ties_two_arms_together_does_not_help_before_it_is_in(tmp_path: Path) -> None:
    """Two arms reach toward each other; the brick across them both would bear its press once it is in."""
    arms = model(tmp_path, "2x2 (0,0,0)\n2x2 (10,0,0)\n6x2 (0,0,1)\n6x2 (6,0,1)\n4x2 (4,0,2)\n")
    work = Brickwork(arms, interfaces(arms), rules_for(arms, "bricks", press_n=3.0))
    there = arms.fixed_mask() | arms.mask(["1", "2", "3", "4"])
    together = work.pressings(4, there)[0]
    lying, home = work.pressed(together, 1 << 4, there, 0)
    assert (work.oracle.answer(lying), work.oracle.answer(home)) == ("unstable", "stable")
    refusal = PressCheck(work).refusal(Move(1 << 4, Node(there), Node(there | 1 << 4)))
    assert refusal is not None and refusal.check == "press"


def test_a_press_at_the_end_of_an_arm_needs_a_second_hand_or_a_group(tmp_path: Path) -> None:
    arm = model(tmp_path, ARM)
    assert planned(arm, press_n=0.0).status == "complete"
    alone = plan(arm, rules="bricks", press_n=5.0, planner="one-by-one")
    assert alone.status == "budget" and "no hand supports the others" in alone.why  # no proof: other plans may do
    assert "press" in alone.blocked[2].counts
    assert ("2", "3") in placed(planned(arm, press_n=5.0))  # put together first
    assert planned(arm, press_n=5.0, robots=2).plan.max_held == 1  # what needs no hand comes first
    work = Brickwork(arm, interfaces(arm), rules_for(arm, "bricks", press_n=5.0))
    there = arm.fixed_mask() | arm.mask(["1", "2"])
    last = Node(there | 1 << 2)
    assert PressCheck(work).refusal(Move(1 << 2, Node(there), last)) is not None
    assert PressCheck(work).refusal(Move(1 << 2, Node(there, arm.mask(["2"])), last)) is None


def test_steps_say_which_joints_the_press_loads_and_how_far(tmp_path: Path) -> None:
    arm = model(tmp_path, ARM)
    presses = {step.parts[0]: step.press for step in planned(arm, press_n=0.3).plan.steps if step.action == "place"}
    last = presses["3"]
    assert last is not None and last.utilization is not None and 0 < last.utilization <= 1
    assert last.joints[0][:2] == ("1", "2")  # the foot of the arm bears the most
    stronger = {step.parts[0]: step.press for step in planned(arm, press_n=0.4).plan.steps if step.action == "place"}
    assert stronger["3"] is not None and stronger["3"].joints[0][2] > last.joints[0][2]


def test_polygon_and_forces_disagree_both_ways(tmp_path: Path) -> None:
    """An arm between two towers lies inside their hull and breaks; a stiff overhang lies outside and bears."""
    between = model(tmp_path, "2x2 (0,0,0)\n2x2 (12,0,0)\n6x2 (0,0,1)\n2x2 (4,0,2)\n")
    work = Brickwork(between, interfaces(between), rules_for(between, "bricks", press_n=5.0))
    there = between.fixed_mask() | between.mask(["1", "2", "3"])
    move = Move(1 << 3, Node(there), Node(there | 1 << 3))
    assert PolygonPressCheck(between).refusal(move) is None
    assert PressCheck(work).refusal(move) is not None
    stiff = model(tmp_path, "2x4 (0,0,0)\n4x4 (0,0,1)\n2x4 (2,0,2)\n")
    work = Brickwork(stiff, interfaces(stiff), rules_for(stiff, "bricks", press_n=1.0))
    there = stiff.fixed_mask() | stiff.mask(["1", "2"])
    move = Move(1 << 2, Node(there), Node(there | 1 << 2))
    assert PolygonPressCheck(stiff).refusal(move) is not None
    assert PressCheck(work).refusal(move) is None


def test_a_brick_is_pressed_in_from_below_where_there_is_room(tmp_path: Path) -> None:
    """Under an arm twelve bricks up: nothing is below but the plate, far down."""
    column = "".join(f"2x2 (0,0,{z})\n" for z in range(12))
    lamp = model(tmp_path, column + "4x2 (0,0,12)\n2x2 (2,0,11)\n2x2 (0,0,13)\n")
    found = planned(lamp, press_n=0.2)
    assert found.status == "complete"
    step = next(step for step in found.plan.steps if step.parts == ("14",) and step.action == "place")
    assert step.path is not None and len(step.path) == 3  # from the side, then up
    assert step.path[0, 2, 3] == step.path[1, 2, 3] < step.path[2, 2, 3]
    assert step.press is not None and step.press.force_n[2] > 0
    assert step.grasp is not None and step.grasp.approach[2] > 0


# Groups


def test_what_hangs_in_the_air_is_told_at_once(tmp_path: Path) -> None:
    table = model(tmp_path, "2x2 (0,0,0)\n6x2 (0,0,1)\n1x1 (4,0,2)\n")
    work = Brickwork(table, interfaces(table), rules_for(table, "bricks"))
    whole = (1 << len(table.bodies)) - 1
    assert work.hanging(whole, 0) == 0
    assert work.hanging(whole & ~table.mask(["2"]), 0) == table.mask(["3"])
    assert work.hanging(whole & ~table.mask(["2"]), table.mask(["3"])) == 0


def test_a_brick_that_hangs_low_comes_with_what_it_hangs_from(tmp_path: Path) -> None:
    """It hangs one brick above the plate: no way from below, and from above only before its carrier."""
    gate = model(tmp_path, "2x2 (0,0,0)\n2x2 (8,0,0)\n2x2 (0,0,1)\n2x2 (8,0,1)\n2x2 (4,0,1)\n10x2 (0,0,2)\n")
    alone = planned(gate, press_n=0.0)
    assert alone.status == "complete"
    assert ("5", "6") in placed(alone)


def test_two_hands_may_hold_the_hanging_brick_instead(tmp_path: Path) -> None:
    gate = model(tmp_path, "2x2 (0,0,0)\n2x2 (8,0,0)\n2x2 (0,0,1)\n2x2 (8,0,1)\n2x2 (4,0,1)\n10x2 (0,0,2)\n")
    assert planned(gate, robots=2).status == "complete"


def test_unknown_ways_to_grasp_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="grasps 'sides': did you mean 'side'"):
        rules_for(model(tmp_path, ARM), "bricks", grasps="sides")  # type: ignore[arg-type]


# Seed 004's Algorithm 1

TWINS = "2x2 (0,0,0)\n2x2 (6,0,0)\n2x2 (0,0,1)\n2x2 (6,0,1)\n2x2 (0,0,2)\n2x2 (6,0,2)\n"


def test_one_tower_is_finished_before_the_next(tmp_path: Path) -> None:
    twins = model(tmp_path, TWINS)
    for planner, order in (("subassemblies", "246135"), ("one-by-one", "214365")):
        found = plan(twins, rules="bricks", planner=planner)  # type: ignore[arg-type]
        assert "".join(parts[0] for parts in placed(found)) == order
        assert verify(found.plan, twins).valid is True


def test_algorithm_1_finds_a_plan_exactly_where_the_other_searches_do(tmp_path: Path) -> None:
    for text in (ARM, TWINS, "2x4 (0,0,0)\n2x4 (2,0,0)\n"):
        thing = model(tmp_path, text)
        for grasps in ("any", "side"):
            found = [
                plan(thing, rules="bricks", press_n=1.0, grasps=grasps, planner=planner).status == "complete"  # type: ignore[arg-type]
                for planner in ("auto", "subassemblies", "one-by-one")
            ]
            assert len(set(found)) == 1
