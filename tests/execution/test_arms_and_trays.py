"""Arms in turns, and bricks that are put down elsewhere before they are taken."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from falsework.execution.building import build
from falsework.execution.control.belief import Belief
from falsework.execution.control.builder import Builder
from falsework.execution.control.handling import MEETS_N, Job
from falsework.execution.control.recovery import LADDERS, Trouble
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.spots import spots
from falsework.execution.control.table import State
from falsework.execution.control.ways import Ways
from falsework.execution.driving import DrivenCell
from falsework.execution.dry_run import DryDriver, DryWorld
from falsework.execution.eyes import BrickEyes
from falsework.execution.journal import read_journal
from falsework.execution.running import LOG
from falsework.execution.tiers.tasks import building_cell, on_plate
from falsework.gallery.bricklaying import Layout
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickType
from falsework.model.perception.findings import Located
from falsework.model.plan import Step
from falsework.model.shapes import BrickShape
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.surroundings import Surroundings

LONG, SQUARE = (BrickType("duplo", "brick", length, 2, 2, length) for length in (4, 2))


def two() -> Assembly:
    layout = Layout("duplo")
    for layer, color in enumerate(("red", "blue")):
        layout.piece("brick_2x2", 0, 0, layer * layout.measures.plates_per_brick, color=color)
    return layout.on_baseplate()


def beside_two_others() -> Assembly:
    """Brick 3 stands with its long side against bricks 1 and 2: fingers find room at its ends alone."""
    layout = Layout("duplo")
    layout.piece("brick_4x2", 0, 2, 0, color="blue")
    layout.piece("brick_2x2", 1, 0, 0, color="blue")
    layout.piece("brick_4x2", 4, 0, 0, turns=1, color="red")
    return on_plate(layout.on_baseplate())


def at(x: float, y: float, degrees: float = 0.0) -> Array:
    T, turn = np.eye(4), np.deg2rad(degrees)
    T[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    T[:2, 3] = x, y
    return T


def test_two_arms_lay_bricks_in_turns(tmp_path: Path) -> None:
    assert build(two(), cell="two-panda", out=tmp_path).scores.success
    lines = read_journal(tmp_path / LOG).lines
    assert [(one["brick"], one["arm"]) for one in lines if one["event"] == "placed"] == [("1", "left"), ("2", "right")]


def test_a_brick_whose_ends_are_not_free_is_put_where_they_are() -> None:
    cell, settings = building_cell(), ControlSettings()
    long = Located(LONG, "red", at(-0.03, 0.30))
    square = Located(SQUARE, "blue", at(-0.03 + LONG.size_m[0] + 0.006, 0.30))  # right before one of its ends
    product = beside_two_others()
    belief = Belief(product, cell.T_world_structure, frozenset({"1", "2"}), (long, square))
    ways, now = Ways(cell, cell.arms[0]), np.array(cell.arms[0].home)
    best = (belief.goal("3") @ np.append(belief.part("3").com_part_m, 1.0))[:3]
    assert next(ways.errands(belief, "3", long, now, best, settings), None) is None
    relay = next(ways.relays(belief, "3", long, now, best, settings))
    moved = Located(LONG, "red", relay.T_world_laid)
    then = replace(belief, loose=(moved, square))
    errand = next(ways.errands(then, "3", moved, now, best, settings))
    assert errand.hold.width_m == pytest.approx(LONG.size_m[0])  # by its ends


def test_a_brick_is_in_the_way_of_the_hand_that_comes_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hand once swept a brick off its place as it came low from the side, and went down where it had been."""
    cell, product = building_cell(), two()
    lies = Located(SQUARE, "red", at(-0.03, 0.30))
    belief = Belief(product, cell.T_world_structure, frozenset(), (lies,))
    ways, now = Ways(cell, cell.arms[0]), np.array(cell.arms[0].home)
    asked: list[tuple[str, ...]] = []
    transit = Ways.transit

    def remembered(self: Ways, begin: Array, end: Array, bodies: ArmBodies, around: Surroundings, rng: Any) -> Any:
        asked.append(around.names)
        return transit(self, begin, end, bodies, around, rng)

    monkeypatch.setattr(Ways, "transit", remembered)
    best = (belief.goal("1") @ np.append(belief.part("1").com_part_m, 1.0))[:3]
    next(ways.errands(belief, "1", lies, now, best, ControlSettings()))
    to_take, to_bring = asked[0], asked[1]
    assert "loose 0" in to_take and "loose 0" not in to_bring  # in the hand it is in nobody's way


def test_spots_on_a_tray_keep_clear_of_other_bricks_and_of_its_rim() -> None:
    cell = building_cell()
    (tray,) = cell.feeders
    own, other = Located(LONG, "red", at(0.0, 0.30)), Located(SQUARE, "blue", at(0.05, 0.25))
    found = list(spots(cell.feeders, own, [other]))
    assert found
    for T in found:
        middle = T @ np.append(np.array(LONG.size_m[:2]) / 2, [0.0, 1.0])
        assert np.linalg.norm(middle[:2] - other.middle_m[:2]) > 0.09
        assert (np.abs(middle[:2] - tray.T_world_feeder[:2, 3]) < np.array(tray.size_m) / 2 - 0.03).all()


def test_kinds_of_this_file_are_those_of_the_catalogue() -> None:
    kinds = [part.shape.kind for part in beside_two_others().parts if isinstance(part.shape, BrickShape)]
    assert [kind.size_m for kind in kinds] == [LONG.size_m, SQUARE.size_m, LONG.size_m]


def test_a_way_down_is_put_right_only_where_the_arm_can_still_press() -> None:
    cell, settings = building_cell(), ControlSettings()
    lies = Located(SQUARE, "red", at(-0.03, 0.30))
    product = on_plate(two())
    belief = Belief(product, cell.T_world_structure, frozenset(), (lies,))
    ways, now = Ways(cell, cell.arms[0]), np.array(cell.arms[0].home)
    best = (belief.goal("1") @ np.append(belief.part("1").com_part_m, 1.0))[:3]
    errand = next(ways.errands(belief, "1", lies, now, best, settings))
    aside = ways.shifted(errand, 5e-4 * errand.along, 0.01)
    assert aside is not None
    moved = np.diff([one.T_world_laid[:3, 3] for one in (errand, aside)], axis=0)[0]
    assert moved == pytest.approx(5e-4 * errand.along)
    assert ways.shifted(errand, 5e-4 * errand.along, 0.9) is None  # so far below its table no arm leads on


def dry_builder() -> Builder:
    """Of two bricks on a tray, without physics."""
    product = on_plate(two())
    world = DryWorld(building_cell(), product, {"1": at(-0.03, 0.30), "2": at(0.05, 0.30)})
    facade = DrivenCell(world.cell, {"arm": DryDriver(world, world.cell.arms[0])}, world.cameras())
    return Builder(facade, BrickEyes(world.cell, product), product)


def test_a_press_that_the_arm_cannot_follow_is_not_begun_and_ends_no_build() -> None:
    builder = dry_builder()
    facade, hands = builder.facade, builder.placing
    before = facade.state("arm").q
    with pytest.raises(Trouble, match="the arm cannot go on straight by 900 mm from where it is") as trouble:
        hands._press("arm", 1.0, 0.9)
    assert trouble.value.kind in LADDERS and (facade.state("arm").q == before).all()
    assert hands._may_press("arm", 0.01)


def test_what_hangs_on_something_is_let_go_as_it_is_lifted(monkeypatch: pytest.MonkeyPatch) -> None:
    builder = dry_builder()
    hands, job = builder.placing, Job("1", Step("place", ("1",)), 0.0)
    for state in (State.LOOK, State.PREGRASP, State.DESCENDTOGRASP, State.GRASP):
        hands.do(state, job)
    assert job.errand is not None
    monkeypatch.setattr(hands, "_feel_along", lambda *_: 2.0 * MEETS_N)
    with pytest.raises(Trouble, match="it hangs on something as it is lifted") as trouble:
        hands.do(State.LIFT, job)
    monkeypatch.undo()
    rung = builder._next_rung(job, State.LIFT, trouble.value)
    assert rung is not None and rung.name == "regrasp"
    assert builder.facade.state("arm").q == pytest.approx(np.array(hands.placed_arm.home), abs=1e-6)
    assert builder.facade.state("arm").opening_m == pytest.approx(job.errand.open_m)


def test_a_brick_that_no_hand_can_turn_is_tried_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    builder = dry_builder()
    job = Job("1", Step("place", ("1",)), 0.0, is_stuck=True)
    monkeypatch.setattr(builder.placing, "turn_upright", lambda _: None)
    rungs = [builder._next_rung(job, State.LOOK, Trouble("toppled", "it lies on a side")) for _ in range(3)]
    assert [None if one is None else one.name for one in rungs] == ["turn it upright", "turn it upright", None]
