"""A positioner tilts a structure that stands only so: chosen in the search, moved, judged anew, drawn on the page."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework import Assembly, BadInput, new_cell, plan, replan, save, verify
from falsework.bench.motions.problems import Problem
from falsework.bench.motions.tilted import TILTED_FAULTS, tilted_problem
from falsework.formats.motions.reading import read_motion
from falsework.formats.motions.writing import save_motion
from falsework.formats.plans.sources import source_of
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.robots.cell import ROTARY, Rotary
from falsework.model.robots.motion import Motion, Track
from falsework.model.robots.task import CellPlan
from falsework.model.robots.tilting import Stance, Tilt
from falsework.model.state import State
from falsework.robots.keyframes.cell_planning import Arms
from falsework.robots.kinematics.kinematics import Kinematics
from falsework.robots.motions.making import motions_of
from falsework.robots.verification.verify_motion import verify_motion
from falsework.studio.robots.arms_page import arms_scene
from falsework.verdicts.oracle import Oracle

BOLTED = {"base": ((0.1, 0.1, 0.02), (0.0, 0.0, 0.01)), "box": ((0.04, 0.04, 0.04), (0.0, 0.0, 0.04))}


@pytest.fixture(scope="module")
def problem() -> Problem:
    return tilted_problem(np.random.default_rng(2))


@pytest.fixture(scope="module")
def planned(problem: Problem) -> CellPlan:
    found = plan(problem.assembly, rules="reorient", cell=problem.cell, budget=200)
    assert found.in_cell is not None, found.why
    return found.in_cell


@pytest.fixture(scope="module")
def motion(problem: Problem, planned: CellPlan) -> Motion:
    return motions_of(planned, problem.assembly, np.random.default_rng(0))


def test_what_falls_upright_is_tilted_before_it_is_built_and_put_upright_after_it(
    problem: Problem, planned: CellPlan
) -> None:
    upright = plan(problem.assembly, cell=problem.cell, budget=200)
    assert upright.status == "infeasible"
    actions = [step.action for step in planned.plan.steps]
    assert actions == ["reorient", "place", "release", "place", "release", "reorient"]
    assert verify(planned.plan, problem.assembly).valid
    turns = [task for task in planned.tasks if task.action == "turn"]
    assert [abs(task.turned.tilt) for task in turns] == pytest.approx([math.pi / 2, 0.0])
    assert {planned.plan.steps[task.step].robot for task in turns} == {ROTARY}


def test_the_motion_is_verified_and_clamps_are_closed_while_it_tilts(problem: Problem, motion: Motion) -> None:
    judged = verify_motion(motion, problem.assembly)
    assert judged.valid, judged.complaints
    clamps = [one for one in motion.commands if one.arm == ROTARY]
    assert [one.force_n > 0 for one in clamps] == [True, False, True, False]
    track = motion.track_of(ROTARY)
    for begin, end in zip(clamps[::2], clamps[1::2], strict=True):
        inside = (track.times_s >= begin.end_s) & (track.times_s <= end.begin_s)
        assert np.ptp(track.q[inside, 0]) == pytest.approx(math.pi / 2)


@pytest.mark.parametrize("name", TILTED_FAULTS)
def test_a_fault_in_a_tilt_is_refused_by_name(problem: Problem, motion: Motion, name: str) -> None:
    spoil, kinds = TILTED_FAULTS[name]
    bad = spoil(motion, problem.assembly, np.random.default_rng(0))
    assert bad is not None
    assert {one.kind for one in verify_motion(bad, problem.assembly).complaints} & {*kinds}


def test_a_plan_that_turns_over_is_refused_in_a_cell_that_cannot(problem: Problem, motion: Motion) -> None:
    assert motion.cell.rotary is not None
    flat = replace(motion.cell, rotary=replace(motion.cell.rotary, tilt=None))
    tracks = (*motion.tracks[:-1], _only_turning(motion))
    bad = replace(motion, cell=flat, tracks=tracks, commands=tuple(c for c in motion.commands if c.arm != ROTARY))
    assert "order" in {one.kind for one in verify_motion(bad, problem.assembly).complaints}


def _only_turning(motion: Motion) -> Track:
    track = motion.track_of(ROTARY)
    return replace(track, q=track.q[:, 1:], speed=track.speed[:, 1:], acceleration=track.acceleration[:, 1:])


def test_a_tilting_motion_goes_through_files_and_onto_the_page(
    problem: Problem, motion: Motion, tmp_path: Path
) -> None:
    save(problem.assembly, tmp_path / "beam.yaml")
    source = source_of(tmp_path / "beam.yaml", problem.assembly)
    again = read_motion(save_motion(replace(motion, plan=replace(motion.plan, source=source)), tmp_path))
    assert np.array_equal(again.track_of(ROTARY).q, motion.track_of(ROTARY).q)
    assert verify_motion(again, problem.assembly).valid
    scene = arms_scene(motion, problem.assembly, "tilted")
    assert scene.timeline is not None
    plate = scene.timeline.T_world_part[:, scene.parts.names.index(ROTARY)]
    assert plate[:, 2, 2].min() == pytest.approx(0.0, abs=1e-3)  # it stands upright at some time
    assert plate[-1, 2, 2] == pytest.approx(1.0)


def test_same_seed_same_motion_with_a_positioner(problem: Problem, motion: Motion) -> None:
    again = problem.solved(np.random.default_rng(0))
    assert again is not None
    assert all(np.array_equal(one.q, other.q) for one, other in zip(again.tracks, motion.tracks, strict=True))


def test_nothing_is_planned_anew_from_where_it_is_tilted(problem: Problem, planned: CellPlan) -> None:
    with pytest.raises(BadInput, match="after step 3 the structure is tilted"):
        replan(planned.plan, problem.assembly, at=3, cell=problem.cell)


def test_a_positioner_is_an_arm_of_two_joints_that_carries_what_is_on_it() -> None:
    rotary = Rotary((0.2, -0.1, 0.3), tilt=Tilt(0.2, axis=0.4))
    arm = rotary.as_arm
    for stance in (Stance(0.0, 0.0), Stance(0.7, -0.5), Stance(-2.0, 1.2)):
        q = rotary.joints(stance)
        assert rotary.stance(q) == stance
        there = arm.T_world_base @ Kinematics(arm.arm, arm.tool).forward(q)
        assert there == pytest.approx(rotary.turned(*stance) @ arm.T_world_base)


def test_what_stands_upright_and_tilted_stands_at_every_angle_between(problem: Problem) -> None:
    """As gravity is a sum of both with factors that are not negative."""
    assembly = problem.assembly
    oracle = Oracle(assembly, interfaces(assembly))
    (lies,) = [T for T in Arms(problem.cell, assembly).tables.lies[1:] if _all_stand(assembly, oracle, T)][:1]
    down, tilted = assembly.gravity, lies[:3, :3].T @ assembly.gravity
    for angle in np.linspace(0.0, math.pi / 2, 10):
        x, y, z = (math.cos(angle) * down + math.sin(angle) * tilted).tolist()
        assert oracle.assess(State((1 << len(assembly.parts)) - 1, 0, (x, y, z))).answer == "stable"


def _all_stand(assembly: Assembly, oracle: Oracle, T: np.ndarray) -> bool:
    x, y, z = (T[:3, :3].T @ assembly.gravity).tolist()
    return oracle.assess(State((1 << len(assembly.parts)) - 1, 0, (x, y, z))).answer == "stable"


def test_what_is_too_heavy_for_the_clamps_is_not_tilted(problem: Problem) -> None:
    assert problem.cell.rotary is not None
    tilt = problem.cell.rotary.tilt
    assert tilt is not None
    assert Arms(problem.cell, problem.assembly).tables.tilted
    weak = replace(problem.cell, rotary=replace(problem.cell.rotary, tilt=replace(tilt, clamp_n=1.0)))
    assert Arms(weak, problem.assembly).tables.tilted == ()


def test_what_a_positioner_cannot_hold_is_refused_with_the_reason() -> None:
    cell = replace(new_cell("panda+positioner"), room_m=None)
    with pytest.raises(BadInput, match="the structure stands on a table, and the plate of a positioner is none"):
        plan(Assembly.from_boxes(BOLTED, ground="table"), rules="reorient", cell=cell)
    with pytest.raises(BadInput, match="nothing of it is fixed, so no positioner could hold it"):
        plan(Assembly.from_boxes(BOLTED), rules="reorient", cell=cell)


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"radius_m": math.nan}, "expected finite numbers"),
        ({"radius_m": 0.0}, "a radius, speed and clamp above 0"),
        ({"radius_m": 0.2, "lower": 0.1}, "expected a range with 0"),
        ({"radius_m": 0.2, "upper": 3.2}, "less than half round"),
        ({"radius_m": 0.2, "clamp_n": -1.0}, "a radius, speed and clamp above 0"),
    ],
)
def test_a_tilt_that_makes_no_sense_is_refused(told: dict[str, float], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        Tilt(**told)
