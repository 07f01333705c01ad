"""Two arms put two bricks together in the air (seed 000, Fig. 9).

One takes the lower brick with a hand that leans back and holds it out between both arms; the other brings the upper one
from above and presses it on. The press goes through the holding hand's friction: it grips as hard as that needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from falsework.model.arrays import Array
from falsework.model.errors import BadInput, Undecided, shown
from falsework.model.part import Part
from falsework.model.poses import about, inverse
from falsework.model.shapes import BrickShape, corners
from falsework.robots.brickcell.brick_holds import BrickHold, brick_holds, leaning_holds, openings
from falsework.robots.brickcell.cell_world import EASE_M
from falsework.robots.brickcell.mason import ABOVE_M, CARRY_N, GAP_M, SLOW_M_S, Mason
from falsework.robots.brickcell.paths import straight
from falsework.robots.brickcell.reaching import Descent, Reach
from falsework.robots.collision.arm_bodies import ArmBodies

LEANS_DEG = (45.0, 60.0)  # from upright
HEIGHTS_M = (0.25, 0.35)  # above the table, of the brick that is held out
QUARTERS = (0.0, 90.0, 180.0, 270.0)  # how it may be turned there
HOLDS = 8  # ways to take a brick that are looked at, for each lean
FIRM_N = 30.0  # the grip of the hand that is pressed against


@dataclass(frozen=True, slots=True)
class JoinedInAir:
    """Which arm held, which pressed, and whether the bricks are one now.

    >>> JoinedInAir("left", "right", True).holder
    'left'
    """

    holder: str
    presser: str
    joined: bool


@dataclass(frozen=True, slots=True, eq=False)
class _HeldOut:
    """An arm that takes the lower brick, lifts it and holds it out."""

    arm: str
    presser: str
    hold: BrickHold
    open_m: float
    take: Descent
    lift: Array  # (k, n) straight up from there
    to_take: Array  # (k, n)
    out: Array  # (k, n) from the lift's end to where it is held out


def join_in_air(
    mason: Mason, lower: str, upper: str, T_lower_upper: Array, press_n: float = 1.25, arms: tuple[str, ...] = ()
) -> JoinedInAir:
    """Take two bricks that lie apart and press the upper one on the lower one, held out between two arms.

    T_lower_upper  (4, 4) the upper brick in the lower one's frame, in m, once they are one
    arms           the one that holds and the one that presses; any two unless told

    The holding arm keeps both in its hand. Undecided where no two arms find ways.

    >>> import falsework
    >>> cell = falsework.robots.CellWorld(falsework.new_cell("panda"), falsework.new("duplo-stack"))
    >>> join_in_air(falsework.robots.Mason(cell, np.random.default_rng(0)), "1", "2", np.eye(4))
    Traceback (most recent call last):
    ...
    falsework.model.errors.BadInput: to put bricks together in the air takes two arms, and the cell has 1
    """
    cell = mason.cell
    if len(cell.arms) < 2:
        raise BadInput(f"to put bricks together in the air takes two arms, and the cell has {len(cell.arms)}")
    orders = [(cell.arm(arms[0]).placed.name, cell.arm(arms[1]).placed.name)] if arms else permutations(cell.arms, 2)
    pair = _Pair(mason, lower, upper, T_lower_upper)
    held = next((found for order in orders for found in pair.ways(*order)), None)
    if held is None:
        raise Undecided(
            f"no two arms found ways to hold out {shown(lower)} and to bring {shown(upper)}: out of reach, or one is "
            "in the other's way"
        )
    pair.hold_out(held)
    goal = cell.T_world_part(lower) @ T_lower_upper
    point = (cell.T_world_part(lower) @ np.append(pair.middle, 1.0))[:3]
    mason.lay((upper,), upper, goal, press_n, point, (held.presser,), lambda: pair.joined)
    return JoinedInAir(held.arm, held.presser, pair.joined)


class _Pair:
    def __init__(self, mason: Mason, lower: str, upper: str, T_lower_upper: Array) -> None:
        self._mason, self._cell = mason, mason.cell
        self._lower, self._upper = (
            self._cell.world.assembly.bodies[self._cell.world.number(n)] for n in (lower, upper)
        )
        self._T = np.asarray(T_lower_upper, dtype=np.float64)
        self.middle = _over_each_other(self._lower, self._upper, self._T)

    @property
    def joined(self) -> bool:
        return (self._lower.name, self._upper.name) in set(self._cell.world.connections)

    def ways(self, holder: str, presser: str) -> Iterator[_HeldOut]:
        """How the holder may take the brick and hold it out so that the presser comes to it from above."""
        reach, arm = Reach(self._cell, holder), self._cell.arm(holder)
        around = reach.around((self._lower.name,))
        T_seen = self._mason.seen(self._lower.name)
        far = self._far_end()
        now = arm.wanted(self._cell.time_s)
        for lean in LEANS_DEG:
            for hold in list(leaning_holds(self._lower, arm.placed.tool, far, lean))[:HOLDS]:
                load = (self._lower.shape, arm.placed.tool.T_flange_tool @ inverse(hold.T_part_tool))
                full = ArmBodies(arm.placed, hold.width_m, [load])
                for open_m in openings(hold, arm.placed.tool)[:1]:
                    bodies = ArmBodies(arm.placed, open_m)
                    for take in reach.descents(T_seen @ hold.T_part_tool, bodies, around, ABOVE_M)[:2]:
                        lift = self._lifted(holder, take.way[-1])
                        if lift is None or not reach.free(lift, bodies, around).all():
                            continue
                        to_take = reach.transit(now, take.above, bodies, around)
                        if to_take is None:
                            continue
                        for out in self._held_out(holder, presser, hold, lift[-1], full):
                            yield _HeldOut(holder, presser, hold, open_m, take, lift, to_take, out)

    def _lifted(self, holder: str, q: Array) -> Array | None:
        """(k, n) straight up; None where the arm cannot."""
        arm = self._cell.arm(holder)
        above = arm.T_world_tool(q)
        above[2, 3] += ABOVE_M
        try:
            return straight(arm.kinematics, q, arm.in_base(above))
        except BadInput:
            return None

    def _held_out(self, holder: str, presser: str, hold: BrickHold, begin: Array, full: ArmBodies) -> Iterator[Array]:
        """Ways (k, n) from a lift's end to places where the brick is held out and the other hand has room."""
        cell, arm = self._cell, self._cell.arm(holder)
        reach = Reach(cell, holder)
        around = reach.around((self._lower.name,))
        home = np.array(arm.placed.home)
        for T_lower in self._meetings(holder, presser):
            rows = arm.kinematics.branches(arm.in_base(T_lower @ hold.T_part_tool), home)
            if not len(rows):
                continue
            rows = rows[reach.free(rows, full, around)]
            for q in rows[np.argsort(np.abs(rows - begin).max(axis=1), kind="stable")][:4]:
                way = reach.transit(begin, q, full, around)
                if way is not None and self._has_room(presser, holder, full, q, T_lower @ self._T):
                    yield way
                    break

    def _has_room(self, presser: str, holder: str, full: ArmBodies, q: Array, T_upper: Array) -> bool:
        """Whether the other arm comes down to the upper brick's place while this one stands so."""
        reach, arm = Reach(self._cell, presser, {holder: (full, q)}), self._cell.arm(presser)
        around = reach.around((self._upper.name,))
        best = (inverse(self._T) @ np.append(self.middle, 1.0))[:3]
        T = T_upper.copy()
        T[2, 3] += GAP_M
        for hold in list(brick_holds(self._upper, arm.placed.tool, best))[:HOLDS]:
            bodies = ArmBodies(arm.placed, min(hold.width_m + EASE_M, arm.placed.tool.opening_m[1]))
            if reach.descents(T @ hold.T_part_tool, bodies, around, ABOVE_M):
                return True
        return False

    def _meetings(self, holder: str, presser: str) -> Iterator[Array]:
        """(4, 4) where the lower brick may be held out, level: over the middle between both bases."""
        bases = [self._cell.arm(name).placed.T_world_base for name in (holder, presser)]
        table = self._cell.cell.table
        for height in HEIGHTS_M:
            for degrees in QUARTERS:
                T = np.eye(4)
                T[:3, :3] = about(2, degrees)
                middle = np.mean([base[:3, 3] for base in bases], axis=0)
                middle[2] = height + (0.0 if table is None else table.top_m[2])
                T[:3, 3] = middle - T[:3, :3] @ self._lower.com_part_m
                yield T

    def _far_end(self) -> Array:
        """(3,) the point of the lower brick that is farthest from where the upper one lies on it."""
        middle = self._lower.com_part_m
        away: Array = 2 * middle - self.middle
        return away

    def hold_out(self, held: _HeldOut) -> None:
        """Take the lower brick and hold it where the other arm will come; Undecided where it slipped."""
        cell, mason, name = self._cell, self._mason, held.arm
        cell.open(name, held.open_m, wait=False)
        mason.follow(name, held.to_take)
        mason.follow(name, held.take.way, SLOW_M_S)
        if not cell.grip(name, held.hold.width_m, CARRY_N):
            raise Undecided(f"arm {shown(name)} did not get hold of {shown(self._lower.name)}")
        cell.hold_with(name, FIRM_N)
        mason.follow(name, held.lift, SLOW_M_S)
        mason.follow(name, held.out)
        if not cell.holds(name, held.hold.width_m):
            raise Undecided(f"{shown(self._lower.name)} slipped out of the hand of arm {shown(name)}")


def _over_each_other(lower: Part, upper: Part, T_lower_upper: Array) -> Array:
    """(3,) the middle of where the upper brick lies on the lower one, in the lower one's frame."""
    if not (isinstance(lower.shape, BrickShape) and isinstance(upper.shape, BrickShape)):
        raise BadInput(
            f"{shown(lower.name)} and {shown(upper.name)} are not both bricks; arms here put bricks together"
        )
    points = corners(upper.shape) @ T_lower_upper[:3, :3].T + T_lower_upper[:3, 3]
    below = corners(lower.shape)
    low, high = np.maximum(points.min(axis=0), below.min(axis=0)), np.minimum(points.max(axis=0), below.max(axis=0))
    if (high - low)[:2].min() <= 0 or abs(points[:, 2].min() - below[:, 2].max()) > 1e-4:
        raise BadInput(f"{shown(upper.name)} does not lie on {shown(lower.name)}: its lower face must be on its studs")
    middle: Array = np.append((low + high)[:2] / 2, points[:, 2].min())
    return middle
