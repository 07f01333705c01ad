"""Which part of a group the hand is on: said by plans, checked by `verify`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework import load, plan
from falsework.formats.plans.reading import read_plan
from falsework.formats.plans.sources import source_of
from falsework.formats.plans.writing import write_plan
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.plan import Plan, Press, Rules, Step
from falsework.model.shapes import box
from falsework.planning.nodes.carrying import InTheAir
from falsework.planning.replan import replan
from falsework.planning.verification.failures import Verification
from falsework.planning.verification.hands import Hands
from falsework.planning.verification.verify import verify


def at(x: float, z: float) -> Array:
    pose = np.eye(4)
    pose[:3, 3] = x, 0, z
    return pose


def balanced() -> Assembly:
    """A beam on a post, that tips without the block on its short arm; and a weight that may rest on its long one."""
    sizes = {"post": (1, 1, 2), "beam": (6, 1, 1), "block": (2, 1, 2), "weight": (0.5, 1, 0.5)}
    places = {"post": at(0, 0), "beam": at(-1.5, 2), "block": at(-1.5, 3), "weight": at(4, 3)}
    parts = [make_part(name, box(size), places[name]) for name, size in sizes.items()]
    return Assembly(tuple(parts), fixed=frozenset(["post"]))


def from_above(pose: Array) -> Array:
    return np.stack([at(pose[0, 3], 20.0), pose])


def by_hand(*, grasped: tuple[str, ...] = (), robots: int = 1) -> Plan:
    """Beam and block as one, then the weight."""
    steps = (
        Step("place", ("beam", "block"), ("beam", "block"), from_above(at(-1.5, 2)), grasped=grasped),
        Step("release", ("beam",), ("block",)),
        Step("release", ("block",), ()),
        Step("place", ("weight",), ("weight",), from_above(at(4, 3))),
        Step("release", ("weight",), ()),
    )
    return Plan(Rules(robots=robots), "complete", steps)


def told(found: Verification) -> list[tuple[int, str]]:
    return [(failure.step, failure.why) for failure in found.failures]


def test_a_plan_says_which_part_carries_a_group() -> None:
    assembly = balanced()
    planned = plan(assembly, robots=1)
    (group,) = (step for step in planned.plan.steps if len(step.parts) > 1)
    assert group.grasped == ("beam",)
    assert planned.plan.max_held == 1
    assert verify(planned.plan, assembly).valid


def test_a_group_must_hang_together_from_the_part_that_the_hand_is_on() -> None:
    assembly = balanced()
    assert verify(by_hand(grasped=("beam",)), assembly).valid
    found = verify(by_hand(grasped=("block",)), assembly)
    assert found.valid is False
    assert told(found)[0] == (1, "what is carried by 'block' falls: 'beam' would move")


def test_where_a_plan_does_not_say_so_a_part_is_looked_for_that_carries_the_others() -> None:
    assert verify(by_hand(), balanced()).valid
    sliding = replace(by_hand(), rules=Rules(robots=1, gravity=(6.0, 0.0, -9.81)))  # the block off the beam
    assert (1, "it takes 2 hands, and there are 1") in told(verify(sliding, balanced()))


def test_a_hand_on_every_part_takes_as_many_hands() -> None:
    both = by_hand(grasped=("beam", "block"))
    assert told(verify(both, balanced())) == [(1, "it takes 2 hands, and there are 1")]
    assert verify(replace(both, rules=Rules(robots=2)), balanced()).valid
    assert both.max_held == 2


def lopsided() -> Assembly:
    """The beam still tips with the block on it, until the weight is there."""
    short = balanced()
    beam = make_part("beam", box((8, 1, 1)), at(-1.5, 2))
    weight = make_part("weight", box((1.5, 1, 4)), at(-1.5, 5))
    return short.changed(parts=(short.parts[0], beam, short.parts[2], weight))


@pytest.mark.parametrize(("kept", "valid"), [("beam", True), ("block", False)])
def test_a_hand_does_not_wander_from_one_part_of_a_group_to_another(kept: str, valid: bool) -> None:
    let_go = "block" if kept == "beam" else "beam"
    steps = (
        Step("place", ("beam", "block"), ("beam", "block"), from_above(at(-1.5, 2)), grasped=("beam",)),
        Step("release", (let_go,), (kept,)),
        Step("place", ("weight",), (kept, "weight"), from_above(at(-1.5, 5))),
        Step("release", ("weight",), (kept,)),
        Step("release", (kept,), ()),
    )
    found = verify(Plan(Rules(robots=2), "complete", steps), lopsided())
    assert found.valid is valid
    if not valid:
        assert told(found)[0][0] == 2
        assert "the structure falls: 'beam'" in told(found)[0][1]


def test_the_hand_is_on_the_part_that_is_held_on_and_if_that_carries_nothing_there_is_one_on_every_part() -> None:
    assembly = balanced()
    air = InTheAir(assembly)
    beam, block = assembly.mask(["beam"]), assembly.mask(["block"])
    assert air.grasped(beam | block, 0) == beam
    assert air.grasped(beam | block, beam) == beam
    assert air.grasped(beam | block, block) == beam | block
    assert air.grasped(beam | block, beam | block) == beam | block


def test_after_a_group_has_come_only_the_part_is_held_that_the_hand_is_on() -> None:
    again = replan(by_hand(grasped=("beam",)), balanced(), at=1)
    assert again.plan.start.held == ("beam",)
    assert again.status == "complete"
    assert verify(again.plan, balanced()).valid


def hanging(folder: Path) -> tuple[Assembly, Plan]:
    """A brick that hangs from an arm, so near to the plate that no hand gets under it: they come as one."""
    (folder / "arm.txt").write_text("2x2 (0,0,0)\n2x2 (0,0,1)\n4x2 (0,0,2)\n2x2 (2,0,1)\n")
    assembly = load(folder / "arm.txt")
    planned = plan(assembly)
    assert planned.status == "complete"
    write_plan(replace(planned.plan, source=source_of(folder / "arm.txt", assembly)), folder / "plan.json")
    return assembly, read_plan(folder / "plan.json")


def test_a_brick_is_gripped_by_which_the_others_hang(tmp_path: Path) -> None:
    assembly, found = hanging(tmp_path)
    number, group = next((n, step) for n, step in enumerate(found.steps, 1) if len(step.parts) > 1)
    assert (group.parts, group.grasped) == (("3", "4"), ("3",))
    assert verify(found, assembly).valid
    steps = [replace(step, grasped=("4",)) if step is group else step for step in found.steps]
    wrong = verify(replace(found, steps=tuple(steps)), assembly)
    assert wrong.valid is False
    assert wrong.failures[0].step == number
    assert "grasp" in wrong.failures[0].why


def test_a_file_with_another_part_in_the_hand_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from falsework.cli import main

    hanging(tmp_path)
    file = tmp_path / "plan.json"
    document = json.loads(file.read_text())
    (group,) = (step for step in document["steps"] if len(step.get("parts", ())) > 1)
    del group["grasped"]  # the grasp tells: its fingers are on the arm
    file.write_text(json.dumps(document))
    assert main(["verify", str(file)]) == 0
    group["grasp"]["point"][2] -= 0.0096  # on the brick below
    file.write_text(json.dumps(document))
    assert main(["verify", str(file)]) == 1
    group["grasped"] = ["1"]
    file.write_text(json.dumps(document))
    capsys.readouterr()
    assert main(["verify", str(file)]) == 2
    assert "grasped names '1', expected parts that the step places" in capsys.readouterr().err


def test_the_hand_is_on_one_part_or_on_all() -> None:
    with pytest.raises(BadInput, match="grasped names 2 of 3 parts, expected the one that carries all, or all"):
        Step("place", ("a", "b", "c"), ("a", "b", "c"), grasped=("a", "b"))
    with pytest.raises(BadInput, match="grasped names 'a', expected parts that the step places"):
        Step("release", ("a",), (), grasped=("a",))


def test_what_rides_along_is_in_no_hand() -> None:
    hands = Hands()
    hands.bring(0b110, 0b010)
    assert (hands.held, hands.on) == (0b110, 0b010)
    hands.let_go(0b010)
    assert (hands.held, hands.on) == (0b100, 0)
    hands.take(0b100)
    assert hands.on == 0b100
    hands.only(0b001)
    assert (hands.held, hands.along) == (0b001, 0)


PRESSES = [
    (1.0, (0.0, 0.0, 0.0), ""),
    (2.0, (0.004, 0.0, 0.0), ""),  # harder, and not quite in the middle
    (0.5, (0.0, 0.0, 0.0), "its press does not put 1.25 N through a joint"),
    (-1.0, (0.0, 0.0, 0.0), "its press does not put 1.25 N through a joint"),
    (1.0, (0.03, 0.0, 0.0), "its press does not put 1.25 N through a joint"),  # beside the brick that it enters
]


@pytest.mark.parametrize(("harder", "shift", "why"), PRESSES)
def test_a_brick_is_pressed_as_the_plan_says(
    harder: float, shift: tuple[float, float, float], why: str, tmp_path: Path
) -> None:
    assembly, found = hanging(tmp_path)
    group = next(step for step in found.steps if len(step.parts) > 1)
    assert group.press is not None
    press = Press(harder * group.press.force_n, group.press.point_m + np.array(shift))
    steps = [replace(step, press=press) if step is group else step for step in found.steps]
    told = verify(replace(found, steps=tuple(steps)), assembly)
    assert [failure.why[: len(why)] for failure in told.failures] == ([why] if why else [])


def test_a_press_that_a_plan_makes_harder_than_need_be_must_be_borne(tmp_path: Path) -> None:
    (tmp_path / "arm.txt").write_text("2x2 (0,0,0)\n6x2 (0,0,1)\n2x2 (4,0,2)\n")
    arm = load(tmp_path / "arm.txt")
    found = plan(arm, press_n=0.5).plan
    assert verify(found, arm).valid
    (last,) = (step for step in found.steps if step.action == "place" and step.parts == ("3",))
    assert last.press is not None
    press = Press(10 * last.press.force_n, last.press.point_m)
    steps = [replace(step, press=press) if step is last else step for step in found.steps]
    wrong = verify(replace(found, steps=tuple(steps)), arm)
    assert wrong.failures[0].why.startswith("pressed on '3' with 5 N, the structure falls")
