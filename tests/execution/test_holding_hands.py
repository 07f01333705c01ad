"""Products that only a second hand can support: one arm refuses them, two build them; and how hard anybody presses."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from falsework.execution.building import build
from falsework.execution.control.belief import Belief
from falsework.execution.control.handling import Job
from falsework.execution.control.ordering import Asked, Orders
from falsework.execution.control.placing import Placing
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.supporting import stances
from falsework.execution.control.ways import Ways
from falsework.execution.journal import read_journal
from falsework.execution.tiers.tasks import building_cell, on_plate
from falsework.gallery.bricklaying import Layout
from falsework.model.assembly import Assembly
from falsework.model.plan import Press, Step
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.collisions import blockers, masks


def overhanging(steps: int) -> Assembly:
    """Long Duplo bricks, each on the last two studs of the one below: a press on the fourth breaks the joint below."""
    layout = Layout("duplo")
    for step in range(steps):
        layout.piece("brick_4x2", 3 * step, 0, step * layout.measures.plates_per_brick, color="red")
    return layout.on_baseplate()


def test_a_build_that_needs_a_hand_to_hold_is_refused_by_one_arm_and_says_what_must_be_held() -> None:
    done = build(overhanging(4), cell="panda")
    (failure,) = done.built.failures
    assert not done.success and done.built.placed == () and done.scores is not None and done.scores.violations == 0.0
    assert failure.kind == "no plan"
    assert failure.words.startswith("one hand cannot build it brick by brick: 2 must be held while 4 is pressed")
    assert "the cell has no other arm for that; nor were pieces found" in failure.words


def test_one_arm_holds_while_the_other_presses_and_lets_go_before_anybody_looks(tmp_path: Path) -> None:
    done = build(overhanging(4), cell="two-panda", out=tmp_path)
    assert done.success and done.built.complete
    lines = read_journal(tmp_path / "build.jsonl").lines
    told = [line for line in lines if line["event"] in ("hold", "pressed", "let go", "placed")]
    held = [line["brick"] for line in told if line["event"] == "hold"]
    assert held[:2] == ["2", "3"]  # while 3 and 4 are pressed
    assert {line["arm"] for line in told if line["event"] == "hold"} == {"left"}
    assert {line["arm"] for line in told if line["event"] == "placed" and line["brick"] in ("3", "4")} == {"right"}
    for brick in ("3", "4"):
        events = [line["event"] for line in told if line["t"] <= _placed_s(told, brick)]
        assert events[-2:] == ["let go", "placed"] and "hold" in events
    states = [line for line in lines if line["event"] == "state" and line["brick"] == "4"]
    assert [line["state"] for line in states][:2] == ["LOOK", "PREGRASP"]


def _placed_s(lines: list[dict[str, Any]], brick: str) -> float:
    return next(float(line["t"]) for line in lines if line["event"] == "placed" and line["brick"] == brick)


def job(held: tuple[str, ...]) -> Job:
    return Job("4", Step("place", ("4",), held), 0.0)


def test_what_a_plan_holds_beside_the_brick_that_it_places_is_what_another_hand_must_hold() -> None:
    assert job(("4",)).support is None
    assert job(("2", "4")).support == "2"


def test_a_hand_that_holds_stands_clear_of_the_brick_that_is_laid_meanwhile() -> None:
    """All stances of the left arm on the third brick: none touches the place of the fourth, some lean."""
    cell, product = building_cell("two-panda"), on_plate(overhanging(4))
    belief = Belief(product, cell.T_world_structure, frozenset(("1", "2", "3")))
    left, right = cell.arms
    ways = Ways(cell, left, [(right, np.array(right.home))])
    found = list(islice(stances(ways, belief, "3", ["4"], ControlSettings()), 6))
    assert found
    around = belief.standing("4").around(cell)
    fourth = 1 << around.names.index("4")
    for stance in found:
        hand = ArmBodies(left, stance.open_m)
        assert not any(mask & fourth for mask in masks(blockers(hand, stance.take, around, 1e-4)))


def press_of(step_press: Press | None, supports: int = 1) -> tuple[float, bool]:
    """What a controller presses with, and whether gently, where a plan has this press."""
    placing = Placing.__new__(Placing)
    placing.settings = ControlSettings()
    placing.belief = cast(Belief, SimpleNamespace(supports=lambda name: supports, piece=None))
    asked = Job("4", Step("place", ("4",), press=step_press), 0.0)
    return placing._press_n(asked), placing._gently(asked)


def test_nobody_presses_harder_than_was_proved() -> None:
    down = (0.0, 0.0, -1.25)
    assert press_of(None) == (1.56, False)
    assert press_of(Press(down, (0, 0, 0), 1e-6)) == (1.56, False)
    assert press_of(Press(down, (0, 0, 0), 1e-6), supports=3)[0] == pytest.approx(3 * 1.25 * 1.1)
    assert press_of(Press(down, (0, 0, 0), 0.5)) == (1.56, True)  # a blow of twice that is more than 2.5 N
    force, gently = press_of(Press(down, (0, 0, 0), 0.95), supports=2)
    assert force == pytest.approx(1.25) and gently


def test_a_press_beyond_what_was_proved_or_beside_it_is_told() -> None:
    placing, told = Placing.__new__(Placing), []
    placing.settings = ControlSettings()
    T = np.eye(4)
    product = on_plate(overhanging(4))
    placing.belief = Belief(product, np.eye(4), frozenset(("1", "2", "3")))
    placing.placed_arm = cast(Any, SimpleNamespace(name="left"))
    placing.facade = cast(Any, SimpleNamespace(state=lambda name: SimpleNamespace(T_world_tool=T)))
    placing.tell = lambda event, **more: told.append((event, more))  # type: ignore[method-assign]
    asked = Job("4", Step("place", ("4",), press=Press((0.0, 0.0, -1.25), (0.1, 0.1, 0.1), 0.5)), 0.0)
    done = cast(Any, SimpleNamespace(reached=True, most_n=2.6, travel_m=0.003))
    T[:2, 3] = 0.1, 0.107
    placing._tell_press(asked, done)
    assert [event for event, _ in told] == ["pressed", "unproved"]
    assert told[1][1] == {"brick": "4", "most_n": 2.6, "proved_n": 2.5}
    told.clear()
    T[:2, 3] = 0.1, 0.112
    placing._tell_press(asked, cast(Any, SimpleNamespace(reached=True, most_n=1.6, travel_m=0.003)))
    assert told[1][0] == "unproved" and told[1][1]["beside_m"] == pytest.approx(0.012)


def test_a_plan_that_never_lets_go_is_not_followed() -> None:
    """Two hands lay the beam of a gallows and what hangs from it only if they keep hold of it."""
    layout = Layout("duplo")
    plates = layout.measures.plates_per_brick
    for kind, x, layer in (("brick_2x2", 0, 0), ("brick_2x2", 0, 1), ("brick_4x2", 0, 2), ("brick_2x2", 2, 1)):
        layout.piece(kind, x, 0, layer * plates)
    product = on_plate(layout.on_baseplate())
    orders = Orders(product, building_cell("two-panda").arms[0].tool, 2, ControlSettings())
    found = orders.plan(Asked(hands=2))
    assert found.status == "complete" and not orders.is_followed(found, hands=2)
