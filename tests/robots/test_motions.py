"""Motions: two arms build boxes into a row; verified, written, read, spoiled and refused."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from falsework import Assembly, new_cell, save
from falsework.bench.motions.faults import FAULTS, IN_TRANSFERS, spoiled
from falsework.bench.motions.late_or_elsewhere import ON_TURNTABLES, WITH_FIXED
from falsework.bench.motions.top_down import Job, top_down
from falsework.formats.motions.exports import export_motion, gripper_commands, joint_trajectory
from falsework.formats.motions.reading import read_motion as load_motion
from falsework.formats.motions.writing import save_motion
from falsework.formats.plans.sources import source_of
from falsework.model.errors import BadFile, BadInput, Undecided
from falsework.model.robots.cell import Obstacle
from falsework.model.robots.motion import GripCommand, Guard, Motion, Stay, Track
from falsework.model.robots.task import CellPlan
from falsework.model.shapes import box
from falsework.robots.motions.making import motions_of
from falsework.robots.verification.gripping import _asked
from falsework.robots.verification.verify_motion import verify_motion

BOXES = {
    "left foot": ((0.04, 0.04, 0.04), (-0.06, 0.0, 0.02)),
    "right foot": ((0.04, 0.04, 0.04), (0.06, 0.0, 0.02)),
    "left head": ((0.04, 0.04, 0.04), (-0.06, 0.0, 0.06)),
}


@pytest.fixture(scope="module")
def row() -> Assembly:
    return Assembly.from_boxes(BOXES, ground="table")


@pytest.fixture(scope="module")
def plan(row: Assembly) -> CellPlan:
    cell = new_cell("two-panda")
    first, second = cell.feeders
    parts = ("left foot", "left head"), ("right foot",)
    feeders = (replace(first, gap_m=0.04, parts=parts[0]), replace(second, gap_m=0.04, parts=parts[1]))
    jobs = [Job("left foot", "left"), Job("right foot", "right"), Job("left head", "left")]
    return top_down(replace(cell, feeders=feeders), row, jobs)


@pytest.fixture(scope="module")
def motion(plan: CellPlan, row: Assembly) -> Motion:
    return motions_of(plan, row, np.random.default_rng(0))


def test_a_motion_is_verified(motion, row):
    judged = verify_motion(motion, row)
    assert judged.valid, judged.complaints
    assert judged.looks > 100
    assert judged.least_gap_m is not None
    assert 5e-5 < judged.least_gap_m < 0.05, "hands go between boxes"


def test_arms_that_move_together_are_sooner_done_and_not_below_the_bound(motion, plan, row):
    alone = motions_of(plan, row, np.random.default_rng(0), together=False)
    assert alone.makespan_s == pytest.approx(alone.one_by_one_s)
    assert motion.one_by_one_s == pytest.approx(alone.makespan_s)
    assert motion.bound_s <= motion.makespan_s < 0.85 * alone.makespan_s
    assert verify_motion(alone, row).valid


def test_steps_come_in_the_order_of_the_plan(motion):
    assert list(motion.steps_s) == sorted(motion.steps_s)
    assert len(motion.steps_s) == len(motion.plan.steps)


def test_every_part_is_somewhere_all_the_time(motion):
    for name in BOXES:
        stays = sorted((stay for stay in motion.stays if stay.part == name), key=lambda stay: stay.begin_s)
        assert stays[0].begin_s == 0.0
        assert stays[-1].end_s == np.inf
        assert [stay.arm is None for stay in stays] == [True, False, True]
        assert all(before.end_s == after.begin_s for before, after in pairwise(stays))


def test_segments_of_an_arm_follow_each_other(motion):
    for track in motion.tracks:
        own = sorted((one for one in motion.segments if one.arm == track.arm), key=lambda one: one.begin_s)
        assert own[0].begin_s == 0.0
        assert all(before.end_s == pytest.approx(after.begin_s) for before, after in pairwise(own))
        assert own[-1].end_s == pytest.approx(track.times_s[-1])


def test_the_same_seed_gives_the_same_motion(motion, plan, row):
    again = motions_of(plan, row, np.random.default_rng(0))
    for one, other in zip(motion.tracks, again.tracks, strict=True):
        assert np.array_equal(one.q, other.q)
        assert np.array_equal(one.times_s, other.times_s)


def test_an_arm_that_is_walled_in_finds_no_way(plan, row):
    T = np.eye(4)
    T[:3, 3] = -1.5, -1.5, 0.25
    lid = Obstacle("lid", box((3.0, 3.0, 0.02)), T)
    with pytest.raises(Undecided, match="arm 'left': no free way to 'above-pick' was found"):
        motions_of(replace(plan, cell=replace(plan.cell, obstacles=(lid,))), row)


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in (*IN_TRANSFERS, *ON_TURNTABLES, *WITH_FIXED)])
def test_a_fault_is_refused_by_its_name(name, motion, row):
    found = spoiled(motion, row, name, np.random.default_rng(2))
    assert found is not None
    kinds = {complaint.kind for complaint in verify_motion(found, row).complaints}
    assert kinds & set(FAULTS[name][1]), kinds


def test_a_grip_must_bear_the_moment_of_a_weight_beside_its_pads(motion, row):
    grip = motion.grips[0]
    place = row.index[grip.parts[0]]
    part = row.parts[place]
    far = part.com_part_m + grip.grasp.T_part_tool[:3, 0] * 1.5  # along the pads' faces: they twist
    beside = row.changed(parts=tuple(replace(one, com_part_m=far) if one is part else one for one in row.parts))
    judged = verify_motion(motion, beside)
    assert {one.kind for one in judged.complaints} == {"grip"}
    assert "and the moment of that" in judged.complaints[0].why


def test_what_a_pinch_bears_by_hand(motion):
    """Pads of friction 1/2 that squeeze with 10 N: 10 N of slip, and these at two thirds of half a pad of twist."""
    grip, tool = motion.grips[0], motion.cell.arms[0].tool
    assert (grip.grasp.kind, tool.friction) == ("pinch", 0.5)
    down, still = np.array([[0.0, 0.0, -1.0]]), np.zeros((1, 3))
    assert _asked(tool, grip, down, still, 10.0) == pytest.approx([0.1])
    twist = 10.0 * 2 / 3 * min(tool.pad_m) / 2
    moment = np.array([[0.0, twist, 0.0]])
    assert _asked(tool, grip, still, moment, 10.0) == pytest.approx([1.0])
    assert _asked(tool, grip, down, moment, 10.0) == pytest.approx([np.hypot(0.1, 1.0)])
    assert _asked(tool, grip, down, still, 0.0) == [np.inf]


def test_parts_that_wait_elsewhere_than_their_feeder_has_them_are_refused(motion, row):
    tray = motion.cell.feeders[0]
    T = tray.T_world_feeder.copy()
    T[2, 3] += 0.001
    for bad in (
        replace(tray, T_world_feeder=T),  # a millimetre higher
        replace(tray, size_m=(0.02, 0.02)),  # too small for them
        replace(tray, parts=(row.parts[0].name,)),  # for another part only
    ):
        cell = replace(motion.cell, feeders=(bad, *motion.cell.feeders[1:]))
        told = [one.why for one in verify_motion(replace(motion, cell=cell), row).complaints if one.kind == "place"]
        assert any("waits where no feeder has it" in why for why in told), told


def test_steps_and_stays_must_be_of_this_plan_and_assembly(motion, row):
    ghost = replace(motion, stays=(*motion.stays, replace(motion.stays[0], part="ghost")))
    assert "part 'ghost' is not in the assembly" in {one.why for one in verify_motion(ghost, row).complaints}
    with pytest.raises(BadInput, match="expected finite times"):
        replace(motion, steps_s=(np.nan, *motion.steps_s[1:]))


def test_a_motion_reads_back_as_it_was_written(motion, row, tmp_path):
    save(row, tmp_path / "row.yaml")
    source = source_of(tmp_path / "row.yaml", row)
    path = save_motion(replace(motion, plan=replace(motion.plan, source=source)), tmp_path / "out")
    again = load_motion(path)
    for one, other in zip(motion.tracks, again.tracks, strict=True):
        assert np.array_equal(one.q, other.q)
    assert again.steps_s == motion.steps_s
    assert [stay.part for stay in again.stays] == [stay.part for stay in motion.stays]
    assert verify_motion(again, row).valid
    save_motion(again, tmp_path / "again")
    for name in ("motion.npz", "cell.yaml"):
        assert (tmp_path / "again" / name).read_bytes() == (path.parent / name).read_bytes()
    with (path.parent / "motion.npz").open("ab") as stream:
        stream.write(b"x")
    with pytest.raises(BadFile, match="has changed since the motion was made"):
        load_motion(path)


def test_exports_have_every_row(motion, tmp_path):
    track = motion.tracks[0]
    told = joint_trajectory(motion, "left")
    assert len(told["points"]) == len(track.times_s)
    last = told["points"][-1]["time_from_start"]
    assert last["sec"] + 1e-9 * last["nanosec"] == pytest.approx(track.times_s[-1])
    assert [len(one) for one in (told["joint_names"], told["points"][0]["accelerations"])] == [7, 7]
    forces = [one["command"]["max_effort"] for one in gripper_commands(motion, "right")]
    assert max(forces) > 0
    written = export_motion(motion, tmp_path)
    assert sorted(path.name for path in written) == [
        "left.csv", "left.gripper.json", "left.trajectory.json",
        "right.csv", "right.gripper.json", "right.trajectory.json",
    ]  # fmt: skip
    numbers = np.loadtxt(tmp_path / "left.csv", delimiter=",", skiprows=1)
    assert np.array_equal(numbers[:, 0], track.times_s)
    with pytest.raises(BadInput, match="a motion cannot be written as 'rso'"):
        export_motion(motion, tmp_path, "rso")


def test_nonsense_is_refused():
    still = np.zeros((2, 1))
    with pytest.raises(BadInput, match="its times do not rise"):
        Track("left", [0.0, 0.0], still, still, still)
    with pytest.raises(BadInput, match="not finite"):
        Track("left", [0.0, 1.0], [[0.0], [np.nan]], still, still)
    with pytest.raises(BadInput, match="expected a finite opening and a force of 0 or more"):
        GripCommand("left", 0.0, 1.0, 0.02, np.nan)
    with pytest.raises(BadInput, match="expected a finite pose"):
        Stay("a", 0.0, 1.0, np.full((4, 4), np.nan))
    with pytest.raises(BadInput, match="an end that is not before the beginning"):
        Stay("a", 2.0, 1.0, np.eye(4))
    with pytest.raises(BadInput, match="a force and a greater one"):
        Guard(2.0, 1.0)
