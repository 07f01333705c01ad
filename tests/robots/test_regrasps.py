"""Arms that take hold of what is in place: plans that need it, their motions, and motions in which it goes wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework import Assembly, Cell, new_cell, plan
from falsework.cli import main
from falsework.model.poses import inverse
from falsework.model.robots.motion import Motion
from falsework.planning.plans.jobs import Planned
from falsework.robots.kinematics.kinematics import Kinematics
from falsework.robots.motions.making import motions_of
from falsework.robots.verification.verify_motion import verify_motion

SIDE = 0.04
Spoil = Callable[[Motion], Motion]


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


def in_place(motion: Motion) -> int:
    """The number of the first grip of what is in place already: its part never moves with that arm."""
    carried = {(stay.arm, stay.part) for stay in motion.stays}
    return next(k for k, grip in enumerate(motion.grips) if (grip.arm, grip.parts[0]) not in carried)


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


def regripped(motion: Motion, k: int, **changes: object) -> Motion:
    grips = list(motion.grips)
    grips[k] = replace(grips[k], **changes)  # type: ignore[arg-type]
    return replace(motion, grips=tuple(grips))


def told(motion: Motion, k: int, by_s: float) -> Motion:
    """A command of a hand earlier or later."""
    commands = list(motion.commands)
    commands[k] = replace(commands[k], begin_s=commands[k].begin_s + by_s, end_s=commands[k].end_s + by_s)
    return replace(motion, commands=tuple(commands))


def command_at(motion: Motion, arm: str, when: float, ends: bool) -> int:
    times = [one.end_s if ends else one.begin_s for one in motion.commands]
    return next(k for k, one in enumerate(motion.commands) if one.arm == arm and abs(times[k] - when) < 1e-6)


def never_held(motion: Motion) -> Motion:
    k = in_place(motion)
    return replace(motion, grips=(*motion.grips[:k], *motion.grips[k + 1 :]))


def held_late(motion: Motion) -> Motion:
    k = in_place(motion)
    grip = motion.grips[k]
    return regripped(told(motion, command_at(motion, grip.arm, grip.begin_s, True), 1.0), k, begin_s=grip.begin_s + 1.0)


def let_go_early(motion: Motion) -> Motion:
    k = in_place(motion)
    grip = motion.grips[k]
    return regripped(told(motion, command_at(motion, grip.arm, grip.end_s, False), -1.0), k, end_s=grip.end_s - 1.0)


def first_lets_go_before_the_other_holds(motion: Motion) -> Motion:
    taken = motion.grips[in_place(motion)]
    k = max(j for j, one in enumerate(motion.grips) if one.arm != taken.arm and one.begin_s < taken.begin_s)
    grip = motion.grips[k]
    return regripped(told(motion, command_at(motion, grip.arm, grip.end_s, False), -0.4), k, end_s=grip.end_s - 0.4)


def of_another_part(motion: Motion) -> Motion:
    k = in_place(motion)
    return regripped(motion, k, parts=("foot",), grasp=replace(motion.grips[k].grasp, part="foot"))


def by_another_arm(motion: Motion) -> Motion:
    return regripped(motion, in_place(motion), arm="left")


def beside_the_part(motion: Motion) -> Motion:
    k = in_place(motion)
    T = motion.grips[k].grasp.T_part_tool.copy()
    T[1, 3] += 0.02
    return regripped(motion, k, grasp=replace(motion.grips[k].grasp, T_part_tool=T))


def held_on(motion: Motion) -> Motion:
    k = in_place(motion)
    return regripped(motion, k, end_s=motion.grips[k].end_s + 2.0)


def fingers_open(motion: Motion) -> Motion:
    grip = motion.grips[in_place(motion)]
    commands = list(motion.commands)
    k = command_at(motion, grip.arm, grip.begin_s, True)
    commands[k] = replace(commands[k], opening_m=grip.grasp.open_m)
    return replace(motion, commands=tuple(commands))


def weakly(motion: Motion) -> Motion:
    grip = motion.grips[in_place(motion)]
    commands = list(motion.commands)
    k = command_at(motion, grip.arm, grip.begin_s, True)
    commands[k] = replace(commands[k], force_n=0.1)
    return replace(motion, commands=tuple(commands))


def by_an_arm_that_lifts_nothing(motion: Motion) -> Motion:
    arms = [
        replace(one, arm=replace(one.arm, payload_kg=one.tool.mass_kg + 0.05)) if one.name == "right" else one
        for one in motion.cell.arms
    ]
    return replace(motion, cell=replace(motion.cell, arms=tuple(arms)))


FAULTS: dict[Spoil, tuple[str, str]] = {
    never_held: ("hand", "holds 'beam', but no hand does"),
    held_late: ("hand", "holds 'beam', but no hand does"),
    let_go_early: ("hand", "holds 'beam', but no hand does"),
    first_lets_go_before_the_other_holds: ("hand", "which does not grip it|but no hand does|before its hand is open"),
    of_another_part: ("hand", "off from where it grips 'foot'"),
    by_another_arm: ("hand", "arm 'left' .* where it grips 'beam'"),
    beside_the_part: ("hand", "20.00 mm .* off from where it grips 'beam'"),
    held_on: ("hand", "arm 'right' holds 'beam', which the plan does not"),
    fingers_open: ("hand", "the hand of arm 'right' does not touch 'beam'"),
    weakly: ("grip", "grips 'beam' with 0.1 N, which bears"),
    by_an_arm_that_lifts_nothing: ("payload", "arm 'right' holds .* its payload is"),
}


@pytest.mark.parametrize("spoil", FAULTS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("name", BUILT)
def test_a_hold_that_goes_wrong_is_refused_by_name(name: str, spoil: Spoil, moved: dict[str, Motion]) -> None:
    kind, why = FAULTS[spoil]
    complaints = verify_motion(spoil(moved[name]), BUILT[name]).complaints
    assert {one.kind for one in complaints} >= {kind}

    assert any(re.search(why, one.why) for one in complaints if one.kind == kind), complaints


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
