"""Pull, peel and twist: joints break in the world where `check` says that they cannot hold any more."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.brickworld.pushes import Ramp
from falsework.brickworld.world import World
from falsework.geometry.interfaces import interfaces
from falsework.model.assembly import Assembly, Load
from falsework.model.catalogue import brick_type
from falsework.statics.check import check
from tests.brickworld.scenes import WEIGHTLESS, watched
from tests.conftest import brick

# lower brick, upper brick, the upper one's place in studs
JOINTS = [
    ("brick_1x1", "brick_1x1", 0, 0),
    ("brick_1x2", "brick_1x2", 0, 0),
    ("brick_1x4", "brick_1x4", 0, 0),
    ("brick_2x2", "brick_2x2", 0, 0),
    ("brick_2x3", "brick_2x3", 0, 0),
    ("brick_2x4", "brick_2x4", 0, 0),
    ("brick_4x4", "brick_4x4", 0, 0),
    ("brick_2x4", "brick_2x4", 1, 3),
    ("brick_2x4", "brick_2x4", 1, 0),
    ("brick_2x4", "brick_1x4", 1, 0),
    ("brick_2x4", "plate_2x4", 0, 2),
    ("brick_2x4", "slope_2x2", 0, 0),
    ("duplo:brick_2x4", "duplo:brick_2x2", 0, 1),
]


def joint(lower: str, upper: str, x: int, y: int) -> Assembly:
    """Two bricks without weight, the lower one fixed."""
    plates = brick_type(lower).plates
    parts = (brick("low", lower, 0, 0, 0), brick("high", upper, x, y, plates))
    return Assembly(parts, fixed=frozenset({"low"}), gravity=WEIGHTLESS)


@pytest.mark.parametrize("how", ["pull", "peel", "twist"])
@pytest.mark.parametrize("bricks", JOINTS, ids=lambda row: f"{row[1]} on {row[0]} at {row[2]},{row[3]}")
def test_joints_break_at_the_limit_that_check_gives(bricks: tuple[str, str, int, int], how: str) -> None:
    assembly = joint(*bricks)
    high = assembly.parts[1]
    size = np.array(high.shape.kind.size_m)  # type: ignore[union-attr]
    centre = high.T_world_part[:3, 3] + size / 2
    top = centre + np.array([0.0, 0.0, size[2] / 2])
    point = {"pull": top, "peel": top + 0.45 * size * [1, 1, 0], "twist": centre}[how]
    if how == "twist":
        arm = np.array([0.0, 0.005, 0.0])
        loads = [Load("high", np.array([1.0, 0, 0]), centre - arm), Load("high", np.array([-1.0, 0, 0]), centre + arm)]
        force, torque = np.zeros(3), np.array([0.0, 0.0, 0.01])
    else:
        loads = [Load("high", np.array([0.0, 0.0, 1.0]), point)]
        force, torque = np.array([0.0, 0.0, 1.0]), np.zeros(3)
    found = interfaces(assembly)
    needed = check(assembly, loads=loads, found=found).utilization
    assert needed is not None
    limit = 1.0 / needed  # without weight the need grows with the load
    world = World(assembly, found=found)
    breaks, _ = watched(world)
    most, seconds = 1.6 * limit, 0.5
    world.pushes.append(
        Ramp(1, high.T_world_part[:3, :3].T @ (point - high.T_world_part[:3, 3]), most * force, most * torque, seconds)
    )
    while not breaks and world.time_s < seconds:
        world.step()
    assert breaks[0].connections == (("low", "high"),)
    # the mean over a window lags by half of it behind a ramp
    reached = most * (breaks[0].time_s - (world.settings.window_s + world.settings.step_s) / 2) / seconds
    assert reached == pytest.approx(limit, rel=0.03)
    if how != "twist":
        assert breaks[0].force_n == pytest.approx(limit, rel=0.005)


def test_a_straight_pull_limit_is_points_times_capacity() -> None:
    world = World(joint("brick_2x4", "brick_2x4", 0, 0))
    breaks, _ = watched(world)
    ramp = Ramp(1, np.array([0.008, 0.016, 0.0096]), np.array([0.0, 0.0, 20.0]), np.zeros(3), 1.0)
    world.pushes.append(ramp)
    world.on_break.append(lambda _: world.release(ramp))
    world.run(1.0)
    assert breaks[0].force_n == pytest.approx(24 * 0.56, rel=0.002)
    assert world.components == [["low"], ["high"]]
