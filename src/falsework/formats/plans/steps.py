"""The steps of a plan file: what is done to which parts, along which path, by which grasp and press."""

from __future__ import annotations

import numpy as np

from falsework.formats.basics.node import Node
from falsework.model.arrays import Array
from falsework.model.errors import shown
from falsework.model.plan import ACTIONS, GRASP_KINDS, SECURED, Grasp, Press, Step

MAX_POSES = 2_000  # of one path
RIGID = 1e-6  # how far R·Rᵀ may be from the identity

_STEP_KEYS = (
    "action", "part", "parts", "held", "path", "T_world_assembly", "utilization", "grasp", "robot", "press", "secured",
    "margin_deg", "grasped",
)  # fmt: skip


def read_step(node: Node) -> Step:
    """One step, of a plan or of how a group is put together."""
    node.only(_STEP_KEYS)
    action = node["action"].word(ACTIONS)
    keys = ("path", "T_world_assembly", "utilization", "robot", "secured", "margin_deg", "grasped")
    path, pose, share, robot, secured, margin, grasped = (node.get(key) for key in keys)
    with node.blamed():
        return Step(
            action,
            _parts(node),
            node["held"].names(),
            None if path is None else np.stack([read_pose(one) for one in _poses(path)]),
            None if pose is None else read_pose(pose),
            None if share is None else share.number(0),
            _grasp(node.get("grasp")),
            None if robot is None else robot.name(),
            _press(node.get("press")),
            None if secured is None else secured.word(SECURED),
            None if margin is None else margin.number(0),
            () if grasped is None else grasped.names(),
        )


def _poses(path: Node) -> list[Node]:
    poses = path.elements(MAX_POSES)
    if not poses:
        raise path.expected("one pose or more")
    return poses


def _parts(node: Node) -> tuple[str, ...]:
    """`part`, or `parts` whose first, where `part` is there too, is that one."""
    part, parts = node.get("part"), node.get("parts")
    if parts is None:
        return () if part is None else (part.name(),)
    names = parts.names()
    if not names:
        raise parts.expected("the names of the parts that move together")
    if part is not None and part.name() != names[0]:
        raise part.wrong(f"found {shown(part.name())}, expected the first of parts, {shown(names[0])}")
    return names


def read_pose(node: Node) -> Array:
    """A 4x4 matrix of a rotation and a translation, rows first."""
    rows = node.elements()
    if len(rows) != 4:
        raise node.expected("four rows of four numbers")
    pose = np.array([row.numbers(4) for row in rows])
    turn = pose[:3, :3]
    if np.abs(turn @ turn.T - np.eye(3)).max() > RIGID or np.linalg.det(turn) < 0 or pose[3].tolist() != [0, 0, 0, 1]:
        raise node.wrong("expected a rotation, a translation and the last row 0, 0, 0, 1")
    return pose


def _grasp(node: Node | None) -> Grasp | None:
    if node is None:
        return None
    node.only(("kind", "point", "closing", "approach", "width"))
    with node.blamed():
        vectors = [np.array(node[key].numbers(3)) for key in ("point", "closing", "approach")]
        return Grasp(vectors[0], vectors[1], vectors[2], node["width"].positive(), node["kind"].word(GRASP_KINDS))


def _press(node: Node | None) -> Press | None:
    if node is None:
        return None
    node.only(("force", "point", "utilization", "joints"))
    share, joints = node.get("utilization"), node.get("joints")
    rows = [] if joints is None else joints.elements()
    return Press(
        np.array(node["force"].numbers(3)),
        np.array(node["point"].numbers(3)),
        None if share is None else share.number(0),
        tuple(_joint(row) for row in rows),
    )


def _joint(node: Node) -> tuple[str, str, float]:
    node.only(("parts", "utilization"))
    names = node["parts"].names()
    if len(names) != 2:
        raise node["parts"].expected("two names")
    return names[0], names[1], node["utilization"].number(0)
