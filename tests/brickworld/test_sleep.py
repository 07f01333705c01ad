"""What lies still sleeps, presses on as before, and wakes when it is disturbed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework.brickworld.settings import Settings
from falsework.brickworld.world import World
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from tests.brickworld.scenes import on_table, set_twists, stair, watched
from tests.conftest import brick, on_baseplate

ARM = (brick("foot", "brick_2x2", 0, 0, 0), brick("knee", "brick_2x2", 0, 0, 3), brick("arm", "brick_6x2", 0, 0, 6))


def lying(part: Part, up_m: float = 1.7e-3) -> Part:
    """A brick on the tops of the studs below it."""
    pose = np.array(part.T_world_part)
    pose[2, 3] += up_m
    return replace(part, T_world_part=pose)


def laden() -> Assembly:
    """An arm on a baseplate with three loose bricks, which are one component, on its end."""
    model = on_baseplate(*ARM)
    stack = [lying(brick(f"load {n}", "brick_2x4", 3, -1, 9 + 3 * n)) for n in range(3)]
    return model.changed(parts=(*model.parts, *stack))


def asleep(world: World) -> bool:
    return world.scene.sleepers.all_asleep


def loads(world: World) -> Array:
    return world.breakage.recorder.window_means()[0]


def test_what_has_come_to_rest_sleeps_and_does_not_move_at_all() -> None:
    world = World(on_table(*stair(3)))
    world.run(0.5)
    assert asleep(world)
    before = world.poses()
    world.run(1.0)
    assert np.array_equal(world.poses(), before)
    assert world.time_s == pytest.approx(1.5)


def test_sleepers_press_on_what_they_lie_on_as_before() -> None:
    world, awake = World(laden()), World(laden(), Settings(sleeping=False))
    for one in (world, awake):
        one.run(0.6)
    assert asleep(world)
    assert not asleep(awake)
    assert loads(world) == pytest.approx(loads(awake), abs=1e-3 * np.abs(loads(awake)).max())
    weight = sum(part.mass_kg for part in world.assembly.parts[3:]) * 9.81
    assert loads(world)[2, 2] == pytest.approx(-weight - world.assembly.parts[2].mass_kg * 9.81, rel=1e-3)


def test_pressing_what_sleepers_lie_on_counts_their_weight() -> None:
    """The foot breaks under the press and the sleepers together, at the force at which it breaks if nobody sleeps."""
    broke = []
    for sleeping in (True, False):
        world = World(laden(), Settings(sleeping=sleeping))
        breaks, _ = watched(world)
        world.run(0.6)
        newtons = 0.0
        while not breaks and newtons < 5:
            newtons += 0.05
            world.apply_force("arm", (0.0, 0.0, -newtons), (0.044, 0.008, 0.0288))
            world.step()
        broke.append(newtons)
        assert breaks
    assert broke[0] == pytest.approx(broke[1], abs=0.051)


def test_a_force_wakes_and_the_brick_falls_asleep_again() -> None:
    world = World(on_table(*stair(2)))
    world.run(0.5)
    assert asleep(world)
    world.apply_force("0", (0.5, 0.0, 0.0))
    world.step()
    assert not asleep(world)
    assert world.poses()[0, 0, 3] > 1e-4
    world.run(1.5)
    assert asleep(world)


def test_what_falls_on_a_sleeper_wakes_it() -> None:
    high = brick("high", "brick_2x2", 0, 0, 30)
    world = World(on_table(brick("low", "brick_2x4", 0, 0, 0), high))
    woken = slept = False
    for _ in range(30):
        world.step()
        awake = world.scene.data.tree_awake
        slept |= awake[0] == 0 and awake[1] == 1
        woken |= slept and awake[0] == 1
    assert slept
    assert woken


def test_sleepers_that_are_moved_wake() -> None:
    world = World(on_table(*stair(2)))
    world.run(0.5)
    twists = np.zeros((len(world.scene.groups), 6))
    twists[world.scene.free, 2] = 1.0
    set_twists(world, twists)
    world.step()
    assert world.poses()[0, 2, 3] > 0.01


def test_snapshots_of_sleepers_go_back_bit_by_bit_through_their_waking() -> None:
    world = World(laden())
    world.run(0.6)
    assert asleep(world)
    taken = world.snapshot()
    other = World(world.assembly)
    other.restore(taken)
    for one in (world, other):
        one.run(0.1)
        one.apply_force("load 2", (0.3, 0.1, 0.0))
        one.run(0.3)
    assert np.array_equal(world.poses(), other.poses())
    assert np.array_equal(world.velocities(), other.velocities())
    assert np.array_equal(loads(world), loads(other))


def test_nothing_sleeps_beside_what_is_moved_from_outside(tmp_path: Path) -> None:
    file = tmp_path / "hand.xml"
    hand = '<body name="hand" mocap="true" pos="0.5 0 0.02"><geom type="box" size="0.005 0.02 0.01"/></body>'
    file.write_text(f"<mujoco><worldbody>{hand}</worldbody></mujoco>", encoding="utf-8")
    world = World(on_table(*stair(2)), mjcf=file)
    world.run(0.5)
    assert not asleep(world)
    start = world.poses()[0, 0, 3]
    for x in np.linspace(0.08, 0.02, 60):
        world.scene.data.mocap_pos[0] = (x, 0.008, 0.011)
        world.step()
    assert world.poses()[0, 0, 3] < start - 0.005


def test_what_fell_asleep_apart_from_what_it_touches_wakes_with_it() -> None:
    """The engine wakes what a waking body touches, and gives up where that touches a third one that sleeps."""
    parts = [lying(brick(f"{n}", "brick_2x2", 0, 0, 3 * n), n * 1.7e-3) for n in range(4)]
    world = World(on_table(*parts), Settings(joining=False))
    world.run(0.5)
    assert asleep(world)
    data = world.scene.data
    data.tree_asleep[:] = np.arange(len(data.tree_asleep))  # each alone, as if they had not touched then
    before = world.poses()
    world.apply_force("3", (0.0, 0.0, -0.01))
    world.step()
    assert world.scene.data.ntree_awake == 4
    assert world.poses() == pytest.approx(before, abs=1e-5)
