"""A hand that guides what it presses: it stays level, goes straight, and leans on nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from falsework.brickworld.pushes import Ramp, Steady
from falsework.brickworld.world import World
from falsework.model.assembly import Assembly
from tests.brickworld.test_snapshot_files import same, through_a_file
from tests.brickworld.test_world import lifted
from tests.conftest import brick, on_baseplate

STUDS_M = 1.7e-3


def between_walls() -> Assembly:
    """A brick that lies on one stud, flush between two others."""
    low = on_baseplate(brick("low", "brick_2x2", 0, 0, 0), brick("left", "brick_1x2", -1, 0, 3))
    wall = brick("right", "brick_2x4", 4, 0, 3)
    foot = brick("foot", "brick_2x4", 4, 0, 0)
    return low.changed(parts=(*low.parts, foot, wall, lifted(brick("high", "brick_4x1", 0, 1, 3), STUDS_M)))


def pressed(newtons: float, guided: bool = True, x_m: float = 0.008) -> World:
    """The brick is pressed where its studs are, which is far from its middle, or elsewhere."""
    world = World(between_walls())
    number = world.number("high")
    point = np.array([x_m, 0.012, 0.0096 + STUDS_M])
    force = np.array([0.0, 0.0, -newtons])
    pose = world.poses()[number]
    world.pushes.append(Ramp(number, pose[:3, :3].T @ (point - pose[:3, 3]), force, np.zeros(3), 0.2))
    if guided:
        world.guide("high", force, point)
    return world


@pytest.mark.parametrize("x_m", [0.008, 0.02])
def test_a_guided_brick_stays_level_and_on_its_line(x_m: float) -> None:
    world = pressed(0.8, x_m=x_m)
    before = world.poses()[world.number("high")]
    for _ in range(15):
        world.step()
        now = world.poses()[world.number("high")]
        assert now[:3, :3] == pytest.approx(before[:3, :3], abs=1e-9)
        assert now[:2, 3] == pytest.approx(before[:2, 3], abs=1e-9)
        assert abs(now[2, 3] - before[2, 3]) < 5e-4


def test_pressed_beyond_its_studs_it_tips_without_a_hand() -> None:
    world = pressed(0.8, guided=False, x_m=0.02)
    world.run(0.25)
    assert world.poses()[world.number("high")][2, 2] < 0.99


def test_it_goes_in_under_little_more_than_the_force_that_closes_a_joint() -> None:
    """Neither the walls beside it nor its weight beyond the studs take anything of the press."""
    world = pressed(1.1)
    world.run(0.25)
    assert ("low", "high") in world.connections
    softly = pressed(0.95)
    softly.run(0.25)
    assert ("low", "high") not in softly.connections


@pytest.mark.parametrize("share", [0.0, 0.25, 0.4, 0.5])
def test_of_two_supports_the_nearer_one_carries_more_of_a_guided_press_by_the_lever(share: float) -> None:
    """On two tiles 48 mm apart, so that nothing joins; beyond their middles the hand must help, between them not."""
    feet = on_baseplate(brick("left", "tile_1x2", 0, 0, 0), brick("right", "tile_1x2", 6, 0, 0))
    beam = brick("beam", "brick_7x2", 0, 0, 1)
    world = World(feet.changed(parts=(*feet.parts, beam)))
    point = np.array([0.004 + 0.048 * share, 0.008, 0.0128])
    number = world.number("beam")
    force = np.array([0.0, 0.0, -0.9])
    world.pushes.append(Steady(number, point - beam.T_world_part[:3, 3], force, np.zeros(3)))
    world.guide("beam", force, point)
    world.run(0.2)
    touched = world.scene.touches()
    carried = {}
    for name in ("left", "right"):
        rows = (touched.bodies == world.number(name)).any(axis=1)
        carried[name] = float(np.abs(touched.forces[rows, 2]).sum())
    weight = 9.81 * beam.mass_kg
    assert sum(carried.values()) == pytest.approx(0.9 + weight, rel=1e-3)
    assert carried["right"] == pytest.approx(0.9 * share + weight / 2, abs=0.02)


def test_a_guided_press_goes_on_from_a_file(tmp_path: Path) -> None:
    world = pressed(1.1)
    world.run(0.1)
    other = through_a_file(world, tmp_path / "snapshot.npz")
    for one in (world, other):
        one.run(0.15)
    assert same(world, other)
    assert ("low", "high") in other.connections
