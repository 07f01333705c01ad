"""What nobody can tell takes up room: hands go around it, and carry it off where it is in the way."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from falsework.execution.building import building_task
from falsework.execution.control.belief import Belief
from falsework.execution.control.builder import Builder
from falsework.execution.control.clearing import Thing, carryings
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.unclear import put_together
from falsework.execution.control.ways import Ways
from falsework.execution.eyes import BrickEyes
from falsework.execution.running import run_task
from falsework.execution.simulated import SimulatedCell
from falsework.execution.tiers.tasks import BuildTask, build_task
from falsework.gallery.bricklaying import Layout
from falsework.model.arrays import Array
from falsework.model.catalogue import brick_type
from falsework.model.perception.findings import Brick, Extent, Located, Refused
from falsework.model.plan import Step
from falsework.model.poses import about, inverse


def at(x: float, y: float, z: float = 0.0, degrees: float = 0.0) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = about(2, degrees), (x, y, z)
    return T


def unclear(*rooms: Extent) -> tuple[Refused, ...]:
    return tuple(Refused(f"thing {number}", room.middle_m, extent=room) for number, room in enumerate(rooms))


def test_what_shares_room_is_one_thing_and_what_lies_flush_is_not() -> None:
    block, beside = Extent(at(0, 0), (0.032, 0.032, 0.02)), Extent(at(0.032, 0), (0.032, 0.032, 0.02))
    assert len(put_together(unclear(block, beside))) == 2
    above = Extent(at(0.02, 0.02, 0.05, 30.0), (0.004, 0.008, 0.01))
    (both,) = put_together(unclear(above, block))
    assert both.why == "thing 0" and both.extent is not None
    assert both.extent.size_m[2] == pytest.approx(0.06) and both.extent.size_m[0] == pytest.approx(0.032)
    through = Extent(at(0.028, 0.01), (0.01, 0.01, 0.02))  # in both of the flush ones
    assert len(put_together(unclear(block, beside, through))) == 1
    assert put_together([Refused("nobody saw where it ends", np.zeros(3))] * 2)[1].extent is None


def standing_on_its_end(task: BuildTask, name: str, x: float, y: float) -> BuildTask:
    """The task with a brick on its end on the plate, at a place of the structure's frame."""
    part = task.product.parts[task.product.index[name]]
    T = at(0.0, 0.0)
    T[:3, :3] = about(1, 90.0)
    low = T[2, :3] @ (4 * 0.016, 0.0, 0.0)
    T[:3, 3] = task.cell.T_world_structure[:3, 3] + np.array([x, y, 0.0045 - low])
    return replace(task, loose={**task.loose, part.name: T})


def blocked_task() -> BuildTask:
    """A red brick, and on it a blue one that stands on its end where the red one belongs."""
    layout = Layout("duplo")
    layout.piece("brick_2x2", 0, 0, 0, color="red")
    layout.piece("brick_4x2", 0, 0, layout.measures.plates_per_brick, color="blue")
    task = building_task(layout.on_baseplate(), "panda", 0)
    x, y = task.product.parts[0].T_world_part[:2, 3]
    return standing_on_its_end(task, "2", x + 0.005, y)


def test_a_brick_on_its_end_is_refused_with_the_room_that_it_takes_up() -> None:
    task = blocked_task()
    cell = SimulatedCell(task.cell, task.product, task.loose)
    frames = [cell.look(camera.name) for camera in task.cell.cameras if camera.arm is None]
    sight = BrickEyes(task.cell, task.product).loose(frames, task.product, task.cell.T_world_structure, ())
    (thing,) = put_together(sight.refused)
    assert thing.extent is not None
    lying = np.array(task.loose["2"])
    middle = (lying @ (0.032, 0.016, 0.0096, 1.0))[:2]
    assert np.linalg.norm(thing.extent.middle_m[:2] - middle) < 6e-3
    assert thing.extent.size_m[2] == pytest.approx(0.064, abs=4e-3)


def test_what_stands_where_a_brick_belongs_is_carried_off_and_the_build_finishes(tmp_path: Path) -> None:
    done = run_task(blocked_task(), out=tmp_path)
    events = [json.loads(line)["event"] for line in (tmp_path / "build.jsonl").read_text().splitlines()]
    assert done.success and "carry off" in events
    assert not [one for one in done.collisions if not one["reported"]]


def test_ways_go_around_what_is_unclear_and_around_all_that_it_may_be() -> None:
    task = build_task(1, 0)
    kind, T = brick_type("duplo:brick_2x2"), at(0.05, 0.3)
    told = replace(unclear(Extent(T, (0.032, 0.032, 0.024)))[0], rivals=((Brick(kind, "red", T),),) * 2)
    belief = Belief(task.product, task.cell.T_world_structure, unclear=(told,))
    assert {"unclear 0", "unclear 0 or 0", "unclear 0 or 1"} <= set(belief.around(task.cell).names)
    known = Located(kind, "red", T)
    assert not belief.without(known).unclear and belief.without(Located(kind, "red", at(0.2, 0.3))).unclear


def test_a_thing_of_any_kind_is_held_by_two_sides_and_put_on_a_tray_clear_of_others() -> None:
    task = build_task(1, 0)
    arm, thing = task.cell.arms[0], Extent(at(0.01, -0.05, 0.014, 20.0), (0.05, 0.03, 0.03))
    other = Extent(at(0.0, 0.25), (0.03, 0.03, 0.03))
    belief = Belief(task.product, task.cell.T_world_structure, unclear=unclear(thing, other))
    errand = next(carryings(Ways(task.cell, arm), belief, Thing(thing), np.array(arm.home), ControlSettings()))
    assert errand.hold.width_m in (pytest.approx(0.03), pytest.approx(0.05))
    (feeder,) = task.cell.feeders
    laid = replace(thing, T_base_extent=errand.T_world_laid).middle_m
    assert (np.abs((inverse(feeder.T_world_feeder) @ np.append(laid, 1.0))[:2]) < np.array(feeder.size_m) / 2).all()
    assert np.linalg.norm((laid - other.middle_m)[:2]) > 0.06


def test_what_reaches_into_a_place_occupies_it_and_what_lies_beside_it_does_not() -> None:
    task = build_task(1, 0)
    goal = Belief(task.product, task.cell.T_world_structure).goal("1")
    kind = brick_type("duplo:brick_2x2")

    def occupied(*rooms: Extent, loose: tuple[Located, ...] = ()) -> int:
        belief = Belief(task.product, task.cell.T_world_structure, loose=loose, unclear=unclear(*rooms))
        return len(belief.occupying("1"))

    inside, beside = goal.copy(), goal.copy()
    inside[:3, 3] += goal[:3, :3] @ (0.02, 0.0, 0.0)
    beside[:3, 3] -= goal[:3, :3] @ (0.032, 0.0, 0.0)
    assert occupied(Extent(inside, (0.01, 0.01, 0.01))) == 1
    assert occupied(loose=(Located(kind, "red", inside), Located(kind, "red", beside))) == 1
    toppled = goal.copy()
    toppled[:3, :3] = goal[:3, :3] @ about(0, -90.0)  # its top points along y
    toppled[2, 3] += kind.size_m[1]
    assert occupied(loose=(Located(kind, "red", toppled),)) == 1


def test_a_brick_that_falls_is_missed_though_the_plan_that_is_followed_does_not_name_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layout = Layout("duplo")
    for number in range(3):
        layout.piece("brick_2x2", 3 * number, 0, 0, color="red")
    task = building_task(layout.on_baseplate(), "panda", 0)
    cell = SimulatedCell(task.cell, task.product, task.loose)
    builder = Builder(cell, BrickEyes(task.cell, task.product), task.product)
    asked = list[frozenset[str]]()

    def rest(plan: object, given_up: set[str]) -> SimpleNamespace:
        asked.append(builder.placing.belief.placed)
        missing = [name for name in task.product.names if name not in builder.placing.belief.placed]
        return SimpleNamespace(steps=[Step("place", (name,)) for name in missing])

    def place(step: Step, plan: object) -> None:
        placed = builder.placing.belief.placed | set(step.parts)
        fallen = {"2": {"3"}, "3": {"1"}}.get(step.parts[0], set()) if len(asked) < 2 else set()  # each once
        builder.placing.belief = replace(builder.placing.belief, placed=placed - fallen)

    begin = SimpleNamespace(steps=[Step("place", (name,)) for name in ("1", "3", "2")])
    for name, fake in (("_plan", lambda: begin), ("_plan_rest", rest), ("_place", place)):
        monkeypatch.setattr(builder, name, fake)
    assert builder.build().complete
    assert asked == [frozenset({"3"}), frozenset({"1", "2"})]
