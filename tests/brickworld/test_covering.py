"""What nothing can touch need not collide, and leaving it out changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.bench.brick_scenes import block, on_table
from falsework.brickworld.covering import Covering, patch_areas
from falsework.brickworld.world import World
from falsework.model.arrays import Bools
from falsework.model.interfaces import Patches
from tests.conftest import brick, on_baseplate


def hidden(world: World) -> tuple[Bools, Bools]:
    grouping = world.grouping
    return Covering(grouping.kinds).hidden(grouping.joints, grouping.clutch_kinds, grouping.local[:, :3, 2])


def test_a_brick_with_bricks_all_around_is_hidden_and_shows_again_when_one_is_gone() -> None:
    around = [(2, 0, 3), (2, 4, 3), (0, 2, 3), (4, 2, 3)]
    parts = [brick("inner", "brick_2x2", 2, 2, 3)]
    parts += [brick(f"side {n}", "brick_2x2", *place) for n, place in enumerate(around)]
    parts += [brick("floor", "brick_6x6", 0, 0, 0), brick("roof", "brick_6x6", 0, 0, 6)]
    bodies, studs = hidden(World(on_baseplate(*parts)))
    assert np.flatnonzero(bodies).tolist() == [0]
    assert np.flatnonzero(studs).tolist() == [0, 1, 2, 3, 4]
    bodies, _ = hidden(World(on_baseplate(*parts[:4], *parts[5:])))
    assert not bodies.any()


def test_studs_under_half_a_brick_are_not_hidden() -> None:
    _, studs = hidden(World(on_baseplate(brick("a", "brick_4x2", 0, 0, 0), brick("b", "brick_4x2", 2, 0, 3))))
    assert not studs[:2].any()


def test_a_fall_is_the_same_without_the_hidden_shapes() -> None:
    ends = []
    for cover in (True, False):
        world = World(on_table(block(100), 0.002))
        assert hidden(world)[0].any()
        if not cover:
            world.scene.partition(world.scene.groups, world.grouping.local)
            world.breakage.regroup(world.grouping, world.scene.groups, world.scene.numbering)
        twists = np.zeros((len(world.scene.groups), 6))
        twists[world.scene.free] = (0.1, 0.0, 0.0, 1.0, 3.0, 0.0)
        world.scene.move(world.scene.poses(), twists)
        world.run(0.15)
        ends.append(world.poses())
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)


def test_areas_of_polygons() -> None:
    corners = np.array([(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0), (5, 5, 5), (5, 8, 5), (5, 5, 9)], dtype=float)
    bodies, normals = np.array([(0, 1), (1, 2)]), np.array([(0.0, 0, 1), (1.0, 0, 0)])
    assert patch_areas(Patches(bodies, normals, np.zeros(2), np.array([0, 4, 7]), corners)) == pytest.approx([2.0, 6.0])
    assert len(patch_areas(Patches.none())) == 0
