"""One arm of a cell at work: joints for poses of its tool, along paths of it, and what is in its way there."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.poses import inverse
from falsework.model.robots.cell import CellArm
from falsework.robots.collision.arm_bodies import LINK, ArmBodies
from falsework.robots.collision.bodies import Bodies, all_pairs
from falsework.robots.collision.collisions import MARGIN_M, clashes, masks, swept_blockers
from falsework.robots.collision.surroundings import WORLD
from falsework.robots.collision.touching import clashing, in_the_way
from falsework.robots.keyframes.site import Site
from falsework.robots.kinematics.following import JUMP, followed
from falsework.robots.kinematics.kinematics import Kinematics

BRANCHES = 8  # joints for one pose that are looked at, of a redundant arm those nearest to home
ROUNDED_M = 0.001  # openings that differ by less are looked at as one


class Station:
    """An arm among all that stands at a site, and the other arms at home."""

    def __init__(self, site: Site, number: int) -> None:
        self.site, self.number = site, number
        self.placed: CellArm = site.cell.arms[number]
        self.kinematics = Kinematics(self.placed.arm, self.placed.tool)
        self._back = inverse(self.placed.T_world_base)
        self._by_opening: dict[float, ArmBodies] = {}
        self._pairs: Ints | None = None

    def bodies(self, opening_m: float) -> ArmBodies:
        """Its bodies with the fingers open so far, to a millimetre."""
        low, high = self.placed.tool.opening_m
        opening = float(np.clip(round(opening_m / ROUNDED_M) * ROUNDED_M, low, high))
        if opening not in self._by_opening:
            self._by_opening[opening] = ArmBodies(self.placed, opening)
        return self._by_opening[opening]

    @cached_property
    def _others(self) -> list[tuple[ArmBodies, Array]]:
        others = [one for one in self.site.cell.arms if one is not self.placed]
        return [(ArmBodies(one), np.array(one.home)) for one in others]

    def joints(self, T_world_tool: Array, most: int = BRANCHES, angles: int | None = None) -> tuple[Ints, Array]:
        """(m,) which of the poses (g, 4, 4), and (m, n) joints that reach it: all branches, or those near home.

        `angles` of a seventh joint, if there is one, are looked at.
        """
        wanted = self._back @ T_world_tool
        reach = self.placed.arm.reach_m
        near = np.arange(len(wanted))
        if reach is not None:  # a bound with room to spare: what a tool adds, and how high a shoulder is
            tool = float(np.linalg.norm(self.placed.tool.T_flange_tool[:3, 3]))
            near = np.flatnonzero(np.linalg.norm(wanted[:, :3, 3], axis=1) <= 2.0 * reach + tool)
        if not len(near):
            return np.zeros(0, np.int64), np.zeros((0, len(self.placed.home)))
        found, counts = self.kinematics.many_branches(wanted[near], self.placed.home, thorough=False, angles=angles)
        found = found[:, : counts.max()]
        beyond = np.arange(found.shape[1]) >= counts[:, None]
        found[beyond] = self.placed.home
        apart = np.abs(found - self.placed.home).max(axis=2)
        apart[beyond] = np.inf
        order = np.argsort(apart, axis=1, kind="stable")[:, :most]
        there = np.isfinite(np.take_along_axis(apart, order, axis=1))
        rows, places = np.nonzero(there)
        return near[rows], found[rows, order[rows, places]]

    def follow(self, joints: Array, T_world_tool: Array) -> tuple[Array, Bools]:
        """(m, k, n) joints from (m, n) along paths (m, k, 4, 4) of the tool that begin there, and (m,) where it can."""
        wanted = np.ascontiguousarray((self._back @ T_world_tool)[..., :3, :])
        return followed(self.kinematics.chain, np.ascontiguousarray(joints), wanted, JUMP)

    def free_of_arms(self, joints: Array, opening_m: float) -> Bools:
        """(m,) whether it touches neither itself nor another arm at home."""
        bodies = self.bodies(opening_m)
        free: Bools = ~bodies.touches_itself(joints, MARGIN_M)
        for other, home in self._others:
            if free.any():
                free[free] &= ~clashes(bodies, joints[free], other, home[None])[:, 0]
        return free

    def ways_free_of_arms(self, joints: Array, openings_m: Array) -> Bools:
        """(m,) the same all along paths of positions (m, k, n), each with its opening (m,)."""
        free = np.zeros(len(joints), bool)
        rounded = np.round(openings_m, 3)
        for opening in np.unique(rounded):
            rows = np.flatnonzero(rounded == opening)
            flat = self.free_of_arms(joints[rows].reshape(-1, joints.shape[2]), float(opening))
            free[rows] = flat.reshape(len(rows), -1).all(axis=1)
        return free

    def in_the_way(self, joints: Array, opening_m: float) -> list[int]:
        """By position (m, n), the bodies of the site that are in the way of arm and tool."""
        bodies = self.bodies(opening_m)
        around = self.site.around
        if self._pairs is None:  # how far the fingers are open makes no other pairs
            self._pairs = bodies.pairs_with(around.bodies, around.mounts)
        links = bodies.links(joints)
        return masks(in_the_way(bodies.bodies, links, around.bodies, WORLD, self._pairs, MARGIN_M, around.words))

    def along(self, joints: Array, openings_m: Array) -> list[int]:
        """By path of positions (m, k, n), each with its opening (m,), the bodies in the way anywhere at them."""
        found = [0] * len(joints)
        rounded = np.round(openings_m, 3)
        for opening in np.unique(rounded):
            rows = np.flatnonzero(rounded == opening)
            flat = self.in_the_way(joints[rows].reshape(-1, joints.shape[2]), float(opening))
            for place, row in enumerate(rows):
                for mask in flat[place * joints.shape[1] : (place + 1) * joints.shape[1]]:
                    found[row] |= mask
        return found

    def swept(self, joints: Array, opening_m: float) -> int:
        """Bodies in the way anywhere along positions (k, n) one after another."""
        bodies, found = self.bodies(opening_m), 0
        for begin, end in pairwise(joints):
            found |= swept_blockers(bodies, begin, end, self.site.around)
        return found

    def meets_own_load(self, joints: Array, part: int, T_world_part: Array) -> Bools:
        """(m,) whether a part carried at (m, 4, 4) touches the arm's own links, but for the last two."""
        bodies = self.bodies(self.placed.tool.opening_m[1])
        solid = self.site.solids[part]
        pairs = all_pairs(bodies.bodies, solid)
        last = len(self.placed.home)
        able = (bodies.bodies.owner == LINK) & (bodies.bodies.link < last - 1)
        pairs = pairs[able[pairs[:, 0]]]
        standing = np.ascontiguousarray(T_world_part[:, None, :3, :])
        links = bodies.links(joints)
        if not len(pairs) or not len(links):
            return np.zeros(len(links), bool)
        flags: Bools = in_the_way(bodies.bodies, links, solid, standing, pairs, MARGIN_M, 1)[:, 0] != 0
        return flags

    def meets(self, joints: Array, opening_m: float, other: Station, at: Array, other_opening_m: float) -> bool:
        """Whether it comes near another arm that stands at (n,) anywhere at positions (m, n)."""
        found = clashes(self.bodies(opening_m), joints, other.bodies(other_opening_m), at[None])
        return bool(found.any())

    def meets_load(self, at: Array, opening_m: float, part: int, T_world_part: Array) -> bool:
        """Whether a part at any of the poses (m, 4, 4) comes near this arm, which stands at (n,)."""
        bodies, solid = self.bodies(opening_m), self.site.solids[part]
        moved = np.ascontiguousarray(T_world_part[:, None, :3, :])
        pairs = all_pairs(solid, bodies.bodies)
        return bool(clashing(solid, moved, bodies.bodies, bodies.links(at[None]), pairs, MARGIN_M).any())


def carried_blockers(site: Site, part: int, T_world_part: Array) -> list[int]:
    """By pose (m, 4, 4) of a part in the air, the bodies of the site that are in its way."""
    solid: Bodies = site.solids[part]
    pairs = all_pairs(solid, site.around.bodies)
    moved = np.ascontiguousarray(T_world_part[:, None, :3, :])
    found = in_the_way(solid, moved, site.around.bodies, WORLD, pairs, MARGIN_M, site.around.words)
    return [mask & ~site.own(part) for mask in masks(found)]
