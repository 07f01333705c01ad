"""Bricks that nothing but contact and friction holds: walls and tubes around studs, as a general engine has them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import falsework
from falsework.brickworld.settings import Settings, StudGrip
from falsework.brickworld.world import World
from falsework.execution.tiers.tasks import on_plate
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput
from falsework.model.shapes import BrickShape

BY_STUDS = replace(Settings.stepping(0.002), play_m=1e-4).by_studs()


def above_its_studs(aside_m: float = 0.0) -> World:
    """A Duplo brick of 2 x 2, half a millimetre over studs of a plate, so far aside of its place."""
    brick = make_part("brick", BrickShape(BrickType("duplo", "brick", 2, 2, 2)), np.eye(4))
    model = on_plate(Assembly((brick,)), studs=6)
    T = np.array(model.parts[0].T_world_part)
    T[:3, 3] += (aside_m, 0.0, 5e-3)
    return World(model.changed(parts=(replace(model.parts[0], T_world_part=T),)), BY_STUDS)


def pushed(world: World, force_n: float, frames: int = 60) -> bool:
    """Whether a brick sits on its studs after a force along them, up where it is positive, beside its weight."""
    for _ in range(frames):
        world.apply_force("brick", (0.0, 0.0, force_n))
        world.step()
    return bool(world.connections)


def test_a_brick_is_pressed_home_by_a_newton_and_held_by_friction() -> None:
    world = above_its_studs()
    assert not pushed(world, 0.0)
    assert pushed(world, -1.0)
    assert world.connections == [("ground", "brick")] and ["brick", "ground"] in world.components
    weight = 9.81 * world.assembly.parts[0].mass_kg
    assert pushed(world, weight + 0.1)
    assert not pushed(world, weight + 2.0)


@pytest.mark.parametrize(("aside_m", "goes_in"), [(7e-4, True), (4e-3, False)])
def test_rounded_studs_guide_what_lies_a_little_aside(aside_m: float, goes_in: bool) -> None:
    world = above_its_studs(aside_m)
    assert pushed(world, -1.0) == goes_in
    if goes_in:
        assert np.abs(world.poses()[0, :3, 3] - np.rint(world.poses()[0, :3, 3] / 0.016) * 0.016)[:2].max() < 1e-5


def test_a_bridge_that_clutches_hold_is_told_to_hang_together_by_its_studs_too() -> None:
    bridge = falsework.load("examples/duplo-bridge.yaml")
    joined, by_place = World(bridge), World(bridge, BY_STUDS)
    assert sorted(by_place.connections) == sorted(joined.connections)
    by_place.run(0.5)
    assert sorted(by_place.connections) == sorted(joined.connections)


def test_clutches_and_colliding_studs_are_not_mixed() -> None:
    with pytest.raises(BadInput, match=r"know no clutches that snap in or break; see Settings\.by_studs"):
        Settings(grip=StudGrip())
