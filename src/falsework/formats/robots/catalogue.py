"""The arms and tools that come with the house: TOML files in `robots/arms` and `robots/tools`, read by their names."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TypeVar

import numpy as np

from falsework.formats.basics.node import Node
from falsework.formats.basics.parsing import load_toml
from falsework.formats.basics.text import read_text
from falsework.formats.robots.frames import read_frame
from falsework.model.arrays import Array
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.robots.arm import Arm, Capsule, Joint
from falsework.model.robots.tool import TOOL_KINDS, Tool, ToolBody
from falsework.model.shapes import box

Thing = TypeVar("Thing", Arm, Tool)
FAST = 1e5  # rad/s³: no limit of a joint is above
SIDES = 16  # of the prism around a cylinder
_ARM_KEYS = (
    "name", "payload_kg", "reach_m", "home", "touching", "unverified", "source", "flange", "joint", "capsule",
)  # fmt: skip
_TOOL_KEYS = (
    "name", "kind", "mass_kg", "opening", "force", "pad", "friction", "unverified", "source", "mount", "point", "body",
)  # fmt: skip


def arm_names() -> tuple[str, ...]:
    """The arms that come with the house.

    >>> "panda" in arm_names()
    True
    """
    return _names("arms")


def tool_names() -> tuple[str, ...]:
    """The tools that come with the house.

    >>> "suction" in tool_names()
    True
    """
    return _names("tools")


def arm_named(name: str) -> Arm:
    """An arm that comes with the house.

    >>> arm_named("ur5e").reach_m
    0.85
    """
    return _named(name, "arms", "arm", _shipped_arm)


def tool_named(name: str) -> Tool:
    """A tool that comes with the house.

    >>> tool_named("suction").kind
    'suction'
    """
    return _named(name, "tools", "tool", _shipped_tool)


def _named(name: str, folder: str, what: str, shipped: Callable[[str], Thing]) -> Thing:
    known = _names(folder)
    if name not in known:
        raise BadInput(f"unknown {what} {shown(name)}; {did_you_mean(name, known)}")
    return shipped(name)


@cache
def _names(folder: str) -> tuple[str, ...]:
    return tuple(sorted(one.stem for one in _folder(folder).glob("*.toml")))


def _folder(name: str) -> Path:
    return Path(str(resources.files("falsework"))) / "robots" / name


@cache
def _shipped_arm(name: str) -> Arm:
    return read_arm(_folder("arms") / f"{name}.toml")


@cache
def _shipped_tool(name: str) -> Tool:
    return read_tool(_folder("tools") / f"{name}.toml")


def read_arm(path: Path) -> Arm:
    """An arm from a TOML file that is written like those of `robots/arms`."""
    root = load_toml(path, read_text(path))
    root.only(_ARM_KEYS)
    joints = tuple(_joint(node) for node in root["joint"].elements())
    home, reach, payload = root.get("home"), root.get("reach_m"), root.get("payload_kg")
    with root.blamed():
        return Arm(
            name=root["name"].name(),
            joints=joints,
            T_last_flange=read_frame(root.get("flange")),
            capsules=tuple(_capsule(node) for node in _listed(root, "capsule")),
            payload_kg=None if payload is None else payload.positive(),
            reach_m=None if reach is None else reach.positive(),
            home=np.zeros(0) if home is None else np.array(home.numbers(len(joints))),
            touching=tuple((first, second) for first, second in _pairs(root, len(joints))),
            sources=_sources(root),
            unverified=tuple(one.text() for one in _listed(root, "unverified")),
        )


def _joint(node: Node) -> Joint:
    T = read_frame(node, ("name", "axis", "range", "speed", "acceleration", "jerk", "kind"))
    lower, upper = node["range"].numbers(2)
    kind = node.get("kind")
    speed, acceleration, jerk = (None if (one := node.get(key)) is None else one.number(0, FAST) for key in _RATES)
    with node.blamed():
        return Joint(
            node["name"].name(),
            T,
            np.array(node["axis"].numbers(3)),
            lower,
            upper,
            speed,
            acceleration,
            jerk,
            kind="revolute" if kind is None else kind.word(("revolute", "prismatic")),
        )


_RATES = ("speed", "acceleration", "jerk")


def _capsule(node: Node) -> Capsule:
    node.only(("link", "from", "to", "radius"))
    ends = np.array(node["from"].numbers(3)), np.array(node["to"].numbers(3))
    return Capsule(node["link"].whole(0, 64), *ends, node["radius"].positive())


def _pairs(root: Node, links: int) -> list[list[int]]:
    return [pair.wholes(2, 0, links) for pair in _listed(root, "touching")]


def read_tool(path: Path) -> Tool:
    """A tool from a TOML file that is written like those of `robots/tools`."""
    return tool_of(load_toml(path, read_text(path)))


def tool_of(root: Node) -> Tool:
    """A tool from a mapping of the same keys."""
    root.only(_TOOL_KEYS)
    mount = read_frame(root.get("mount"))
    friction, mass = root.get("friction"), root.get("mass_kg")
    with root.blamed():
        return Tool(
            name=root["name"].name(),
            kind=root["kind"].word(TOOL_KINDS),
            T_flange_tool=mount @ read_frame(root["point"]),
            bodies=tuple(_body(node, mount) for node in _listed(root, "body")),
            opening_m=_two(root, "opening"),
            force_n=_two(root, "force"),
            pad_m=_two(root, "pad"),
            friction=0.5 if friction is None else friction.positive(),
            mass_kg=0.0 if mass is None else mass.number(0),
            sources=_sources(root),
            unverified=tuple(one.text() for one in _listed(root, "unverified")),
        )


def _two(root: Node, key: str) -> tuple[float, float]:
    node = root.get(key)
    low, high = (0.0, 0.0) if node is None else node.numbers(2)
    return low, high


def _body(node: Node, mount: Array) -> ToolBody:
    T = mount @ read_frame(node, ("name", "box", "cylinder", "hull", "opens"))
    opens = node.get("opens")
    travel = np.zeros(3) if opens is None else mount[:3, :3] @ np.array(opens.numbers(3))
    return ToolBody(node["name"].name(), _corners(node) @ T[:3, :3].T + T[:3, 3], travel)


def _corners(node: Node) -> Array:
    """(n, 3) corners about the middle of a box, or of the prism that holds a cylinder along z, or as they are."""
    sides, round_one, hull = (node.get(key) for key in ("box", "cylinder", "hull"))
    if [sides, round_one, hull].count(None) != 2:
        raise node.wrong("expected exactly one of: box, cylinder, hull")
    if hull is not None:
        return hull.table(3)
    if sides is not None:
        x, y, z = _lengths(sides, 3)
        return box((x, y, z)).vertices - 0.5 * np.array([x, y, z])
    assert round_one is not None
    radius, height = _lengths(round_one, 2)
    angles = 2 * np.pi * np.arange(SIDES) / SIDES
    outer = radius / np.cos(np.pi / SIDES)
    ring = np.column_stack([outer * np.cos(angles), outer * np.sin(angles)])
    return np.concatenate([np.column_stack([ring, np.full(SIDES, end)]) for end in (-height / 2, height / 2)])


def _lengths(node: Node, count: int) -> list[float]:
    values = node.numbers(count)
    if min(values) <= 0:
        raise node.wrong(f"found {values}, expected {count} numbers above 0")
    return values


def _sources(root: Node) -> tuple[tuple[str, str], ...]:
    node = root.get("source")
    return () if node is None else tuple((key, one.text()) for key, one in node.members())


def _listed(root: Node, key: str) -> list[Node]:
    node = root.get(key)
    return [] if node is None else node.elements()
