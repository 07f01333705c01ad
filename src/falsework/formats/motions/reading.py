"""Motions, `falsework-motion/1`: reading them. Written by `formats.motions.writing`.

A motion is two files, JSON and NumPy's `.npz`, beside the plan and the cell that it is for:

    format            falsework-motion/1
    plan, cell, rows  files, relative to this one, with the SHA-256 of each: a plan, a cell, the rows of joints
    T_world_assembly  4 x 4, where the assembly stands in the cell
    arms              name, model, tool and joint names of each arm, in the cell's order; limits that were assumed
    makespan_s, one_by_one_s, bound_s    how long it takes; if one arm moved at a time; no schedule goes below
    steps_s           when each step of the plan is done
    segments          what an arm does from begin_s to end_s: kind (transit, approach, retreat, grip, release, press,
                      wait, hold, turn), task, `to` (a waypoint), and for presses guard: {until_n, stop_n}
    commands          of hands: opening_m when it is done, and force_n with which the hand then holds
    grips             a hand is closed on parts, the first of them gripped: with which grasp
    stays             where a part is: `T` 4 x 4 in the world; with `arm`, in the frame of that arm's tool point, or,
                      where that is `rotary`, in the turntable's: its origin the middle, z up, turning with it
    provenance        as in plans

The `.npz` has four arrays for each arm, and for a turntable, which is called `rotary`: `ARM/times_s` (k,), `ARM/q`,
`ARM/speed`, `ARM/acceleration` (k, n). Between two rows a joint follows the polynomial of degree five that has the
positions, speeds and accelerations of both. Times are s from the beginning, angles rad, lengths m, forces N. `end_s` is
null where something lasts until the end.
"""

from __future__ import annotations

import io
import math
import os
import zipfile
from hashlib import sha256
from pathlib import Path

import numpy as np

from falsework.formats.basics.limits import MAX_MESH_BYTES
from falsework.formats.basics.node import Node
from falsework.formats.basics.parsing import load_json
from falsework.formats.basics.text import read_bytes, read_text
from falsework.formats.plans.reading import read_plan, read_provenance
from falsework.formats.plans.steps import read_pose
from falsework.formats.robots.cell_reading import load_cell
from falsework.model.arrays import Array
from falsework.model.errors import BadFile, shown
from falsework.model.provenance import Provenance
from falsework.model.robots.cell import Cell
from falsework.model.robots.grasp import GRIP_KINDS, Grasp
from falsework.model.robots.motion import (
    MOTION_FORMAT,
    SEGMENT_KINDS,
    Grip,
    GripCommand,
    Guard,
    Motion,
    Segment,
    Stay,
    Track,
)

MOST = 1_000_000  # segments, commands, grips or stays
LONGEST_S = 1e7
COLUMNS = ("times_s", "q", "speed", "acceleration")
_KEYS = (
    "format", "plan", "cell", "rows", "T_world_assembly", "arms", "makespan_s", "one_by_one_s", "bound_s", "steps_s",
    "segments", "commands", "grips", "stays", "provenance",
)  # fmt: skip


def is_motion(path: str | os.PathLike[str]) -> bool:
    """Whether a file says of itself that it is a motion; looks at its beginning only."""
    try:
        with Path(path).open("rb") as stream:
            return f'"{MOTION_FORMAT}"'.encode() in stream.read(256)
    except (OSError, ValueError):  # a name that no file can have
        return False


def read_motion(path: str | os.PathLike[str]) -> Motion:
    """The motion in a file, with the plan and the cell that it names; BadFile if these have changed since."""
    file = Path(path)
    root = load_json(file, read_text(file))
    if root["format"].value != MOTION_FORMAT:
        raise root["format"].expected(repr(MOTION_FORMAT))
    root.only(_KEYS)
    plan, cell = read_plan(_unchanged(root["plan"])), load_cell(_unchanged(root["cell"]))
    one_by_one, bound, provenance = (root.get(key) for key in ("one_by_one_s", "bound_s", "provenance"))
    with root.blamed():
        return Motion(
            plan,
            cell,
            read_pose(root["T_world_assembly"]),
            _tracks(root["rows"], cell),
            tuple(_command(node) for node in root["commands"].elements(MOST)),
            tuple(_segment(node) for node in root["segments"].elements(MOST)),
            tuple(_grip(node) for node in root["grips"].elements(MOST)),
            tuple(_stay(node) for node in root["stays"].elements(MOST)),
            tuple(node.number(0, LONGEST_S) for node in root["steps_s"].elements(MOST)),
            None if one_by_one is None else one_by_one.number(0, LONGEST_S),
            None if bound is None else bound.number(0, LONGEST_S),
            Provenance() if provenance is None else read_provenance(provenance),
        )


def _unchanged(node: Node) -> Path:
    """A file that is named, as long as it is the one that was there when the motion was made."""
    node.only(("path", "sha256"))
    named = node["path"].text()
    if not named or not named.isprintable() or Path(named).is_absolute():
        raise node["path"].expected("a path relative to this file")
    path = node.path.parent / named
    found = sha256(read_bytes(path, MAX_MESH_BYTES)).hexdigest()
    if found != node["sha256"].text():
        raise BadFile(
            path, "", f"has changed since the motion was made: sha256 {found}, expected {node['sha256'].value}"
        )
    return path


def _tracks(node: Node, cell: Cell) -> tuple[Track, ...]:
    path = _unchanged(node)
    try:
        with np.load(io.BytesIO(read_bytes(path, MAX_MESH_BYTES)), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    except (ValueError, OSError, zipfile.BadZipFile, KeyError) as why:
        raise BadFile(path, "", f"is not an .npz of plain arrays: {why}") from why
    tracks = []
    for one in cell.movers:
        columns: list[Array] = []
        for name in COLUMNS:
            found = arrays.get(f"{one.name}/{name}")
            if found is None or found.dtype.kind != "f" or found.ndim != (1 if name == "times_s" else 2):
                raise BadFile(path, "", f"expected rows of numbers {shown(f'{one.name}/{name}')}")
            columns.append(found.astype(np.float64))
        try:
            tracks.append(Track(one.name, *columns))
        except ValueError as why:
            raise BadFile(path, "", f"arm {shown(one.name)}: {why}") from why
    return tuple(tracks)


def _command(node: Node) -> GripCommand:
    node.only(("arm", "begin_s", "end_s", "opening_m", "force_n"))
    begin, end = _times(node)
    return GripCommand(node["arm"].name(), begin, end, node["opening_m"].number(0), node["force_n"].number(0))


def _segment(node: Node) -> Segment:
    node.only(("arm", "kind", "begin_s", "end_s", "task", "to", "guard"))
    guard, to = node.get("guard"), node.get("to")
    begin, end = _times(node)
    with node.blamed():
        return Segment(
            node["arm"].name(),
            node["kind"].word(SEGMENT_KINDS),
            begin,
            end,
            node["task"].whole(-1, MOST),
            "" if to is None else to.text(),
            None if guard is None else Guard(guard["until_n"].number(0), guard["stop_n"].number(0)),
        )


def _grip(node: Node) -> Grip:
    node.only(("arm", "parts", "begin_s", "end_s", "grasp"))
    begin, end = _times(node)
    told = node["grasp"]
    told.only(("part", "kind", "T_part_tool", "opening_m", "open_m", "force_n", "margin"))
    with node.blamed():
        grasp = Grasp(
            told["part"].name(),
            told["kind"].word(GRIP_KINDS),
            read_pose(told["T_part_tool"]),
            *(told[key].number(0) for key in ("opening_m", "open_m", "force_n", "margin")),
        )
        return Grip(node["arm"].name(), node["parts"].names(), begin, end, grasp)


def _stay(node: Node) -> Stay:
    node.only(("part", "begin_s", "end_s", "arm", "T"))
    arm = node.get("arm")
    begin, end = _times(node)
    return Stay(node["part"].name(), begin, end, read_pose(node["T"]), None if arm is None else arm.name())


def _times(node: Node) -> tuple[float, float]:
    end = node.get("end_s")
    return node["begin_s"].number(0, LONGEST_S), math.inf if end is None else end.number(0, LONGEST_S)
