"""URDF, as robots are described for ROS: links, joints, and the collision solids of links.

Lengths are m, angles rad, turns `rpy` about the fixed axes x, y, z. `package://NAME/…` is looked for in a folder NAME
above the file. xacro files are macros, not URDF: run xacro first. Meshes may be OBJ, STL, PLY or GLB.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree as ET

import numpy as np

from falsework.formats.basics.limits import MAX_COORDINATE
from falsework.formats.basics.surfaces import merged
from falsework.formats.basics.text import read_text
from falsework.formats.meshes.meshfile import read_surfaces
from falsework.formats.robots.frames import frame
from falsework.formats.robots.link_tree import TURN, Cloud, Tree, TreeBody, TreeJoint
from falsework.model.arrays import Array
from falsework.model.errors import BadFile, did_you_mean, shown
from falsework.model.robots.arm import Arm, JointKind
from falsework.model.shapes import box

KINDS: dict[str, JointKind | None] = {
    **{kind: kind for kind in get_args(JointKind)},
    "continuous": "revolute",
    "fixed": None,
}
MAX_BODIES = 2000
SIDES = 16  # of the prism around a cylinder


def read_urdf(path: str | Path, base: str | None = None, flange: str | None = None) -> Arm:
    """The arm of a URDF file, from its root to its only end unless these are named.

    >>> read_urdf("examples/desk-arm.urdf").joints[2].name
    'elbow'
    """
    file = Path(path)
    root = xml_root(file)
    if root.tag != "robot":
        raise BadFile(file, "", f"found <{root.tag}>, expected a URDF file with <robot>")
    if any("xacro" in element.tag for element in root.iter()):
        raise BadFile(file, "", "is a xacro file, expected URDF; run: xacro FILE > robot.urdf")
    return _Reader(file, root).tree().arm(root.get("name") or file.stem, base, flange)


def xml_root(path: Path) -> ET.Element:
    """The root of an XML file that defines no entities."""
    text = read_text(path)
    if "<!" in text and ("<!DOCTYPE" in text or "<!ENTITY" in text):
        raise BadFile(path, "", "found a document type definition, expected plain XML")
    try:
        return ET.fromstring(text)
    except ET.ParseError as why:
        raise BadFile(path, "", f"not valid XML: {why}") from why


class _Reader:
    """One file."""

    def __init__(self, path: Path, root: ET.Element) -> None:
        self.path, self.root = path, root

    def wrong(self, place: str, problem: str) -> BadFile:
        return BadFile(self.path, place, problem)

    def tree(self) -> Tree:
        links = {self._name(link, "link"): link for link in self.root.findall("link")}
        if len(links) < len(self.root.findall("link")):
            raise self.wrong("", "two links have one name")
        if not 0 < len(links) <= MAX_BODIES:
            raise self.wrong("", f"found {len(links)} links, expected 1 to {MAX_BODIES}")
        bodies: dict[str, TreeBody] = {}
        for joint in self.root.findall("joint"):
            parent, child = self._end(joint, "parent", links), self._end(joint, "child", links)
            if child in bodies:
                raise self.wrong(f"link {shown(child)}", "hangs on two joints, expected a tree")
            frame_of = self._origin(joint, f"joint {shown(joint.get('name'))}")
            bodies[child] = TreeBody(child, parent, frame_of, self._joint(joint), self._clouds(links[child]))
        for name, link in links.items():
            if name not in bodies:
                bodies[name] = TreeBody(name, None, np.eye(4), None, self._clouds(link))
        self._refuse_loops(bodies)
        return Tree(self.path, bodies)

    def _refuse_loops(self, bodies: dict[str, TreeBody]) -> None:
        for body in bodies.values():
            one, steps = body, 0
            while one.parent is not None:
                one, steps = bodies[one.parent], steps + 1
                if steps > len(bodies):
                    raise self.wrong(f"link {shown(body.name)}", "hangs on itself, expected a tree")

    def _name(self, element: ET.Element, what: str) -> str:
        name = element.get("name")
        if not name:
            raise self.wrong(what, "has no name")
        return name

    def _end(self, joint: ET.Element, which: str, links: dict[str, ET.Element]) -> str:
        element = joint.find(which)
        name = None if element is None else element.get("link")
        if name not in links:
            where = f"joint {shown(joint.get('name'))}"
            raise self.wrong(where, f"its {which} {shown(name)} is no link; {did_you_mean(name, links)}")
        return str(name)

    def _joint(self, joint: ET.Element) -> TreeJoint | None:
        name = self._name(joint, "joint")
        where = f"joint {shown(name)}"
        said = joint.get("type") or ""
        if said not in KINDS:
            raise self.wrong(where, f"found the type {shown(said)}; {did_you_mean(said, KINDS)}")
        kind = KINDS[said]
        if kind is None:
            return None
        axis = np.array(self._numbers(joint.find("axis"), "xyz", 3, where, [1.0, 0.0, 0.0]))
        length = float(np.linalg.norm(axis))
        if not length > 0:
            raise self.wrong(where, "its axis has no direction")
        limit = joint.find("limit")
        lower, upper, speed = -TURN, TURN, None
        if limit is not None:
            (velocity,) = self._numbers(limit, "velocity", 1, where, [0.0])
            speed = velocity if velocity > 0 else None
        if said != "continuous":
            if limit is None:
                raise self.wrong(where, "has no limit, which a joint of this type needs")
            (lower,), (upper,) = (self._numbers(limit, end, 1, where, [0.0]) for end in ("lower", "upper"))
        mimic = joint.find("mimic")
        refused = "" if mimic is None else f"mimics {shown(mimic.get('joint'))}"
        return TreeJoint(name, kind, axis / length, lower, upper, speed, refused)

    def _origin(self, element: ET.Element, where: str) -> Array:
        origin = element.find("origin")
        at = self._numbers(origin, "xyz", 3, where, [0.0, 0.0, 0.0])
        return frame(at, self._numbers(origin, "rpy", 3, where, [0.0, 0.0, 0.0]))

    def _numbers(self, element: ET.Element | None, key: str, count: int, where: str, usual: list[float]) -> list[float]:
        text = None if element is None else element.get(key)
        if text is None:
            return usual
        try:
            values = [float(word) for word in text.split()]
        except ValueError:
            values = []
        if len(values) != count or not all(math.isfinite(one) and abs(one) <= MAX_COORDINATE for one in values):
            wanted = "a finite number" if count == 1 else f"{count} finite numbers"
            raise self.wrong(where, f"{key}: found {shown(text)}, expected {wanted}")
        return values

    def _clouds(self, link: ET.Element) -> Callable[[], list[Cloud]]:
        where = f"link {shown(link.get('name'))}"
        return lambda: [self._cloud(one, where) for one in link.findall("collision")]

    def _cloud(self, collision: ET.Element, where: str) -> Cloud:
        T = self._origin(collision, where)
        shapes = [] if (geometry := collision.find("geometry")) is None else list(geometry)
        if len(shapes) != 1:
            raise self.wrong(where, "expected one shape in <geometry>")
        cloud = self._shape(shapes[0], where)
        return Cloud(cloud.points @ T[:3, :3].T + T[:3, 3], cloud.radius_m)

    def _shape(self, shape: ET.Element, where: str) -> Cloud:
        match shape.tag:
            case "box":
                x, y, z = self._positive(shape, "size", 3, where)
                return Cloud(box((x, y, z)).vertices - 0.5 * np.array([x, y, z]))
            case "sphere":
                (radius,) = self._positive(shape, "radius", 1, where)
                return Cloud(np.zeros((1, 3)), radius)
            case "cylinder" | "capsule":
                (radius,) = self._positive(shape, "radius", 1, where)
                (height,) = self._positive(shape, "length", 1, where)
                return cylinder_cloud(radius, height) if shape.tag == "cylinder" else capsule_cloud(radius, height)
            case "mesh":
                return self._mesh(shape, where)
        raise self.wrong(where, f"found the shape <{shape.tag}>, expected box, sphere, cylinder, capsule or mesh")

    def _positive(self, shape: ET.Element, key: str, count: int, where: str) -> list[float]:
        values = self._numbers(shape, key, count, where, [])
        if not values or min(values) <= 0:
            raise self.wrong(where, f"<{shape.tag}>: {key}: found {shown(shape.get(key))}, expected numbers above 0")
        return values

    def _mesh(self, shape: ET.Element, where: str) -> Cloud:
        scale = self._numbers(shape, "scale", 3, where, [1.0, 1.0, 1.0])
        named = shape.get("filename") or ""
        surface = merged(read_surfaces(self._file(named, where)))
        return Cloud(surface.vertices[np.unique(surface.triangles)] * scale)

    def _file(self, named: str, where: str) -> Path:
        plain = named.removeprefix("file://")
        if named.startswith("package://"):
            package, _, rest = named.removeprefix("package://").partition("/")
            homes = [folder for folder in self.path.resolve().parents if folder.name == package]
            homes += [folder / package for folder in self.path.resolve().parents]
            for home in homes:
                if rest and ".." not in Path(rest).parts and (home / rest).is_file():
                    return home / rest
            raise self.wrong(
                where, f"there is no mesh {shown(named)}: no folder {shown(package)} above this file has it"
            )
        if not plain or "://" in plain or Path(plain).is_absolute() or ".." in Path(plain).parts:
            raise self.wrong(where, f"found the mesh {shown(named)}, expected a path below this file's folder")
        return self.path.parent / plain


def cylinder_cloud(radius: float, height: float) -> Cloud:
    """The prism that holds a cylinder along z, about its middle."""
    angles = 2 * np.pi * np.arange(SIDES) / SIDES
    outer = radius / math.cos(math.pi / SIDES)
    ring = np.column_stack([outer * np.cos(angles), outer * np.sin(angles)])
    points = np.concatenate([np.column_stack([ring, np.full(SIDES, end)]) for end in (-height / 2, height / 2)])
    return Cloud(points)


def capsule_cloud(radius: float, length: float) -> Cloud:
    """A capsule along z, about its middle; its length is that of its straight part."""
    return Cloud(np.array([[0.0, 0.0, -length / 2], [0.0, 0.0, length / 2]]), radius)
