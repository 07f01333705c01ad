"""A cell as an MJCF scene: capsules, boxes and hulls from the same data that kinematics and collisions use.

Bodies are called `ARM/base`, `ARM/JOINT` (the link behind that joint) and `ARM/BODY` (of the tool); joints `ARM/JOINT`
and `ARM/fingers…`; sites `ARM/flange`, `ARM/tool`, `structure` and the feeders' names. Every joint of an arm has a
position actuator of its name. Links are held against gravity, as arms hold themselves. A turntable is an arm of one
joint, `rotary/turn`, a positioner one of two, `rotary/tilt` before it.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np

from falsework.geometry.shapes.convex_pieces import pieces_of
from falsework.model.arrays import Array
from falsework.model.poses import to_quaternion
from falsework.model.robots.arm import Joint
from falsework.model.robots.cell import Camera, Cell, CellArm
from falsework.model.robots.tool import ToolBody

DENSITY = 300.0  # kg/m³ of links and tools, which are mostly hollow
ARMATURE = 0.1  # kg·m², or kg where a joint slides
STIFFNESS = 2000.0  # N·m/rad, or N/m
SQUARE = 1e-6  # relative: how far corners may be from those of a box
LINK_COLOR, TOOL_COLOR, TABLE_COLOR, OBSTACLE_COLOR = (
    "0.9 0.9 0.92 1",
    "0.25 0.27 0.3 1",
    "0.75 0.7 0.6 1",
    "0.6 0.6 0.6 1",
)


def cell_mjcf(cell: Cell) -> str:
    """The scene as XML text.

    >>> from falsework import new_cell
    >>> cell_mjcf(new_cell("panda")).count("<joint name=")
    9
    """
    return _Writer(cell).text()


class _Writer:
    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self.root = ET.Element("mujoco", model=cell.name)
        _add(self.root, "compiler", angle="radian", autolimits="true")
        _add(self.root, "option", timestep="0.002", integrator="implicitfast")
        self.assets = _add(self.root, "asset")
        self.world = _add(self.root, "worldbody")
        self.contact = _add(self.root, "contact")
        self.equality = _add(self.root, "equality")
        self.actuators = _add(self.root, "actuator")
        self.meshes = 0

    def text(self) -> str:
        _add(self.world, "light", pos="0 0 4", dir="0 0 -1", directional="true")
        self._standing()
        for one in self.cell.movers:
            self._arm(one)
        for camera in self.cell.cameras:
            if camera.arm is None:
                self._camera(self.world, camera)
        ET.indent(self.root)
        return ET.tostring(self.root, encoding="unicode") + "\n"

    def _standing(self) -> None:
        cell = self.cell
        if cell.table is not None:
            x, y = cell.table.size_m
            half = 0.5 * np.array([x, y, cell.table.thickness_m])
            middle = np.array(cell.table.top_m) - (0.0, 0.0, half[2])
            _add(self.world, "geom", name="table", type="box", size=_list(half), pos=_list(middle), rgba=TABLE_COLOR)
        for obstacle in cell.obstacles:
            body = _add(self.world, "body", name=obstacle.name, **_placed(obstacle.T_world_obstacle))
            for piece in pieces_of(obstacle.shape).all:
                self._hull(body, piece.vertices, OBSTACLE_COLOR)
        _add(self.world, "site", name="structure", **_placed(cell.T_world_structure))
        for feeder in cell.feeders:
            _add(self.world, "site", name=feeder.name, **_placed(feeder.T_world_feeder))

    def _arm(self, one: CellArm) -> None:
        base = _add(self.world, "body", name=f"{one.name}/base", **_placed(one.T_world_base))
        bodies = [base]
        self._capsules(one, base, 0)
        for number, joint in enumerate(one.arm.joints, start=1):
            link = _add(
                bodies[-1], "body", name=f"{one.name}/{joint.name}", gravcomp="1", **_placed(joint.T_parent_joint)
            )
            self._joint(link, f"{one.name}/{joint.name}", joint)
            self._capsules(one, link, number)
            bodies.append(link)
        solid = {capsule.link for capsule in one.arm.capsules} | ({len(one.arm.joints)} if one.tool.bodies else set())
        for number, link in enumerate(bodies):
            if number and number not in solid:  # what moves must weigh something
                _add(link, "inertial", pos="0 0 0", mass="0.01", diaginertia="1e-5 1e-5 1e-5")
        flange = _add(bodies[-1], "body", name=f"{one.name}/flange", gravcomp="1", **_placed(one.arm.T_last_flange))
        _add(flange, "site", name=f"{one.name}/flange")
        _add(flange, "site", name=f"{one.name}/tool", **_placed(one.tool.T_flange_tool))
        names = [body.get("name", "") for body in bodies]
        near = self._excluded(one, names)
        self._tool(one, flange, near)
        for camera in self.cell.cameras:
            if camera.arm == one.name:
                self._camera(flange, camera)

    def _joint(self, link: ET.Element, name: str, joint: Joint) -> None:
        kind = "hinge" if joint.kind == "revolute" else "slide"
        damping = 2.0 * float(np.sqrt(STIFFNESS * ARMATURE))
        _add(
            link, "joint", name=name, type=kind, axis=_list(joint.axis), range=_list([joint.lower, joint.upper]),
            damping=_number(damping), armature=_number(ARMATURE),
        )  # fmt: skip
        _add(
            self.actuators, "position", name=name, joint=name, kp=_number(STIFFNESS),
            ctrlrange=_list([joint.lower, joint.upper]),
        )  # fmt: skip

    def _capsules(self, one: CellArm, body: ET.Element, link: int) -> None:
        for capsule in one.arm.capsules:
            if capsule.link == link:
                ball = bool(np.allclose(capsule.start_m, capsule.end_m, atol=1e-9))
                shape = {"type": "sphere", "pos": _list(capsule.start_m)} if ball else {
                    "type": "capsule", "fromto": _list([*capsule.start_m, *capsule.end_m])
                }  # fmt: skip
                _add(body, "geom", size=_number(capsule.radius_m), density=_number(DENSITY), rgba=LINK_COLOR, **shape)

    def _tool(self, one: CellArm, flange: ET.Element, near: list[str]) -> None:
        """What does not move with the opening lies on the flange; the rest shares a slide for each way to go."""
        slides: dict[tuple[float, ...], list[ToolBody]] = {}
        for body in one.tool.bodies:
            slides.setdefault(tuple(body.travel.tolist()), []).append(body)
        for body in slides.pop((0.0, 0.0, 0.0), []):
            self._hull(flange, body.corners_m, TOOL_COLOR)
        names = []
        for number, (travel, bodies) in enumerate(slides.items()):
            name = f"{one.name}/fingers{number}"
            finger = _add(flange, "body", name=name, gravcomp="1")
            share = float(np.linalg.norm(travel))
            limits = [share * one.tool.opening_m[0], share * one.tool.opening_m[1]]
            _add(
                finger, "joint", name=name, type="slide", axis=_list(np.array(travel) / share), range=_list(limits),
                damping="20", armature=_number(ARMATURE),
            )  # fmt: skip
            for body in bodies:
                self._hull(finger, body.corners_m, TOOL_COLOR)
            for other in (f"{one.name}/flange", *near):
                _add(self.contact, "exclude", body1=name, body2=other)
            names.append((name, share))
        for name, share in names[1:]:
            first, own = names[0]
            ratio = _list([0.0, share / own, 0.0, 0.0, 0.0])
            _add(self.equality, "joint", joint1=name, joint2=first, polycoef=ratio)
            _add(self.contact, "exclude", body1=name, body2=first)

    def _excluded(self, one: CellArm, names: list[str]) -> list[str]:
        """Links that meet at a joint do not collide, nor does the base with what it stands on: those near the hand."""
        last = len(names) - 1
        pairs = {(k, k + 1) for k in range(last)} | {(min(pair), max(pair)) for pair in one.arm.touching or ()}
        for first, second in sorted(pairs):
            _add(self.contact, "exclude", body1=names[first], body2=names[second])
        near = [names[first] for first, second in sorted(pairs) if second == last] + [names[last]]
        for name in near:
            _add(self.contact, "exclude", body1=name, body2=f"{one.name}/flange")
        for name in names[:2]:
            _add(self.contact, "exclude", body1="world", body2=name)
        return near

    def _camera(self, mount: ET.Element, camera: Camera) -> None:
        T = camera.T_mount_camera.copy()
        T[:3, 1:3] *= -1.0  # MuJoCo's cameras look along −z, with y up
        pixels = " ".join(map(str, camera.pixels))
        _add(mount, "camera", name=camera.name, fovy=_number(camera.view_deg), resolution=pixels, **_placed(T))

    def _hull(self, body: ET.Element, corners: Array, color: str) -> None:
        """A box where the corners are those of one: a face on a face touches at four points then, not at one."""
        if (box := _box_of(corners)) is not None:
            T, half = box
            density = _number(DENSITY)
            _add(body, "geom", type="box", size=_list(half), density=density, rgba=color, **_placed(T))
            return
        name = f"hull{self.meshes}"
        self.meshes += 1
        _add(self.assets, "mesh", name=name, vertex=_list(corners.ravel()), inertia="convex")
        _add(body, "geom", type="mesh", mesh=name, density=_number(DENSITY), rgba=color)


def _box_of(corners: Array) -> tuple[Array, Array] | None:
    """(4, 4) the middle and axes of a box with these eight corners, and its half sides (3,); None: it is no box."""
    if len(corners) != 8:
        return None
    arms = corners[1:] - corners[0]
    arms = arms[np.argsort(np.linalg.norm(arms, axis=1), kind="stable")]
    for third in range(2, 7):  # the two shortest are edges, or the first and a diagonal that is none
        edges = arms[[0, 1, third]]
        lengths = np.linalg.norm(edges, axis=1)
        axes = edges.T / lengths
        if np.abs(axes.T @ axes - np.eye(3)).max() > SQUARE:
            continue
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = axes, corners.mean(axis=0)
        inside = np.abs((corners - T[:3, 3]) @ axes)
        return (T, lengths / 2) if np.abs(inside - lengths / 2).max() <= SQUARE * lengths.max() else None
    return None


def _add(parent: ET.Element, tag: str, **attributes: str) -> ET.Element:
    return ET.SubElement(parent, tag, attributes)


def _placed(T: Array) -> dict[str, str]:
    return {"pos": _list(T[:3, 3]), "quat": _list(to_quaternion(T[:3, :3]))}


def _list(values: object) -> str:
    return " ".join(_number(float(value)) for value in np.asarray(values, dtype=np.float64).ravel())


def _number(value: float) -> str:
    return repr(float(value))
