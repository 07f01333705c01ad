"""A robot as a tree of bodies, whatever file it came from, and the arm between two of them.

What hangs rigidly on a link of the arm belongs to it, and its solids become capsules; what hangs on it by a joint that
is not part of the arm, as fingers do, is left out, and so is everything behind the flange.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from falsework.formats.robots.capsule_fitting import capsules_around
from falsework.model.arrays import Array
from falsework.model.errors import BadFile, BadInput, did_you_mean, shown
from falsework.model.robots.arm import Arm, Capsule, Joint, JointKind

log = logging.getLogger(__name__)
TURN = 2 * math.pi  # either way: the range of joints that turn for ever


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """The hull of points, with a radius around it, in the frame of its body: what holds one of its solids."""

    points: Array  # (n, 3)
    radius_m: float = 0.0


@dataclass(frozen=True, slots=True)
class TreeJoint:
    """How a body moves against its parent."""

    name: str
    kind: JointKind
    axis: Array
    lower: float
    upper: float
    speed: float | None = None
    refused: str = ""  # why it cannot be a joint of an arm


@dataclass(frozen=True, slots=True, eq=False)
class TreeBody:
    """One body, where it is on its parent with its joint at 0."""

    name: str
    parent: str | None
    T_parent_body: Array
    joint: TreeJoint | None = None
    clouds: Callable[[], list[Cloud]] = list  # asked for only where it is needed: meshes are read then
    is_mark: bool = False  # a place without a body, which is no end of the tree


@dataclass(frozen=True, slots=True)
class Tree:
    """All bodies of a file, by their names."""

    path: Path
    bodies: dict[str, TreeBody] = field(default_factory=dict)

    def wrong(self, problem: str) -> BadFile:
        return BadFile(self.path, "", problem)

    def arm(self, name: str, base: str | None = None, flange: str | None = None) -> Arm:
        """The arm between two bodies: the root and the only end of the tree, unless they are named."""
        way = self._way(self._base(base), self._flange(flange))
        try:
            return self._arm(name, way)
        except BadFile:
            raise
        except BadInput as why:
            raise self.wrong(str(why)) from why

    def _arm(self, name: str, way: list[TreeBody]) -> Arm:
        joints: list[Joint] = []
        T = np.eye(4)
        links: dict[str, tuple[int, Array]] = {way[0].name: (0, np.eye(4))}
        for body in way[1:]:
            T = T @ body.T_parent_body
            if body.joint is not None:
                joints.append(self._joint(body.joint, T))
                T = np.eye(4)
            links[body.name] = (len(joints), T)
        if not joints:
            raise self.wrong(f"there is no joint between {shown(way[0].name)} and {shown(way[-1].name)}")
        capsules = self._capsules(links, way[-1].name)
        return Arm(name, tuple(joints), T, capsules, sources=(("all", self.path.name),), touching=None)

    def _joint(self, joint: TreeJoint, T: Array) -> Joint:
        if joint.refused:
            raise self.wrong(f"joint {shown(joint.name)} {joint.refused}; expected one that moves by itself")
        return Joint(joint.name, T, joint.axis, joint.lower, joint.upper, joint.speed, kind=joint.kind)

    def _base(self, base: str | None) -> str:
        if base is not None:
            return self._known(base)
        roots = [body.name for body in self.bodies.values() if body.parent is None]
        if len(roots) != 1:
            raise self.wrong(f"found {len(roots)} bodies without a parent, expected one; name the arm's base")
        return roots[0]

    def _flange(self, flange: str | None) -> str:
        if flange is not None:
            return self._known(flange)
        solid = {name: body for name, body in self.bodies.items() if not body.is_mark}
        parents = {body.parent for body in solid.values()}
        ends = [name for name in solid if name not in parents]
        if len(ends) != 1:
            listed = ", ".join(sorted(ends)[:8])
            raise self.wrong(f"found {len(ends)} ends ({listed}), expected one; name the arm's flange")
        return ends[0]

    def _known(self, name: str) -> str:
        if name not in self.bodies:
            raise self.wrong(f"there is no body {shown(name)}; {did_you_mean(name, self.bodies)}")
        return name

    def _way(self, base: str, flange: str) -> list[TreeBody]:
        way = [self.bodies[flange]]
        while way[-1].name != base:
            parent = way[-1].parent
            if parent is None:
                raise self.wrong(f"{shown(flange)} does not hang on {shown(base)}")
            way.append(self.bodies[parent])
        return way[::-1]

    def _capsules(self, links: dict[str, tuple[int, Array]], flange: str) -> tuple[Capsule, ...]:
        found: list[Capsule] = []
        places = dict(links)
        for body in self._from_root():
            if body.name not in places and body.parent in places and body.parent != flange:
                if body.joint is None:
                    link, T = places[body.parent]
                    places[body.name] = (link, T @ body.T_parent_body)
                else:
                    log.warning("%s: left out what is behind joint %s, not in the arm", self.path, body.joint.name)
        for name, (link, T) in places.items():
            for cloud in self.bodies[name].clouds():
                points = cloud.points @ T[:3, :3].T + T[:3, 3]
                for start, end, radius in capsules_around(points, cloud.radius_m):
                    found.append(Capsule(link, start, end, radius))
        return tuple(found)

    def _from_root(self) -> list[TreeBody]:
        """Bodies, parents before children."""
        done: dict[str, TreeBody] = {}
        for body in self.bodies.values():
            way: list[TreeBody] = []
            one: TreeBody | None = body
            while one is not None and one.name not in done:
                way.append(one)
                one = None if one.parent is None else self.bodies[one.parent]
            done.update((each.name, each) for each in reversed(way))
        return list(done.values())
