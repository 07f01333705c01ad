"""Small brick worlds that several tests look at."""

from __future__ import annotations

import numpy as np

from falsework.brickworld.events import Break, Join
from falsework.brickworld.world import World
from falsework.geometry.contacts.ground import grounded
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.part import Part
from tests.conftest import brick

WEIGHTLESS = np.zeros(3)


def turned(axis: tuple[float, float, float], angle: float) -> Array:
    """(4, 4) a rotation about an axis through the origin."""
    from scipy.spatial.transform import Rotation

    pose = np.eye(4)
    unit = np.array(axis) / np.linalg.norm(axis)
    pose[:3, :3] = Rotation.from_rotvec(angle * unit).as_matrix()
    return pose


def floating(*parts: Part) -> Assembly:
    """Bricks that nothing holds and nothing pulls."""
    return Assembly(parts, gravity=WEIGHTLESS)


def on_table(*parts: Part) -> Assembly:
    return grounded(Assembly(parts), Ground("table"))


def stair(count: int, step: int = 1) -> tuple[Part, ...]:
    """4x2 bricks, each a few studs further than the one below."""
    return tuple(brick(str(n), "brick_4x2", step * n, 0, 3 * n) for n in range(count))


def falling_stair() -> tuple[Part, ...]:
    """One that its clutches cannot hold."""
    return stair(12, step=3)


def watched(world: World) -> tuple[list[Break], list[Join]]:
    breaks: list[Break] = []
    joins: list[Join] = []
    world.on_break.append(breaks.append)
    world.on_join.append(joins.append)
    return breaks, joins


def total_momentum(world: World) -> Array:
    """(6,) linear, and angular about the origin, over all parts."""
    poses, twists = world.poses(), world.velocities()
    total = np.zeros(6)
    for body, pose, twist in zip(world.assembly.bodies, poses, twists, strict=True):
        turn = pose[:3, :3]
        centre = turn @ body.com_part_m + pose[:3, 3]
        linear = body.mass_kg * twist[:3]
        spin = turn @ body.inertia_part_kgm2 @ turn.T @ twist[3:]
        total += np.concatenate([linear, np.cross(centre, linear) + spin])
    return total


def set_twists(world: World, twists: Array) -> None:
    """Velocities (groups, 6) of the groups' centres of mass."""
    world.scene.move(world.scene.poses(), twists)
