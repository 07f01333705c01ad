"""Hands that grip by a weld: it bears what it must, joints bear what it passes on, and it outlives joins and breaks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework.brickworld.events import Break, Join
from falsework.brickworld.snapshot_files import read_snapshot, write_snapshot
from falsework.brickworld.world import World
from falsework.engine.hand_welds import wrenches
from falsework.engine.scene_file import SceneFile
from falsework.model.arrays import Array
from falsework.model.errors import BadInput
from tests.conftest import brick, on_baseplate

HAND = """<mujoco><worldbody><body name="hand" pos="0.016 0.008 0.1" quat="{quat}" gravcomp="1">
<joint name="lift" type="slide" axis="0 0 1" damping="60"/><geom type="box" size=".005 .005 .005" mass="1"/>
</body></worldbody><actuator><position name="lift" joint="lift" kp="2000"/></actuator></mujoco>"""
HEIGHT_M = 0.0096


def two_bricks(above_m: float, quat: str = "1 0 0 0") -> World:
    """One on a baseplate, and one like it over its place, so far that it is clear of the studs, welded to a hand."""
    low, high = brick("low", "brick_4x2", 0, 0, 0), brick("high", "brick_4x2", 0, 0, 3)
    up = high.T_world_part.copy()
    up[2, 3] += above_m
    high = replace(high, T_world_part=up)
    world = World(on_baseplate(low, high), mjcf=SceneFile.parsed(HAND.format(quat=quat), "hand"))
    world.weld("hand", "high")
    return world


def passed_on(world: World, about_m: Array) -> Array:
    """(6,) by the only weld, on its part, the moment about a point of the world."""
    ((_, wrench, point),) = wrenches(world.scene.model, world.scene.data, world.scene.welds)
    return np.concatenate([wrench[:3], wrench[3:] + np.cross(point - about_m, wrench[:3])])


@pytest.mark.parametrize("quat", ["1 0 0 0", "-1 0 0 0", "0.5 0.5 -0.5 0.5"])
def test_a_weld_bears_weight_and_moment(quat: str) -> None:
    """At rest it is what else acts on the part, with the other sign, about its centre."""
    world = two_bricks(0.03, quat)
    part = world.assembly.bodies[world.number("high")]
    force, arm = np.array([0.02, -0.03, 0.05]), np.array([0.01, 0.004, 0.002])
    for _ in range(60):
        centre = world.poses()[world.number("high")][:3, 3] + part.com_part_m
        world.apply_force("high", force, centre + arm)
        world.step()
    weight = np.array([0.0, 0.0, 9.81 * part.mass_kg])
    assert passed_on(world, centre)[:3] == pytest.approx(weight - force, abs=2e-4)
    assert passed_on(world, centre)[3:] == pytest.approx(-np.cross(arm, force), abs=2e-6)
    off = world.poses()[world.number("high")] - part.T_world_part
    assert np.abs(off).max() < 1e-4


def test_a_weld_outlives_the_snap_and_the_break() -> None:
    world = two_bricks(0.002)
    joins: list[Join] = []
    breaks: list[Break] = []
    world.on_join.append(joins.append)
    world.on_break.append(breaks.append)
    motor = world.handle("actuator", "lift")
    while not joins and world.time_s < 2.0:
        motor.data.ctrl[0] -= 2e-5
        world.step()
    assert [len(world.components), len(joins)] == [1, 1]
    assert list(world.welds) == ["hand"]
    before = world.scene.model
    motor.data.ctrl[0] = float(world.handle("joint", "lift").data.qpos[0])
    world.run(0.2)
    assert not breaks
    assert np.abs(passed_on(world, np.zeros(3))).max() < 0.1  # welded anew where the studs have it
    while not breaks and world.time_s < 4.0:
        motor.data.ctrl[0] += 2e-5
        world.step()
    assert len(breaks) == 1
    assert world.scene.model is not before
    motor.data.ctrl[0] = 0.03
    world.run(0.5)
    assert world.poses()[world.number("high")][2, 3] > HEIGHT_M + 0.02  # it hangs from the hand
    world.unweld("hand")
    world.run(0.3)
    assert world.poses()[world.number("high")][2, 3] < HEIGHT_M + 0.004  # and lies on the studs


def test_a_pull_by_a_weld_breaks_a_joint_where_a_push_of_that_force_does() -> None:
    """What a hand passes on is a load like any other."""
    welded, pushed = two_bricks(0.0), two_bricks(0.0)
    pushed.unweld("hand")
    found = []
    for world in (welded, pushed):
        breaks: list[Break] = []
        world.on_break.append(breaks.append)
        pull = 0.0
        while not breaks and pull < 20.0:
            pull += 0.1
            if world is welded:
                world.handle("actuator", "lift").data.ctrl[0] = pull / 2000.0
            else:
                world.apply_force("high", (0.0, 0.0, pull), (0.0, 0.0, HEIGHT_M))  # where the part's frame is
            world.step()
        found.append(pull)
    assert found[0] == pytest.approx(found[1], rel=0.1)


def test_a_weld_is_in_a_snapshot_and_in_its_file(tmp_path: Path) -> None:
    world = two_bricks(0.03)
    world.run(0.1)
    write_snapshot(tmp_path / "one.npz", world.snapshot())
    other = two_bricks(0.03)
    other.unweld("hand")
    other.restore(read_snapshot(tmp_path / "one.npz", other))
    for one in (world, other):
        one.run(0.1)
    assert list(other.welds) == ["hand"]
    assert np.array_equal(world.poses(), other.poses())


def test_welds_of_nobody_are_refused() -> None:
    world = two_bricks(0.03)
    with pytest.raises(BadInput, match="body 'hand' is welded to a part already"):
        world.weld("hand", "low")
    with pytest.raises(BadInput, match="there is no body 'hnad' in the scene; did you mean 'hand'"):
        world.weld("hnad", "low")
    world.unweld("hand")
    with pytest.raises(BadInput, match="body 'hand' is welded to no part"):
        world.unweld("hand")
    with pytest.raises(BadInput, match="there is no part 'hgih'"):
        world.weld("hand", "hgih")
