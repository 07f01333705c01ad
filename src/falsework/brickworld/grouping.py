"""Parts in groups that move as one: how they come apart and together, with exact poses and momentum."""

from __future__ import annotations

import copy
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from falsework.brickworld.joints import Joints, Kinds
from falsework.brickworld.masses import Masses, carried, momentum, twist_with
from falsework.brickworld.topology import Connection, Topology, hole_pose
from falsework.engine.groups import Group
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.shapes import BrickShape, corners

log = logging.getLogger(__name__)

NEAR_M = 5e-3  # around a part, studs included: what is farther away does not touch it


@dataclass(frozen=True, slots=True, eq=False)
class Bunch:
    """Parts that move as one; what stands still is one bunch, in the world's frame."""

    members: Ints  # (m,) in order
    still: bool
    T_world_group: Array  # (4, 4)
    twist: Array  # (6,) velocity of the centre of mass, angular velocity; world axes


class Grouping:
    """Who is joined to whom and where in the frame of their group.

    Changes replace what they change and never write into it, so that `copy.copy` keeps a state to go back to.
    """

    def __init__(self, assembly: Assembly, joints: Interfaces, clutch: float = 1.0) -> None:
        self.assembly = assembly
        shapes = [body.shape for body in assembly.bodies]
        self.kinds = tuple(shape.kind if isinstance(shape, BrickShape) else None for shape in shapes)
        fixed = assembly.fixed_mask()
        self.fixed = np.array([bool(fixed >> n & 1) for n in range(len(shapes))])
        self.topology = Topology(self.kinds)
        self.clutch_kinds = Kinds(clutch)
        self.local: Array = np.array(assembly.poses)  # T_group_part
        numbers = [self.topology.connect(one) for one in connections_of(joints, np.arange(len(shapes)))]
        parts = np.arange(len(shapes))
        self.joints = Joints.of(joints, self.clutch_kinds, parts, np.array(numbers, dtype=np.int64))
        self._part_coms = np.array([body.com_part_m for body in assembly.bodies])
        self._part_inertias = np.array([body.inertia_part_kgm2 for body in assembly.bodies])
        ends = np.array([(points.min(axis=0), points.max(axis=0)) for points in map(corners, shapes)])
        self._middles, self._halves = ends.mean(axis=1), (ends[:, 1] - ends[:, 0]) / 2
        self.masses = self._masses()
        self.bunches = self._first_bunches()
        self.group_of = self._group_of()
        self.joints = self.joints.inside(self.group_of)

    def replaced(self, topology: Topology, local: Array, joints: Joints, bunches: Sequence[Bunch]) -> Grouping:
        """The same parts, otherwise joined and placed."""
        other = copy.copy(self)
        other.topology, other.local, other.joints, other.bunches = topology, local, joints, list(bunches)
        other.masses, other.group_of = other._masses(), other._group_of()
        return other

    def _first_bunches(self) -> list[Bunch]:
        still = [members for members in self.topology.components if self.fixed[members].any()]
        moving = [members for members in self.topology.components if not self.fixed[members].any()]
        none = np.zeros(6)
        bunches = [Bunch(np.sort(np.concatenate(still)), True, np.eye(4), none)] if still else []
        return bunches + [Bunch(members, False, np.eye(4), none) for members in moving]

    def _group_of(self) -> Ints:
        groups = np.full(len(self.local), -1)
        for number, bunch in enumerate(self.bunches):
            groups[bunch.members] = number
        return groups

    def _masses(self) -> Masses:
        """Of the parts, where they are in their groups."""
        turn = self.local[:, :3, :3]
        coms = np.einsum("nij,nj->ni", turn, self._part_coms) + self.local[:, :3, 3]
        inertias = turn @ self._part_inertias @ turn.transpose(0, 2, 1)
        return Masses(np.array(self.assembly.masses_kg), coms, inertias)

    def engine_group(self, bunch: Bunch) -> Group:
        mass, centre, inertia = self.masses.of(bunch.members)
        return Group(bunch.members, bunch.T_world_group, bunch.still, mass, centre, inertia, bunch.twist)

    def update(self, poses: Array, twists: Array) -> None:
        """Where the engine has brought the groups."""
        pairs = zip(self.bunches, poses, twists, strict=True)
        self.bunches = [replace(bunch, T_world_group=pose, twist=twist) for bunch, pose, twist in pairs]

    def split(self, group: int, numbers: Sequence[int]) -> None:
        """Remove connections of a group; its pieces go on where and as fast as they were carried along."""
        parent = self.bunches[group]
        self.topology = self.topology.copy()
        self.topology.disconnect(numbers)
        gone = np.isin(self.joints.numbers, np.array(list(numbers)))
        self.joints = self.joints.kept(~gone, np.ones(len(self.joints.patches), dtype=bool))
        pieces = self._pieces(parent)
        centre = self.masses.of(parent.members)[1]
        children = []
        for members, still in pieces:
            arm = parent.T_world_group[:3, :3] @ (self.masses.of(members)[1] - centre)
            children.append(Bunch(members, still, parent.T_world_group, carried(parent.twist, arm)))
        self.bunches = [*self.bunches[:group], *children, *self.bunches[group + 1 :]]
        self.group_of = self._group_of()
        self.joints = self.joints.inside(self.group_of)

    def _pieces(self, parent: Bunch) -> list[tuple[Ints, bool]]:
        labels = self.topology.component_of[parent.members]
        fixed = np.unique(labels[self.fixed[parent.members]])
        held = np.isin(labels, fixed)
        pieces = [(parent.members[held], True)] if held.any() else []
        return pieces + [(parent.members[labels == one], False) for one in np.unique(labels[~held]).tolist()]

    def join(self, pressed: Connection) -> list[int] | None:
        """Snap two groups together along a connection, with all that it brings along.

        Numbers of the new connections; None if the bricks would be in each other's way. What is free keeps its
        centre of mass and all momentum; the orientation is that of the heavier, or of what stands still.
        """
        first, second = (int(self.group_of[part]) for part in (pressed.stud, pressed.hole))
        base, other = self._base_first(first, second)
        moved = self._snapped(pressed, base, other)
        there, coming = self.bunches[base].members, self.bunches[other].members
        asked = np.sort(np.concatenate([there[self._are_near(there, coming, moved)], coming]))
        found = self._interfaces(asked, moved)
        if found is None:
            return None
        wanted = connections_of(found, asked)
        label = self.topology.component_of.copy()
        fresh = [one for one in wanted if label[one.stud] != label[one.hole]]
        if not fresh:
            return None
        before = self._momentum(base) + self._momentum(other)
        centre = self._centre(base, other)
        self.local = moved
        self.masses = self._masses()
        self.topology = self.topology.copy()
        new = [self.topology.connect(one) for one in dict.fromkeys([pressed, *fresh])]
        self.joints = self._joints_with(found, asked, coming, wanted)
        members = np.sort(np.concatenate([there, coming]))
        merged = self._merged(base, members, before, centre)
        rest = [b for n, b in enumerate(self.bunches) if n not in (base, other)]
        self.bunches = [*rest[: min(base, other)], merged, *rest[min(base, other) :]]
        self.group_of = self._group_of()
        return sorted(new)

    def _are_near(self, there: Ints, coming: Ints, local: Array) -> Bools:
        """(there,) which of some parts reach to where others come to be: only those can touch them."""
        turn = local[:, :3, :3]
        centre = np.einsum("nij,nj->ni", turn, self._middles) + local[:, :3, 3]
        reach = np.einsum("nij,nj->ni", np.abs(turn), self._halves) + NEAR_M
        low, high = centre - reach, centre + reach
        begins: Bools = (low[there] <= high[coming].max(axis=0)).all(axis=1)
        ends: Bools = (high[there] >= low[coming].min(axis=0)).all(axis=1)
        return begins & ends

    def _joints_with(self, joints: Interfaces, asked: Ints, coming: Ints, wanted: list[Connection]) -> Joints:
        """All joints, those of parts that came anew, in their new places; `found` is among `asked`."""
        comes = np.zeros(len(self.kinds), dtype=bool)
        comes[coming] = True
        ends, sides = comes[asked[joints.clutches.bodies]], comes[asked[joints.patches.bodies]]
        rows, patches = ends[:, 0] | ends[:, 1], sides[:, 0] | sides[:, 1]
        numbers = np.array([self.topology.number(one) if row else -1 for one, row in zip(wanted, rows, strict=True)])
        new = Joints.of(joints, self.clutch_kinds, asked, numbers.astype(np.int64)).kept(rows, patches)
        kept = self.joints.kept(~comes[self.joints.bodies[:, 0]], ~comes[self.joints.patches.bodies[:, 0]])
        return kept.together(new)

    def _base_first(self, first: int, second: int) -> tuple[int, int]:
        weights = [
            np.inf if self.bunches[n].still else self.masses.of(self.bunches[n].members)[0] for n in (first, second)
        ]
        return (first, second) if weights[0] >= weights[1] else (second, first)

    def _snapped(self, pressed: Connection, base: int, other: int) -> Array:
        """T_group_part of all parts once the other group is on the base's grid."""
        lower = self.kinds[pressed.stud]
        assert lower is not None
        stud, hole, step = self.local[pressed.stud], self.local[pressed.hole], hole_pose(lower, pressed)
        if self.group_of[pressed.stud] == base:
            T_base_other = stud @ step @ np.linalg.inv(hole)
        else:
            T_base_other = hole @ np.linalg.inv(step) @ np.linalg.inv(stud)
        moved = self.local.copy()
        rows = self.bunches[other].members
        moved[rows] = T_base_other @ self.local[rows]
        return moved

    def _interfaces(self, members: Ints, local: Array) -> Interfaces | None:
        bodies = self.assembly.bodies
        try:
            parts = tuple(replace(bodies[n], T_world_part=local[n]) for n in members.tolist())
            return interfaces(Assembly(parts, friction=self.assembly.friction))
        except BadInput as why:
            log.info("bricks that were pressed together do not fit: %s", why)
            return None

    def _momentum(self, group: int) -> Array:
        bunch = self.bunches[group]
        return momentum(*self.masses.of(bunch.members), bunch.twist, bunch.T_world_group)

    def _centre(self, *groups: int) -> Array:
        """World place of the common centre of mass."""
        total, weighed = 0.0, np.zeros(3)
        for group in groups:
            bunch = self.bunches[group]
            mass, centre, _ = self.masses.of(bunch.members)
            total += mass
            weighed += mass * (bunch.T_world_group[:3, :3] @ centre + bunch.T_world_group[:3, 3])
        return weighed / total

    def _merged(self, base: int, members: Ints, before: Array, centre: Array) -> Bunch:
        old = self.bunches[base]
        if old.still:
            return Bunch(members, True, old.T_world_group, np.zeros(6))
        mass, com, inertia = self.masses.of(members)
        pose = old.T_world_group.copy()
        pose[:3, 3] = centre - pose[:3, :3] @ com
        return Bunch(members, False, pose, twist_with(before, mass, com, inertia, pose))


def connections_of(joints: Interfaces, parts: Ints) -> list[Connection]:
    """The clutches of an assembly whose bodies are `parts`, as connections."""
    clutches = joints.clutches
    rows = zip(parts[clutches.bodies].tolist(), clutches.offsets.tolist(), clutches.turns.tolist(), strict=True)
    return [Connection(a, b, (x, y), turns % 4) for (a, b), (x, y), turns in rows]
