"""A cell in the brick world behind the façade: arms in physics, cameras that draw what is there, and the truth apart.

`SimulatedCell` is what a controller gets. `truth_of` is for the referee.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from falsework.brickworld.settings import Settings
from falsework.brickworld.snapshot_files import read_snapshot, write_snapshot
from falsework.execution.facade import Stopped
from falsework.execution.feeling import Feeling, called
from falsework.execution.referee.scores import Truth
from falsework.execution.watching import Instant
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.part import Part
from falsework.model.perception.frames import Frame
from falsework.model.poses import inverse
from falsework.model.robots.cell import Cell
from falsework.model.shapes import BrickShape
from falsework.perception.cameras.noise import Noise
from falsework.perception.cameras.simulated import SimulatedCamera, View
from falsework.perception.scenes.scene import Light, Scene, SceneBrick, Surface, Thing
from falsework.robots.brickcell.arm_control import GENTLY_M_S, GENTLY_S, GROWS_S, OPENS_N, TOUCH_M_S
from falsework.robots.brickcell.cell_world import ArmReading, CellWorld, PressDone
from falsework.robots.brickcell.paths import PEAK, resting, timed
from falsework.robots.brickcell.strikes import Strike, Strikes

ARM_RGB = (0.85, 0.85, 0.87)
LOST_M = 2.0  # farther from the cell's middle than this is on the floor


class SimulatedCell:
    """A `Facade` of a cell in the brick world.

    `placed` are T_world_part of bricks that lie elsewhere than on feeders; `spare` bricks belong to no product.
    """

    def __init__(
        self,
        cell: Cell,
        assembly: Assembly,
        placed: Mapping[str, Array],
        *,
        settings: Settings | None = None,
        noise: Noise | None = None,
        light: Light | None = None,
        table: Surface | None = None,
        friction: float = 1.0,
        seed: int = 0,
    ) -> None:
        """`friction`: of pads, as a share of what the cell's file says, which is what a controller is told."""
        self._told = cell
        self._world = CellWorld(_with_pads(cell, friction), assembly, placed=placed, settings=settings)
        self._strikes = Strikes(self._world)
        self._light, self._table = light or Light(), table or _table(cell)
        self._stopped = ""
        self._cameras = {
            one.name: self._camera(one.name, noise or Noise(), seed + number) for number, one in enumerate(cell.cameras)
        }

    def _camera(self, name: str, noise: Noise, seed: int) -> SimulatedCamera:
        (camera,) = (one for one in self.cell.cameras if one.name == name)
        view = View.of(camera, np.eye(4))
        flange = None if camera.arm is None else partial(self._flange, camera.arm)
        return SimulatedCamera(
            name, self._scene, view.T_base_cam, view.K, view.pixels, noise, seed, flange, lambda: self.time_s
        )

    def _flange(self, arm: str) -> Array:
        control = self._world.arm(arm)
        T: Array = control.T_world_tool() @ inverse(control.placed.tool.T_flange_tool)
        return T

    # The façade

    @property
    def cell(self) -> Cell:
        return self._told

    @property
    def time_s(self) -> float:
        return self._world.time_s

    def look(self, camera: str) -> Frame:
        if camera not in self._cameras:
            raise BadInput(f"there is no camera {shown(camera)}; {did_you_mean(camera, self._cameras)}")
        return self._cameras[camera].look()

    def state(self, arm: str) -> ArmReading:
        return self._world.state(arm)

    def follow(
        self, arm: str, way: Array, share: float, speed_m_s: float | None = None, stop_n: float = np.inf
    ) -> float:
        self._answer()
        control = self._world.arm(arm)
        least = 0.0
        if speed_m_s is not None:
            points = (control.placed.T_world_base @ control.kinematics.forward(way))[:, :3, 3]
            least = PEAK * float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum()) / speed_m_s
        # A curve through the corners of a free way would leave it: leg by leg. Straight ways of the tool are dense.
        legs = [way] if speed_m_s is not None else [way[k : k + 2] for k in range(len(way) - 1)]
        feeling = Feeling(control.drive, stop_n, lambda: control.stop(self.time_s))
        # Slow ways lead past others: what is felt there is felt at every step of the engine, on fast ones once a frame.
        asked = self.meanwhile if speed_m_s is None else self._world.world.before_step
        with self._strikes.on_the_way_of(arm), called(feeling, asked):
            for leg in legs:
                control.follow(timed(control.placed.arm, leg, control.step_s, share, least), self.time_s)
                self._world.wait([arm])
                if feeling.most_n > stop_n:
                    break
        return feeling.most_n

    def open(self, arm: str, opening_m: float) -> None:
        self._answer()
        self._world.open(arm, opening_m)

    def close(self, arm: str) -> None:
        self._answer()
        control = self._world.arm(arm)
        control.open_to(control.placed.tool.opening_m[0], 0.1, OPENS_N / 4, self.time_s)
        self._world.wait([arm], settle=False)

    def grip(self, arm: str, width_m: float, force_n: float) -> bool:
        self._answer()
        return self._world.grip(arm, width_m, force_n)

    def holds(self, arm: str, width_m: float) -> bool:
        return self._world.holds(arm, width_m)

    def hold_with(self, arm: str, force_n: float) -> None:
        self._answer()
        self._world.hold_with(arm, force_n)

    def ease(self, arm: str) -> None:
        self._answer()
        self._world.ease(arm)

    def press(self, arm: str, force_n: float, limit_m: float, gently: bool = False) -> PressDone:
        self._answer()
        speed, grows = (GENTLY_M_S, GENTLY_S) if gently else (TOUCH_M_S, GROWS_S)
        return self._world.press_until(arm, force_n, limit_m, speed_m_s=speed, grows_s=grows)

    def pause(self, seconds: float) -> None:
        self._world.run(seconds)

    @property
    def meanwhile(self) -> list[Callable[[], object]]:
        return self._world.each_frame

    def stop(self, why: str) -> Stopped:
        """Everything stays where it is, from now on; to be raised."""
        self._stopped = self._stopped or why
        for control in self._world.arms.values():
            control.stop(self.time_s)
        return Stopped(self._stopped)

    # What is kept of it

    def keep(self, path: Path) -> None:
        """The whole world as it is now, as a file."""
        write_snapshot(path, self._world.world.snapshot())

    def bring_back(self, path: Path) -> float:
        """The world as it was kept, arms at rest where they were then; its time."""
        world = self._world.world
        world.restore(read_snapshot(path, world))
        for control in self._world.arms.values():
            control.follow(resting(control.drive.q, control.step_s), self.time_s)
            control.opening_from = control.opening_to = control.opening_m
        return self.time_s

    def _answer(self) -> None:
        if self._stopped:
            raise Stopped(self._stopped)

    # What is really there

    def _parts(self) -> list[Part]:
        world = self._world.world
        poses = world.poses()
        return [replace(part, T_world_part=poses[k]) for k, part in enumerate(world.assembly.parts)]

    def _scene(self) -> Scene:
        """All that cameras can see now."""
        bricks = [
            SceneBrick(part.name, part.shape.kind, part.color or "white", part.T_world_part)
            for part in self._parts()
            if isinstance(part.shape, BrickShape)
        ]
        ground = self._world.world.assembly.ground_part
        plate = None
        if ground is not None and isinstance(ground.shape, BrickShape):
            pose = self._world.world.poses()[-1]  # the ground is the last of the bodies
            plate = SceneBrick(ground.name, ground.shape.kind, ground.color or "gray", pose)
        return Scene(tuple(bricks), tuple(self._arm_things()), plate, self._table, self._light)

    def _arm_things(self) -> list[Thing]:
        """Arms as cylinders with balls at their ends: what the cameras see of them."""
        things = []
        for name, control in self._world.arms.items():
            links = control.placed.T_world_base @ control.kinematics.links(control.drive.q)
            for number, capsule in enumerate(control.placed.arm.capsules):
                T = links[capsule.link]
                ends = [T[:3, :3] @ np.asarray(point) + T[:3, 3] for point in (capsule.start_m, capsule.end_m)]
                things += _capsule(f"{name} {number}", ends[0], ends[1], capsule.radius_m)
        return things


def instant_of(simulated: SimulatedCell) -> Instant:
    """For whoever watches: arms and bricks as they are."""
    world = simulated._world
    return Instant(world.time_s, {name: world.state(name) for name in world.arms}, world.world.poses())


def strikes_of(simulated: SimulatedCell) -> list[Strike]:
    """For the referee: what arms ran into, first things first."""
    return sorted(simulated._strikes.found, key=lambda one: one.time_s)


def bodies_of(simulated: SimulatedCell) -> Assembly:
    """All bricks that are in the world, those of disruptions too, and the plate."""
    return simulated._world.world.assembly


def truth_of(simulated: SimulatedCell, cell: Cell) -> Truth:
    """For the referee: where everything is, what hangs together, and what hands touch."""
    world = simulated._world
    touched = {name for arm in world.arms for name in world.touched(arm)}
    ground = world.world.assembly.ground_part
    return Truth(
        tuple(simulated._parts()),
        frozenset(world.world.connections),
        frozenset(touched),
        _moved_by(world.world.poses()[-1], ground) @ cell.T_world_structure,
        area_of(cell),
        None if ground is None else ground.name,
    )


def _moved_by(T_world_now: Array, ground: Part | None) -> Array:
    """(4, 4) how the plate was moved since it was laid."""
    T: Array = np.eye(4) if ground is None else T_world_now @ inverse(ground.T_world_part)
    return T


def area_of(cell: Cell) -> tuple[Array, Array]:
    """(2,), (2,) least and greatest corner of the building area, in the structure's coordinates."""
    if cell.room_m is None:
        raise BadInput(f"cell {cell.name}: structure: room is not told; a build needs it to know its building area")
    return cell.room_m[0, :2], cell.room_m[1, :2]


def _with_pads(cell: Cell, friction: float) -> Cell:
    arms = [replace(one, tool=replace(one.tool, friction=friction * one.tool.friction)) for one in cell.arms]
    return replace(cell, arms=tuple(arms))


def _table(cell: Cell) -> Surface:
    if cell.table is None:
        return Surface()
    x, y, z = cell.table.top_m
    return Surface(z, cell.table.size_m, (x, y))


def _capsule(name: str, start: Array, end: Array, radius: float) -> list[Thing]:
    axis = end - start
    length = float(np.linalg.norm(axis))
    balls = []
    for k, at in enumerate((start, end)):
        T = np.eye(4)
        T[:3, 3] = at
        balls.append(Thing(f"{name} ball {k}", "ball", (radius,), ARM_RGB, T))
    if length < 1e-6:
        return balls[:1]
    z = axis / length
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    T = np.eye(4)
    T[:3, 0], T[:3, 1], T[:3, 2], T[:3, 3] = x, np.cross(z, x), z, start
    return [*balls, Thing(name, "cylinder", (radius, length), ARM_RGB, T)]
