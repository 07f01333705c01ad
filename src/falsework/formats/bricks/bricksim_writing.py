"""Writes BrickSim topology JSON: parts, the clutches between them, and the poses of the fixed ones."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from falsework.formats.basics.grid import brick_kind
from falsework.formats.basics.losses import NO_GROUND, lost
from falsework.formats.bricks.bricksim import FORMAT, HOLE_INTERFACE, SCHEMA, STUD_INTERFACE
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.linking import components_of
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput, shown
from falsework.model.interfaces import Clutches
from falsework.model.part import Part
from falsework.model.poses import to_quaternion

_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_COLOR = re.compile(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})")


def losses(assembly: Assembly) -> list[str]:
    hinted = frozenset(part.name for part in _hinted(assembly, _clutches(assembly)))
    names = tuple(str(number) for number in _ids(assembly).values())
    plain = all(part.color is None or _COLOR.fullmatch(part.color) for part in assembly.parts)
    return lost(assembly, ground=NO_GROUND, names=names, fixed=hinted, colors=plain)


def dumps(assembly: Assembly) -> str:
    """An assembly of bricks and plates as JSON; names that are no whole numbers become running numbers."""
    clutches = _clutches(assembly)
    ids = _ids(assembly)
    document = {
        "schema": SCHEMA,
        "parts": [_part(part, ids[part.name]) for part in assembly.parts],
        "connections": _connections(assembly, clutches, ids),
        "pose_hints": [_hint(part, ids[part.name]) for part in _hinted(assembly, clutches)],
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _clutches(assembly: Assembly) -> Clutches:
    return interfaces(grounded(assembly, NO_GROUND)).clutches


def _ids(assembly: Assembly) -> dict[str, int]:
    """Names as whole numbers where all of them are, else running numbers."""
    if all(_NUMBER.fullmatch(name) for name in assembly.names):
        return {name: int(name) for name in assembly.names}
    return {name: number for number, name in enumerate(assembly.names)}


def _kind(part: Part) -> BrickType:
    kind = brick_kind(part, "system", FORMAT)
    if kind.family != ("plate" if kind.plates == 1 else "brick"):
        raise BadInput(f"{FORMAT} holds bricks and plates only; part {shown(part.name)} is a {kind}")
    return kind


def _part(part: Part, number: int) -> dict[str, Any]:
    kind = _kind(part)
    payload: dict[str, Any] = {"L": kind.length, "W": kind.width, "H": kind.plates}
    found = _COLOR.fullmatch(part.color or "")
    if found:
        payload["color"] = [int(channel, 16) for channel in found.groups()]
    return {"id": number, "type": "brick", "payload": payload}


def _connections(assembly: Assembly, clutches: Clutches, ids: dict[str, int]) -> list[dict[str, Any]]:
    rows = zip(clutches.bodies.tolist(), clutches.offsets.tolist(), clutches.turns.tolist(), strict=True)
    return [
        {
            "id": number,
            "stud_id": ids[assembly.parts[lower].name],
            "stud_iface": STUD_INTERFACE,
            "hole_id": ids[assembly.parts[upper].name],
            "hole_iface": HOLE_INTERFACE,
            "offset": offset,
            "yaw": turns,
        }
        for number, ((lower, upper), offset, turns) in enumerate(rows)
    ]


def _hinted(assembly: Assembly, clutches: Clutches) -> list[Part]:
    """The fixed parts, and the first part of every component that has none."""
    labels = components_of(len(assembly.parts), *clutches.bodies.T)
    fixed = [part.name in assembly.fixed for part in assembly.parts]
    held = set(labels[np.flatnonzero(fixed)].tolist())
    first = {int(label): number for number, label in reversed(list(enumerate(labels)))}
    loose = {number for label, number in first.items() if label not in held}
    return [part for number, part in enumerate(assembly.parts) if fixed[number] or number in loose]


def _hint(part: Part, number: int) -> dict[str, Any]:
    length, width, _ = _kind(part).size_m
    T = part.T_world_part
    position = T[:3, 3] + T[:3, :3] @ (length / 2, width / 2, 0.0)
    return {"part": number, "pos": position.tolist(), "rot": to_quaternion(T[:3, :3]).tolist()}
