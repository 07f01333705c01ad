"""Parts that convex pieces do not fill: they touch by their surfaces, and move as those that are filled do."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.bench.round_shapes import ball, placed, turned
from falsework.engine import rigid
from falsework.engine.colliders import pieces_fill
from falsework.engine.rigid import RigidScene
from falsework.engine.simulated_check import SimulatedCheck, SimulatedCheckSettings
from falsework.engine.surface_contacts import touching_points
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.distance.surface import surface_of
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly
from falsework.model.shapes import Mesh, box
from falsework.model.state import State
from tests.statics.structures import incline, stack


def grooved_ring(facets: int = 24, arcs: int = 14) -> Mesh:
    """A ring whose upper side is a round groove, 0.1 m wide, about a circle of 0.4 m."""
    bends = np.pi * np.arange(arcs + 1) / arcs
    groove = [(0.4 + 0.1 * np.cos(turn), 0.1 - 0.1 * np.sin(turn)) for turn in bends]
    return turned([(0.25, -0.1), (0.55, -0.1), (0.55, 0.1), *groove, (0.25, 0.1)], facets, ring=True)


def in_groove(tilt: float = 0.0) -> Assembly:
    """Three balls in the groove; gravity leans by a tilt."""
    ring = make_part("ring", grooved_ring(), placed())
    at = [(0.4 * np.cos(turn), 0.4 * np.sin(turn), 0.08) for turn in (0.1, 2.2, 4.3)]
    balls = [make_part(f"ball-{k}", ball(0.08, 16), placed(*place)) for k, place in enumerate(at)]
    gravity = 9.81 * np.array([np.sin(tilt), 0.0, -np.cos(tilt)])
    return Assembly((ring, *balls), fixed=frozenset({"ring"}), friction=0.5).changed(gravity=gravity)


@pytest.fixture
def all_rough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rigid, "pieces_fill", lambda shape: False)


def test_a_box_is_filled_by_a_piece_and_a_grooved_ring_is_not() -> None:
    assert pieces_fill(box((1, 2, 3)))
    assert not pieces_fill(grooved_ring())


def test_points_lie_on_edges_and_not_in_faces() -> None:
    points = touching_points(surface_of(box((1, 1, 1))))
    on_sides = ((points == 0) | (points == 1)).sum(axis=1)
    assert on_sides.min() == 2 and (on_sides == 3).sum() == 8


def test_balls_stay_in_a_groove_and_roll_along_one_that_leans() -> None:
    for tilt, moves in ((0.0, False), (0.2, True)):
        scene = RigidScene(in_groove(tilt))
        before = scene.poses()[1:, :3, 3]
        scene.step(0.3)
        after = scene.poses()[1:, :3, 3]
        away = np.abs(np.linalg.norm(after[:, :2], axis=1) - 0.4)
        assert away.max() < 0.02, "no ball leaves its groove"
        assert (np.linalg.norm(after - before, axis=1).max() > 0.02) == moves


@pytest.mark.usefixtures("all_rough")
def test_a_cube_slides_down_an_incline_as_by_hand() -> None:
    angle, friction, seconds = np.radians(40), 0.3, 0.25
    scene = RigidScene(incline(angle, friction))
    before = scene.poses()[1, :3, 3]
    scene.step(seconds)
    by_hand = 0.5 * 9.81 * (np.sin(angle) - friction * np.cos(angle)) * seconds**2
    assert np.linalg.norm(scene.poses()[1, :3, 3] - before) == pytest.approx(by_hand, rel=0.03)


@pytest.mark.usefixtures("all_rough")
@pytest.mark.parametrize(("offsets", "expected"), [([0.2, -0.2], "stable"), ([0.2, 0.6], "unstable")])
def test_towers_stand_and_fall_as_those_of_pieces_do(offsets: list[float], expected: str) -> None:
    tower = stack(offsets)
    quickly = SimulatedCheckSettings(falls=1.0)
    assert SimulatedCheck(tower, interfaces(tower), quickly).assess(State.complete(tower)).answer == expected


@pytest.mark.usefixtures("all_rough")
def test_forces_on_a_table_carry_the_weight() -> None:
    tower = Assembly.from_boxes([0.1, 0.1, 0.1], [[0, 0, 0.05], [0.02, 0, 0.15]], ground="table")
    scene = RigidScene(tower)
    scene.step(0.2)
    carried = scene.touches().by_pair()
    weights = 9.81 * tower.masses_kg[:2]
    up = {pair: abs(force[2]) for pair, force in carried.items()}
    assert up[0, 2] == pytest.approx(weights.sum(), rel=1e-3)
    assert up[0, 1] == pytest.approx(weights[1], rel=1e-3)
