"""Cells made to order: so many arms of one kind around a place, with a table, feeders and a camera."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from falsework.formats.robots.catalogue import arm_named, arm_names, tool_named, tool_names
from falsework.model.arrays import Array
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.poses import about
from falsework.model.robots.cell import Camera, Cell, CellArm, Feeder, Obstacle, Rotary, Table
from falsework.model.robots.tilting import Tilt
from falsework.model.shapes import box

COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4}
CALLED = {1: ("arm",), 2: ("left", "right"), 3: ("first", "second", "third"), 4: ("north", "west", "south", "east")}
TOOLS = {
    "fr3": "panda-hand",
    "gofa": "suction",
    "gp4": "stud-tool",
    "irb2600": "suction-80",
    "panda": "panda-hand",
    "ur10e": "robotiq-2f-140",
    "ur5": "robotiq-2f-85",
    "ur5e": "robotiq-2f-85",
    "xarm7": "robotiq-2f-140",
}  # what each arm holds unless told
RING = 0.55  # of the reach: how far bases stand from the structure
ASIDE = 0.5  # … and feeders
GAP_M = 0.03  # between parts on a tray: a finger goes in
APART = 0.15  # m from the middle: how near hands wait
TURNTABLE, POSITIONER = "+turntable", "+positioner"  # at the end of a kind
PILLAR_M, BELOW_M = 0.04, 0.05  # of what bears a positioner's plate: its width; and the plate's room above the table
VIEW_DEG, PIXELS = 50.0, (1280, 960)


def cell_kinds() -> tuple[str, ...]:
    """The kinds of cells that can be made: an arm's name, or so many of them.

    >>> "two-panda" in cell_kinds()
    True
    """
    return tuple(f"{count}{arm}" for count in ("", "two-", "three-", "four-") for arm in arm_names())


def is_kind(given: str | Path) -> bool:
    """Whether this is a kind of cell, and not the name of a file.

    >>> is_kind("two-panda"), is_kind("panda+turntable"), is_kind("examples/two-panda.cell.yaml")
    (True, True, False)
    """
    if Path(given).exists():
        return False
    try:
        parsed_kind(str(given))
    except BadInput:
        return False
    return True


def parsed_kind(kind: str) -> tuple[int, str, str]:
    """How many arms, which, and with which tool."""
    before, plus, tool = kind.removesuffix(TURNTABLE).removesuffix(POSITIONER).partition("+")
    found = re.fullmatch(f"(?:({'|'.join(COUNTS)})-)?(.+)", before)
    if found is None or found[2] not in arm_names():
        raise BadInput(f"unknown kind of cell {shown(kind)}; {did_you_mean(before, cell_kinds())}")
    if plus and tool not in tool_names():
        known = (*tool_names(), *(one.removeprefix("+") for one in (TURNTABLE, POSITIONER)))
        raise BadInput(f"unknown tool {shown(tool)} of a kind of cell; {did_you_mean(tool, known)}")
    return COUNTS[found[1] or "one"], found[2], tool or TOOLS[found[2]]


def new_cell(kind: str) -> Cell:
    """A cell of a kind: arms around a place on a table, a feeder beside each, a camera above.

    `kind` is an arm's name with how many of them, and its tool if it is not the usual one: `panda`, `two-panda`,
    `three-irb2600`, `two-gofa+suction-20`; with a turntable under the structure, `panda+turntable`, or one that tilts
    it too, `panda+positioner`. `placed_cell` chooses where things stand for one assembly.

    >>> new_cell("three-irb2600").arms[2].name
    'third'
    """
    count, arm, _ = parsed_kind(kind)
    reach = reach_of(arm)
    turns = [180.0 - 360.0 * k / count for k in range(count)]
    ring = max(RING, (_stretched(arm) + APART) / reach if count > 1 else 0.0) * reach
    bases = [standing(ring, turn, turn + 180.0) for turn in turns]
    aside = [turn - 90.0 / (1 if count < 3 else 1.5) for turn in turns]
    beyond = 2 * PILLAR_M if kind.endswith(POSITIONER) else 0.0
    feeders = [standing(ASIDE * reach + beyond, turn, 0.0) for turn in aside]
    side = round(0.4 * reach, 2)
    room = np.array([[-side / 2, -side / 2, 0.0], [side / 2, side / 2, round(0.5 * reach, 2)]])
    tray = round(0.3 * reach, 2)
    return made_cell(kind, bases, feeders, (tray, tray), np.eye(4), room)


def made_cell(
    kind: str,
    bases: list[Array],
    feeders: list[Array],
    tray_m: tuple[float, float],
    T_world_structure: Array,
    room_m: Array,
    station: bool = False,
) -> Cell:
    """A cell of a kind with its things in these places, and a table under all of them."""
    count, arm, tool = parsed_kind(kind)
    arms = [
        CellArm(name, arm_named(arm), tool_named(tool), base) for name, base in zip(CALLED[count], bases, strict=True)
    ]
    several = len(feeders) > 1
    trays = [
        Feeder(f"feeder-{k + 1}" if several else "feeder", T, tray_m, "station" if station else "tray", gap_m=GAP_M)
        for k, T in enumerate(feeders)
    ]
    rotary, pillars = Rotary((0.0, 0.0, 0.0)) if kind.endswith(TURNTABLE) else None, tuple[Obstacle, ...]()
    if kind.endswith(POSITIONER):
        rotary, pillars = _positioner(room_m)
        T_world_structure = T_world_structure.copy()
        T_world_structure[2, 3] += rotary.centre_m[2]
    return Cell(
        kind,
        tuple(arms),
        tuple(trays),
        T_world_structure,
        room_m,
        table=_table(arm, bases, feeders, tray_m, room_m),
        obstacles=pillars,
        cameras=(_above(float(np.ptp(room_m, axis=0).max()), reach_of(arm)),),
        rotary=rotary,
    )


def _positioner(room_m: Array) -> tuple[Rotary, tuple[Obstacle, ...]]:
    """A plate under the whole room, so high that it tilts, between two pillars; it tilts to the first arm and away."""
    radius = round(0.5 * float(np.hypot(*np.ptp(room_m, axis=0)[:2])), 3)
    height = round(radius + BELOW_M, 3)
    tilt = Tilt(radius)
    pillars = []
    for side, name in ((-1.0, "pillar-1"), (1.0, "pillar-2")):
        T = np.eye(4)
        T[:3, 3] = side * (radius + PILLAR_M) * tilt.way - (PILLAR_M / 2, PILLAR_M / 2, 0.0)
        pillars.append(Obstacle(name, box((PILLAR_M, PILLAR_M, height)), np.round(T, 4) + 0.0))
    return Rotary((0.0, 0.0, height), tilt=tilt), tuple(pillars)


def standing(distance: float, turn: float, yaw: float) -> Array:
    """(4, 4) a place so far from the origin, in a direction and facing another, in degrees; to 1 mm and 1 degree."""
    T = np.eye(4)
    T[:3, :3] = about(2, float((round(yaw) + 180) % 360 - 180))
    T[:3, 3] = np.round(about(2, turn) @ np.array([distance, 0.0, 0.0]), 3) + 0.0
    return T


def _stretched(arm: str) -> float:
    """How far in front of its base an arm's hand waits, m."""
    from falsework.robots.kinematics.kinematics import Kinematics  # compiled: only where several arms must not meet

    model = arm_named(arm)
    return float(np.linalg.norm(Kinematics(model).forward(model.home)[:2, 3]))


def reach_of(arm: str) -> float:
    """How far an arm that comes with the house reaches, m."""
    reach = arm_named(arm).reach_m
    assert reach is not None
    return reach


def _table(arm: str, bases: list[Array], feeders: list[Array], tray_m: tuple[float, float], room_m: Array) -> Table:
    """Wide enough for bases, feeders and structure."""
    foot = 0.25 * reach_of(arm)
    reaches = [np.abs(T[:2, 3]) + foot for T in bases] + [np.abs(T[:2, 3]) + max(tray_m) for T in feeders]
    half = np.max([*reaches, np.ptp(room_m, axis=0)[:2] / 2], axis=0)
    size = np.ceil(20.0 * half) / 10.0  # twice, to the next 100 mm
    return Table((0.0, 0.0, 0.0), (float(size[0]), float(size[1])))


def _above(room: float, reach: float) -> Camera:
    """A camera over the structure, looking down, its x to the right of who stands at −y."""
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[2, 3] = round(max(1.5 * reach, 2.0 * room), 2)
    return Camera("above", T, VIEW_DEG, PIXELS)
