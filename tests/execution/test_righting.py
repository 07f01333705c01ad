"""Bricks that lie on a side or upside down are turned upright and built with, or the build says that one lies so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework.execution.control.belief import Belief
from falsework.execution.control.clearing import Thing, carryings
from falsework.execution.control.righting import rightings
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.ways import Ways
from falsework.execution.disrupting import DisruptedCell
from falsework.execution.running import run_task
from falsework.execution.tiers.disruptions import Disruption, drawn
from falsework.execution.tiers.tasks import build_task, on_plate
from falsework.gallery.bricklaying import Layout
from falsework.model.perception.findings import Brick
from falsework.model.poses import inverse
from tests.perception.test_toppled import TURNS, kind_of, tipped


def test_a_brick_on_its_side_is_turned_upright_and_laid() -> None:
    done = run_task(tipped(build_task(1, 0), "1", TURNS["on its long side"]))
    assert done.success and not done.built.failures


@pytest.mark.parametrize("how", TURNS)
def test_a_turn_brings_a_brick_nearer_to_upright_with_a_hand_that_leans_both_times(how: str) -> None:
    task = tipped(build_task(1, 0), "1", TURNS[how])
    lying = replace(kind_of(task, "1"), T_base_brick=task.loose["1"])
    arm = task.cell.arms[0]
    ways, belief = Ways(task.cell, arm), Belief(task.product, task.cell.T_world_structure)
    errand = next(rightings(ways, belief, lying, np.array(arm.home), ControlSettings()))
    laid = Brick(lying.kind, lying.color, errand.T_world_laid)
    assert Thing(laid).up[2] == (0.0 if how == "upside down" else 1.0)
    for T in (errand.T_world_seen, errand.T_world_laid):
        assert (T @ errand.hold.T_part_tool)[2, 2] == pytest.approx(-np.sqrt(0.5), abs=1e-6)
    far = np.array(lying.kind.size_m) + (np.array([0.0, 0.0, lying.kind.measures.stud_height_m]))
    lowest = errand.T_world_laid[2, 3] + np.minimum(errand.T_world_laid[2, :3] * far, 0.0).sum()
    assert lowest == pytest.approx(1e-3, abs=1e-6)


@pytest.mark.parametrize("how", ["on its long side", "upside down"])
def test_beside_a_wall_a_brick_is_carried_off_as_it_lies_by_an_upright_hand(how: str) -> None:
    task = tipped(build_task(1, 0), "1", TURNS[how])
    arm, settings = task.cell.arms[0], ControlSettings()
    wall = Layout("duplo")
    for layer in range(4):
        wall.piece("brick_4x2", 0, 0, layer * wall.measures.plates_per_brick)
    product = on_plate(wall.on_baseplate())
    belief = Belief(product, task.cell.T_world_structure, frozenset(product.names))
    beside, kind = np.array(task.loose["1"]), kind_of(task, "1").kind
    middle, of_wall = (T @ np.append(np.array(kind.size_m) / 2, 1.0) for T in (beside, belief.goal("1")))
    beside[:2, 3] += (of_wall - middle)[:2] + np.array([0.09, 0.0])  # as far as disruptions let bricks fall
    beside[2, 3] += task.cell.T_world_structure[2, 3] + kind.measures.stud_height_m  # on the plate's studs
    lying = replace(kind_of(task, "1"), T_base_brick=beside)
    ways = Ways(task.cell, arm)
    errand = next(carryings(ways, belief, Thing(lying), np.array(arm.home), settings))
    assert np.array_equal(Thing(Brick(lying.kind, lying.color, errand.T_world_laid)).up, Thing(lying).up)
    for T in (errand.T_world_seen, errand.T_world_laid):
        assert (T @ errand.hold.T_part_tool)[2, 2] == pytest.approx(-1.0, abs=1e-6)
    feeder = task.cell.feeders[0]
    away = np.abs((inverse(feeder.T_world_feeder) @ errand.T_world_laid)[:2, 3])
    assert (away < np.array(feeder.size_m) / 2 + 0.04).all()  # on a tray: there it is turned


def test_what_is_knocked_over_comes_down_on_whatever_side() -> None:
    task = build_task(2, 0)
    assert {drawn("knocked-over", task, number).tumbles for number in range(12)} == {0, 1, 2, 3}
    name = task.product.parts[0].name
    for tumbles, upward in ((0, 1.0), (1, 0.0), (2, 0.0), (3, -1.0)):
        cell = DisruptedCell(task, Disruption("knocked-over", 0.0, tumbles=tumbles))
        assert cell._fallen(name)[2, 2] == pytest.approx(upward, abs=1e-9)
