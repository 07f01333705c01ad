"""The published tasks of APEX-MR: two GP4 that face each other build with bricks, taken by their studs.

The order is the published one; arms take turns, each from a tray of its own. Left out are bricks that hang from
others, which are put on from below (one each of cliff and faucet), and the hands that support from below while a brick
is pressed.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from falsework.bench.motions.top_down import Job, top_down
from falsework.formats import load
from falsework.formats.robots.catalogue import arm_named, tool_named
from falsework.geometry.shapes.convex_pieces import pieces_of
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.plan import Rules
from falsework.model.robots.cell import Cell, CellArm, Feeder, Table
from falsework.model.robots.task import CellPlan
from falsework.model.robots.tool import Tool, ToolBody
from falsework.model.shapes import box

TASKS = ("tower", "cliff", "faucet", "bridge")
APART_M = 0.88  # between the arms' bases
PRESS_N = 1.2
FROM_ABOVE = 0


def apex_plan(path: Path) -> tuple[CellPlan, Assembly]:
    """What two arms do for a task, one after the other."""
    bricks = load(path)
    told = json.loads(path.read_text(encoding="utf-8"))
    order = [name for name in told if name in bricks.names and told[name]["manipulate_type"] == FROM_ABOVE]
    arms = ("left", "right")
    jobs = [Job(name, arms[k % 2]) for k, name in enumerate(order)]
    rest = tuple(name for name in bricks.names if name not in order)
    first, second = (tuple(job.part for job in jobs if job.arm == arm) for arm in arms)
    cell = apex_cell(bricks, ((*first, *rest), second))
    return top_down(cell, bricks, jobs, Rules(robots=2, press_n=PRESS_N)), bricks


def apex_cell(bricks: Assembly, parts: tuple[tuple[str, ...], ...]) -> Cell:
    """Two GP4 with the structure between them, and a tray for each at its right hand."""
    tool = one_by_two()
    corners = np.concatenate(
        [
            pieces_of(part.shape).hull.vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
            for part in bricks.parts
        ]
    )
    middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    structure = _at(-middle[0], -middle[1], 0.01 - corners[:, 2].min())
    placed = [
        CellArm("left", arm_named("gp4"), tool, _at(-APART_M / 2, 0.0, 0.0)),
        CellArm("right", arm_named("gp4"), tool, _at(APART_M / 2, 0.0, 0.0, np.pi)),
    ]
    trays = [
        Feeder("left tray", _at(-0.4, -0.36, 0.0), (0.3, 0.16), parts=parts[0], gap_m=0.02),
        Feeder("right tray", _at(0.4, 0.36, 0.0), (0.3, 0.16), parts=parts[1], gap_m=0.02),
    ]
    return Cell("two-gp4", tuple(placed), tuple(trays), structure, table=Table((0.0, 0.0, 0.0), (1.6, 1.2)))


def one_by_two() -> Tool:
    """A stud tool that takes a brick by two studs, so that it goes between neighbours."""
    known = tool_named("stud-tool")
    stem, plate = (ToolBody(name, _box(size, z), np.zeros(3)) for name, size, z in (
        ("stem", (0.008, 0.008, 0.05), 0.025), ("plate", (0.0158, 0.0078, 0.01), 0.055),
    ))  # fmt: skip
    return replace(known, name="stud-tool-1x2", bodies=(stem, plate), pad_m=(0.016, 0.008))


def _box(size: tuple[float, float, float], z: float) -> Array:
    corners: Array = box(size).vertices - 0.5 * np.array(size) + (0.0, 0.0, z)
    return corners


def _at(x: float, y: float, z: float, turn: float = 0.0) -> Array:
    T = np.eye(4)
    T[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    T[:3, 3] = x, y, z
    return T
