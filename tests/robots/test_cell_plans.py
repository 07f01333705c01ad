"""Plans that arms carry out: found inside the search, refused with what is in the way, and true to kinematics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework import Assembly, Cell, new_cell, plan
from falsework.cli import main
from falsework.model.assembly import Ground
from falsework.model.errors import BadInput
from falsework.model.poses import inverse
from falsework.model.robots.task import CellPlan
from falsework.planning.plans.jobs import Planned
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.collisions import blockers, masks
from falsework.robots.keyframes.cell_planning import Arms
from falsework.robots.keyframes.homes import with_free_homes
from falsework.robots.kinematics.kinematics import Kinematics

SIDE = 0.04


def stack(count: int = 3, side: float = SIDE, density: float = 300.0) -> Assembly:
    centres = [(0.0, 0.0, (k + 0.5) * side) for k in range(count)]
    return Assembly.from_boxes([(side,) * 3], centres, density_kg_m3=density, ground="table")


def two_pandas() -> Cell:
    return new_cell("two-panda")


@pytest.fixture(scope="module")
def built() -> tuple[Assembly, Planned, CellPlan]:
    tower = stack()
    planned = plan(tower, cell=two_pandas(), budget=200)
    assert planned.in_cell is not None, planned.why
    return tower, planned, planned.in_cell


def test_a_stack_is_built_by_arms_and_the_plain_plan_is_valid(built: tuple[Assembly, Planned, CellPlan]) -> None:
    tower, planned, _ = built
    assert planned.status == "complete"
    assert falsework.verify(planned.plan, tower).valid
    assert {step.robot for step in planned.plan.steps} <= {"left", "right"}


def test_every_step_has_a_task_and_hands_hold_what_the_plan_says(built: tuple[Assembly, Planned, CellPlan]) -> None:
    _, planned, carried = built
    assert [task.step for task in carried.tasks] == list(range(len(planned.plan.steps)))
    for done, step in enumerate(planned.plan.steps, start=1):
        held = {task.part for task in carried.hands(done).values()}
        assert held == set(step.held)


def test_joints_lead_the_part_from_where_it_waits_to_its_place(built: tuple[Assembly, Planned, CellPlan]) -> None:
    tower, _, carried = built
    for task in carried.tasks:
        arm = carried.cell.arm_named(task.arm)
        forward = Kinematics(arm.arm, arm.tool).forward
        assert task.grasp is not None
        for point in task.waypoints:
            arm.arm.refuse_outside(point.q, point.name)
            T = arm.T_world_base @ forward(point.q) @ inverse(task.grasp.T_part_tool)
            if point.name == "place":
                place = carried.T_world_assembly @ tower.parts[tower.index[task.part]].T_world_part
                assert np.allclose(T, place, atol=1e-6)
            if point.name == "pick":
                assert np.allclose(T, task.T_world_before, atol=1e-6)


def test_straight_ways_are_straight_and_steady(built: tuple[Assembly, Planned, CellPlan]) -> None:
    _, _, carried = built
    for task in carried.tasks:
        for point in task.waypoints:
            if point.straight:
                assert point.way is not None
                assert point.T_world_tool is not None
                assert np.abs(np.diff(point.way, axis=0)).max() < 0.36
                at = point.T_world_tool[:, :3, 3]
                ends = at[-1] - at[0]
                off = np.cross(at - at[0], ends / np.linalg.norm(ends))
                assert np.abs(off).max() < 1e-6


def test_nothing_is_in_the_way_of_a_hand_that_comes_and_leaves(built: tuple[Assembly, Planned, CellPlan]) -> None:
    """Asked again of the collision room, with what is there at that step."""
    tower, planned, carried = built
    site = Arms(carried.cell, tower).site
    installed = tower.fixed_mask()
    for step, task in zip(planned.plan.steps, carried.tasks, strict=True):
        assert task.grasp is not None
        part = tower.index[task.part]
        present = site.present(installed, part) & ~site.own(part)
        arm = carried.cell.arm_named(task.arm)
        for point in task.waypoints:
            if point.straight and point.way is not None:
                bodies = ArmBodies(arm, round(point.opening_m, 3))
                for mask in masks(blockers(bodies, point.way, site.around)):
                    assert not mask & present, (task.action, point.name, site.told(mask & present))
        if step.action == "place":
            installed |= 1 << part


def test_the_same_question_has_the_same_answer(built: tuple[Assembly, Planned, CellPlan]) -> None:
    _, _, carried = built
    again = plan(stack(), cell=two_pandas(), budget=200).in_cell
    assert again is not None
    for one, other in zip(carried.tasks, again.tasks, strict=True):
        assert (one.arm, one.action, one.parts) == (other.arm, other.action, other.parts)
        for first, second in zip(one.waypoints, other.waypoints, strict=True):
            assert np.array_equal(first.q, second.q)


@pytest.mark.parametrize(
    ("tower", "why"),
    [
        (stack(density=60_000.0), "beyond its payload of 3 kg"),
        (stack(1, side=0.12), "opens 80 mm"),
    ],
)
def test_what_no_arm_can_carry_is_unknown_and_says_why(tower: Assembly, why: str) -> None:
    planned = plan(tower, cell=two_pandas(), budget=200)
    assert planned.status == "budget"
    assert planned.plan.proof is None
    assert why in planned.why


def test_what_is_out_of_reach_is_said() -> None:
    cell = two_pandas()
    T = cell.T_world_structure.copy()
    T[1, 3] += 3.0
    far = replace(cell, T_world_structure=T, room_m=None)
    planned = plan(stack(), cell=far, budget=200)
    assert planned.status == "budget"
    assert "out of reach" in planned.why


def test_what_falls_when_it_is_done_is_proved_to_with_arms_or_without() -> None:
    leaning = Assembly.from_boxes([(SIDE,) * 3], [(0, 0, SIDE / 2), (0.03, 0, 1.5 * SIDE)], ground="table")
    planned = plan(leaning, cell=two_pandas(), budget=200)
    assert planned.status == "infeasible"
    assert planned.plan.proof is not None
    assert planned.plan.proof.by == "fall"


def test_what_makes_no_sense_with_arms_is_refused() -> None:
    with pytest.raises(BadInput, match="expected 1 to 2, the arms of the cell"):
        plan(stack(), cell=two_pandas(), robots=3)
    with pytest.raises(BadInput, match="with arms, use one of"):
        plan(stack(), cell=two_pandas(), planner="anytime")
    with pytest.raises(BadInput, match="reorient with a cell: nothing of it is fixed"):
        plan(stack().changed(ground=Ground(), ground_part=None), cell=two_pandas(), rules="reorient")


def test_arms_take_hold_anew_under_rules_that_reorient_and_turn_nothing_without_a_positioner() -> None:
    planned = plan(stack(), cell=two_pandas(), rules="reorient", budget=200)
    assert planned.in_cell is not None, planned.why
    assert "reorient" not in {step.action for step in planned.plan.steps}
    assert falsework.verify(planned.plan, stack()).valid


def test_arms_are_asked_for_the_fewest_holds_too() -> None:
    """A beam that leans until a weight is on it: something must be held once, in any plan."""
    boxes = {
        "foot": ((SIDE, SIDE, SIDE), (0.0, 0.0, 0.5 * SIDE)),
        "beam": ((0.25, SIDE, SIDE), (0.105, 0.0, 1.5 * SIDE)),
        "weight": ((SIDE, SIDE, SIDE), (0.0, 0.0, 2.5 * SIDE)),
    }
    leaning = Assembly.from_boxes(boxes, ground="table", masses_kg={"foot": 0.1, "beam": 0.1, "weight": 0.8})
    cell = two_pandas()
    cell = replace(cell, feeders=tuple(replace(one, gap_m=0.05) for one in cell.feeders))
    planned = plan(leaning, cell=cell, minimise="holds", budget=300)
    assert planned.status == "complete"
    assert planned.quality is not None
    assert (planned.quality.value, planned.quality.bound) == (1, 1)
    assert planned.in_cell is not None
    assert falsework.verify(planned.plan, leaning).valid


def test_when_an_arm_is_lost_the_other_one_does_the_rest(built: tuple[Assembly, Planned, CellPlan]) -> None:
    tower, planned, carried = built
    alone = replace(carried.cell, arms=carried.cell.arms[:1])
    rest = falsework.replan(planned.plan, tower, at=2, cell=alone, budget=200)
    assert rest.status == "complete"
    assert rest.in_cell is not None
    assert {task.arm for task in rest.in_cell.tasks} == {"left"}
    assert [step.parts[0] for step in rest.plan.steps if step.action == "place"] == list(tower.names[1:])


def test_a_cell_with_arms_is_asked_for_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assembly, cell = tmp_path / "tower.yaml", tmp_path / "cell.yaml"
    falsework.save(stack(2), assembly)
    falsework.save_cell(two_pandas(), cell)
    assert main(["plan", str(assembly), "--cell", str(cell), "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert "left" in told
    assert main(["verify", str(tmp_path / "out" / "plan.json")]) == 0
    heavy = tmp_path / "heavy.yaml"
    falsework.save(stack(2, density=60_000.0), heavy)
    assert main(["plan", str(heavy), "--cell", str(cell)]) == 3
    assert "payload" in capsys.readouterr().out


def test_arms_of_a_cell_made_to_order_do_not_wait_where_the_structure_will_be() -> None:
    cell = new_cell("panda")
    hand = cell.arms[0].T_world_base @ Kinematics(cell.arms[0].arm).forward(cell.arms[0].home)
    mast = Assembly.from_boxes({"mast": ((0.1, 0.1, 1.0), (*hand[:2, 3], 0.5))}, ground="table")
    with pytest.raises(BadInput, match="'mast' is in its way where it waits; choose another home"):
        Arms(cell, mast)
    turned = with_free_homes(cell, mast)
    Arms(turned, mast)
    (before,), (after,) = cell.arms, turned.arms
    assert after.home[0] != before.home[0] and np.array_equal(after.home[1:], before.home[1:])
