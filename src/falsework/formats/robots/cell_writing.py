"""Writes `falsework-cell/1`. Reading it back gives the same cell, to rounding of the degrees in which joints wait."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from falsework.formats.basics.atomic import write_whole
from falsework.formats.native.writing import plain_yaml, shape_document
from falsework.formats.robots.catalogue import arm_names, tool_named, tool_names
from falsework.formats.robots.cell_reading import FORMAT
from falsework.model.arrays import Array
from falsework.model.errors import BadInput, shown
from falsework.model.poses import about
from falsework.model.robots.cell import Camera, Cell, CellArm, Feeder, Rotary, Table
from falsework.model.robots.safety import Safety
from falsework.model.robots.tool import Tool


def save_cell(cell: Cell, path: str | Path) -> None:
    """Write a cell as YAML; the file appears whole or not at all.

    >>> import tempfile
    >>> from falsework import new_cell
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_cell(new_cell("two-panda"), f"{folder}/cell.yaml")
    """
    write_whole(path, cell_text(cell))


def cell_text(cell: Cell) -> str:
    """A cell as YAML.

    >>> from falsework import new_cell
    >>> cell_text(new_cell("two-panda")).splitlines()[0]
    'format: falsework-cell/1'
    """
    structure: dict[str, Any] = _pose(cell.T_world_structure)
    if cell.room_m is not None:
        structure["room"] = cell.room_m.tolist()
    document: dict[str, Any] = {"format": FORMAT, "name": cell.name, "arms": [_arm(one) for one in cell.arms]}
    document["structure"] = structure or {"at": [0.0, 0.0, 0.0]}
    if cell.table is not None:
        document["table"] = _table(cell.table)
    document["feeders"] = [_feeder(one) for one in cell.feeders]
    if cell.obstacles:
        document["obstacles"] = [
            {"name": one.name, **shape_document(one.shape), **_pose(one.T_world_obstacle)} for one in cell.obstacles
        ]
    if cell.cameras:
        document["cameras"] = [_camera(one) for one in cell.cameras]
    if cell.rotary is not None:
        document["rotary"] = _rotary(cell.rotary)
    if cell.safety is not None:
        document["safety"] = _safety(cell.safety)
    return plain_yaml(document)


def _arm(one: CellArm) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": one.name}
    if one.file is not None:
        entry["arm"] = one.file.path
        entry |= {key: value for key in ("base", "flange") if (value := getattr(one.file, key)) is not None}
        if one.arm.payload_kg is not None:
            entry["payload"] = one.arm.payload_kg
    elif one.arm.name in arm_names():
        entry["arm"] = one.arm.name
    else:
        raise BadInput(f"arm {shown(one.name)}: a cell file names arms that are files or come with the house")
    entry["tool"] = _tool(one.tool)
    entry |= _pose(one.T_world_base)
    if not np.array_equal(one.home, one.arm.home):
        turns = [joint.kind == "revolute" for joint in one.arm.joints]
        entry["home"] = [math.degrees(q) if turn else q for q, turn in zip(one.home.tolist(), turns, strict=True)]
    return entry


def _tool(tool: Tool) -> str | dict[str, Any]:
    if tool.name in tool_names() and _same(tool, tool_named(tool.name)):
        return tool.name
    return {
        "name": tool.name,
        "kind": tool.kind,
        "mass_kg": tool.mass_kg,
        "opening": list(tool.opening_m),
        "force": list(tool.force_n),
        "pad": list(tool.pad_m),
        "friction": tool.friction,
        "point": _frame(tool.T_flange_tool),
        "body": [
            {"name": body.name, "hull": body.corners_m.tolist(), "opens": body.travel.tolist()} for body in tool.bodies
        ],
    }


def _same(first: Tool, second: Tool) -> bool:
    """Two tools are alike in all that a file says of one."""
    plain = ("kind", "opening_m", "force_n", "pad_m", "friction", "mass_kg")
    alike = all(getattr(first, name) == getattr(second, name) for name in plain)
    alike = alike and np.array_equal(first.T_flange_tool, second.T_flange_tool)
    return (
        alike
        and len(first.bodies) == len(second.bodies)
        and all(
            np.array_equal(one.corners_m, other.corners_m) and np.array_equal(one.travel, other.travel)
            for one, other in zip(first.bodies, second.bodies, strict=True)
        )
    )


def _frame(T: Array) -> dict[str, Any]:
    """A frame as `at` and three angles about the fixed axes, in degrees."""
    R = T[:3, :3]
    pitch = math.asin(min(1.0, max(-1.0, -R[2, 0])))
    if abs(R[2, 0]) < 1 - 1e-12:
        roll, yaw = math.atan2(R[2, 1], R[2, 2]), math.atan2(R[1, 0], R[0, 0])
    else:
        roll, yaw = math.atan2(-R[1, 2], R[1, 1]), 0.0
    return {"at": T[:3, 3].tolist(), "turn": [math.degrees(angle) for angle in (roll, pitch, yaw)]}


def _pose(T: Array) -> dict[str, Any]:
    """As short as it can be said exactly."""
    at = {"at": T[:3, 3].tolist()} if T[:3, 3].any() else {}
    if np.array_equal(T[:3, :3], np.eye(3)):
        return at
    degrees = math.degrees(math.atan2(T[1, 0], T[0, 0]))
    for turn in (round(degrees), round(degrees) % 360, degrees):
        if np.array_equal(T[:3, :3], about(2, float(turn))):
            return {**at, "turn": turn}
    return {"pose": T[:3].tolist()}


def _table(table: Table) -> dict[str, Any]:
    return {"at": list(table.top_m), "size": list(table.size_m), "thickness": table.thickness_m}


def _feeder(one: Feeder) -> dict[str, Any]:
    entry = {"name": one.name, "kind": one.kind, **_pose(one.T_world_feeder), "size": list(one.size_m), "lie": one.lie}
    return {**entry, "gap": one.gap_m, **({"parts": list(one.parts)} if one.parts else {})}


def _camera(one: Camera) -> dict[str, Any]:
    entry = {"name": one.name} if one.arm is None else {"name": one.name, "arm": one.arm}
    return {**entry, **_pose(one.T_mount_camera), "view": one.view_deg, "pixels": list(one.pixels)}


def _rotary(one: Rotary) -> dict[str, Any]:
    limits = [math.degrees(one.lower), math.degrees(one.upper)]
    told: dict[str, Any] = {"at": list(one.centre_m), "range": limits, "speed": math.degrees(one.speed)}
    if one.tilt is not None:
        tilt = one.tilt
        told["tilt"] = {
            "radius": tilt.radius_m, "axis": math.degrees(tilt.axis),
            "range": [math.degrees(tilt.lower), math.degrees(tilt.upper)],
            "speed": math.degrees(tilt.speed), "clamp": tilt.clamp_n,
        }  # fmt: skip
    return told


def _safety(one: Safety) -> dict[str, Any]:
    speed = {} if one.speed_m_s is None else {"speed": one.speed_m_s}
    return {"box": [list(one.low_m), list(one.high_m)], "force": one.force_n, **speed, "share": one.share}
