"""Pieces: what can be put together on a tray, where it is seen, and a product that is built from one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework.execution.building import build
from falsework.execution.control.belief import Belief, Piece
from falsework.execution.control.finger_room import FingerRoom
from falsework.execution.control.ordering import Asked, Orders
from falsework.execution.control.pieces import OnTray, put_together, seen_again
from falsework.execution.control.settings import ControlSettings
from falsework.execution.journal import read_journal
from falsework.execution.tiers.products import HANGING
from falsework.execution.tiers.tasks import build_task, building_cell, on_plate
from falsework.formats.robots.catalogue import tool_named
from falsework.gallery.bricklaying import Layout
from falsework.model.assembly import Assembly
from falsework.model.perception.findings import Located
from falsework.model.placement import Placement
from falsework.model.plan import Plan, Press, Rules, Step, Subassembly
from falsework.model.poses import about
from falsework.model.shapes import BrickShape
from falsework.model.state import State

HAND = tool_named("panda-hand")


def gallows() -> Assembly:
    """A mast of two, a beam on it, and a brick that hangs from its end over nothing."""
    layout = Layout("duplo")
    plates = layout.measures.plates_per_brick
    layout.piece("brick_2x2", 0, 0, 0, color="red")
    layout.piece("brick_2x2", 0, 0, plates, color="red")
    layout.piece("brick_4x2", 0, 0, 2 * plates, color="blue")
    layout.piece("brick_2x2", 2, 0, plates, color="green")
    return layout.on_baseplate()


def apart(assembly: Assembly, part: str, *there: str) -> Placement:
    return Placement(assembly.mask([part]), State(assembly.mask(there), 0), apart=True)


def stairs() -> Assembly:
    """Three long bricks, each two studs farther out than the one below."""
    layout = Layout("duplo")
    for layer in range(3):
        layout.piece("brick_4x2", 2 * layer, 0, layer * layout.measures.plates_per_brick)
    return layout.on_baseplate()


def test_what_would_tip_or_hang_is_not_put_together_on_a_tray() -> None:
    made, check = stairs(), OnTray(stairs())
    assert check.objection(apart(made, "2", "1")) is None
    tips = check.objection(apart(made, "3", "1", "2"))  # its joint is beside the base
    assert tips is not None and tips.why == "nothing holds what it is pressed onto, and it would tip"
    below = check.objection(apart(made, "1", "2"))
    assert below is not None and below.why == "it would have to be pressed on from below"
    several = check.objection(replace(apart(made, "2", "1"), parts=made.mask(["2", "3"])))
    assert several is not None and several.why == "pieces of pieces are not put together"
    assert check.objection(replace(apart(made, "1", "2"), apart=False)) is None  # the structure is another matter


def test_fingers_find_room_at_one_brick_of_a_piece_or_at_none() -> None:
    made = gallows()
    both = Placement(made.mask(["3", "4"]), State(made.mask(["1", "2"]), 0))
    one_by_one = FingerRoom(made, HAND).objection(both)
    assert one_by_one is not None and one_by_one.why == "bricks are placed one by one"
    assert FingerRoom(made, HAND, pieces=True).objection(both) is None
    walls = Layout("duplo")
    for x, y in ((0, 0), (4, 0), (2, 2), (2, -2)):
        walls.piece("brick_2x2", x, y, 0)
    walls.piece("brick_2x2", 2, 0, 0)
    walls.piece("brick_2x2", 2, 0, walls.measures.plates_per_brick)
    closed = walls.on_baseplate()
    well = Placement(closed.mask(["5", "6"]), State(closed.mask(["1", "2", "3", "4"]), 0))
    refused = FingerRoom(closed, HAND, pieces=True).objection(well)
    assert refused is not None and refused.why == "it would come down between two others"


def test_what_one_hand_and_a_tray_cannot_put_together_is_not_followed() -> None:
    down, up = Press((0, 0, -1), (0, 0, 0)), Press((0, 0, 1), (0, 0, 0))
    as_one = Step("place", ("a", "b"))

    def followed(*steps: Step) -> bool:
        built = Subassembly(("a", "b"), "a", steps)
        return put_together(Plan(Rules(), "complete", (as_one,), apart=(built,)), as_one) is not None

    assert followed(Step("place", ("b",), ("b",), press=down))
    assert not followed(Step("place", ("b",), press=up))
    assert not followed(Step("place", ("b",), ("a", "b"), press=down))  # a second hand
    assert not followed(Step("place", ("b", "c"), press=down))
    assert put_together(Plan(Rules(), "complete", (as_one,)), as_one) is None


def test_one_hand_that_lays_brick_by_brick_is_asked_for_before_any_piece() -> None:
    orders = Orders(on_plate(gallows()), HAND, 1, ControlSettings())
    asked = list(orders.to_ask())
    assert [one.pieces for one in asked] == sorted(one.pieces for one in asked)
    assert [one.press_n for one in asked[:6:2]] == [3.12, 1.56, None]
    assert not any(one.pieces for one in Orders(gallows(), HAND, 1, ControlSettings(pieces=False)).to_ask())
    found = orders.plan(Asked(pieces=True))
    assert orders.is_followed(found, hands=1)
    assert not orders.is_followed(found, hands=1, piece=frozenset(["1", "2"]))  # which stand together on a tray by now
    assert orders.plan(Asked()).status == "infeasible"


def with_piece(there: frozenset[str]) -> Belief:
    product, cell = on_plate(gallows()), building_cell()
    T = np.eye(4)
    T[:3, :3] = about(2, 30.0)
    T[:3, 3] = (0.1, 0.2, 0.0)
    return Belief(product, cell.T_world_structure, piece=Piece(frozenset(["3", "4"]), T, there))


def test_a_piece_has_places_of_its_own_until_it_is_taken() -> None:
    belief = with_piece(frozenset(["4"]))
    assert belief.piece is not None
    assert np.allclose(belief.goal("3"), belief.piece.T_world_piece @ belief.part("3").T_world_part)
    assert np.allclose(belief.goal("1"), belief.T_world_structure @ belief.part("1").T_world_part)
    assert belief.supports("3") == 1 and belief.standing("1", "2").supports("3") == 1
    grown = belief.standing("3")
    assert grown.placed == frozenset() and grown.piece is not None and grown.piece.there == {"3", "4"}
    taken = replace(grown, piece=None)
    assert taken.standing("2").supports("3") == 1 and taken.standing("3", "4").placed == {"3", "4"}


def test_nothing_is_pressed_beside_the_brick_that_a_piece_stands_on() -> None:
    belief = with_piece(frozenset(["4"]))
    over, beside = ((belief.goal("3") @ (x, 0.016, 0.0, 1.0))[:3] for x in (0.048, 0.016))
    assert belief.bears("3", over) and not belief.bears("3", beside)
    assert belief.bears("1", beside)  # of the structure plans know


def test_a_piece_is_where_its_uppermost_brick_is_seen() -> None:
    belief = with_piece(frozenset(["3", "4"]))
    assert belief.piece is not None
    moved = np.eye(4)
    moved[:3, :3], moved[:2, 3] = about(2, 3.0), (0.004, -0.003)
    beam = belief.part("3")
    assert isinstance(beam.shape, BrickShape)
    turned = np.eye(4)  # the same brick, seen the other way round
    turned[:3, :3], turned[:2, 3] = about(2, 180.0), beam.shape.kind.size_m[:2]
    near = replace(belief.piece, T_world_piece=belief.piece.T_world_piece @ moved)
    seen = Located(beam.shape.kind, "blue", near.T_world_piece @ beam.T_world_part @ turned)
    found = seen_again(belief, belief.piece, [seen])
    assert found is not None and np.allclose(found.T_world_piece, near.T_world_piece, atol=1e-9)
    far = np.array(seen.T_base_brick)
    far[:2, 3] += 0.1
    lost = replace(seen, T_base_brick=far)
    assert seen_again(belief, belief.piece, [lost]) is None
    assert seen_again(belief, belief.piece, [lost], near_m=1.0) is not None


def test_a_brick_that_hangs_over_nothing_is_put_on_its_beam_first_and_both_are_placed_as_one(tmp_path: Path) -> None:
    done = build(gallows(), out=tmp_path, seed=3)
    assert done.success and done.built.complete
    lines = read_journal(tmp_path / "build.jsonl").lines
    told = [(line["event"], line["brick"]) for line in lines if line["event"] in ("joined", "placed")]
    assert told == [("placed", "1"), ("placed", "2"), ("joined", "3"), ("placed", "3"), ("placed", "4")]
    (piece,) = (line for line in lines if line["event"] == "piece")
    assert piece["bricks"] == ["3", "4"] and piece["on"] == "4"


@pytest.mark.parametrize("number", range(3))
def test_products_of_the_fifth_tier_go_together_from_pieces_only(number: int) -> None:
    task = build_task(HANGING, number, seed=11)
    orders = Orders(task.product, HAND, 1, ControlSettings())
    assert orders.plan(Asked()).status == "infeasible"
    assert any(len(step.parts) > 1 for step in orders.plan(Asked(pieces=True)).plan.steps)
