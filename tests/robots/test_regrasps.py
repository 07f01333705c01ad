"""Arms that take hold of what is in place: plans that need it, their motions, and motions in which it goes wrong."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework import Assembly, Cell, new_cell, plan
from falsework.bench.motions.held_faults import HELD_FAULTS
from falsework.bench.motions.held_problems import held_problem
from falsework.cli import main
from falsework.model.poses import inverse
from falsework.model.robots.motion import Motion
from falsework.planning.plans.jobs import Planned
from falsework.robots.kinematics.kinematics import Kinematics
from falsework.robots.motions.making import motions_of
from falsework.robots.verification.verify_motion import verify_motion

SIDE = 0.04


def one_brings() -> Cell:
    """Parts come where only the left arm reaches them; both reach the structure."""
    cell = new_cell("two-panda")
    T = np.eye(4)
    T[:2, 3] = (-0.45, 0.45)
    station = replace(cell.feeders[0], T_world_feeder=T, size_m=(0.4, 0.4), kind="station")
    return replace(cell, feeders=(station,))


def seesaw() -> Assembly:
    """A beam on a foot with weights on its ends, one of which alone tips it."""
    boxes = {
        "foot": ((SIDE, SIDE, SIDE), (0.0, 0.0, 0.5 * SIDE)),
        "beam": ((SIDE, 0.28, SIDE), (0.0, 0.0, 1.5 * SIDE)),
        "south": ((SIDE, SIDE, SIDE), (0.0, -0.12, 2.5 * SIDE)),
        "north": ((SIDE, SIDE, SIDE), (0.0, 0.12, 2.5 * SIDE)),
    }
    masses = {"foot": 0.1, "beam": 0.1, "south": 0.3, "north": 0.3}
    return Assembly.from_boxes(boxes, ground="table", masses_kg=masses)


def leaning() -> Assembly:
    """A beam that falls off its foot until a weight is on it: whoever brings it has to be relieved."""
    boxes = {
        "foot": ((SIDE, SIDE, SIDE), (0.0, 0.0, 0.5 * SIDE)),
        "beam": ((SIDE, 0.25, SIDE), (0.0, 0.105, 1.5 * SIDE)),
        "weight": ((SIDE, SIDE, SIDE), (0.0, 0.0, 2.5 * SIDE)),
    }
    return Assembly.from_boxes(boxes, ground="table", masses_kg={"foot": 0.1, "beam": 0.1, "weight": 0.8})


BUILT = {"seesaw": seesaw(), "leaning": leaning()}


@pytest.fixture(scope="module")
def planned() -> dict[str, Planned]:
    return {name: plan(one, cell=one_brings(), regrasp=True, budget=200) for name, one in BUILT.items()}


@pytest.fixture(scope="module")
def moved(planned: dict[str, Planned]) -> dict[str, Motion]:
    found = {}
    for name, one in planned.items():
        assert one.in_cell is not None, one.why
        found[name] = motions_of(one.in_cell, BUILT[name])
    return found


@pytest.mark.parametrize("name", BUILT)
def test_without_regrasping_nobody_can_and_nothing_is_proved(name: str) -> None:
    alone = plan(BUILT[name], cell=one_brings(), budget=120)
    assert alone.status == "budget"
    assert alone.plan.proof is None


def test_another_arm_takes_hold_of_what_tips(planned: dict[str, Planned]) -> None:
    found = planned["seesaw"]
    assert found.status == "complete"
    assert [(step.parts, step.robot) for step in found.plan.steps if step.action == "hold"] == [(("beam",), "right")]
    assert falsework.verify(found.plan, BUILT["seesaw"]).valid


def test_another_arm_takes_over_what_one_holds_and_the_plan_has_no_step_for_that(planned: dict[str, Planned]) -> None:
    """The part is held all along; only hands change."""
    found = planned["leaning"]
    assert found.status == "complete"
    assert all(step.action != "hold" for step in found.plan.steps)
    assert found.in_cell is not None
    done = [(task.arm, task.action) for task in found.in_cell.tasks if task.part == "beam"]
    assert done == [("left", "place"), ("right", "hold"), ("left", "release"), ("right", "release")]
    assert falsework.verify(found.plan, BUILT["leaning"]).valid


@pytest.mark.parametrize("name", BUILT)
def test_a_hand_closes_where_its_grasp_is_on_the_part_in_its_place(name: str, planned: dict[str, Planned]) -> None:
    carried = planned[name].in_cell
    assert carried is not None
    (task,) = [one for one in carried.tasks if one.action == "hold"]
    assert [point.name for point in task.waypoints] == ["home", "above-hold", "hold", "hold"]
    assert [point.holding for point in task.waypoints] == [False, False, False, True]
    arm = carried.cell.arm_named(task.arm)
    assert task.grasp is not None
    at = arm.T_world_base @ Kinematics(arm.arm, arm.tool).forward(task.waypoints[-1].q)
    place = carried.T_world_assembly @ BUILT[name].parts[BUILT[name].index[task.part]].T_world_part
    assert at @ inverse(task.grasp.T_part_tool) == pytest.approx(place, abs=1e-6)


@pytest.mark.parametrize("name", BUILT)
def test_motions_are_accepted_and_the_same_each_time(
    name: str, planned: dict[str, Planned], moved: dict[str, Motion]
) -> None:
    judged = verify_motion(moved[name], BUILT[name])
    assert judged.valid, judged.complaints
    again = planned[name].in_cell
    assert again is not None
    anew = motions_of(again, BUILT[name])
    assert all(np.array_equal(one.q, other.q) for one, other in zip(moved[name].tracks, anew.tracks, strict=True))
    one_by_one = motions_of(again, BUILT[name], together=False)
    assert verify_motion(one_by_one, BUILT[name]).valid


WHY = {
    "never held": "holds 'beam', but no hand does",
    "held late": "holds 'beam', but no hand does",
    "let go early": "holds 'beam', but no hand does",
    "the first leaves early": "which does not grip it|but no hand does|before its hand is open",
    "of another part": "off from where it grips 'foot'",
    "by another arm": "arm 'left' .* where it grips 'beam'",
    "beside the part": "off from where it grips 'beam'",
    "held on": "arm 'right' holds 'beam', which the plan does not",
    "fingers open": "the hand of arm 'right' does not touch 'beam'",
    "held weakly": "grips 'beam' with .* N, which bears",
    "beyond its payload": "arm 'right' holds .* its payload is",
}


@pytest.mark.parametrize("fault", HELD_FAULTS)
@pytest.mark.parametrize("name", BUILT)
def test_a_hold_that_goes_wrong_is_refused_by_name(name: str, fault: str, moved: dict[str, Motion]) -> None:
    spoil, (kind,) = HELD_FAULTS[fault]
    bad = spoil(moved[name], BUILT[name], np.random.default_rng(0))
    assert bad is not None
    complaints = verify_motion(bad, BUILT[name]).complaints

    assert any(re.search(WHY[fault], one.why) for one in complaints if one.kind == kind), complaints


def test_a_step_that_holds_names_the_arm_that_does(moved: dict[str, Motion]) -> None:
    motion = moved["seesaw"]
    steps = tuple(replace(one, robot="left") if one.action == "hold" else one for one in motion.plan.steps)
    (one,) = verify_motion(replace(motion, plan=replace(motion.plan, steps=steps)), BUILT["seesaw"]).complaints
    assert (one.kind, one.why) == ("hand", "step 6 is for arm 'left', but ['right'] holds it")


def test_regrasping_arms_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assembly, cell, out = tmp_path / "leaning.yaml", tmp_path / "cell.yaml", tmp_path / "out"
    falsework.save(leaning(), assembly)
    falsework.save_cell(one_brings(), cell)
    assert main(["plan", str(assembly), "--cell", str(cell), "--regrasp", "--out", str(out)]) == 0
    assert main(["verify", str(out / "motion.json")]) == 0
    assert main(["verify", str(out / "plan.json")]) == 0
    capsys.readouterr()


@pytest.fixture(scope="module")
def resumed() -> dict[int, tuple[Planned, Motion]]:
    """Work that goes on after some steps, with something held then."""
    cell = new_cell("two-panda")
    cell = replace(cell, feeders=tuple(replace(one, gap_m=0.06, size_m=(0.4, 0.3)) for one in cell.feeders))
    first = plan(seesaw(), cell=cell, budget=200)
    assert [len(step.held) for step in first.plan.steps] == [1, 0, 1, 2, 1, 2, 1, 0]
    found = {}
    for done in (4, 6):
        rest = falsework.replan(first.plan, seesaw(), at=done, cell=cell, budget=200)
        assert rest.in_cell is not None, rest.why
        found[done] = rest, motions_of(rest.in_cell, seesaw())
    return found


@pytest.mark.parametrize("done", [4, 6])
def test_what_is_held_at_the_beginning_is_taken_over_by_arms_first(
    done: int, resumed: dict[int, tuple[Planned, Motion]]
) -> None:
    """Until then whoever held it goes on; at 6 nothing is left to do but to let go."""
    rest, motion = resumed[done]
    assert rest.in_cell is not None
    held = rest.plan.start.held
    assert len(held) == 2
    assert [(task.action, task.part) for task in rest.in_cell.tasks[:2]] == [("hold", name) for name in held]
    assert verify_motion(motion, seesaw()).valid


@pytest.mark.parametrize("done", [4, 6])
def test_what_nobody_takes_over_is_refused(done: int, resumed: dict[int, tuple[Planned, Motion]]) -> None:
    _, motion = resumed[done]
    name = motion.plan.start.held[0]
    bare = replace(motion, grips=tuple(one for one in motion.grips if name not in one.parts))
    complaints = verify_motion(bare, seesaw()).complaints
    assert any(f"no hand takes over {name!r}, which is held at the beginning" in one.why for one in complaints)


def test_random_problems_are_the_same_for_the_same_seed_and_solved_by_regrasping() -> None:
    problem, again = (held_problem(np.random.default_rng(100)) for _ in range(2))
    assert np.array_equal(problem.assembly.poses, again.assembly.poses)
    motion = problem.solved(np.random.default_rng(0))
    assert motion is not None
    assert verify_motion(motion, problem.assembly).valid
