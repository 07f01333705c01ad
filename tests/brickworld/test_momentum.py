"""Pieces go on with the momentum they had: spinning, splitting and joining, against the definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework.brickworld.topology import Connection
from falsework.brickworld.world import World
from falsework.model.assembly import Assembly
from tests.brickworld.scenes import floating, set_twists, stair, total_momentum, watched
from tests.conftest import brick

SPIN = np.array([[0.3, -0.2, 0.1, 4.0, -7.0, 5.0]])


def spinning() -> World:
    world = World(floating(*stair(4)))
    set_twists(world, SPIN)
    return world


def test_loads_of_a_free_spinning_component_have_no_resultant() -> None:
    world = spinning()
    world.run(0.1)
    members = np.arange(4)
    loads = world.breakage.recorder.windows(0, members).mean(0)
    arms = world.grouping.masses.com_m
    force = loads[:, :3].sum(axis=0)
    torque = (loads[:, 3:] + np.cross(arms, loads[:, :3])).sum(axis=0)
    size = np.abs(loads[:, :3]).sum()
    assert size > 1e-4
    assert np.linalg.norm(force) < 1e-9 * size
    assert np.linalg.norm(torque) < 1e-9 * size * 0.01


def test_a_spinning_stack_pulls_outward_with_m_omega_squared_r() -> None:
    bricks = [brick(str(n), "brick_2x2", 0, 0, 3 * n) for n in range(3)]
    world = World(floating(*bricks))
    omega = 30.0
    set_twists(world, np.array([[0.0, 0.0, 0.0, omega, 0.0, 0.0]]))
    world.run(0.1)
    loads = world.breakage.recorder.windows(0, np.arange(3)).mean(0)
    outward = bricks[0].mass_kg * omega**2 * 0.0096
    assert loads[:, 2] == pytest.approx([-outward, 0.0, outward], rel=1e-9, abs=1e-12)
    assert np.abs(loads[:, [0, 1, 3, 4, 5]]).max() < 1e-9 * outward


def test_splitting_keeps_linear_and_angular_momentum() -> None:
    world = spinning()
    world.run(0.1)
    before, poses = total_momentum(world), world.poses()
    (number,) = world.grouping.topology.between(1, 2)
    world.grouping.update(world.scene.poses(), world.scene.twists())
    world.grouping.split(0, [number])
    world.regroup()
    assert len(world.components) == 2
    assert total_momentum(world) == pytest.approx(before, rel=1e-9, abs=1e-15)
    assert world.poses() == pytest.approx(poses, abs=1e-15)


def test_joining_keeps_momentum_and_the_centre_of_mass() -> None:
    low, high = brick("low", "brick_4x2", 0, 0, 0), brick("high", "brick_2x2", 1, 0, 3)
    apart = np.array(high.T_world_part)
    apart[:3, 3] += (2e-4, -3e-4, 1.7e-3)
    world = World(Assembly((low, replace(high, T_world_part=apart)), gravity=np.zeros(3)))
    set_twists(world, np.array([[0.1, 0.0, 0.2, 1.0, 2.0, 3.0], [0.0, 0.1, -0.3, -2.0, 1.0, 0.5]]))
    before = total_momentum(world)
    masses, centres = world.assembly.masses_kg, world.assembly.coms_m
    middle = masses @ centres / masses.sum()
    world.grouping.update(world.scene.poses(), world.scene.twists())
    assert world.grouping.join(Connection(0, 1, (1, 0), 0)) is not None
    world.regroup()
    assert world.connections == [("low", "high")]
    assert total_momentum(world) == pytest.approx(before, rel=1e-9, abs=1e-15)
    poses = world.poses()
    placed = (
        np.einsum("nij,nj->ni", poses[:, :3, :3], [part.com_part_m for part in world.assembly.parts]) + poses[:, :3, 3]
    )
    assert masses @ placed / masses.sum() == pytest.approx(middle, abs=1e-12)
    relative = np.linalg.inv(poses[0]) @ poses[1]
    assert relative[:3, 3] == pytest.approx([0.008, 0.0, 0.0096], abs=1e-12)


def test_kinetic_energy_is_lost_in_joining_and_kept_in_splitting() -> None:
    world = spinning()
    breaks, _ = watched(world)

    def energy() -> float:
        total = 0.0
        for body, pose, twist in zip(world.assembly.bodies, world.poses(), world.velocities(), strict=True):
            local = pose[:3, :3].T @ twist[3:]
            total += 0.5 * body.mass_kg * twist[:3] @ twist[:3] + 0.5 * local @ body.inertia_part_kgm2 @ local
        return total

    before = energy()
    world.grouping.update(world.scene.poses(), world.scene.twists())
    world.grouping.split(0, world.grouping.topology.between(1, 2))
    world.regroup()
    assert energy() == pytest.approx(before, rel=1e-12)
    assert breaks == []


def test_a_fast_tumbling_component_keeps_its_momentum_for_a_second() -> None:
    world = World(floating(*stair(4)))
    set_twists(world, np.array([[0.3, -0.2, 0.1, 40.0, -70.0, 50.0]]))
    before = total_momentum(world)
    world.run(1.0)
    assert total_momentum(world) == pytest.approx(before, rel=1e-9, abs=1e-15)
