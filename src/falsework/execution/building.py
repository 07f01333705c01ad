"""`falsework build`: a product of bricks, a cell, and a seed that says how the bricks lie before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from falsework.execution.control.settings import ControlSettings
from falsework.execution.controls import Controls
from falsework.execution.real import Robot, robot_of, run_driven, run_dry
from falsework.execution.running import BuildDone, run_task
from falsework.execution.tiers.disruptions import drawn
from falsework.execution.tiers.tasks import PLATE_STUDS, BuildTask, building_cell, on_plate, strewn
from falsework.execution.watching import Watcher
from falsework.formats.opening import READING, Reading, Source, opened
from falsework.formats.robots.cell_reading import load_cell
from falsework.geometry.contacts.ground import bounds_m
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickSystem
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.robots.cell import Camera, Cell
from falsework.model.robots.safety import Safety
from falsework.model.shapes import BrickShape
from falsework.model.verbs import verb
from falsework.perception.cameras.simulated import View
from falsework.robots.cells.kinds import cell_kinds, is_kind

SPARE_STUDS = 2  # of the plate, beyond the product, on each side
ON_ONE_TRAY = 12  # bricks; more wait on a second
NO_TIER = 0
PHYSICS = ("clutches", "stud-colliders")  # of a simulated cell


@verb(*READING)
def build(
    product: Source,
    *,
    cell: Cell | str | Path = "panda",
    seed: int = 0,
    ablate: Sequence[str] = (),
    disrupt: str | None = None,
    physics: str = PHYSICS[0],
    out: str | Path | None = None,
    resume: bool = False,
    settings: ControlSettings | None = None,
    progress: Callable[[int, int], None] | None = None,
    safety: Safety | None = None,
    controls: Controls | None = None,
    watcher: Watcher | None = None,
    dry_run: bool = False,
    robot: Robot | str | None = None,
    **reading: Unpack[Reading],
) -> BuildDone:
    """Build a product, or that in a file, with the arm of a simulated cell that sees through its cameras alone.

    `cell` is a cell, its file, or a kind such as `panda`, which gets a plate, trays and cameras. `ablate` names parts
    of the controller to leave out. `disrupt` is a kind of disruption that comes meanwhile; the controller is not told.
    `physics` is what holds bricks together: `clutches`, or `stud-colliders`, contact and friction alone.
    With `out`, the log and the last world are kept there, and `resume` goes on from them. `progress` is called with
    bricks in place and bricks in all. `safety` are limits that hold whatever the controller asks for, the cell's own
    unless told. `controls` pause, step and stop it from another thread; a `watcher`, such as `BuildFilm`, is shown
    everything that happens. `dry_run` has no physics and writes every command and track into `out`. `robot` builds with
    drivers and cameras instead: a `Robot`, or `MODULE:FUNCTION`, which makes one of the cell. The other options are
    those of `load`.

    >>> build("examples/arch.yaml")
    Traceback (most recent call last):
    ...
    falsework.model.errors.BadInput: 'right' is no brick of the catalogue; a build needs bricks
    """
    if resume and out is None:
        raise BadInput("--resume: goes on from what is in --out DIR; name that folder too")
    assembly = opened(product, reading)
    usual = settings or usual_settings(assembly)
    task = building_task(assembly, cell, seed, strew=robot is None)
    common: dict[str, Any] = {
        "out": None if out is None else Path(out), "progress": progress, "safety": safety,
        "controls": controls, "watcher": watcher,
    }  # fmt: skip
    if physics not in PHYSICS:
        raise BadInput(f"--physics {shown(physics)}: {did_you_mean(physics, PHYSICS)}")
    by_studs = physics != PHYSICS[0]
    if dry_run or robot is not None:
        _refuse_together(dry_run, robot, disrupt, resume, by_studs)
    if dry_run:
        return run_dry(task, usual.without(*ablate), **common)
    if robot is not None:
        made = robot if isinstance(robot, Robot) else robot_of(robot, task.cell)
        return run_driven(task, made, usual.without(*ablate), resume=resume, **common)
    disruption = None if disrupt is None else drawn(disrupt, task)
    return run_task(task, usual.without(*ablate), disruption=disruption, by_studs=by_studs, resume=resume, **common)


def usual_settings(product: Assembly) -> ControlSettings:
    """With time for every brick.

    >>> from falsework.gallery import make
    >>> usual_settings(make("duplo-single")).limit_s
    200.0
    """
    return ControlSettings(limit_s=max(ControlSettings().limit_s, 20.0 * len(product.parts)))


def _refuse_together(dry_run: bool, robot: object, disrupt: str | None, resume: bool, by_studs: bool) -> None:
    if dry_run and robot is not None:
        raise BadInput("--dry-run moves no robot; give it or --robot, not both")
    if disrupt is not None:
        raise BadInput("--disrupt: only a simulated cell is disrupted on purpose; leave it out")
    if by_studs:
        raise BadInput("--physics: only a simulated cell has one; leave it out")
    if dry_run and resume:
        raise BadInput("--resume: a dry run begins anew each time; leave it out")


def building_task(product: Assembly, cell: Cell | str | Path, seed: int = 0, strew: bool = True) -> BuildTask:
    """The product in the middle of the cell's plate, its bricks strewn on the cell's trays, or wherever they lie."""
    measures = _measures(product)
    span = np.ptp(bounds_m(product)[:, :2], axis=0) / measures.pitch_m
    if not isinstance(cell, Cell):
        if is_kind(cell):
            studs = max(PLATE_STUDS, int(np.ceil(span.max() - 1e-6)) + 2 * SPARE_STUDS)
            trays = 1 if len(product.parts) <= ON_ONE_TRAY else 2
            cell = building_cell(str(cell), studs, measures, trays)
        elif Path(cell).exists():
            cell = load_cell(cell)
        else:
            near = did_you_mean(str(cell), cell_kinds())
            raise BadInput(f"--cell {shown(str(cell))}: there is no such file, nor a kind of cell; {near}")
    cell, studs = _with_room_for_plate(cell, measures)
    if span.max() > studs + 1e-6:
        raise BadInput(
            f"cell {cell.name}: the product takes {np.ceil(span.max() - 1e-6):.0f} studs, the plate has {studs}; "
            "give a cell with more room"
        )
    _refuse_blind(cell)
    made = on_plate(product, studs)
    rng = np.random.default_rng([seed, len(product.parts)])
    return BuildTask(NO_TIER, 0, cell, made, strewn(made, cell.feeders, rng) if strew else {}, seed)


def _measures(product: Assembly) -> BrickSystem:
    """Of the make of all bricks."""
    for part in product.parts:
        if not isinstance(part.shape, BrickShape):
            raise BadInput(f"{shown(part.name)} is no brick of the catalogue; a build needs bricks")
    if not product.parts:
        raise BadInput("the product has no parts; there is nothing to build")
    makes = {part.shape.kind.measures.name: part.shape.kind.measures for part in product.parts}  # type: ignore[union-attr]
    if len(makes) > 1:
        raise BadInput(f"the product has bricks of several makes: {', '.join(sorted(makes))}; expected one")
    return next(iter(makes.values()))


def _with_room_for_plate(cell: Cell, measures: BrickSystem) -> tuple[Cell, int]:
    """The cell with its structure's origin at the least corner of its room, a plate's thickness above the table."""
    if cell.room_m is None:
        raise BadInput(f"cell {cell.name}: structure: room is not told; a build needs it to know where its plate is")
    studs = int(np.floor(np.ptp(cell.room_m[:, :2], axis=0).min() / measures.pitch_m + 1e-6))
    T = np.array(cell.T_world_structure)
    T[:3, 3] += T[:3, :3] @ np.append(cell.room_m[0, :2], 0.0)
    table_m = -np.inf if cell.table is None else cell.table.top_m[2]
    T[2, 3] = max(T[2, 3], table_m + measures.plate_m)
    room = cell.room_m - np.append(cell.room_m[0, :2], 0.0)
    return replace(cell, T_world_structure=T, room_m=room), studs


def _refuse_blind(cell: Cell) -> None:
    """A build needs cameras that see where bricks wait and where they go."""
    standing = [camera for camera in cell.cameras if camera.arm is None]
    if not standing:
        raise BadInput(f"cell {cell.name}: it has no camera that stands; a build needs one that sees the bricks")
    if not cell.feeders:
        raise BadInput(f"cell {cell.name}: it has no feeder; a build needs one where bricks wait")
    assert cell.room_m is not None
    middle = np.append(cell.room_m[:, :2].mean(axis=0), [0.0, 1.0])
    places = {"the plate": (cell.T_world_structure @ middle)[:3]}
    places |= {f"feeder {shown(one.name)}": one.T_world_feeder[:3, 3] for one in cell.feeders}
    for place, point in places.items():
        if not any(_sees(camera, point) for camera in standing):
            raise BadInput(f"cell {cell.name}: no camera sees {place}; a build needs one that does")


def _sees(camera: Camera, point_m: Array) -> bool:
    view = View.of(camera, np.eye(4))
    T = view.T_base_cam
    at = T[:3, :3].T @ (point_m - T[:3, 3])
    if at[2] <= 0:
        return False
    u, v = (view.K @ (at / at[2]))[:2]
    return bool(0 <= u < view.pixels[0] and 0 <= v < view.pixels[1])
