"""At what load joints of bricks come apart in the brick world, beside the limit that `check` gives for it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from falsework.bench.rows import Row
from falsework.brickworld.events import Break
from falsework.brickworld.pushes import Ramp
from falsework.brickworld.world import World
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly, Load
from falsework.model.catalogue import brick_type
from falsework.model.shapes import BrickShape
from falsework.verdicts.check import check

Way = Literal["pull", "peel", "twist"]
WAYS: tuple[Way, ...] = get_args(Way)
# lower brick, upper brick, the upper one's place in studs
JOINTS = (
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
)
RAMP_S = 0.5  # in which a load grows to 1.6 times the limit


@dataclass(frozen=True, slots=True, eq=False)
class Parted:
    """One joint that was loaded until it came apart; loads in N, or in units of 0.01 N·m for a twist."""

    limit: float  # by `check`
    reached: float  # in the world, where its loads passed what the clutch can take up
    event: Break


def joint(lower: str, upper: str, x: int, y: int) -> Assembly:
    """Two bricks without weight, the lower one fixed."""
    low, high = brick_type(lower), brick_type(upper)
    place = np.eye(4)
    place[:3, 3] = (x * low.measures.pitch_m, y * low.measures.pitch_m, low.size_m[2])
    parts = (make_part("low", BrickShape(low), np.eye(4)), make_part("high", BrickShape(high), place))
    return Assembly(parts, fixed=frozenset({"low"}), gravity=np.zeros(3))


def parted(assembly: Assembly, way: Way) -> Parted:
    """Load the upper brick more and more: straight up, up near a corner, or about the upright through its centre."""
    high = assembly.parts[1]
    size = np.array(high.shape.kind.size_m)  # type: ignore[union-attr]
    centre = high.T_world_part[:3, 3] + size / 2
    top = centre + np.array([0.0, 0.0, size[2] / 2])
    point = {"pull": top, "peel": top + 0.45 * size * [1, 1, 0], "twist": centre}[way]
    up, along, arm = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.005, 0.0])
    loads = [Load("high", up, point)]
    force, torque = up, np.zeros(3)
    if way == "twist":
        loads = [Load("high", along, centre - arm), Load("high", -along, centre + arm)]
        force, torque = np.zeros(3), 0.01 * up
    joints = interfaces(assembly)
    needed = check(assembly, loads=loads, joints=joints).utilization
    assert needed is not None
    limit = 1.0 / needed  # without weight the need grows with the load
    world = World(assembly, joints=joints)
    breaks: list[Break] = []
    world.on_break.append(breaks.append)
    most, local = 1.6 * limit, high.T_world_part[:3, :3].T @ (point - high.T_world_part[:3, 3])
    world.pushes.append(Ramp(1, local, most * force, most * torque, RAMP_S))
    while not breaks and world.time_s < RAMP_S:
        world.step()
    lag = (world.settings.window_s + world.settings.step_s) / 2  # of the mean over a window behind a ramp
    return Parted(limit, most * (breaks[0].time_s - lag) / RAMP_S, breaks[0])


def limits() -> Row:
    """The largest difference over all joints and ways."""
    start = time.perf_counter()
    off = {}
    for bricks in JOINTS:
        for way in WAYS:
            found = parted(joint(*bricks), way)
            off[f"{way} {bricks[1]} on {bricks[0]} at {bricks[2]},{bricks[3]}"] = abs(found.reached / found.limit - 1.0)
    worst = max(off, key=lambda case: off[case])
    spent = 1e3 * (time.perf_counter() - start)
    notes = {"worst": worst}
    figure = f"within {100 * off[worst]:.2g} % in {len(off)} breaks"
    return Row(f"limits of {len(JOINTS)} joints", spent, notes=notes, target="within 3 % of check", figure=figure)
