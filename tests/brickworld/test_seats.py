"""Studs in holes without a joint: bricks that came off and lie there, and bricks that are pressed home only halfway."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from falsework.brickworld.world import World
from falsework.model.assembly import Assembly
from falsework.model.errors import Overlap
from tests.brickworld.scenes import floating, watched
from tests.brickworld.test_snapshot_files import same, through_a_file
from tests.brickworld.test_world import lifted
from tests.conftest import brick, on_baseplate

HALF_M = 0.85e-3  # of a stud
LOW = brick("low", "brick_2x4", 0, 0, 0)
MIDDLE = brick("middle", "brick_2x4", 0, 1, 3)
TOP = brick("top", "brick_2x2", 0, 1, 6)


def half_seated(*above: str) -> World:
    """A brick half on its studs, and maybe another on top of it."""
    parts = {"joined": lifted(TOP, HALF_M), "loose": lifted(TOP, HALF_M + 1.7e-3)}
    model = on_baseplate(LOW)
    return World(model.changed(parts=(*model.parts, lifted(MIDDLE, HALF_M), *(parts[name] for name in above))))


def height_mm(world: World, name: str = "middle") -> float:
    """Above its seat on the studs."""
    return 1e3 * (float(world.poses()[world.number(name), 2, 3]) - 0.0096)


def push(world: World, newtons: float, name: str = "middle", frames: int = 20) -> None:
    """Above the middle of the studs that are in holes."""
    for _ in range(frames):
        world.apply_force(name, (0.0, 0.0, newtons), (0.008, 0.016 if name == "top" else 0.02, 0.02))
        world.step()


def test_a_brick_that_came_off_joins_again_when_pressed_back() -> None:
    world = World(on_baseplate(brick("low", "brick_2x2", 0, 0, 0), brick("high", "brick_2x2", 0, 0, 3)))
    breaks, joins = watched(world)
    while not breaks:
        world.apply_force("high", (0.0, 0.0, 8.0))
        world.step()
    world.run(0.5)
    assert ("low", "high") not in world.connections
    for newtons in (0.5, 1.2):
        assert joins == []
        for _ in range(20):
            world.apply_force("high", (0.0, 0.0, -newtons))
            world.step()
    assert ("low", "high") in world.connections
    assert world.monitor.engaged == set()


def test_a_brick_that_is_peeled_off_does_not_join_while_it_comes_off() -> None:
    """It leans on its other edge with more than the force that joins."""
    world = World(on_baseplate(brick("low", "brick_2x4", 0, 0, 0), brick("high", "brick_2x4", 0, 0, 3)))
    breaks, joins = watched(world)
    number = world.number("high")
    for _ in range(30):
        pose = world.poses()[number]
        world.apply_force("high", (0.0, 0.0, 12.0), (pose @ (0.008, 0.031, 0.0096, 1.0))[:3])
        world.step()
    assert len(breaks) == 1
    assert joins == []
    assert world.poses()[number, 2, 3] > 0.02


def test_a_half_seated_brick_stays_where_it_is() -> None:
    world = half_seated()
    _, joins = watched(world)
    world.run(1.0)
    assert height_mm(world) == pytest.approx(1e3 * HALF_M, abs=0.02)
    for newtons in (-0.4, 0.4):
        push(world, newtons)
        assert height_mm(world) == pytest.approx(1e3 * HALF_M, abs=0.05)
    assert joins == []


def test_pressed_home_it_joins() -> None:
    world = half_seated()
    push(world, -1.2)
    assert ("low", "middle") in world.connections
    assert height_mm(world) == pytest.approx(0.0, abs=1e-6)


def test_pulled_it_comes_off_and_lies_on_the_studs_when_let_go() -> None:
    world = half_seated()
    while height_mm(world) < 3.0:
        push(world, 0.8, frames=1)
    world.run(0.5)
    assert world.monitor.engaged == set()
    assert ("low", "middle") not in world.connections
    assert height_mm(world) > 1.6


@pytest.mark.parametrize("above", ["joined", "loose"])
def test_pressing_the_layer_above_seats_a_half_seated_brick(above: str) -> None:
    world = half_seated(above)
    push(world, -3.0, "top")
    assert ("low", "middle") in world.connections
    assert ("middle", "top") in world.connections
    assert height_mm(world) == pytest.approx(0.0, abs=1e-6)


def test_a_half_seated_brick_is_carried_along() -> None:
    world = World(floating(LOW, lifted(MIDDLE, HALF_M)))
    centre = (world.assembly.parts[0].com_world_m + world.assembly.parts[1].com_world_m) / 2
    for _ in range(20):
        moved = world.poses()[0, :3, 3]
        world.apply_force("low", (0.004, 0.002, 0.003), centre + moved)
        world.step()
    relative = np.linalg.inv(world.poses()[0]) @ world.poses()[1]
    assert world.velocities()[1, 0] > 0.2
    assert relative[:3, 3] == pytest.approx([0.0, 0.008, 0.0096 + HALF_M], abs=5e-5)


def test_a_brick_beside_the_grid_is_not_seated_but_inside_of_studs() -> None:
    model = on_baseplate(LOW)
    beside = lifted(MIDDLE, HALF_M, x_m=1e-3)
    with pytest.raises(Overlap, match=r"'low' and 'middle' overlap by 0\.00085 m"):
        World(Assembly((*model.parts, beside), fixed=model.fixed))


def test_half_seated_bricks_go_on_from_a_file(tmp_path: Path) -> None:
    world = half_seated("loose")
    push(world, -0.3, "top", frames=5)
    other = through_a_file(world, tmp_path / "snapshot.npz")
    for one in (world, other):
        push(one, -3.0, "top")
    assert same(world, other)
    assert ("low", "middle") in other.connections
