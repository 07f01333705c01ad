"""One build by drivers and cameras, real or dry, with all that is kept of it.

The controller is the one of the simulated cell. No referee sees the truth here: what was built is what the cameras saw.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.sight import Eyes
from falsework.execution.controls import Controls
from falsework.execution.driving import DrivenCell, Patience
from falsework.execution.dry_run import DryDriver, DryWorld
from falsework.execution.eyes import BrickEyes
from falsework.execution.facade import Stopped
from falsework.execution.guarding import GuardedCell
from falsework.execution.journal import Journal
from falsework.execution.recorded import COMMANDS, RecordedDriver
from falsework.execution.running import BuildDone, carried_out, journal_in, logged, watched
from falsework.execution.tiers.tasks import BuildTask
from falsework.execution.watching import Instant, Watcher
from falsework.model.arrays import Array
from falsework.model.errors import BadInput, FalseworkError, shown
from falsework.model.ports import Camera, Driver
from falsework.model.robots.cell import Cell
from falsework.model.robots.safety import Safety


@dataclass(frozen=True, slots=True, eq=False)
class Robot:
    """What moves and what sees, by the names that arms and cameras have in the cell's file."""

    drivers: Mapping[str, Driver]
    cameras: Mapping[str, Camera]
    patience: Patience | None = None


def robot_of(named: str, cell: Cell) -> Robot:
    """What `MODULE:FUNCTION` gives for a cell."""
    module, colon, function = named.partition(":")
    if not colon or not module or not function:
        raise BadInput(f"--robot: found {shown(named)}, expected MODULE:FUNCTION, a function that takes the cell")
    try:
        made = getattr(import_module(module), function)(cell)
    except FalseworkError:
        raise
    except Exception as why:  # whatever the user's own function does
        raise BadInput(f"--robot {shown(named)}: {type(why).__name__}: {why}") from why
    if not isinstance(made, Robot):
        raise BadInput(f"--robot {shown(named)}: found {shown(made)}, expected falsework.execution.real.Robot")
    return made


def run_driven(
    task: BuildTask,
    robot: Robot,
    settings: ControlSettings | None = None,
    *,
    out: Path | None = None,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
    safety: Safety | None = None,
    controls: Controls | None = None,
    watcher: Watcher | None = None,
) -> BuildDone:
    """Build a task's product with a robot; with `out`, the log and every command are kept there."""
    return _run(task, robot, None, settings, out, resume, progress, safety, controls or Controls(), watcher)


def run_dry(
    task: BuildTask,
    settings: ControlSettings | None = None,
    *,
    out: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    safety: Safety | None = None,
    controls: Controls | None = None,
    watcher: Watcher | None = None,
) -> BuildDone:
    """The same without arms and without physics: what would be done if all went well."""
    world = DryWorld(task.cell, task.product, task.loose)
    robot = Robot({one.name: DryDriver(world, one) for one in task.cell.arms}, world.cameras(task.seed))
    return _run(task, robot, world, settings, out, False, progress, safety, controls or Controls(), watcher)


def _run(
    task: BuildTask,
    robot: Robot,
    world: DryWorld | None,
    settings: ControlSettings | None,
    out: Path | None,
    resume: bool,
    progress: Callable[[int, int], None] | None,
    safety: Safety | None,
    controls: Controls,
    watcher: Watcher | None,
) -> BuildDone:
    journal = Journal() if out is None else journal_in(out, resume)
    cell = DrivenCell(
        task.cell,
        _recorded(task.cell, robot, out, world),
        robot.cameras,
        patience=robot.patience,
        most_n=(safety or task.cell.safety or Safety()).force_n,
        clock=None if world is None else (lambda: world.time_s),
        wait=None if world is None else world.wait,
    )
    controls.on_stop.append(cell.stop)
    eyes: Eyes = BrickEyes(task.cell, task.product)
    if watcher is not None:
        eyes = _watched(watcher, task, cell, world, eyes, journal)
    guarded = GuardedCell(cell, safety, controls)
    built = carried_out(task, guarded, eyes, journal, settings, progress)
    return BuildDone(built, None, logged(out), task.product.names, thought_s=guarded.thought_s)


def _recorded(cell: Cell, robot: Robot, out: Path | None, world: DryWorld | None) -> Mapping[str, Driver]:
    """Drivers whose commands are written down."""
    if out is None:
        return robot.drivers
    commands = Journal(out / COMMANDS)
    begun = time.monotonic()
    clock: Callable[[], float] = (lambda: time.monotonic() - begun) if world is None else (lambda: world.time_s)
    return {
        name: RecordedDriver(driver, cell.arm_named(name), commands, out, clock)
        for name, driver in robot.drivers.items()
    }


def _watched(
    watcher: Watcher, task: BuildTask, cell: DrivenCell, world: DryWorld | None, eyes: Eyes, journal: Journal
) -> Eyes:
    """Show a watcher arms and, of bricks, what a dry run knows; of real ones nobody knows where they are."""

    def instant() -> Instant:
        return Instant(cell.time_s, {one.name: cell.state(one.name) for one in task.cell.arms}, _poses(task, world))

    seeing, pace = watched(watcher, cell, task.product, instant, eyes, journal)

    def told(line: object) -> None:
        with contextlib.suppress(Stopped):  # of a cell that was stopped the last instant is known
            pace()

    journal.listeners.append(told)
    return seeing


def _poses(task: BuildTask, world: DryWorld | None) -> Array:
    """(n, 4, 4) of all bodies; bricks of a real cell are shown where they belong."""
    if world is None:
        return np.array([task.cell.T_world_structure @ one.T_world_part for one in task.product.bodies])
    plate = [] if world.plate is None else [world.plate]
    return np.array([one.T_world_part for one in (*world.parts, *plate)])
