"""A turntable under the structure: chosen in the search, turned in the motion, judged anew, drawn on the page."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework import Assembly, BadInput, Cell, Undecided, box, new_cell, plan, save
from falsework.bench.motions.faults import spoiled as fault
from falsework.bench.motions.problems import Problem
from falsework.formats.motions.exports import export_motion
from falsework.formats.motions.reading import read_motion
from falsework.formats.motions.writing import save_motion
from falsework.formats.plans.sources import source_of
from falsework.formats.robots.cell_reading import load_cell
from falsework.formats.robots.cell_writing import cell_text
from falsework.model.robots.cell import ROTARY, Obstacle, Rotary, Table
from falsework.model.robots.motion import Motion
from falsework.model.robots.task import CellPlan
from falsework.robots.cells.coverage import coverage
from falsework.robots.keyframes.cell_planning import Arms
from falsework.robots.motions.making import motions_of
from falsework.robots.verification.verify_motion import verify_motion
from falsework.studio.robots.arms_page import arms_scene

OUT_M = 0.25  # from the middle of the turntable to each box: the one behind it is out of reach
SIDE_M = 0.04


def at(x: float, y: float) -> np.ndarray:
    T = np.eye(4)
    T[:2, 3] = x, y
    return T


@pytest.fixture(scope="module")
def boxes() -> Assembly:
    places = {"east": (OUT_M, 0.0), "north": (0.0, OUT_M), "west": (-OUT_M, 0.0), "south": (0.0, -OUT_M)}
    sides = (SIDE_M, SIDE_M, SIDE_M)
    told = {name: (sides, (x, y, SIDE_M / 2)) for name, (x, y) in places.items()}
    return Assembly.from_boxes(told, ground="table", density_kg_m3=500.0)


@pytest.fixture(scope="module")
def cell() -> Cell:
    """A Panda that stands so far away that it reaches three of the four boxes."""
    panda = new_cell("panda+turntable")
    (arm,), (feeder,) = panda.arms, panda.feeders
    return replace(
        panda,
        arms=(replace(arm, T_world_base=at(-0.75, 0.0)),),
        feeders=(replace(feeder, T_world_feeder=at(-0.65, 0.5), gap_m=0.05),),
        table=Table((-0.3, 0.0, 0.0), (2.0, 1.6)),
        room_m=None,
    )


@pytest.fixture(scope="module")
def planned(boxes: Assembly, cell: Cell) -> CellPlan:
    found = plan(boxes, cell=cell, budget=100)
    assert found.in_cell is not None, found.why
    return found.in_cell


@pytest.fixture(scope="module")
def motion(boxes: Assembly, planned: CellPlan) -> Motion:
    return motions_of(planned, boxes, np.random.default_rng(0))


def test_what_is_out_of_reach_is_turned_to_the_arm(boxes: Assembly, cell: Cell, planned: CellPlan) -> None:
    without = plan(boxes, cell=replace(cell, rotary=None), budget=100)
    assert without.status == "budget"
    assert "east: arm: its place is out of reach" in without.why
    turns = [task for task in planned.tasks if task.action == "turn"]
    assert len(turns) == 1
    after = planned.tasks[planned.tasks.index(turns[0]) + 1]
    assert (after.parts, after.turned) == (("east",), turns[0].turned)
    assert after.T_world_after is not None
    turned = turns[0].turned.turn
    assert after.T_world_after[:2, 3] + SIDE_M / 2 == pytest.approx(
        [OUT_M * math.cos(turned), OUT_M * math.sin(turned)], abs=SIDE_M
    )


def test_coverage_counts_what_is_turned_to_the_arm(boxes: Assembly, cell: Cell) -> None:
    assert coverage(cell, boxes).unreached == ()
    assert coverage(replace(cell, rotary=None), boxes).unreached == ("east",)


def test_the_motion_turns_with_all_arms_home_and_is_verified(boxes: Assembly, motion: Motion) -> None:
    judged = verify_motion(motion, boxes)
    assert judged.valid, judged.complaints
    (turn,) = [one for one in motion.segments if one.arm == ROTARY and one.kind == "turn"]
    others = [one for one in motion.segments if one.arm != ROTARY and one.kind not in ("wait", "hold")]
    assert all(one.end_s <= turn.begin_s + 1e-9 or one.begin_s >= turn.end_s - 1e-9 for one in others)
    ends = [stay for stay in motion.stays if not math.isfinite(stay.end_s)]
    assert {stay.arm for stay in ends} == {ROTARY}


def test_the_turntable_goes_through_files(boxes: Assembly, cell: Cell, motion: Motion, tmp_path: Path) -> None:
    save(boxes, tmp_path / "boxes.yaml")
    source = source_of(tmp_path / "boxes.yaml", boxes)
    again = read_motion(save_motion(replace(motion, plan=replace(motion.plan, source=source)), tmp_path))
    assert np.array_equal(again.track_of(ROTARY).q, motion.track_of(ROTARY).q)
    assert verify_motion(again, boxes).valid
    (tmp_path / "cell.yaml").write_text(cell_text(cell))
    assert load_cell(tmp_path / "cell.yaml").rotary is not None
    assert f"{ROTARY}.csv" in {path.name for path in export_motion(motion, tmp_path / "out")}


def test_the_page_turns_what_stands_on_it(boxes: Assembly, motion: Motion) -> None:
    scene = arms_scene(motion, boxes, "turned")
    assert scene.timeline is not None
    last = scene.timeline.T_world_part[-1, scene.parts.names.index("west")]
    middle = last[:3, :3] @ boxes.parts[boxes.index["west"]].com_part_m + last[:3, 3]
    angle = float(motion.track_of(ROTARY).q[-1, 0])
    assert middle[:2] == pytest.approx([-OUT_M * math.cos(angle), -OUT_M * math.sin(angle)], abs=1e-6)


def spoiled(motion: Motion, **track: np.ndarray) -> Motion:
    own = replace(motion.track_of(ROTARY), **track)
    return replace(motion, tracks=(*motion.tracks[:-1], own))


def test_a_turntable_that_is_too_fast_is_refused_by_name(boxes: Assembly, motion: Motion) -> None:
    slow = replace(motion, cell=replace(motion.cell, rotary=Rotary((0.0, 0.0, 0.0), speed=0.5)))
    assert "speed" in {one.kind for one in verify_motion(slow, boxes).complaints}


def test_a_turntable_beyond_its_range_is_refused_by_name(boxes: Assembly, motion: Motion) -> None:
    narrow = replace(motion, cell=replace(motion.cell, rotary=Rotary((0.0, 0.0, 0.0), -0.1, 0.1)))
    assert "joint-limit" in {one.kind for one in verify_motion(narrow, boxes).complaints}


def test_a_turn_that_is_left_out_puts_the_part_in_the_wrong_place(boxes: Assembly, motion: Motion) -> None:
    track = motion.track_of(ROTARY)
    still = spoiled(motion, q=np.zeros_like(track.q), speed=np.zeros_like(track.q), acceleration=np.zeros_like(track.q))
    assert "place" in {one.kind for one in verify_motion(still, boxes).complaints}


def test_a_hand_that_holds_while_the_table_turns_is_refused_by_name(boxes: Assembly, motion: Motion) -> None:
    track, last = motion.track_of(ROTARY), motion.grips[-1]
    late = spoiled(motion, times_s=track.times_s - track.times_s[0] + last.end_s - 0.2)
    assert "hand" in {one.kind for one in verify_motion(late, boxes).complaints}


def test_a_turntable_beside_the_structure_is_refused(boxes: Assembly, cell: Cell, motion: Motion) -> None:
    far = replace(cell, rotary=Rotary((5.0, 0.0, 0.0)))
    with pytest.raises(BadInput, match=r"rotary: its middle is 4\.73 m beside the structure"):
        plan(boxes, cell=far)
    bad = fault(motion, boxes, "turntable away", np.random.default_rng(0))
    assert bad is not None
    assert "stand" in {one.kind for one in verify_motion(bad, boxes).complaints}


def test_what_stands_beside_bars_the_angles_behind_it(boxes: Assembly, cell: Cell) -> None:
    post = Obstacle("post", box((0.02, 0.02, 0.3)), at(OUT_M * math.cos(2.0), OUT_M * math.sin(2.0)))
    assert len(Arms(cell, boxes).tables.angles) == 12
    assert {round(math.degrees(one)) for one in Arms(replace(cell, obstacles=(post,)), boxes).tables.angles} == {
        0, -30, -60,
    }  # fmt: skip


def test_a_turntable_that_meets_an_obstacle_is_undecided_and_refused(
    boxes: Assembly, planned: CellPlan, motion: Motion
) -> None:
    post = Obstacle("post", box((0.02, 0.02, 0.3)), at(OUT_M * math.cos(0.8), -OUT_M * math.sin(0.8)))
    blocked = replace(planned.cell, obstacles=(post,))
    with pytest.raises(Undecided, match="the turntable cannot turn to 90 degrees: post in the way"):
        motions_of(replace(planned, cell=blocked), boxes, np.random.default_rng(0))
    judged = verify_motion(replace(motion, cell=blocked), boxes)
    assert "collision" in {one.kind for one in judged.complaints}


def test_same_seed_same_motion_with_a_turntable(boxes: Assembly, cell: Cell, motion: Motion) -> None:
    again = Problem(cell, boxes).solved(np.random.default_rng(0))
    assert again is not None
    assert all(np.array_equal(one.q, other.q) for one, other in zip(again.tracks, motion.tracks, strict=True))


def test_a_turntable_begins_at_zero_and_has_its_name_alone(cell: Cell) -> None:
    with pytest.raises(BadInput, match="expected a range with 0, where it begins"):
        Rotary((0.0, 0.0, 0.0), 0.5, 1.0)
    with pytest.raises(BadInput, match="the name 'rotary' is the turntable's"):
        replace(cell, arms=(replace(cell.arms[0], name=ROTARY),))
