"""A cell: arms on their bases with their tools, a table, what stands in the way, where parts come from, what sees it.

The world is the cell's: metres, z up. An assembly stands in it at `T_world_structure`, which maps the coordinates of
its file.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from falsework.model.arrays import Array, freeze
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.poses import exponential, inverse, is_rigid
from falsework.model.robots.arm import Arm, Joint
from falsework.model.robots.safety import Safety
from falsework.model.robots.tilting import Stance, Tilt
from falsework.model.robots.tool import Tool, ToolBody
from falsework.model.shapes import Shape
from falsework.model.travel import MadeAnew

FeederKind = Literal["tray", "station"]
FEEDER_KINDS: tuple[FeederKind, ...] = ("tray", "station")
Lie = Literal["assembled", "stable"]
LIES: tuple[Lie, ...] = ("assembled", "stable")
ROTARY = "rotary"  # what the turntable is called among things that move


@dataclass(frozen=True, slots=True)
class ArmFile:
    """The file of an arm, beside the cell's own, and which two of its bodies the arm is between.

    >>> ArmFile("robot.urdf", flange="tool0").base is None
    True
    """

    path: str
    base: str | None = None
    flange: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CellArm(MadeAnew):
    """An arm of a cell, by the name that it has there.

    >>> from falsework import new_cell
    >>> new_cell("two-panda").arms[0].arm.name
    'panda'
    """

    name: str
    arm: Arm
    tool: Tool
    T_world_base: Array  # (4, 4)
    home: Array = field(default_factory=lambda: np.zeros(0))  # (n,) where it waits; the arm's own unless told
    file: ArmFile | None = None  # where it was read from, if it is not one of ours

    def __post_init__(self) -> None:
        if np.size(self.home) == 0:
            object.__setattr__(self, "home", self.arm.home)
        freeze(self, T_world_base=(4, 4), home=(len(self.arm.joints),))
        _refuse_crooked(f"arm {shown(self.name)}", self.T_world_base)
        self.arm.refuse_outside(self.home, f"arm {shown(self.name)}: home")


@dataclass(frozen=True, slots=True, eq=False)
class Obstacle(MadeAnew):
    """Something that stands in the way and never moves.

    >>> from falsework import box
    >>> Obstacle("wall", box((2.0, 0.1, 1.0)), np.eye(4)).name
    'wall'
    """

    name: str
    shape: Shape
    T_world_obstacle: Array  # (4, 4)

    def __post_init__(self) -> None:
        freeze(self, T_world_obstacle=(4, 4))
        _refuse_crooked(f"obstacle {shown(self.name)}", self.T_world_obstacle)


@dataclass(frozen=True, slots=True, eq=False)
class Table(MadeAnew):
    """A level slab that the structure and the feeders stand on.

    >>> Table((0.0, 0.0, 0.0), (1.2, 0.8)).thickness_m
    0.05
    """

    top_m: tuple[float, float, float]  # the middle of its upper face
    size_m: tuple[float, float]  # along x and y
    thickness_m: float = 0.05

    def __post_init__(self) -> None:
        if not (all(map(math.isfinite, self.top_m)) and all(0 < one < math.inf for one in self.size_m)):
            raise BadInput(f"table: found {self.size_m} at {self.top_m}, expected finite sides above 0")
        if not 0 < self.thickness_m < math.inf:
            raise BadInput(f"table: found the thickness {self.thickness_m}, expected one above 0")


@dataclass(frozen=True, slots=True, eq=False)
class Feeder(MadeAnew):
    """Where parts wait, and how they lie there.

    A `tray` holds all its parts side by side, row after row; a `station` shows one part at a time, in its middle.
    Parts lie `assembled`, turned as they will be in the structure, or `stable`, on the face on which they rest best.

    >>> Feeder("tray", np.eye(4), (0.4, 0.3)).lie
    'assembled'
    """

    name: str
    T_world_feeder: Array  # (4, 4) the middle of the face on which parts lie, z up from it
    size_m: tuple[float, float]  # along its x and y
    kind: FeederKind = "tray"
    lie: Lie = "assembled"
    parts: tuple[str, ...] = ()  # which come from here; none named: all that no other feeder names
    gap_m: float = 0.02  # between the boxes of parts on a tray

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        freeze(self, T_world_feeder=(4, 4))
        what = f"feeder {shown(self.name)}"
        _refuse_crooked(what, self.T_world_feeder)
        if not all(0 < one < math.inf for one in self.size_m):
            raise BadInput(f"{what}: found the size {self.size_m}, expected two numbers above 0")
        if self.kind not in FEEDER_KINDS or self.lie not in LIES:
            raise BadInput(f"{what}: found {shown(self.kind)} and {shown(self.lie)}, expected {FEEDER_KINDS}, {LIES}")
        if not 0 <= self.gap_m < math.inf:
            raise BadInput(f"{what}: found the gap {self.gap_m}, expected a number that is 0 or more")


@dataclass(frozen=True, slots=True, eq=False)
class Camera(MadeAnew):
    """A camera that stands in the cell, or rides on the flange of an arm. It looks along its z axis, x to the right.

    >>> Camera("above", np.eye(4), 60.0, (640, 480)).arm is None
    True
    """

    name: str
    T_mount_camera: Array  # (4, 4) in the world, or in the flange's frame
    view_deg: float  # how much it sees from top to bottom
    pixels: tuple[int, int]  # across, down
    arm: str | None = None

    def __post_init__(self) -> None:
        freeze(self, T_mount_camera=(4, 4))
        _refuse_crooked(f"camera {shown(self.name)}", self.T_mount_camera)
        if not (0 < self.view_deg < 180 and min(self.pixels) >= 1):
            raise BadInput(f"camera {shown(self.name)}: found {self.view_deg} degrees and {self.pixels} pixels")


@dataclass(frozen=True, slots=True, eq=False)
class Rotary(MadeAnew):
    """A turntable under the structure, about an upright axis; with `tilt`, a positioner, whose plate tilts too.

    A structure begins at angle 0. To whatever moves and judges it, it is an arm of one joint, or of two (tilt, then
    turn), whose tool point is its middle.

    >>> Rotary((0.0, 0.0, 0.0)).speed
    1.0
    >>> Rotary((0.5, 0.0, 0.0)).as_arm.name
    'rotary'
    """

    centre_m: tuple[float, float, float]
    lower: float = -math.pi  # rad
    upper: float = math.pi
    speed: float = 1.0  # rad/s
    tilt: Tilt | None = None

    def __post_init__(self) -> None:
        numbers = (*self.centre_m, self.lower, self.upper, self.speed)
        if not (all(map(math.isfinite, numbers)) and self.lower < self.upper and self.speed > 0):
            raise BadInput(f"rotary: found {self.lower} to {self.upper} rad at {self.speed} rad/s, expected a range")
        if not self.lower <= 0.0 <= self.upper:
            raise BadInput(f"rotary: found {self.lower} to {self.upper} rad, expected a range with 0, where it begins")

    @property
    def as_arm(self) -> CellArm:
        """An arm without links that turns about the plate's axis, and waits at angle 0."""
        turns = Joint("turn", np.eye(4), np.array([0.0, 0.0, 1.0]), self.lower, self.upper, self.speed)
        stands = np.eye(4)
        stands[:3, 3] = self.centre_m
        if self.tilt is None:
            disc = Tool("turntable", "suction", np.eye(4), ())
            return CellArm(ROTARY, Arm("turntable", (turns,), np.eye(4), home=np.zeros(1)), disc, stands)
        tilts = Joint("tilt", np.eye(4), self.tilt.way, self.tilt.lower, self.tilt.upper, self.tilt.speed)
        plate = ToolBody("plate", self.tilt.plate_m, np.zeros(3))
        held = Tool("positioner", "suction", np.eye(4), (plate,), force_n=(0.0, self.tilt.clamp_n))
        return CellArm(ROTARY, Arm("positioner", (tilts, turns), np.eye(4), home=np.zeros(2)), held, stands)

    def joints(self, stance: Stance) -> Array:
        """(n,) of the arm that it is, where it stands so."""
        return np.array([stance.turn] if self.tilt is None else [stance.tilt, stance.turn])

    def stance(self, q: Array) -> Stance:
        """How it stands at these joints (n,)."""
        return Stance(float(q[-1]), 0.0 if self.tilt is None else float(q[0]))

    def turned(self, turn: float, tilt: float = 0.0) -> Array:
        """(4, 4) by which it moves what stands on it, in the world, from where it begins to another stance."""
        T = np.eye(4)
        T[:2, :2] = [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]
        if self.tilt is not None:
            T[:3, :3] = exponential(np.array([0.0, 0.0, 0.0, *(tilt * self.tilt.way)]))[:3, :3] @ T[:3, :3]
        T[:3, 3] = self.centre_m - T[:3, :3] @ np.array(self.centre_m)
        return T


@dataclass(frozen=True, slots=True, eq=False)
class Cell(MadeAnew):
    """A cell, checked when it is made: names are unique, an arm and a feeder are there, no base is in the structure.

    >>> from falsework import new_cell
    >>> [one.name for one in new_cell("two-panda").arms]
    ['left', 'right']
    """

    name: str
    arms: tuple[CellArm, ...]
    feeders: tuple[Feeder, ...]
    T_world_structure: Array  # (4, 4) where an assembly stands: maps the coordinates of its file to the world's
    room_m: Array | None = None  # (2, 3) lowest and highest corner of what it may fill, in its own coordinates
    table: Table | None = None
    obstacles: tuple[Obstacle, ...] = ()
    cameras: tuple[Camera, ...] = ()
    rotary: Rotary | None = None
    safety: Safety | None = None  # what arms may not exceed; the usual limits where none are told

    def __post_init__(self) -> None:
        for many in ("arms", "feeders", "obstacles", "cameras"):
            object.__setattr__(self, many, tuple(getattr(self, many)))
        freeze(self, T_world_structure=(4, 4))
        _refuse_crooked("structure", self.T_world_structure)
        if not self.arms:
            raise BadInput("the cell has no arm; expected one or more")
        if not self.feeders:
            raise BadInput("the cell has no feeder; expected one or more, or no arm finds a part")
        groups = (self.arms, self.feeders, self.obstacles, self.cameras)
        things = [one.name for group in groups for one in group]
        for name, times in Counter(things).items():
            if times > 1:
                raise BadInput(f"the name {shown(name)} is given to {times} things of the cell; names must be unique")
        if self.rotary is not None and ROTARY in things:
            raise BadInput(f"the name {shown(ROTARY)} is the turntable's; expected another name")
        for camera in self.cameras:
            if camera.arm is not None:
                self.arm_named(camera.arm)
        self._refuse_bases_in_room()

    @property
    def movers(self) -> tuple[CellArm, ...]:
        """The arms, and last the turntable if there is one."""
        return self.arms if self.rotary is None else (*self.arms, self.rotary.as_arm)

    def arm_named(self, name: str) -> CellArm:
        """The arm of that name."""
        return _named(name, self.arms)

    def mover_named(self, name: str) -> CellArm:
        """The arm of that name, or the turntable."""
        return _named(name, self.movers)

    def _refuse_bases_in_room(self) -> None:
        if self.room_m is None:
            return
        freeze(self, room_m=(2, 3))
        low, high = self.room_m
        if not (np.isfinite(self.room_m).all() and (low < high).all()):
            raise BadInput(f"structure: room: found {self.room_m.tolist()}, expected a lowest and a highest corner")
        back = inverse(self.T_world_structure)
        for one in self.arms:
            at = (back @ one.T_world_base)[:3, 3]
            if (at[:2] > low[:2]).all() and (at[:2] < high[:2]).all() and low[2] <= at[2] < high[2]:
                raise BadInput(f"arm {shown(one.name)}: its base stands inside the structure; move one of them")


def _named(name: str, arms: tuple[CellArm, ...]) -> CellArm:
    for one in arms:
        if one.name == name:
            return one
    raise BadInput(f"there is no arm {shown(name)}; {did_you_mean(name, [one.name for one in arms])}")


def _refuse_crooked(what: str, T: Array) -> None:
    if not is_rigid(T):
        raise BadInput(f"{what}: its pose is not a rotation and a translation of finite numbers")
