"""`simulate`: what happens when it is pressed, pulled, pushed, tilted or dropped."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Unpack

import numpy as np

from falsework.brickworld.collector import nothing_old_collected
from falsework.brickworld.events import Break, Join
from falsework.brickworld.pushes import Push, Ramp
from falsework.brickworld.schemes import Scheme, watch
from falsework.brickworld.settings import Settings
from falsework.brickworld.simulation import EngineTrouble, Simulation
from falsework.brickworld.snapshot_files import read_snapshot
from falsework.brickworld.world import FrameTime, World
from falsework.formats.opening import READING, Reading, Source, opened_with
from falsework.geometry.contacts.ground import bounds_m, grounded
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.errors import BadInput, Undecided, shown
from falsework.model.interfaces import Interfaces
from falsework.model.poses import about
from falsework.model.shapes import corners
from falsework.model.trajectory import Trajectory
from falsework.model.verbs import verb

MOST_FRAMES = 200_000
LEAN_DEG = 10.0
Way = Literal["press", "pull", "push"]
One = tuple[str, float] | tuple[str, float, str]  # part, newtons, axis
Pushes = One | Iterable[One] | Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Action:
    """A force on one part that grows from 0 to `newtons`, at the centre of its top face as it stands at the start.

    press is along −z, pull along +z, push along `axis`: x, -x, y or -y. Pull and push end when the part comes off.

    >>> Action("push", "7", 3.0, axis="-y").direction.tolist()
    [-0.0, -1.0, -0.0]
    """

    way: Way
    part: str
    newtons: float
    axis: str = "x"

    def __post_init__(self) -> None:
        if not 0 < self.newtons < math.inf:
            raise BadInput(f"{self.way} {shown(self.part)}: found {shown(self.newtons)} N, expected a positive number")
        if self.axis not in ("x", "-x", "y", "-y"):
            raise BadInput(f"push {shown(self.part)}: found axis {shown(self.axis)}, expected x, -x, y or -y")

    @property
    def direction(self) -> Array:
        if self.way != "push":
            return np.array([0.0, 0.0, -1.0 if self.way == "press" else 1.0])
        sign = -1.0 if self.axis.startswith("-") else 1.0
        along: Array = sign * np.eye(3)["xy".index(self.axis[-1])]
        return along


@verb(*READING)
def simulate(
    source: Source,
    *,
    drop_m: float | None = None,
    tilt_deg: float | None = None,
    press: Pushes = (),
    pull: Pushes = (),
    push: Pushes = (),
    actions: Iterable[Action] = (),
    seconds: float = 2.0,
    settings: Settings | None = None,
    scheme: Scheme = "clutches",
    joints: Interfaces | None = None,
    resume: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    **reading: Unpack[Reading],
) -> Simulation:
    """What happens to bricks, an assembly of them or the one in a file, in time.

    drop_m    lifts it so far clear of a table and lets go of it, whatever held it before
    tilt_deg  turns it about y: before the drop, or together with the ground if there is none. Nothing is let go of
              perfectly level: a drop without it leans by 10°
    press     (part, N) presses it down with a force that grows from 0 to N newtons over the run; several, or {part: N}
    pull      the same upward, until the part comes off
    push      (part, N, axis) the same sideways, along "x" (if none is given), "-x", "y" or "-y"
    actions   the same as objects
    seconds   how long
    settings  of the world: frames, windows, stiffness, whether anything breaks, joins or sleeps
    scheme    "clutches", "welds" as published, or "plain" contact and friction
    joints    the interfaces of the assembly, where they are known already
    resume    a snapshot of a run of the same assembly with the same drop and tilt: it goes on from there, with whoever
              was pushing, until `seconds` have passed since that run began; pushes are those of that run, or none
    progress  is told how many frames have passed, and of how many

    The other options are those of `load`. Poses are T_world_part, in metres.

    >>> simulate("examples/bridge.txt", pull=("10", 12.0), seconds=0.5).broke
    True
    """
    assembly, joints = opened_with(source, reading, joints)
    _refuse_moulds(assembly)
    used = settings or Settings()
    if not 0 < seconds < math.inf or seconds / used.frame_s > MOST_FRAMES:
        most = MOST_FRAMES * used.frame_s
        raise BadInput(f"seconds: found {shown(seconds)}, expected a positive number up to {most:g}")
    actions = (*actions, *_as_actions("press", press), *_as_actions("pull", pull), *_as_actions("push", push))
    start = started(assembly, drop_m, tilt_deg)
    known = joints if drop_m is None else None
    frames = used.frames(seconds)
    if scheme != "clutches":
        if actions or resume is not None:
            raise BadInput("--press, --pull, --push and --resume go with --scheme clutches only")
        return watch(start, scheme, frames, used, known, progress)
    if used.breaking and used.window_s > frames * used.frame_s:
        raise BadInput(
            f"window: found {used.window_s:g} s, expected at most the {seconds:g} s of the run; nothing could break"
        )
    world = World(start, used, joints=known)
    asked = [_ramp(world, action, seconds) for action in actions]
    if resume is None:
        world.pushes.extend(asked)
    else:
        world.restore(read_snapshot(resume, world))
        if asked and not all(_is_among(asked, push) for push in world.pushes):
            raise BadInput(
                f"--resume: {resume} is from a run with other --press, --pull or --push; give the same ones, or none"
            )
        if world.frames >= frames:
            raise BadInput(f"--resume: {resume} is at {world.time_s:.4g} s; expected --seconds above that")
    world.prepare()
    with nothing_old_collected():
        return _run(world, frames - world.frames, progress)


def _as_actions(way: Way, given: Pushes) -> tuple[Action, ...]:
    """Forces that were given as (part, N), several of these, or {part: N}; a push may name its axis."""
    if isinstance(given, Mapping):
        return tuple(Action(way, part, newtons) for part, newtons in given.items())
    listed = [given] if isinstance(given, tuple) and given and isinstance(given[0], str) else given
    if isinstance(listed, str) or not isinstance(listed, Iterable):
        raise BadInput(f"{way}: found {shown(given)}, expected (part, newtons), several of these, or {{part: newtons}}")
    return tuple(_as_action(way, one) for one in listed)


def _as_action(way: Way, given: object) -> Action:
    match given:
        case (str(part), float() | int() as newtons):
            return Action(way, part, float(newtons))
        case (str(part), float() | int() as newtons, str(axis)) if way == "push":
            return Action(way, part, float(newtons), axis)
    axis = ', and "x", "-x", "y" or "-y" after it' if way == "push" else ""
    raise BadInput(f"{way}: found {shown(given)}, expected (part, newtons){axis}")


def _refuse_moulds(assembly: Assembly) -> None:
    """Studs that point anywhere but up are beyond the brick world."""
    other = next((part for part in assembly.parts if part.mould is not None), None)
    if other is not None and other.mould is not None:
        what = other.mould.title or other.mould.number
        raise BadInput(
            f"simulate knows bricks of the catalogue; part {shown(other.name)} is a {what}; see falsework check"
        )


def started(assembly: Assembly, drop_m: float | None, tilt_deg: float | None) -> Assembly:
    """The assembly as it is let go of."""
    lean = tilt_deg if tilt_deg is not None else 0.0 if drop_m is None else LEAN_DEG
    if not math.isfinite(lean):
        raise BadInput(f"tilt: found {shown(tilt_deg)}, expected a number of degrees")
    if not assembly.is_grounded and drop_m is None:
        raise BadInput("nothing is fixed and there is no ground; use --ground table, --fixed or --drop")
    return _posed(assembly, drop_m, lean)


def _run(world: World, count: int, progress: Callable[[int, int], None] | None) -> Simulation:
    breaks: list[Break] = []
    joins: list[Join] = []
    world.on_break.append(breaks.append)
    world.on_join.append(joins.append)
    parts = len(world.assembly.parts)
    poses, times = [world.poses()[:parts]], [world.time_s]
    spent: list[FrameTime] = []
    pairs = world.grouping.topology.table()[0][:, 1:3]

    def reached() -> Simulation:
        motion = Trajectory(np.array(times), world.assembly.names, np.array(poses))
        cost = np.array([(one.physics, one.mechanics, one.topology) for one in spent]).reshape(-1, 3)
        names = tuple(tuple(one) for one in world.components)
        return Simulation(
            trajectory=motion,
            breaks=tuple(breaks),
            joins=tuple(joins),
            components=names,
            frame_ms=cost,
            seconds=times[-1] - times[0],
            assembly=world.assembly,
            pairs=pairs,
            undecided=world.breakage.undecided + len(world.breakage.open),
            world=world,
        )

    for number in range(count):
        before = world.snapshot()
        try:
            spent.append(world.step())
        except Undecided as why:
            raise EngineTrouble(str(why), reached() if spent else None, before) from why
        poses.append(world.poses()[:parts])
        times.append(world.time_s)
        if progress is not None:
            progress(number + 1, count)
    return reached()


def _posed(assembly: Assembly, drop_m: float | None, tilt_deg: float) -> Assembly:
    """The assembly as it is at the start: lifted and turned, or with gravity turned the other way."""
    turn = about(1, tilt_deg)
    if drop_m is None:
        return assembly if tilt_deg == 0 else assembly.changed(gravity=turn.T @ assembly.gravity)
    if not 0 <= drop_m < math.inf:
        raise BadInput(f"drop: found {shown(drop_m)} m, expected 0 or more")
    height = bounds_m(assembly)[0, 2]
    turned = _moved(assembly.changed(ground=Ground(), ground_part=None, fixed=frozenset()), turn, 0.0)
    friction = assembly.ground.friction if assembly.ground.kind == "table" else None
    on_table = grounded(_moved(turned, np.eye(3), height - bounds_m(turned)[0, 2]), Ground("table", friction))
    lifted = _moved(on_table, np.eye(3), drop_m)
    return lifted.changed(ground_part=on_table.ground_part)


def _moved(assembly: Assembly, turn: Array, up_m: float) -> Assembly:
    """Every part turned about the world's origin, then lifted; loads go with them."""
    move = np.eye(4)
    move[:3, :3], move[2, 3] = turn, up_m
    parts = tuple(replace(part, T_world_part=move @ part.T_world_part) for part in assembly.parts)
    points = [None if load.point_m is None else turn @ load.point_m + move[:3, 3] for load in assembly.loads]
    loads = tuple(replace(load, point_m=point) for load, point in zip(assembly.loads, points, strict=True))
    return assembly.changed(parts=parts, loads=loads)


def _is_among(asked: list[Ramp], push: Push) -> bool:
    """Whether somebody asked for a push that grows to the same force on the same part, however fast."""
    return isinstance(push, Ramp) and any(
        push.part == one.part and np.array_equal(push.force_n, one.force_n) for one in asked
    )


def _ramp(world: World, action: Action, seconds: float) -> Ramp:
    """At the centre of the face that is uppermost at the start."""
    number = world.number(action.part)
    part = world.assembly.bodies[number]
    places = corners(part.shape) @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
    top = places[places[:, 2] >= places[:, 2].max() - 1e-6 * float(np.ptp(places))]
    point = part.T_world_part[:3, :3].T @ (top.mean(axis=0) - part.T_world_part[:3, 3])
    force, off = action.newtons * action.direction, action.way != "press"
    return Ramp(number, point, force, np.zeros(3), seconds, world.time_s, until_off=off)
