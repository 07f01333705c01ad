"""Parts that no single grasp takes and places: put down on the table and taken anew, or given from hand to hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import falsework
from falsework import Assembly, Cell, new_cell, plan
from falsework.bench.motions.faults import FAULTS, IN_TRANSFERS, spoiled
from falsework.bench.motions.problems import pegged
from falsework.model.poses import inverse
from falsework.model.robots.motion import Motion, Stay
from falsework.model.robots.task import CellPlan
from falsework.robots.keyframes.cell_planning import Arms
from falsework.robots.kinematics.kinematics import Kinematics
from falsework.robots.motions.making import motions_of
from falsework.robots.verification.resting import against
from falsework.robots.verification.verify_motion import verify_motion

Moved = tuple[Assembly, CellPlan, Motion]


def cell_of(kind: str) -> Cell:
    cell = new_cell(kind)
    return replace(cell, feeders=tuple(replace(one, lie="stable") for one in cell.feeders))


def moved(cell: Cell) -> Moved:
    peg = pegged(np.random.default_rng(0))
    planned = plan(peg, cell=cell, budget=200)
    assert planned.in_cell is not None, planned.why
    assert falsework.verify(planned.plan, peg).valid
    return peg, planned.in_cell, motions_of(planned.in_cell, peg, np.random.default_rng(0))


@pytest.fixture(scope="module")
def put() -> Moved:
    return moved(cell_of("ur5e+suction-20"))


@pytest.fixture(scope="module")
def given() -> Moved:
    return moved(replace(cell_of("two-panda+suction-20"), table=None))


def test_no_single_grasp_serves_both_ends() -> None:
    peg = pegged(np.random.default_rng(0))
    planned = Arms(cell_of("ur5e+suction-20"), peg, transfers=False)
    crew = planned(None)
    assert not crew.reaches(0, peg.fixed_mask())


def test_one_arm_puts_the_peg_down_and_takes_it_anew(put: Moved) -> None:
    peg, plan_, motion = put
    assert [task.action for task in plan_.tasks] == ["regrasp", "place", "release"]
    first, second, _ = plan_.tasks
    assert first.grasp is not None
    assert second.grasp is not None
    assert not np.allclose(first.grasp.T_part_tool, second.grasp.T_part_tool)
    assert np.allclose(first.T_world_after, second.T_world_before)
    assert plan_.hands(1) == {}
    assert [stay.arm for stay in motion.stays if stay.part == "peg"] == [None, "arm", None, "arm", None]
    judged = verify_motion(motion, peg)
    assert judged.valid, judged.complaints


def test_two_arms_hand_it_over_where_there_is_no_table(given: Moved) -> None:
    peg, plan_, motion = given
    assert [task.action for task in plan_.tasks] == ["give", "take", "give", "place", "release"]
    giver, taker = plan_.tasks[0].arm, plan_.tasks[1].arm
    assert [set(plan_.hands(done)) for done in (1, 2, 3, 4)] == [{giver}, {giver, taker}, {taker}, {taker}]
    assert [stay.arm for stay in motion.stays if stay.part == "peg"] == [None, giver, taker, None]
    judged = verify_motion(motion, peg)
    assert judged.valid, judged.complaints


def test_while_it_changes_hands_both_hold_it(given: Moved) -> None:
    _, _, motion = given
    first, second = sorted(motion.grips, key=lambda grip: grip.begin_s)
    assert first.begin_s < second.begin_s <= first.end_s < second.end_s
    own = [stay for stay in motion.stays if stay.part == "peg"]
    assert all(before.end_s == after.begin_s for before, after in pairwise(own))


@pytest.mark.parametrize("which", ["put", "given"])
def test_every_hand_is_where_its_grasp_says(which: str, request: pytest.FixtureRequest) -> None:
    _, plan_, _ = request.getfixturevalue(which)
    for task in plan_.tasks:
        arm = plan_.cell.arm_named(task.arm)
        forward = Kinematics(arm.arm, arm.tool).forward
        for point in task.waypoints:
            if point.name in ("put", "give", "take"):
                T = arm.T_world_base @ forward(point.q) @ inverse(task.grasp.T_part_tool)
                assert np.allclose(T, task.T_world_after, atol=1e-6)


@pytest.mark.parametrize("name", IN_TRANSFERS)
def test_faults_of_transfers_are_refused_by_name(name: str, put: Moved, given: Moved) -> None:
    peg, _, motion = given if name == "given too early" else put
    bad = spoiled(motion, peg, name, np.random.default_rng(1))
    assert bad is not None
    kinds = {one.kind for one in verify_motion(bad, peg).complaints}
    assert kinds & set(FAULTS[name][1]), kinds


def test_what_is_put_down_must_stand(put: Moved) -> None:
    """A box of 40 × 40 × 100 mm on a table: upright it stands up to atan(20 / 50); by hand."""
    box = Assembly.from_boxes({"box": ((0.04, 0.04, 0.1), (0.0, 0.0, 0.05))}, ground="table").parts[0]
    table = put[1].cell.table
    assert table is not None
    half = 0.5 * np.array(table.size_m)

    def said(x: float, y: float, z: float, tilt: float = 0.0) -> str | None:
        own = np.eye(4)
        own[:3, 3] = -box.com_part_m
        T = np.eye(4)
        T[:3, :3] = [[np.cos(tilt), 0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]]
        T[:3, 3] = np.add(table.top_m, (x, y, z))
        return against(box, Stay("box", 1.0, 2.0, T @ own), table)

    assert said(0.0, 0.0, 0.05) is None
    assert said(0.0, 0.0, 0.06) == "10.0 mm above the table"
    assert said(half[0], 0.0, 0.05) == "over the table's edge"
    edge = 0.05 * np.cos(0.2) + 0.02 * np.sin(0.2)
    assert "tips" in str(said(0.0, 0.0, edge, 0.2))
    assert against(box, Stay("box", 1.0, 2.0, np.eye(4)), None) == "the cell has no table"


def test_the_same_question_has_the_same_transfer(put: Moved) -> None:
    _, plan_, motion = put
    again = moved(cell_of("ur5e+suction-20"))[2]
    assert np.array_equal(again.tracks[0].q, motion.tracks[0].q)
    assert [task.action for task in plan_.tasks] == ["regrasp", "place", "release"]


def test_what_can_neither_be_put_down_nor_given_is_unknown() -> None:
    peg = pegged(np.random.default_rng(0))
    alone = replace(cell_of("ur5e+suction-20"), table=None)
    planned = plan(peg, cell=alone, budget=200)
    assert planned.status == "budget"
    assert planned.plan.proof is None
    assert "peg" in planned.why


def test_an_arm_puts_down_what_the_other_one_cannot_fetch() -> None:
    """The tray is out of reach of the arm that reaches the place, and the place out of reach of the other."""
    cell = new_cell("two-panda")
    left, right = cell.arms
    assert cell.table is not None

    def at(T: np.ndarray, x: float, y: float) -> np.ndarray:
        moved_ = np.array(T)
        moved_[:2, 3] = x, y
        return moved_

    x = float(right.T_world_base[0, 3]) + 0.35
    far = replace(
        cell,
        arms=(left, replace(right, T_world_base=at(right.T_world_base, x, 0.0))),
        T_world_structure=at(cell.T_world_structure, x + 0.15, 0.45),
        feeders=(replace(cell.feeders[0], T_world_feeder=at(cell.feeders[0].T_world_feeder, -0.62, 0.45)),),
        table=replace(cell.table, size_m=(2.6, 2.6)),
        room_m=None,
    )
    block = Assembly.from_boxes({"block": ((0.04,) * 3, (0.0, 0.0, 0.02))}, ground="table", density_kg_m3=300.0)
    planned = plan(block, cell=far, budget=200)
    assert planned.in_cell is not None, planned.why
    assert [(task.arm, task.action) for task in planned.in_cell.tasks] == [
        ("left", "regrasp"),
        ("right", "place"),
        ("right", "release"),
    ]
    judged = verify_motion(motions_of(planned.in_cell, block, np.random.default_rng(0)), block)
    assert judged.valid, judged.complaints
