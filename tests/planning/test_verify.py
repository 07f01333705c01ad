"""Plans checked anew: good ones pass, and every way to spoil one is named with its step."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from falsework.cli import main
from falsework.formats import load
from falsework.formats.fingerprint import input_sha256
from falsework.formats.plans.reading import read_plan
from falsework.formats.plans.sources import source_of
from falsework.formats.plans.writing import write_plan
from falsework.gallery import make
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.convex_pieces import hull
from falsework.geometry.shapes.solids import make_part
from falsework.geometry.ways.removal import StraightRemovals
from falsework.geometry.ways.sweeping import between, swept_depth
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.plan import Plan, Rules, Start, Step
from falsework.model.shapes import box
from falsework.planning.plan import plan as make_plan
from falsework.planning.verification.verify import verify
from tests.conftest import brick
from tests.planning.plans import in_part_order, written

Document = dict[str, Any]
Spoil = Callable[[Document], None]

ONE_HAND = Rules(robots=1)
BRICKS = Rules("bricks", 1, model="snapfit", press_n=5.0)


def shift(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def turn(degrees: float, axis: int = 2) -> Array:
    c, s = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    pose = np.eye(4)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    pose[a, a], pose[a, b], pose[b, a], pose[b, b] = c, -s, s, c
    return pose


@pytest.mark.parametrize(
    ("kind", "rules", "to_the_end", "parameters"),
    [
        ("harmonic-tower", ONE_HAND, False, {"bricks": 4}),
        ("semicircular-arch", Rules(robots=5), True, {"stones": 5}),
        ("mortise-frame", ONE_HAND, False, {"bays": 1}),
        ("harmonic-tower", Rules(robots=1, paths="none", cone="exact"), False, {"bricks": 3}),
    ],
)
def test_a_good_plan_is_valid(
    tmp_path: Path, kind: str, rules: Rules, to_the_end: bool, parameters: dict[str, float]
) -> None:
    found = verify(written(tmp_path, kind, rules, hold_to_the_end=to_the_end, **parameters))
    assert found.valid is True and not found.failures
    assert found.states == len(read_plan(tmp_path / "plan.json").steps)


def spoiled(file: Path, spoil: Spoil) -> Path:
    document = json.loads(file.read_text())
    spoil(document)
    file.write_text(json.dumps(document))
    return file


def _swap(a: int, b: int) -> Spoil:
    def change(document: Document) -> None:
        steps = document["steps"]
        steps[a], steps[b] = steps[b], steps[a]

    return change


def _drop(*numbers: int) -> Spoil:
    def change(document: Document) -> None:
        document["steps"] = [step for k, step in enumerate(document["steps"]) if k not in numbers]

    return change


def _put(number: int, **entries: Any) -> Spoil:
    def change(document: Document) -> None:
        document["steps"][number] = {**document["steps"][number], **entries}

    return change


def _without(number: int, key: str) -> Spoil:
    def change(document: Document) -> None:
        del document["steps"][number][key]

    return change


def _add(number: int, **entries: Any) -> Spoil:
    return lambda document: document["steps"].insert(number, entries)


def _both(*spoils: Spoil) -> Spoil:
    def change(document: Document) -> None:
        for spoil in spoils:
            spoil(document)

    return change


def _rule(key: str, value: Any) -> Spoil:
    def change(document: Document) -> None:
        document["rules"][key] = value

    return change


def _whole(**entries: Any) -> Spoil:
    return lambda document: document.update(entries)


def _pose(number: int, pose: int, by: Array) -> Spoil:
    """A pose of a path moved by a motion from the left."""

    def change(document: Document) -> None:
        path = document["steps"][number]["path"]
        path[pose] = (by @ np.array(path[pose])).tolist()

    return change


def _from(number: int, *shifts: tuple[float, float, float]) -> Spoil:
    """A path that comes through these shifts from the final pose."""

    def change(document: Document) -> None:
        final = np.array(document["steps"][number]["path"][-1])
        document["steps"][number]["path"] = [(shift(*by) @ final).tolist() for by in (*shifts, (0.0, 0.0, 0.0))]

    return change


# Steps of the tower: place 1, release 1, place 2, release 2, place 3, release 3.
TOWER: list[tuple[Spoil, int, str]] = [
    (_drop(2, 3), 4, "falls: 'brick-3' would move"),
    (_drop(4, 5), 0, "never places 'brick-3'"),
    (_drop(5), 0, "ends holding 'brick-3'"),
    (_pose(2, -1, shift(0.01)), 3, "its path ends 0.01 m from where 'brick-2' belongs"),
    (_pose(2, -1, turn(1)), 3, "its path ends"),
    (_from(2, (0.0, 0.0, -9.0)), 3, "its path runs 'brick-2' into 'base'"),
    (_from(2, (0.0, 0.0, 9.0), (3.0, 0.0, 9.0), (3.0, 0.0, -0.2)), 3, r"into 'brick-1' \(segment 3\)"),
    (_from(4, (9.0, 0.0, -0.02)), 5, "its path runs 'brick-3' into 'brick-2'"),
    (_put(2, held=[]), 3, "held is said to be nothing, but the steps so far leave 'brick-2'"),
    (_put(2, held=["brick-1", "brick-2"]), 3, "held is said to be 'brick-1', 'brick-2'"),
    (_put(0, held=["nobody"]), 1, "there is no part 'nobody'"),
    (_put(0, part="brick-9"), 1, "there is no part 'brick-9'; did you mean"),
    (_put(0, part="base"), 1, "'base' is fixed and cannot be placed"),
    (_put(2, part="brick-1"), 3, "'brick-1' is there already"),
    (_both(_drop(1), _put(1, held=["brick-1", "brick-2"])), 2, "it takes 2 hands, and there are 1"),
    (_put(1, part="brick-2", held=["brick-1"]), 2, "lets go of a part that is not held"),
    (_add(2, action="hold", part="brick-1", held=["brick-1"]), 3, "the rules allow no regrasping"),
    (_add(0, action="hold", part="brick-1", held=[]), 1, "it holds a part that is not there"),
    (_add(1, action="hold", part="brick-1", held=["brick-1"]), 2, "held already"),
    (_add(1, action="hold", part="base", held=["brick-1"]), 2, "it holds a fixed part"),
    (_without(2, "path"), 3, "it has no path"),
    (_put(2, path=[np.eye(4).tolist()]), 3, "its path has one pose"),
    (_pose(2, 0, turn(5)), 3, "its path turns the part"),
    (_add(2, action="reorient", held=[], T_world_assembly=turn(90, 0).tolist()), 3, "turns the assembly"),
    (_add(2, action="reorient", held=[], T_world_assembly=np.eye(4).tolist()), 3, "clamped or self-locked"),
    (_rule("gravity", [5.0, 0.0, -8.0]), 2, "falls: 'brick-1' would move"),
    (_rule("gravity", [0.0, 0.0, 9.81]), 2, "falls"),
    (_whole(status="infeasible"), 0, "no plan, but its steps place everything"),
    (_whole(target=["brick-1", "brick-2"]), 0, "said to end without 'brick-3', but that is there"),
]


@pytest.mark.parametrize(("spoil", "step", "why"), TOWER, ids=[f"{why}-{k}" for k, (_, _, why) in enumerate(TOWER)])
def test_a_spoiled_plan_is_caught_at_its_step(tmp_path: Path, spoil: Spoil, step: int, why: str) -> None:
    file = spoiled(written(tmp_path, "harmonic-tower", ONE_HAND, bricks=3), spoil)
    found = verify(file)
    assert found.valid is False
    matching = [failure for failure in found.failures if failure.step == step]
    assert any(re.search(why, failure.why) for failure in matching), found.failures


def test_an_arch_without_friction_or_hands_falls(tmp_path: Path) -> None:
    file = written(tmp_path, "semicircular-arch", Rules(robots=5), hold_to_the_end=True, stones=5)
    slippery = verify(spoiled(file, _rule("mu", 0.01)))
    assert slippery.valid is False and all("falls" in failure.why for failure in slippery.failures)
    low = verify(spoiled(file, _both(_rule("mu", 0.55), _from(4, (0.0, 0.0, 0.1)))))
    assert low.failures[0].step == 5 and "does not start clear" in low.failures[0].why
    few = verify(spoiled(file, _rule("robots", 3)))
    assert few.valid is False and few.failures[0].step == 4 and "it takes 4 hands" in few.failures[0].why


def test_a_changed_assembly_makes_the_plan_invalid(tmp_path: Path) -> None:
    file = written(tmp_path, "harmonic-tower", ONE_HAND, bricks=3)
    thing = tmp_path / "thing.yaml"
    thing.write_text(thing.read_text() + "\n")
    found = verify(file)
    assert found.valid is False and found.failures[0].step == 0 and "has changed" in found.failures[0].why


# Bricks: two 2x4 side by side with a gap of one stud, and one across.


def brick_plan(tmp_path: Path, rules: Rules = BRICKS) -> Path:
    (tmp_path / "bridge.txt").write_text("2x4 (0,0,0)\n2x4 (3,0,0)\n6x1 (0,0,1)\n")
    assembly = load(tmp_path / "bridge.txt")
    plan = in_part_order(assembly, rules)
    file = tmp_path / "plan.json"
    write_plan(replace(plan, source=source_of(tmp_path / "bridge.txt", assembly)), file)
    return file


def test_a_brick_plan_is_valid_with_side_grasps_only(tmp_path: Path) -> None:
    file = brick_plan(tmp_path, replace(BRICKS, grasps="side"))
    assert verify(file).valid is True


def _grasp(number: int, **entries: Any) -> Spoil:
    def change(document: Document) -> None:
        document["steps"][number]["grasp"].update(entries)

    return change


SPOILED_BRICKS: list[tuple[Spoil, int, str]] = [
    (_without(0, "grasp"), 1, "does not say how the brick is taken"),
    (_grasp(2, closing=[0.0, 1.0, 0.0], width=0.032), 3, "its grasp is on the short sides"),
    (_grasp(2, width=0.02), 3, "closes on 0.02 m, and the brick is 0.016 m wide"),
    (_grasp(2, point=[1.0, 0.0, 0.0]), 3, "its grasp is not on the brick"),
    (_grasp(2, closing=[0.0, 0.0, 1.0]), 3, "does not close along the stud grid"),
    (_from(4, (0.0, 0.2, 0.0)), 5, "its path runs '3' into '1'"),
    (_from(4, (0.0, 0.2, 0.0005)), 5, "its path runs '3' into '1'"),
    (_from(4, (0.0, 0.0, -30.0)), 5, "its path runs '3' into 'ground'"),
    (_drop(2, 3), 4, "never places '2'|falls"),
]


@pytest.mark.parametrize(("spoil", "step", "why"), SPOILED_BRICKS, ids=[why for _, _, why in SPOILED_BRICKS])
def test_a_spoiled_brick_plan_is_caught(tmp_path: Path, spoil: Spoil, step: int, why: str) -> None:
    found = verify(spoiled(brick_plan(tmp_path), spoil))
    assert found.valid is False
    assert any(re.search(why, failure.why) for failure in found.failures if failure.step in (0, step)), found.failures


def test_pressing_the_end_of_an_arm_breaks_it_off_unless_a_hand_supports_it(tmp_path: Path) -> None:
    (tmp_path / "arm.txt").write_text("2x2 (0,0,0)\n6x2 (0,0,1)\n2x2 (4,0,2)\n")
    assembly = load(tmp_path / "arm.txt")
    plan = in_part_order(assembly, BRICKS)
    found = verify(plan, assembly)
    assert [(failure.step, failure.why[:38]) for failure in found.failures] == [
        (5, "pressed on '3' with 5 N, the structure")
    ]
    assert verify(replace(plan, rules=replace(BRICKS, press_n=0.2)), assembly).valid is True
    support = (Step("hold", ("2",), ("2",)), replace(plan.steps[4], held=("2", "3")))
    release = (Step("release", ("3",), ("2",)), Step("release", ("2",), ()))
    helped = replace(plan, rules=replace(BRICKS, robots=2), steps=(*plan.steps[:4], *support, *release))
    assert verify(helped, assembly).valid is True


def test_fingers_need_the_stud_beside_the_brick(tmp_path: Path) -> None:
    file = brick_plan(tmp_path)
    (tmp_path / "bridge.txt").write_text("2x4 (0,0,0)\n2x4 (2,0,0)\n4x1 (0,0,1)\n")
    document = json.loads(file.read_text())
    document["assembly"]["sha256"] = input_sha256(tmp_path / "bridge.txt")
    for number in (2, 3):
        if "path" in document["steps"][number]:
            for pose in document["steps"][number]["path"]:
                pose[0][3] -= 0.008
            document["steps"][number]["grasp"]["point"][0] -= 0.008
    file.write_text(json.dumps(document))
    found = verify(file)
    assert any(failure.step == 3 and "the hand would run into '1'" in failure.why for failure in found.failures)


# Groups, turns, screws


def test_two_bars_of_the_bookshelf_are_placed_as_one_by_one_hand() -> None:
    shelf = make("locked-bookshelf")
    removals = StraightRemovals(shelf, interfaces(shelf))
    everything = (1 << len(shelf.bodies)) - 1
    bars = ("front", "right", "back", "left")
    pairs = [(a, b) for k, a in enumerate(bars) for b in bars[k + 1 :]]
    last = next(pair for pair in pairs if removals.leaves(shelf.mask(pair), everything))
    first = tuple(bar for bar in bars if bar not in last)
    steps: list[Step] = []
    held: tuple[str, ...] = ()
    installed = shelf.fixed_mask()
    for group in (("board-left",), ("board-right",), first, last):
        ordered = tuple(name for name in shelf.names if name in group)
        path = removals.path(shelf.mask(group), installed)
        assert path is not None
        held = (*held, *ordered)
        steps.append(Step("place", ordered, held, path))
        installed |= shelf.mask(group)
        if len(ordered) == 1 or group == last:
            steps += [Step("release", held[k : k + 1], held[k + 1 :]) for k in range(len(held))]
            held = ()
    three = Rules(robots=3)  # two hold the first pair, one carries the second
    plan = Plan(three, "complete", tuple(steps))
    assert verify(plan, shelf).valid is True
    assert "it takes 3 hands" in verify(replace(plan, rules=Rules(robots=2)), shelf).failures[0].why
    one, other = steps[-5].parts
    assert steps[-5].path is not None
    moved = steps[-5].path @ np.linalg.inv(shelf.poses[shelf.index[one]]) @ shelf.poses[shelf.index[other]]
    apart = (
        Step("place", (one,), steps[-5].held[:3], steps[-5].path),
        Step("place", (other,), steps[-5].held, moved),
    )
    found = verify(replace(plan, rules=Rules(robots=9), steps=(*steps[:-5], *apart)), shelf)
    assert found.failures[0].step == 7 and "its path runs" in found.failures[0].why


def stacked(ground: Ground | None = None) -> Assembly:
    cubes = tuple(make_part(name, box((0.1, 0.1, 0.1)), shift(z=0.1 * k)) for k, name in enumerate("ab"))
    return grounded(Assembly(cubes), Ground("table") if ground is None else ground)


def straight(z: float) -> Array:
    return np.stack([shift(z=z + 1.0), shift(z=z)])


def test_a_turned_assembly_stands_on_a_table_under_it() -> None:
    table = stacked()
    place_a = Step("place", ("a",), ("a",), straight(0.0))
    release_a = Step("release", ("a",))
    over = Step("reorient", T_world_assembly=turn(90, 0), secured="clamped")
    beside = np.stack([shift(z=1.1), shift(z=0.1)])
    place_b = Step("place", ("b",), ("b",), beside)
    rules = Rules("reorient", 1)
    good = Plan(rules, "complete", (place_a, release_a, over, place_b, Step("release", ("b",))))
    assert verify(good, table).valid is True
    leaning = replace(good, steps=(place_a, release_a, replace(over, T_world_assembly=turn(40, 0)), *good.steps[3:]))
    found = verify(leaning, table)
    assert found.failures[0].step == 3 and "falls" in found.failures[0].why
    through = np.stack([turn(-90, 0) @ shift(z=-1.0) @ turn(90, 0) @ shift(z=0.1), shift(z=0.1)])
    found = verify(replace(good, steps=(*good.steps[:3], replace(place_b, path=through), good.steps[4])), table)
    assert any("runs into the table" in failure.why for failure in found.failures)


def test_what_is_turned_below_the_table_before_anything_is_there_runs_into_it() -> None:
    """Nothing is placed yet, so the table is the plane z = 0; turned over, all places are below it."""
    over = Step("reorient", T_world_assembly=turn(180, 0), secured="clamped")
    place, release = Step("place", ("a",), ("a",), straight(0.0)), Step("release", ("a",))
    found = verify(Plan(Rules("reorient", 1), "budget", (over, place, release)), stacked())
    assert [failure.step for failure in found.failures] == [2, 3]
    assert "runs into the table" in found.failures[0].why and "falls" in found.failures[1].why


def test_a_loose_stack_is_not_self_locked_and_a_burr_is() -> None:
    rules = Rules("reorient", 1)
    over = Step("reorient", T_world_assembly=np.eye(4), secured="self-locked")
    names = stacked().names
    found = verify(Plan(rules, "timeout", (over,), start=Start(names)), stacked())
    assert any("said to be self-locked" in failure.why for failure in found.failures)
    again = Plan(rules, "timeout", (replace(over, secured="clamped"), over), start=Start(names))
    turned_twice = verify(again, stacked(Ground()))
    assert any(failure.step == 2 and "self-locked" in failure.why for failure in turned_twice.failures)
    burr = make("burr-puzzle")
    locked = Plan(rules, "timeout", (over,), start=Start(tuple(name for name in burr.names)))
    assert verify(locked, burr).valid is True


def test_a_screw_is_swept_between_its_poses() -> None:
    cube = hull(box((1.0, 1.0, 1.0)).vertices - 0.5)
    post = hull(box((0.2, 0.2, 2.0)).vertices + np.array([1.9, -0.1, -1.0]))
    start, end = shift(0.0, -2.0), turn(180) @ shift(0.0, -2.0)  # half a circle of radius 2, through the post
    assert swept_depth(cube, post, start, end, 1e-4) > 1e-4
    far = hull(box((0.2, 0.2, 2.0)).vertices + np.array([2.9, -0.1, -1.0]))
    assert swept_depth(cube, far, start, end, 1e-4) <= 1e-4
    halfway = between(start, end, 0.5)
    assert np.allclose(halfway, turn(90) @ shift(0.0, -2.0), atol=1e-12)


def test_turning_in_place_on_a_table_does_not_touch_it() -> None:
    cube = hull(box((1.0, 1.0, 1.0)).vertices - 0.5)
    table = hull(box((9.0, 9.0, 1.0)).vertices + np.array([-4.5, -4.5, -1.5]))
    assert swept_depth(cube, table, shift(), turn(170), 1e-4) <= 1e-4
    assert swept_depth(cube, table, shift(), turn(20, 0), 1e-4) > 1e-4


def test_a_straight_sweep_agrees_with_many_poses() -> None:
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(25):
        a, b = hull(rng.normal(size=(8, 3))), hull(rng.normal(size=(8, 3)) + 3 * rng.normal(size=3))
        start, end = shift(*(4 * rng.normal(size=3))), shift(*(4 * rng.normal(size=3)))
        deepest = max(
            swept_depth(a, b, between(start, end, s), between(start, end, s), 0.0) for s in np.linspace(0, 1, 20)
        )
        assert deepest <= max(0.0, swept_depth(a, b, start, end, 0.0)) + 1e-9
        hits += deepest > 0.05
    assert 1 < hits < 24


def test_verifying_imports_no_search() -> None:
    program = (
        "import sys, falsework.planning.verification.verify;"
        "names = [m for m in sys.modules if m.startswith('falsework.planning.')];"
        "print(*sorted(n.removeprefix('falsework.planning.') for n in names))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    checked = {"verification"} | {
        f"verification.{name}"
        for name in ("verify", "failures", "file_steps", "paths", "surface_paths", "states", "grasps", "hands")
    }
    known = ("press_sharing", "presses", "apart", "tilted_loads", "rule_sets", "own_checks", "own_oracles")
    allowed = checked | {"nodes"} | {f"nodes.{name}" for name in known}
    assert set(result.stdout.split()) <= allowed


def test_the_verb_answers_with_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "harmonic-tower", ONE_HAND, bricks=2)
    assert main(["verify", str(file), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer == {"valid": True, "states": 4, "failures": []}
    spoiled(file, _drop(3))
    assert main(["verify", str(file), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["valid"] is False and answer["failures"][0]["step"] == 0
    assert main(["verify", str(file)]) == 1
    assert "invalid" in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "thing.yaml")]) == 2
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1 and "thing.yaml" in complaint
    (tmp_path / "thing.yaml").unlink()
    assert main(["verify", str(file)]) == 2


def test_a_model_without_clutches_does_not_judge_bricks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = spoiled(brick_plan(tmp_path), _rule("model", "blocks"))
    assert main(["verify", str(file)]) == 2
    assert "plan.json: rules: model blocks knows no clutches" in capsys.readouterr().err


def test_a_model_that_nobody_registered_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = spoiled(brick_plan(tmp_path), _rule("model", "snapfits"))
    assert main(["verify", str(file)]) == 2
    assert "plan.json: rules: model 'snapfits': did you mean 'snapfit'?" in capsys.readouterr().err


def test_where_it_is_asked_for_what_a_part_is_put_on_must_hang_together() -> None:
    parts = tuple(make_part(name, box((1.0, 1.0, 1.0)), shift(z=float(k))) for k, name in enumerate("abc"))
    tower = Assembly(parts, fixed=frozenset("a"))
    sideways = np.stack([shift(x=5.0, z=1.0), shift(z=1.0)])
    steps = (
        Step("place", ("c",), ("c",), np.stack([shift(z=9.0), shift(z=2.0)])),
        Step("place", ("b",), ("b", "c"), sideways),
        Step("release", ("b",), ("c",)),
        Step("release", ("c",), ()),
    )
    assert verify(Plan(Rules(robots=2), "complete", steps), tower).valid is True
    found = verify(Plan(Rules(robots=2, require_connected=True), "complete", steps), tower)
    assert [(failure.step, failure.why) for failure in found.failures] == [
        (2, "what it is put on is in pieces: nothing joins 'c' to the rest")
    ]


def test_a_plan_of_bricks_and_other_things_is_verified_with_its_clutches() -> None:
    load_on_top = make_part("load", box((0.016, 0.032, 0.01)), shift(z=0.0096 + 0.0017))
    mixed = grounded(Assembly((brick("brick", "brick_2x4", 0, 0, 0), load_on_top)), Ground("baseplate"))
    planned = make_plan(mixed)
    assert (planned.plan.rules.name, planned.plan.rules.model) == ("holds", "snapfit")
    assert verify(planned.plan, mixed).valid is True
