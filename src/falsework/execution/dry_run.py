"""A dry run: drivers without arms and bricks without physics, so that every command is seen before a robot gets it.

Bricks go where a hand carries them; what is pressed comes down to what is below it and, near enough to its studs,
snaps in. Cameras draw that. So the controller does what it would do if everything went well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput
from falsework.model.part import Part
from falsework.model.poses import about, inverse
from falsework.model.robots.cell import Cell, CellArm
from falsework.model.robots.driving import ArmState, Pressed
from falsework.model.robots.motion import Track
from falsework.model.shapes import BrickShape
from falsework.perception.cameras.noise import Noise
from falsework.perception.cameras.simulated import SimulatedCamera, View
from falsework.perception.scenes.scene import Light, Scene, SceneBrick, Surface
from falsework.robots.brickcell.brick_holds import tip_m
from falsework.robots.kinematics.kinematics import Kinematics

SNAPS = 0.125  # of a pitch: nearer than this to a place on the studs below a brick snaps in (4 mm of Duplo)
BETWEEN_M = 6e-3  # above or below a brick's body, where closing fingers still take it


class DryWorld:
    """Where bricks would be. All drivers and cameras of a dry run share one, and its clock."""

    def __init__(self, cell: Cell, product: Assembly, loose: Mapping[str, Array]) -> None:
        self.cell, self.time_s = cell, 0.0
        self.flanges: dict[str, Callable[[], Array]] = {}  # where drivers are
        self.parts = [replace(part, T_world_part=loose[part.name]) for part in product.parts]
        ground = product.ground_part
        self.plate = (
            None if ground is None else replace(ground, T_world_part=cell.T_world_structure @ ground.T_world_part)
        )

    def wait(self, seconds: float) -> None:
        self.time_s += seconds

    def between(self, T_world_tool: Array) -> tuple[int, float] | None:
        """Which brick is between fingers at a pose of the tool, and how wide it is there."""
        for number, part in enumerate(self.parts):
            size = _kind(part).size_m
            point = (inverse(part.T_world_part) @ T_world_tool[:, 3])[:3]
            level = (point[:2] > 0).all() and (point[:2] < size[:2]).all()
            if level and -BETWEEN_M < point[2] < size[2] + BETWEEN_M:
                closing = np.abs(part.T_world_part[:3, :3].T @ T_world_tool[:3, 1])
                return number, float(size[int(np.argmax(closing))])
        return None

    def centred(self, number: int, T_world_tool: Array) -> None:
        """Fingers that close push a brick to their middle, and turn it along their pads."""
        part = self.parts[number]
        middle = part.T_world_part[:3, :3] @ (np.array(_kind(part).size_m) / 2) + part.T_world_part[:3, 3]
        aside = T_world_tool[:3, 1] * float((T_world_tool[:3, 3] - middle) @ T_world_tool[:3, 1])
        turn = _least_turn(part.T_world_part, T_world_tool)
        T = np.array(part.T_world_part)
        T[:3, :3] = turn @ T[:3, :3]
        T[:3, 3] = turn @ (T[:3, 3] - middle) + middle + aside
        self.parts[number] = replace(part, T_world_part=T)

    def put(self, number: int, T_world_part: Array) -> None:
        self.parts[number] = replace(self.parts[number], T_world_part=T_world_part)

    def gap_m(self, number: int) -> float:
        """How far a brick is above what it would come down on."""
        low, high = _box(self.parts[number])
        below = [_box(one)[1][2] for k, one in enumerate(self.parts) if k != number and self._under(one, low, high)]
        if self.plate is not None and self._under(self.plate, low, high):
            below.append(_box(self.plate)[1][2])
        table = 0.0 if self.cell.table is None else self.cell.table.top_m[2]
        return float(low[2] - max([*below, table]))

    def top_m(self, tip: Array) -> float:
        """The height of the studs right below a point."""
        tops = [
            _box(one)[1][2] + _kind(one).measures.stud_height_m
            for one in self.parts
            if (_box(one)[0][:2] < tip[:2]).all() and (tip[:2] < _box(one)[1][:2]).all()
        ]
        return max(tops, default=-np.inf)

    def snap(self, number: int) -> None:
        """Onto the grid of the plate, where a brick is near to a place on it."""
        if self.plate is None:
            return
        part, pitch = self.parts[number], _kind(self.parts[number]).measures.pitch_m
        local = inverse(self.plate.T_world_part) @ part.T_world_part
        yaw = np.rad2deg(np.arctan2(local[1, 0], local[0, 0]))
        seat = np.array(local)
        seat[:3, :3] = about(2, 90.0 * round(yaw / 90.0))
        middle = np.array([*_kind(part).size_m[:2], 0.0]) / 2
        seat[:3, 3] += local[:3, :3] @ middle - seat[:3, :3] @ middle
        corner = np.rint(seat[:2, 3] / pitch) * pitch
        if np.abs(corner - seat[:2, 3]).max() < SNAPS * pitch:
            seat[:2, 3] = corner
            self.put(number, self.plate.T_world_part @ seat)

    def scene(self) -> Scene:
        bricks = [SceneBrick(one.name, _kind(one), one.color or "white", one.T_world_part) for one in self.parts]
        plate = self.plate
        base = (
            None if plate is None else SceneBrick(plate.name, _kind(plate), plate.color or "gray", plate.T_world_part)
        )
        table = self.cell.table
        surface = Surface() if table is None else Surface(table.top_m[2], table.size_m, table.top_m[:2])
        return Scene(tuple(bricks), (), base, surface, Light())

    def cameras(self, seed: int = 0) -> dict[str, SimulatedCamera]:
        """All of the cell; those on a wrist go where its driver is."""
        found = {}
        for number, one in enumerate(self.cell.cameras):
            view = View.of(one, np.eye(4))
            flange = None if one.arm is None else partial(self._flange, one.arm)
            found[one.name] = SimulatedCamera(
                one.name, self.scene, view.T_base_cam, view.K, view.pixels, Noise(), seed + number, flange, self._now
            )
        return found

    def _flange(self, arm: str) -> Array:
        return self.flanges[arm]()

    def _now(self) -> float:
        return self.time_s

    def _under(self, one: Part, low: Array, high: Array) -> bool:
        first, last = _box(one)
        pitch = _kind(one).measures.pitch_m
        overlap = np.minimum(high, last)[:2] - np.maximum(low, first)[:2]
        return bool((overlap > 0.3 * pitch).all() and last[2] < low[2] + 0.5 * (high[2] - low[2]))


class DryDriver:
    """A `Driver` of one arm in a dry world: it does at once, and exactly, what it is told."""

    def __init__(self, world: DryWorld, placed: CellArm) -> None:
        self._world, self._placed, self._kinematics = world, placed, Kinematics(placed.arm, placed.tool)
        self._q, self._opening = np.array(placed.home), placed.tool.opening_m[1]
        self._held: tuple[int, Array] | None = None  # which brick, and T_tool_part
        world.flanges[placed.name] = lambda: self._tool() @ inverse(placed.tool.T_flange_tool)

    def state(self) -> ArmState:
        return ArmState(self._world.time_s, self._q, self._opening, 0.0)

    def move(self, track: Track) -> None:
        self._placed.arm.refuse_outside(track.q[-1], "the end of its track")
        self._to(np.array(track.q[-1]))
        self._world.wait(float(track.times_s[-1] - track.times_s[0]))

    def grip(self, opening_m: float, force_n: float) -> float:
        self._placed.tool.refuse_opening(opening_m)
        T = self._tool()
        found = self._world.between(T)
        if found is not None and opening_m < found[1]:
            self._opening = found[1]
            if self._held is None:
                self._world.centred(found[0], T)
                self._held = found[0], inverse(T) @ self._world.parts[found[0]].T_world_part
        else:
            self._opening, self._held = opening_m, None
        self._world.wait(0.5)
        return self._opening

    def press_until(self, until_n: float, stop_n: float, most_m: float, speed_m_s: float) -> Pressed:
        if self._held is not None:
            free = self._world.gap_m(self._held[0])
        else:
            tip = self._tool()[:3, 3] - np.array([0.0, 0.0, tip_m(self._placed.tool)])
            free = float(tip[2] - self._world.top_m(tip))
        down = float(min(max(free, 0.0), most_m))
        T = self._kinematics.forward(self._q)
        T[:3, 3] += down * T[:3, 2]
        q = self._kinematics.solve(T, self._q)
        if q is None:
            raise BadInput("the arm cannot press that far")
        self._to(q)
        self._world.wait(down / speed_m_s)
        if free > most_m:
            return Pressed("nothing", 0.0, down)
        if self._held is not None:
            self._world.snap(self._held[0])
            self._held = self._held[0], inverse(self._tool()) @ self._world.parts[self._held[0]].T_world_part
        return Pressed("pressed", 1.2 * until_n, down)

    def stop(self) -> None:
        """It never moves by itself."""

    def _tool(self) -> Array:
        T: Array = self._placed.T_world_base @ self._kinematics.forward(self._q)
        return T

    def _to(self, q: Array) -> None:
        self._q = q
        if self._held is not None:
            self._world.put(self._held[0], self._tool() @ self._held[1])


def _kind(part: Part) -> BrickType:
    assert isinstance(part.shape, BrickShape), "a build has refused all others"
    return part.shape.kind


def _box(part: Part) -> tuple[Array, Array]:
    """(3,), (3,) least and greatest corner of a brick's body."""
    size = np.array(_kind(part).size_m)
    unit = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    corners = (unit * size) @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
    return corners.min(axis=0), corners.max(axis=0)


def _least_turn(T_world_part: Array, T_world_tool: Array) -> Array:
    """(3, 3) about z, by which a brick's sides come to lie along the pads."""
    closing = T_world_part[:3, :3].T @ T_world_tool[:3, 1]
    angle = np.rad2deg(np.arctan2(closing[1], closing[0]))
    turn: Array = about(2, float(angle - 90.0 * round(angle / 90.0)))
    return turn
