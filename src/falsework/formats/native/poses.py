"""Where a part of our own format stands."""

from __future__ import annotations

import numpy as np

from falsework.formats.basics.brick_parts import grid_pose
from falsework.formats.basics.limits import MAX_COORDINATE
from falsework.formats.basics.node import Node
from falsework.formats.basics.rotations import read_quaternion
from falsework.model.arrays import Array
from falsework.model.poses import about
from falsework.model.shapes import BrickShape, Polygon, Shape

POSE_KEYS = ("at", "turn", "quaternion", "pose", "studs")
_MAY_MEET = ({"at", "turn"}, {"at", "quaternion"}, {"studs", "turn"}, {"pose"})
_Y, _Z = 1, 2


def read_pose(part: Node, shape: Shape, unit_m: float) -> Array:
    """T_world_part as the part states it, the identity where it states nothing."""
    stated = {key for key in POSE_KEYS if part.get(key) is not None}
    if not any(stated <= allowed for allowed in _MAY_MEET):
        found = ", ".join(key for key in POSE_KEYS if key in stated)
        raise part.wrong(f"found {found}, expected at with turn or quaternion, or studs with turn, or pose alone")
    if "pose" in stated:
        return _matrix(part["pose"], unit_m)
    if "studs" in stated:
        return _on_grid(part, shape)
    pose = np.eye(4)
    if "turn" in stated:
        pose[:3, :3] = _turned(part["turn"], shape)
    if "quaternion" in stated:
        pose[:3, :3] = read_quaternion(part["quaternion"])
    if "at" in stated:
        pose[:3, 3] = np.array(part["at"].numbers(3)) * unit_m
    return pose


def _matrix(node: Node, unit_m: float) -> Array:
    rows = node.table(4)
    if len(rows) not in (3, 4) or (len(rows) == 4 and rows[3].tolist() != [0, 0, 0, 1]):
        raise node.expected("three rows of four numbers, or four with [0, 0, 0, 1] last")
    pose = np.eye(4)
    pose[:3] = rows[:3]
    pose[:3, 3] *= unit_m
    return pose


def _on_grid(part: Node, shape: Shape) -> Array:
    if not isinstance(shape, BrickShape):
        raise part["studs"].wrong("only bricks stand on the stud grid; use at")
    farthest = int(MAX_COORDINATE)
    x, y, z = part["studs"].wholes(3, -farthest, farthest)
    measures = shape.kind.measures
    corner = (x * measures.pitch_m, y * measures.pitch_m, z * measures.plate_m)
    turn = part.get("turn")
    return grid_pose(shape.kind, corner, 0 if turn is None else _quarters(turn))


def _turned(turn: Node, shape: Shape) -> Array:
    if isinstance(shape, BrickShape):
        return about(_Z, 90.0 * _quarters(turn))
    if isinstance(shape, Polygon):
        return about(_Y, -turn.number())  # seen from −y, counter-clockwise is about −y
    return about(_Z, turn.number())


def _quarters(turn: Node) -> int:
    quarters, rest = divmod(turn.number(), 90.0)
    if rest:
        raise turn.wrong(f"{turn.value} is not a multiple of 90 degrees; bricks sit on the stud grid")
    return int(quarters) % 4
