"""Where an arm may go among what is believed to be there: how to hold a brick, and the ways to take and to bring it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from falsework.execution.control.belief import Belief, alike
from falsework.execution.control.finger_room import EASED_M, NEAR_M
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.spots import spots
from falsework.model.arrays import Array, Bools
from falsework.model.errors import BadInput
from falsework.model.part import Part
from falsework.model.perception.findings import Located
from falsework.model.poses import inverse
from falsework.model.robots.cell import Cell, CellArm
from falsework.model.shapes import BrickShape
from falsework.robots.brickcell.brick_holds import BrickHold, brick_holds, openings
from falsework.robots.brickcell.paths import straight
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.collisions import blockers, clashes, masks
from falsework.robots.collision.surroundings import Surroundings
from falsework.robots.kinematics.kinematics import Kinematics
from falsework.robots.motions.transits import Standing
from falsework.robots.motions.transits import Ways as FreeWays

TRIED = 3  # joints for one pose that are followed up to above it
HOLDS = 16  # ways to hold a brick that are looked at
LET_FALL_M = 1e-3  # above a tray, where a brick is let go


@dataclass(frozen=True, slots=True, eq=False)
class Errand:
    """One brick from where it lies to its place: how it is held, and all ways, in joints."""

    arm: str
    hold: BrickHold
    T_world_seen: Array  # (4, 4) the brick, turned as the hold has it
    T_world_laid: Array  # (4, 4) a little above its seat
    open_m: float
    to_take: Array  # (k, n) to above the brick
    take: Array  # (k, n) down to it
    to_bring: Array  # (k, n) from above where it lay to above its place
    bring: Array  # (k, n) down to the studs
    carrier: str = ""  # of several bricks that are one, that which is held

    @property
    def along(self) -> Array:
        """(3,) of the world, along the pads as the brick is laid: there it can slide in the fingers."""
        way: Array = (self.T_world_laid @ self.hold.T_part_tool)[:3, 0]
        return way


class Ways:
    """One arm of a cell among what is believed to be there, other arms where they say they are."""

    def __init__(self, cell: Cell, arm: CellArm, others: Sequence[tuple[CellArm, Array]] = ()) -> None:
        self.cell, self.arm = cell, arm
        self.kinematics = Kinematics(arm.arm, arm.tool)
        self._beside = {other.name: (ArmBodies(other), q) for other, q in others}

    def stands(self, other: CellArm, q: Array | None = None, opening_m: float | None = None) -> None:
        """Another arm is at joints (n,) from now on, its fingers so far apart; at home unless told."""
        self._beside[other.name] = ArmBodies(other, opening_m), np.array(other.home) if q is None else q

    @property
    def _others(self) -> list[tuple[ArmBodies, Array]]:
        return list(self._beside.values())

    def errands(
        self, belief: Belief, name: str, seen: Located, now: Array, best_m: Array, settings: ControlSettings
    ) -> Iterator[Errand]:
        """Ways to bring a brick that was seen to the place of one of the product, those held best first.

        `best_m` (3,) is the point of the world over which the hand should be as it presses.
        """
        around, before = belief.around(self.cell, seen), belief.around(self.cell)
        rng = np.random.default_rng(0)  # of free ways: the same question gets the same answer
        for hold, laid, bring in self._layings(belief, name, around, best_m, settings):
            part = belief.part(name)
            yield from self._carried(part, hold, seen, laid, bring, now, around, before, settings.above_m, rng)

    def relays(
        self, belief: Belief, name: str, seen: Located, now: Array, best_m: Array, settings: ControlSettings
    ) -> Iterator[Errand]:
        """Ways to put a brick down elsewhere on the trays, where a hand can take it as it must hold it at its place."""
        around = belief.around(self.cell, seen)
        wanted = [hold for hold, _, _ in self._layings(belief, name, around, best_m, settings)]
        for T_spot in spots(self.cell.feeders, seen, belief.without(seen).rooms) if wanted else ():
            there = Located(seen.kind, seen.color, T_spot)
            if not any(True for hold in wanted for _ in self._takes(hold, there, around, settings.above_m)):
                continue
            yield from self.puts(belief, name, seen, T_spot, now, settings)

    def puts(
        self, belief: Belief, name: str, seen: Located, T_spot: Array, now: Array, settings: ControlSettings
    ) -> Iterator[Errand]:
        """Ways to put a brick down on a tray at a pose (4, 4)."""
        part, around, before = belief.part(name), belief.around(self.cell, seen), belief.around(self.cell)
        rng = np.random.default_rng(0)
        laid = T_spot.copy()
        laid[2, 3] += LET_FALL_M
        for hold in self._holds(part, part.com_part_m):
            eased = ArmBodies(self.arm, min(hold.width_m + EASED_M, self.arm.tool.opening_m[1]))
            bring = self.descents(laid @ hold.T_part_tool, eased, around, settings.above_m)
            yield from self._carried(part, hold, seen, laid, bring, now, around, before, settings.above_m, rng)

    def _holds(self, part: Part, best_m: Array) -> list[BrickHold]:
        return list(brick_holds(part, self.arm.tool, best_m))[:HOLDS]

    def _layings(
        self, belief: Belief, name: str, around: Surroundings, best_m: Array, settings: ControlSettings
    ) -> Iterator[tuple[BrickHold, Array, list[Array]]]:
        """How a brick may be held as it is laid: the hold, where the brick is above its seat, and ways down to it."""
        part, goal = belief.part(name), belief.goal(name)
        over = goal.copy()
        over[2, 3] += settings.gap_m + studs_m(part.shape)
        press_m = settings.gap_m + studs_m(part.shape) + settings.deeper_m
        for hold in self._holds(part, (inverse(goal) @ np.append(best_m, 1.0))[:3]):
            if not belief.bears(name, (goal @ hold.T_part_tool)[:3, 3]):
                continue
            eased = ArmBodies(self.arm, min(hold.width_m + EASED_M, self.arm.tool.opening_m[1]))
            laid = over.copy()
            laid[:3, 3] += belief.aside_m(name, (over @ hold.T_part_tool)[:3, 0])
            bring = self.descents(laid @ hold.T_part_tool, eased, around, settings.above_m, press_m)
            if bring:
                yield hold, laid, bring

    def _carried(
        self,
        part: Part,
        hold: BrickHold,
        seen: Located,
        laid: Array,
        bring: Sequence[Array],
        now: Array,
        around: Surroundings,
        before: Surroundings,
        above_m: float,
        rng: np.random.Generator,
    ) -> Iterator[Errand]:
        """All ways to take a brick so and to follow one of the ways down to where it is laid.

        `around` is what there is beside the brick; on the way to it, it is in the way itself, as in `before`.
        """
        tool = self.arm.tool
        full = ArmBodies(self.arm, hold.width_m, [(part.shape, tool.T_flange_tool @ inverse(hold.T_part_tool))])
        for T_seen, open_m, take in self._takes(hold, seen, around, above_m) if bring else ():
            to_take = self.transit(now, take[0], ArmBodies(self.arm, open_m), before, rng)
            if to_take is None:
                continue
            for down in bring:
                to_bring = self.transit(take[0], down[0], full, around, rng)
                if to_bring is not None:
                    yield Errand(self.arm.name, hold, T_seen, laid, open_m, to_take, take, to_bring, down)
                    break

    def _takes(
        self, hold: BrickHold, seen: Located, around: Surroundings, above_m: float
    ) -> Iterator[tuple[Array, float, Array]]:
        """Ways down to a brick, each with the brick's pose as the hold has it, and how far the fingers are open."""
        for T_seen in alike(seen):
            for open_m in openings(hold, self.arm.tool):
                ways = self.descents(T_seen @ hold.T_part_tool, ArmBodies(self.arm, open_m), around, above_m)
                if ways:
                    yield T_seen, open_m, ways[0]
                    break

    def descents(
        self,
        T_world_tool: Array,
        bodies: ArmBodies,
        around: Surroundings,
        height_m: float,
        further_m: float = 0.0,
        near: Array | None = None,
    ) -> list[Array]:
        """(k, n) each: straight ways down to a pose of the tool's point, nothing in the way.

        Joints nearest to `near` come first, to home unless told. The arm could go on straight by `further_m`, as it
        does in a press.
        """
        home = np.array(self.arm.home) if near is None else near
        rows = self.kinematics.branches(self.in_base(T_world_tool), home)
        if not len(rows):
            return []
        rows = rows[self._free(rows, bodies, around)]
        order = np.argsort(np.abs(rows - home).max(axis=1), kind="stable")
        above, below = T_world_tool.copy(), T_world_tool.copy()
        above[2, 3] += height_m
        below[2, 3] -= further_m
        found = []
        for q in rows[order][:TRIED]:
            try:
                way = straight(self.kinematics, q, self.in_base(above))
                straight(self.kinematics, q, self.in_base(below))
            except BadInput:
                continue  # a limit on the way: other joints may have none
            if self._free(way, bodies, around).all():
                found.append(way[::-1])
        return found

    def transit(
        self, begin: Array, end: Array, bodies: ArmBodies, around: Surroundings, rng: np.random.Generator
    ) -> Array | None:
        """(k, n) corners of a free way from joints to joints, straight where that is free; None: none was found."""
        standing = Standing(around.pieces, tuple(around.mounts.tolist()))
        for other, q in self._others:
            standing = standing.and_arm(other, q)
        return FreeWays(bodies, standing, NEAR_M).between(begin, end, rng)

    def shifted(self, errand: Errand, by_m: Array, further_m: float) -> Errand | None:
        """The same with its way down a little aside, by (3,) m; None where the arm cannot follow.

        Beside the way that was found joints turn otherwise: there too it must lead on by `further_m`, as in a press.
        """
        ends = self.arm.T_world_base @ self.kinematics.forward(errand.bring[[0, -1]])
        ends[:, :3, 3] += by_m
        aside = self.straight_to(errand.bring[0], ends[0])
        down = None if aside is None else self.straight_to(aside[-1], ends[1])
        if aside is None or down is None:
            return None
        below = ends[1].copy()
        below[2, 3] -= further_m
        if self.straight_to(down[-1], below) is None:
            return None
        laid = errand.T_world_laid.copy()
        laid[:3, 3] += by_m
        return replace(errand, T_world_laid=laid, bring=np.concatenate([aside, down[1:]]))

    def straight_to(self, q: Array, T_world_tool: Array) -> Array | None:
        """(k, n) from joints straight to a pose of the tool's point; None where the arm cannot follow."""
        try:
            return straight(self.kinematics, q, self.in_base(T_world_tool))
        except BadInput:
            return None

    def in_base(self, T_world: Array) -> Array:
        T: Array = inverse(self.arm.T_world_base) @ T_world
        return T

    def may_close(self, q: Array, hold: BrickHold, around: Surroundings) -> bool:
        """Whether fingers that close at joints (n,) as far as a hold says run into nothing else."""
        return bool(self._free(q[None], ArmBodies(self.arm, hold.width_m), around).all())

    def _free(self, rows: Array, bodies: ArmBodies, around: Surroundings) -> Bools:
        """(m,) whether the arm at rows (m, n) touches neither anything, nor itself, nor other arms where they are."""
        free: Bools = np.array([mask == 0 for mask in masks(blockers(bodies, rows, around, NEAR_M))], dtype=bool)
        free &= ~bodies.touches_itself(rows, NEAR_M)
        for other, q in self._others:
            free &= ~clashes(bodies, rows, other, q[None], NEAR_M)[:, 0]
        return free


def studs_m(shape: object) -> float:
    """How high a brick's studs are."""
    return shape.kind.measures.stud_height_m if isinstance(shape, BrickShape) else 0.0
