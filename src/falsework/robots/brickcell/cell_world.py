"""A cell among bricks: arms that are told where to go, what to grip and how hard to press, in the brick world.

>>> import falsework
>>> from falsework.robots.brickcell.cell_world import CellWorld
>>> cell = CellWorld(falsework.new_cell("panda"), falsework.new("duplo-stack"))
>>> cell.move_to("arm", cell.arms["arm"].placed.home)
>>> cell.state("arm").opening_m > 0.07
True

Every call returns when what it asks for is done; `wait=False` only begins it, so that several arms move at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

import numpy as np

from falsework.brickworld.settings import Settings
from falsework.brickworld.world import World
from falsework.engine.arm_drive import ArmDrive
from falsework.engine.clasp import Clasp
from falsework.engine.foresight import SLOW_M_S
from falsework.engine.pads import Fingers, Pads
from falsework.engine.robot_scene import robot_scene
from falsework.engine.scene_file import SceneFile
from falsework.formats.robots.cell_mjcf import cell_mjcf
from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.robots.cell import Cell
from falsework.model.travel import MadeAnew
from falsework.robots.brickcell.arm_control import GROWS_S, OPENS_N, TOUCH_M_S, ArmControl, Guard, Press
from falsework.robots.brickcell.paths import PEAK, Timed, nearby, resting, straight, timed
from falsework.robots.cells.feeding import waiting_places

STEP_S = 0.002  # of the engine
PAD_M = 4e-4  # how far pads of rubber may give way: more is a failure of the engine
SHARE = 0.4  # of the arm's limits, unless told
SPEED_M_S = 0.15  # of straight ways
AT_END_M = 5e-5  # of a press: nearer to its limit it is there
HOLD_S = 0.08  # for which a press must last
PRESS_S = 6.0  # after which a press ends that neither finds its force nor its end
ENOUGH = 0.9  # of the force that was asked for
LOOSE_N = 0.1  # of a grip on what has snapped in: it moves micrometres, to one finger first, which would push it off
WEAK_S = 0.4  # after which a press ends that was strong enough and is so no more: what was pressed has given way
FORESEEN_M_S = 0.01  # while fingers close: a light brick askew between them turns from one side to the other
CLOSE_M_S, OPEN_M_S = 0.05, 0.15  # of fingers, as they grip and once they are off
EASE_M, EASE_M_S = 0.004, 0.02  # the first stage of letting go
SETTLED_RAD, SETTLED_RAD_S = 2e-4, 5e-3  # from where a joint should be, and how slow, to be there
EASES_S = 0.05  # in which a grip changes its force, and what it did comes to rest
PATIENCE_S = 0.5  # for that
RESTS_S = 0.5  # after which an arm pushes on nothing by itself, and what it grips may lean on it
Grips = Literal["contact", "weld"]
GRIPS: tuple[Grips, ...] = get_args(Grips)
LOOKS = 4  # frames in which a grip must be felt once
HAIR_M = 4e-4  # by which fingers open on what is welded to their hand
HELD_M = 1.5e-3  # by which the opening of a hand that holds may differ from the part's width


@dataclass(frozen=True, slots=True, eq=False)
class ArmReading(MadeAnew):
    """What an arm says of itself. Wrenches are what acts on the tool from outside, at its point, in world axes.

    >>> T = np.eye(4)
    >>> T[2, 2] = -1.0  # the tool points down
    >>> ArmReading(0.0, np.zeros(7), np.zeros(7), 0.08, T, np.array([0, 0, 2.0, 0, 0, 0]), 0.0).push_n
    2.0
    """

    time_s: float
    q: Array  # (n,) rad
    qd: Array  # (n,) rad/s
    opening_m: float
    T_world_tool: Array  # (4, 4)
    wrench: Array  # (6,) N, N·m
    grip_n: float  # what the fingers press on what is between them

    @property
    def push_n(self) -> float:
        """How hard the tool is pushed back against the way it points."""
        return float(-self.wrench[:3] @ self.T_world_tool[:3, 2])


@dataclass(frozen=True, slots=True, eq=False)
class PressDone:
    """How a press ended.

    >>> PressDone(True, 1.4, 0.0051).travel_m
    0.0051
    """

    reached: bool  # the force that was asked for
    most_n: float  # the greatest force
    travel_m: float


class CellWorld:
    """A cell with the bricks of an assembly: those that are not told where they lie wait on the feeders.

    >>> import falsework
    >>> cell = CellWorld(falsework.new_cell("panda"), falsework.new("duplo-single"))
    >>> round(cell.state("arm").opening_m, 3)
    0.08
    """

    def __init__(
        self,
        cell: Cell,
        assembly: Assembly,
        *,
        placed: Mapping[str, Array] | None = None,  # T_world_part of parts that lie elsewhere than on feeders
        settings: Settings | None = None,
        grip: Grips = "contact",  # or "weld": what a hand has closed on is welded to it
    ) -> None:
        if grip not in GRIPS:
            raise BadInput(f"grip: found {shown(grip)}; {did_you_mean(grip, GRIPS)}")
        self.cell, self._grip = cell, grip
        self.structure = assembly
        settings = settings or replace(Settings.stepping(STEP_S), deepest_m=PAD_M)
        self.world = World(_laid_out(cell, assembly, placed or {}), settings, mjcf=_scene(cell, settings, assembly))
        self.arms = {one.name: self._control(one.name) for one in cell.arms}
        for arm in self.arms.values():
            arm.drive.put(np.array(arm.placed.home), arm.share * arm.opening_to)
        self.world.before_step.append(self._act)
        self.each_frame: list[Callable[[], object]] = []  # called after every frame: recorders, films

    def _control(self, name: str) -> ArmControl:
        placed = self.cell.arm_named(name)
        ways = dict.fromkeys(tuple(body.travel.tolist()) for body in placed.tool.bodies)
        fingers = [f"{name}/fingers{k}" for k in range(sum(any(way) for way in ways))]
        joints = [f"{name}/{joint.name}" for joint in placed.arm.joints]
        drive = ArmDrive(self.world.scene, joints, fingers, [f"{name}/flange", *fingers])
        if len(fingers) == 2:
            self.world.scene.once_touching.append(Clasp(self.world.scene, f"{name}/flange", fingers).keep)
            self.world.hands.append(partial(self._pads_at_rest, name, Fingers(self.world.scene, fingers)))
        return ArmControl(placed, drive, self.world.settings.step_s)

    def _pads_at_rest(self, name: str, fingers: Fingers, still: Bools) -> Pads | None:
        """Where fingers grip what is `still`, once their arm has been at rest: until then it pushes with its windup."""
        return fingers.pads(still) if self.arms[name].rests_s(self.time_s) > RESTS_S else None

    # What there is

    @property
    def time_s(self) -> float:
        return self.world.time_s

    def arm(self, name: str) -> ArmControl:
        """By its name in the cell."""
        if name not in self.arms:
            raise BadInput(f"there is no arm {shown(name)}; {did_you_mean(name, self.arms)}")
        return self.arms[name]

    def state(self, name: str) -> ArmReading:
        """Joints, fingers, and what the tool feels, now."""
        arm = self.arm(name)
        T = arm.T_world_tool()
        points, forces, _ = arm.drive.felt()
        moment = np.cross(points - T[:3, 3], forces).sum(axis=0) + arm.drive.couple()
        wrench = np.concatenate([forces.sum(axis=0), moment])
        grip = float(np.abs(forces @ T[:3, 1]).sum() / 2)
        return ArmReading(self.time_s, arm.drive.q, arm.drive.qd, arm.opening_m, T, wrench, grip)

    def touched(self, name: str) -> tuple[str, ...]:
        """Parts that the tool of an arm touches now."""
        return tuple(self.world.assembly.bodies[k].name for k in sorted(self.arm(name).drive.felt()[2]) if k >= 0)

    def T_world_part(self, part: str) -> Array:
        """(4, 4) where a part is now."""
        T: Array = self.world.poses()[self.world.number(part)]
        return T

    # How it goes on

    def step(self) -> None:
        """One frame."""
        self.world.step()
        for tell in self.each_frame:
            tell()

    def run(self, seconds: float) -> None:
        for _ in range(self.world.settings.frames(seconds)):
            self.step()

    def _act(self) -> None:
        now = self.world.time_s
        for arm in self.arms.values():
            arm.act(now)

    def wait(self, names: Sequence[str] | None = None, settle: bool = True) -> None:
        """Until the arms (all unless named) are where they were sent, and at rest there."""
        arms = [self.arm(name) for name in (self.arms if names is None else names)]
        while any(arm.left_s(self.time_s) > 0 or arm.fingers_left_s(self.time_s) > 0 for arm in arms):
            self.step()
        end = self.time_s + PATIENCE_S
        while settle and self.time_s < end and not all(map(self._settled, arms)):
            self.step()

    def _settled(self, arm: ArmControl) -> bool:
        off = np.abs(arm.drive.q - arm.wanted(self.time_s)).max()
        return bool(off < SETTLED_RAD and np.abs(arm.drive.qd).max() < SETTLED_RAD_S)

    # What arms do

    def move_to(self, name: str, where: Array, share: float = SHARE, *, wait: bool = True) -> None:
        """To joint positions (n,) or (k, n) one after another, or to a pose (4, 4) of the tool's point in the world.

        `share` is of the arm's limits of speed and acceleration.
        """
        arm = self.arm(name)
        where = np.asarray(where, dtype=np.float64)
        start = arm.wanted(self.time_s)
        if where.shape == (4, 4):
            found = arm.kinematics.solve(arm.in_base(where), start)
            if found is None:
                raise BadInput(f"arm {shown(name)} does not reach {where[:3, 3].round(4).tolist()} m so turned")
            where = found
        for q in np.atleast_2d(where):
            arm.placed.arm.refuse_outside(q, f"arm {shown(name)}")
        way = np.concatenate([start[None], np.atleast_2d(where)])
        self._follow(arm, timed(arm.placed.arm, way, arm.step_s, share), wait)

    def move_straight(
        self, name: str, T_world_tool: Array, speed_m_s: float = SPEED_M_S, share: float = SHARE, *, wait: bool = True
    ) -> None:
        """The tool's point straight to a pose (4, 4) of the world; BadInput where the arm cannot follow."""
        arm = self.arm(name)
        way = self._straight(arm, T_world_tool)
        least = PEAK * self._length(arm, T_world_tool) / speed_m_s
        self._follow(arm, timed(arm.placed.arm, way, arm.step_s, share, least), wait)

    def shift(self, name: str, by_m: Array, speed_m_s: float = SPEED_M_S, *, wait: bool = True) -> None:
        """The same from where it should be now, so far in world axes (3,)."""
        T = self.aim(name).copy()
        T[:3, 3] += by_m
        self.move_straight(name, T, speed_m_s, wait=wait)

    def nudge(self, name: str, by_rad: Array) -> None:
        """Begin to move each joint (n,) by so much within the next frame, as far as its limits go: for agents."""
        arm = self.arm(name)
        start = arm.wanted(self.time_s)
        self._nudged(arm, start, np.clip(start + by_rad, arm.placed.arm.lower, arm.placed.arm.upper))

    def nudge_to(self, name: str, T_world_tool: Array) -> bool:
        """The same to a pose near by; False, and nothing happens, where the arm cannot."""
        arm = self.arm(name)
        start = arm.wanted(self.time_s)
        goal = nearby(arm.kinematics, start, arm.in_base(np.asarray(T_world_tool)))
        if goal is not None:
            self._nudged(arm, start, goal)
        return goal is not None

    def _nudged(self, arm: ArmControl, start: Array, goal: Array) -> None:
        frame = self.world.settings.frame_s
        arm.follow(timed(arm.placed.arm, np.stack([start, goal]), arm.step_s, 1.0, frame, even=True), self.time_s)

    def aim(self, name: str) -> Array:
        """(4, 4) where the tool's point should be now."""
        arm = self.arm(name)
        return arm.T_world_tool(arm.wanted(self.time_s))

    def open(self, name: str, opening_m: float | None = None, *, wait: bool = True) -> None:
        """Fingers apart, as far as they go unless told."""
        arm = self.arm(name)
        wide = arm.placed.tool.opening_m[1] if opening_m is None else opening_m
        arm.placed.tool.refuse_opening(wide)
        self._unweld(name)
        arm.open_to(wide, OPEN_M_S, OPENS_N, self.time_s)
        if wait:
            self.wait([name], settle=False)

    def grip(self, name: str, width_m: float, force_n: float) -> bool:
        """Close slowly on something of a width with a force; whether it is held: by the opening and by what is felt."""
        arm = self.arm(name)
        low, high = arm.placed.tool.force_n
        if not low <= force_n <= high:
            raise BadInput(f"arm {shown(name)}: found a grip of {force_n} N, expected {low} to {high} N")
        arm.open_to(arm.placed.tool.opening_m[0], CLOSE_M_S, force_n, self.time_s)
        self.world.scene.foresight.slow_m_s = FORESEEN_M_S
        still = 0
        while still < 4 and arm.fingers_left_s(self.time_s) > 0:
            before = arm.opening_m
            self.step()
            moving = abs(arm.opening_m - before) > 0.1 * CLOSE_M_S * self.world.settings.frame_s
            still = 0 if moving or arm.opening_m > width_m + 5 * HELD_M else still + 1
        self.world.scene.foresight.slow_m_s = SLOW_M_S
        held = self.holds(name, width_m)
        if held and self._grip == "weld":
            self._weld(arm)
        return held

    def _weld(self, arm: ArmControl) -> None:
        """What is between the fingers to the hand; they leave it by a hair, so that none pushes when the weld ends."""
        name = arm.placed.name
        forces = arm.drive.felt()[2]
        part = max((one for one in forces if one >= 0), key=lambda one: float(np.linalg.norm(forces[one])))
        fingers = [f"{name}/fingers{k}" for k in range(len(arm.share))]
        self.world.weld(f"{name}/flange", self.world.assembly.bodies[part].name, fingers)
        arm.opening_from = arm.opening_m  # they were asked to be closer than they are
        arm.open_to(arm.opening_m, EASE_M_S, OPENS_N, self.time_s)
        arm.opening_to = min(arm.opening_m + HAIR_M, arm.placed.tool.opening_m[1])

    def welded(self, name: str) -> bool:
        """Whether what a hand holds is welded to it."""
        return f"{self.arm(name).placed.name}/flange" in self.world.welds

    def _unweld(self, name: str) -> None:
        if self.welded(name):
            self.world.unweld(f"{name}/flange")

    def hold_with(self, name: str, force_n: float) -> None:
        """Hold on with another force: what is pressed home by a hard grip is torn out again as the arm eases."""
        arm = self.arm(name)
        if self.welded(name):
            return
        for grip in np.linspace(arm.grip_n, force_n, self.world.settings.frames(EASES_S) + 1)[1:].tolist():
            arm.grip_n = grip
            self.step()

    def holds(self, name: str, width_m: float) -> bool:
        """Whether a hand has something of a width between its fingers, and presses on it, within some frames."""
        for _ in range(LOOKS):
            if self.welded(name):
                return True
            state = self.state(name)
            if abs(state.opening_m - width_m) < HELD_M and state.grip_n > 0.5 * self.arm(name).grip_n:
                return True
            self.step()
        return False

    def let_go(self, name: str) -> None:
        """Open in two stages: slowly until nothing is touched, then all the way."""
        arm = self.arm(name)
        arm.open_to(arm.opening_m, EASE_M_S, OPENS_N, self.time_s)
        arm.opening_from = arm.opening_m  # the fingers were asked to be closer than they are
        self.ease(name)
        self.open(name)

    def ease(self, name: str, by_m: float = EASE_M) -> None:
        """The first stage alone: a little wider, slowly."""
        arm = self.arm(name)
        self._unweld(name)
        now = arm.opening_m
        arm.open_to(now, EASE_M_S, OPENS_N, self.time_s)
        arm.opening_from, arm.opening_to = now, min(now + by_m, arm.placed.tool.opening_m[1])
        self.wait([name], settle=False)

    def press_until(
        self,
        name: str,
        force_n: float,
        limit_m: float,
        hold_s: float = HOLD_S,
        stop_n: float | None = None,
        speed_m_s: float = TOUCH_M_S,
        grows_s: float = GROWS_S,
        until: Callable[[], bool] | None = None,
    ) -> PressDone:
        """Push along the way the tool points with a force, for as long as it lasts `hold_s`, or `limit_m` far at most.

        It follows what gives way, as a brick does that snaps in, and ends where nothing resists any more afterwards.
        `speed_m_s` is how fast it goes until it touches something: a blow breaks joints. From there its force grows
        within `grows_s`. It also ends as soon as `until` says so, as with the click of a joint, and fingers are loose
        then; and where the whole force on the tool is more than `stop_n` (ten times `force_n` unless told).
        """
        arm, frame = self.arm(name), self.world.settings.frame_s
        way = self._straight(arm, self._ahead(name, limit_m))
        guard = Guard(self.state(name).push_n, 10.0 * force_n if stop_n is None else stop_n)
        arm.press = press = Press(arm, way, limit_m, force_n, self.time_s, guard, speed_m_s, grows_s)
        most = lasted = weak = 0.0
        done = False
        latest = self.time_s + PRESS_S + limit_m / speed_m_s
        while press.depth_m < limit_m - AT_END_M and lasted < hold_s and weak < WEAK_S and not guard.stopped:
            if self.time_s > latest:
                break
            self.step()
            done = until is not None and until()
            if done:
                self._unweld(name)
                arm.grip_n = min(arm.grip_n, LOOSE_N)
                break
            felt = guard.mean_n()
            most = max(most, felt)
            enough = felt > ENOUGH * force_n
            lasted, weak = (lasted + frame, 0.0) if enough else (0.0, weak + frame if most > ENOUGH * force_n else 0.0)
        arm.press = None
        arm.follow(resting(press.along(press.depth_m), arm.step_s), self.time_s)
        self.run(EASES_S)
        return PressDone(done or (most > ENOUGH * force_n and not guard.stopped), most, press.depth_m)

    def twist(self, name: str, degrees: float, speed_m_s: float = 0.02) -> None:
        """Tip the hand about its closing axis, to lever off what it holds."""
        T = self.aim(name).copy()
        angle = np.deg2rad(degrees)
        about = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
        T[:3, :3] = T[:3, :3] @ about
        self.move_straight(name, T, speed_m_s, share=0.1)

    def _ahead(self, name: str, by_m: float) -> Array:
        """(4, 4) where the tool's point should be, so far along the way it points."""
        T = self.aim(name).copy()
        T[:3, 3] += by_m * T[:3, 2]
        return T

    def _follow(self, arm: ArmControl, way: Timed, wait: bool) -> None:
        arm.follow(way, self.time_s)
        if wait:
            self.wait([arm.placed.name])

    def _straight(self, arm: ArmControl, T_world_tool: Array) -> Array:
        return straight(arm.kinematics, arm.wanted(self.time_s), arm.in_base(np.asarray(T_world_tool)))

    def _length(self, arm: ArmControl, T_world_tool: Array) -> float:
        return float(np.linalg.norm(T_world_tool[:3, 3] - arm.T_world_tool(arm.wanted(self.time_s))[:3, 3]))


def _laid_out(cell: Cell, assembly: Assembly, placed: Mapping[str, Array]) -> Assembly:
    """The parts where they wait, fixed ones and the ground where the structure stands."""
    assembly.mask(placed)  # refuses names that are not there
    T = cell.T_world_structure
    rest = [part for part in assembly.parts if part.name not in placed]
    waiting = waiting_places(cell, assembly.changed(parts=tuple(rest), loads=())) if rest else {}
    parts = []
    for part in assembly.parts:
        if part.name in placed:
            pose = np.asarray(placed[part.name])
        elif part.name in waiting:
            pose = waiting[part.name][0].T_world_part
        else:
            pose = T @ part.T_world_part
        parts.append(replace(part, T_world_part=pose))
    ground = assembly.ground_part
    below = None if ground is None else replace(ground, T_world_part=T @ ground.T_world_part)
    return assembly.changed(parts=tuple(parts), ground_part=below, loads=())


def _scene(cell: Cell, settings: Settings, assembly: Assembly) -> SceneFile:
    pads = {one.name: one.tool.friction for one in cell.arms}
    homes = {
        f"{one.name}/{joint.name}": float(angle)
        for one in cell.arms
        for joint, angle in zip(one.arm.joints, one.home, strict=True)
    }
    lightest = min((part.mass_kg for part in assembly.parts), default=0.0)
    return robot_scene(cell_mjcf(cell), f"cell {cell.name}", settings.contact, pads, homes, lightest)
