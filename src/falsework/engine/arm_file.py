"""Arms from MJCF files, as MuJoCo itself reads them: defaults, includes, meshes and all."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from falsework.engine.library import mujoco
from falsework.formats.basics.text import read_text
from falsework.formats.robots.link_tree import TURN, Cloud, Tree, TreeBody, TreeJoint
from falsework.formats.robots.urdf import capsule_cloud, cylinder_cloud
from falsework.model.arrays import Array
from falsework.model.errors import BadFile, one_line
from falsework.model.poses import exponential, inverse, to_rotation
from falsework.model.robots.arm import Arm
from falsework.model.shapes import box


def read_mjcf_arm(path: str | Path, base: str | None = None, flange: str | None = None) -> Arm:
    """The arm of an MJCF file between two bodies or sites: the only one in the world and its only end, unless named."""
    file = Path(path)
    read_text(file)  # says what is wrong with the file itself
    try:
        model = mujoco().MjModel.from_xml_path(str(file))
    except ValueError as why:
        raise BadFile(file, "", f"MuJoCo cannot read it: {one_line(why)}") from why
    return _tree(file, model).arm(file.stem, _only_child(file, model) if base is None else base, flange)


def _only_child(path: Path, model: Any) -> str:
    """The one body that stands in the world."""
    children = [number for number in range(1, model.nbody) if model.body_parentid[number] == 0]
    if len(children) != 1:
        raise BadFile(path, "", f"found {len(children)} bodies in the world, expected one; name the arm's base")
    return _called(model.body(children[0]).name, children[0])


def _tree(path: Path, model: Any) -> Tree:
    """Bodies and sites. A body's joints, each at a place of its own, become bodies between it and its parent."""
    tree = Tree(path)
    for number in range(model.nbody):
        body = model.body(number)
        name = _called(body.name, number)
        parent = None if number == 0 else _called(model.body(int(body.parentid[0])).name, int(body.parentid[0]))
        T = _pose(body.pos, body.quat)
        for k in range(int(body.jntnum[0])):
            joint = model.joint(int(body.jntadr[0]) + k)
            above = f"{name}/{joint.name or k}"
            place = np.eye(4)
            place[:3, 3] = joint.pos
            tree.bodies[above] = TreeBody(above, parent, T @ place @ _reference(model, joint), _joint(model, joint))
            parent, T = above, inverse(place)
        tree.bodies[name] = TreeBody(name, parent, T, None, partial(_clouds, model, number))
    for number in range(model.nsite):
        site = model.site(number)
        if site.name and site.name not in tree.bodies:
            on = int(site.bodyid[0])
            T, parent = _pose(site.pos, site.quat), _called(model.body(on).name, on)
            tree.bodies[site.name] = TreeBody(site.name, parent, T, is_mark=True)
    return tree


def _called(name: str, number: int) -> str:
    return name or f"body {number}"


def _pose(at: Array, quaternion: Array) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = to_rotation(np.asarray(quaternion, dtype=np.float64)), at
    return T


def _reference(model: Any, joint: Any) -> Array:
    """MuJoCo draws a joint at its reference position as the file has it; ours is drawn at 0."""
    before = -float(model.qpos0[int(joint.qposadr[0])])
    axis = np.asarray(joint.axis, dtype=np.float64)
    kinds = mujoco().mjtJoint
    if int(joint.type[0]) == kinds.mjJNT_SLIDE:
        return exponential(np.concatenate([before * axis, np.zeros(3)]))
    return exponential(np.concatenate([np.zeros(3), before * axis]))


def _joint(model: Any, joint: Any) -> TreeJoint:
    kinds = mujoco().mjtJoint
    kind = int(joint.type[0])
    refused = _tied(model, joint.id) if kind in (kinds.mjJNT_HINGE, kinds.mjJNT_SLIDE) else "is free or a ball"
    limited = int(model.jnt_limited[joint.id])
    lower, upper = map(float, joint.range) if limited else (-TURN, TURN)
    axis = np.asarray(joint.axis, dtype=np.float64)
    name = joint.name or f"joint {joint.id}"
    turns = kind != kinds.mjJNT_SLIDE
    return TreeJoint(name, "revolute" if turns else "prismatic", axis, lower, upper, refused=refused)


def _tied(model: Any, number: int) -> str:
    """Why a joint does not move by itself, where an equality of joints says so."""
    for one in np.flatnonzero(np.asarray(model.eq_type) == int(mujoco().mjtEq.mjEQ_JOINT)):
        if int(model.eq_obj1id[one]) == number:
            other = int(model.eq_obj2id[one])
            return "is held in place" if other < 0 else f"mimics {model.joint(other).name or f'joint {other}'!r}"
    return ""


def _clouds(model: Any, body: int) -> list[Cloud]:
    """The solids of a body that can collide; where none of the model can, all of them."""
    collides = (model.geom_contype | model.geom_conaffinity) != 0
    wanted = collides if collides.any() else np.ones(model.ngeom, bool)
    found = []
    for number in np.flatnonzero((model.geom_bodyid == body) & wanted):
        cloud = _cloud(model, int(number))
        if cloud is not None:
            T = _pose(model.geom_pos[number], model.geom_quat[number])
            found.append(Cloud(cloud.points @ T[:3, :3].T + T[:3, 3], cloud.radius_m))
    return found


def _cloud(model: Any, number: int) -> Cloud | None:
    kinds = mujoco().mjtGeom
    kind, size = int(model.geom_type[number]), model.geom_size[number]
    if kind == kinds.mjGEOM_SPHERE:
        return Cloud(np.zeros((1, 3)), float(size[0]))
    if kind == kinds.mjGEOM_CAPSULE:
        return capsule_cloud(float(size[0]), 2 * float(size[1]))
    if kind == kinds.mjGEOM_CYLINDER:
        return cylinder_cloud(float(size[0]), 2 * float(size[1]))
    if kind in (kinds.mjGEOM_BOX, kinds.mjGEOM_ELLIPSOID):
        return Cloud(box((2.0, 2.0, 2.0)).vertices * size - size)
    if kind == kinds.mjGEOM_MESH:
        return _mesh_cloud(model, int(model.geom_dataid[number]))
    return None  # a plane or a height field is no part of an arm


def _mesh_cloud(model: Any, mesh: int) -> Cloud:
    first = int(model.mesh_vertadr[mesh])
    points = model.mesh_vert[first : first + int(model.mesh_vertnum[mesh])]
    return Cloud(np.asarray(points, dtype=np.float64))
