"""Pull, peel and twist: joints break in the world where `check` says that they cannot hold any more."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.bench.brick_limits import JOINTS, WAYS, Way, joint, parted
from falsework.brickworld.pushes import Ramp
from falsework.brickworld.settings import Settings
from falsework.brickworld.world import World
from tests.brickworld.scenes import watched


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("bricks", JOINTS, ids=lambda row: f"{row[1]} on {row[0]} at {row[2]},{row[3]}")
def test_joints_break_at_the_limit_that_check_gives(bricks: tuple[str, str, int, int], way: Way) -> None:
    found = parted(joint(*bricks), way)
    assert found.event.connections == (("low", "high"),)
    assert found.reached == pytest.approx(found.limit, rel=0.03)
    if way != "twist":
        assert found.event.force_n == pytest.approx(found.limit, rel=0.005)


@pytest.mark.parametrize("clutch", [1.0, 0.8, 1.2])
def test_a_straight_pull_limit_is_points_times_capacity(clutch: float) -> None:
    world = World(joint("brick_2x4", "brick_2x4", 0, 0), Settings(clutch=clutch))
    breaks, _ = watched(world)
    ramp = Ramp(1, np.array([0.008, 0.016, 0.0096]), np.array([0.0, 0.0, 20.0]), np.zeros(3), 1.0, until_off=True)
    world.pushes.append(ramp)
    world.run(1.0)
    assert breaks[0].force_n == pytest.approx(24 * 0.56 * clutch, rel=0.002)
    assert world.components == [["low"], ["high"]]
    assert world.pushes == []
