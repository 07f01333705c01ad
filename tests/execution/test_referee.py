"""What the referee says of builds whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import falsework
from falsework.execution.referee.scores import Scores, Truth, scored, wilson
from falsework.model.assembly import Assembly
from falsework.model.poses import about

AREA = (np.full(2, -0.1), np.full(2, 0.3))


def truth_of(product: Assembly, *, without: tuple[str, ...] = (), **changes: object) -> Truth:
    """The product as it should be, somewhere on a table, its plate turned."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = about(2, 30.0), (0.4, -0.2, 0.01)
    parts = [replace(part, T_world_part=T @ part.T_world_part) for part in product.parts if part.name not in without]
    names = [body.name for body in product.bodies]
    pairs = {(names[a], names[b]) for a, b in falsework.interfaces(product).clutches.bodies.tolist()}
    whole = Truth(
        tuple(parts),
        frozenset(pair for pair in pairs if not set(pair) & set(without)),
        frozenset(),
        T,
        AREA,
        names[-1],
    )
    return replace(whole, **changes)


@pytest.fixture(scope="module")
def bridge() -> Assembly:
    return falsework.new("duplo-bridge", height=1)


def moved(truth: Truth, name: str, shift: tuple[float, float, float], degrees: float = 0.0) -> Truth:
    parts = []
    for part in truth.parts:
        T = np.array(part.T_world_part)
        if part.name == name:
            T[:3, 3] += shift
            T[:3, :3] = T[:3, :3] @ about(2, degrees)
        parts.append(replace(part, T_world_part=T))
    return replace(truth, parts=tuple(parts))


def test_what_is_built_as_asked_is_a_success(bridge: Assembly) -> None:
    assert scored(bridge, truth_of(bridge)) == Scores(True, 1.0, 0.0, 5, 5, ())


def test_equal_bricks_may_stand_for_each_other(bridge: Assembly) -> None:
    white = bridge.changed(parts=tuple(replace(part, color="white") for part in bridge.parts))
    truth = truth_of(white)
    renamed = {"1": "2", "2": "1"}
    parts = tuple(replace(part, name=renamed.get(part.name, part.name)) for part in truth.parts)
    pairs = frozenset((renamed.get(a, a), renamed.get(b, b)) for a, b in truth.connections)
    assert scored(white, replace(truth, parts=parts, connections=pairs)).success
    assert not scored(bridge, replace(truth_of(bridge), parts=parts, connections=pairs)).success  # red is not blue


def test_a_square_brick_may_be_turned_by_quarters_and_a_long_one_by_halves(bridge: Assembly) -> None:
    truth = truth_of(bridge)

    def turned(name: str, degrees: float) -> Truth:
        (part,) = (one for one in truth.parts if one.name == name)
        middle = part.com_world_m
        T = np.array(part.T_world_part)
        T[:3, :3] = T[:3, :3] @ about(2, degrees)
        T[:3, 3] = middle - T[:3, :3] @ part.com_part_m
        return replace(truth, parts=tuple(replace(p, T_world_part=T) if p.name == name else p for p in truth.parts))

    assert scored(bridge, turned("1", 90.0)).success
    assert scored(bridge, turned("3", 180.0)).success
    assert not scored(bridge, turned("3", 90.0)).success


def test_a_brick_that_is_off_has_none_of_its_connections_right(bridge: Assembly) -> None:
    found = scored(bridge, moved(truth_of(bridge), "5", (0.002, 0.0, 0.0)))
    assert not found.success and found.missing == ("5",)
    assert found.accuracy == pytest.approx(1 - 2 / 6)  # it lies on two; plate–1, plate–2, 1–3, 2–4 remain


def test_a_brick_that_lies_loose_in_its_place_is_no_success(bridge: Assembly) -> None:
    truth = truth_of(bridge)
    loose = replace(truth, connections=frozenset(pair for pair in truth.connections if "5" not in pair))
    found = scored(bridge, loose)
    assert not found.success and found.missing == ("5",)
    assert found.violations == pytest.approx(1 / 5)


def test_a_hand_that_still_touches_is_no_success(bridge: Assembly) -> None:
    assert not scored(bridge, truth_of(bridge, touched=frozenset({"5"}))).success


def test_bricks_that_lie_outside_the_area_are_no_violations(bridge: Assembly) -> None:
    truth = truth_of(bridge)
    loose = replace(truth, connections=frozenset(pair for pair in truth.connections if "5" not in pair))
    assert scored(bridge, moved(loose, "5", (0.6, 0.0, 0.0))).violations == 0.0


def test_a_missing_brick_is_named(bridge: Assembly) -> None:
    found = scored(bridge, truth_of(bridge, without=("5",)))
    assert found.missing == ("5",) and found.in_place == 4 and found.violations == 0.0


def test_wilson_gives_the_intervals_of_the_note() -> None:
    low, high = wilson(29, 30)
    assert (round(100 * low, 1), round(100 * high, 1)) == (83.3, 99.4)
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(96, 100)[0] > 0.9 > wilson(95, 100)[0]
