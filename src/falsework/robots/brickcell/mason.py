"""Arms that lay bricks: take one where it lies, carry it over its place, lower it onto the studs, press it home, leave.

What they know of a brick's place may be wrong by a little (`Errors`): closing fingers centre it between them, studs do
the rest. What slipped is taken again; what did not snap in is pressed once more, from above, with closed fingers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array
from falsework.model.errors import Undecided, shown
from falsework.model.part import Part
from falsework.model.poses import about, inverse
from falsework.model.robots.tool import Tool
from falsework.model.shapes import BrickShape, corners
from falsework.robots.brickcell.brick_holds import BrickHold, brick_holds, openings, tip_m
from falsework.robots.brickcell.cell_world import EASE_M, CellWorld
from falsework.robots.brickcell.paths import PEAK, timed
from falsework.robots.brickcell.reaching import Descent, Reach
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.grasps.bearing import pinch_capacity

ABOVE_M = 0.06  # how high over a brick a hand comes and goes
LOW_M = 0.025  # … where arms do not reach higher: near their bases
GAP_M = 5e-4  # over the studs, or the table, at which the slow part of a way ends
DEEPER_M = 3e-3  # than the brick's seat: how far a press may go
CARRY_N = 10.0  # the grip on the way
SPARE = 1.2  # times the grip that a press needs: what else the hand does to a brick that is in is less than that
SURE = 1.15  # times the press that the plan asks for
TOUCH_M_S = 1e-3  # until a brick in the hand touches studs: a hand of kilograms is a blow
GROWS_S = 1.0  # in which a press reaches its force: it ends with the click, hardly stronger than it must be
SLOW_M_S = 0.08  # of the last way to a brick
BESIDE = 0.1  # of a stud's pitch: how far beside its place a brick comes down that will lie at others
SLID_M = 6e-3  # how far a brick that slid in the hand is followed
TIPPED_DEG = 2.0  # … and how far one that tipped in it
LEAD_DEG = 0.5  # by which the end that touches first is lower, where the hand is a pitch or more beside it
TAKES = 3  # how often a brick that was not held is taken again
LOOKS = 4  # at a brick, before no arm finds a way to it
GLANCES = 4  # at a brick in the hand, before it is lowered
HOLDS = 24  # ways to hold a brick that are looked at


@dataclass(frozen=True, slots=True)
class Errors:
    """By how much a brick is seen where it is not: standard deviations. Cut off at twice that.

    >>> Errors(0.0, 0.0).place_m
    0.0
    """

    place_m: float = 3e-4
    turn_deg: float = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """An arm, a hold, and the ways to take and to bring."""

    arm: str
    hold: BrickHold
    open_m: float
    take: Descent
    bring: Descent
    to_take: Array  # (k, n)
    to_bring: Array


class Mason:
    """Lays bricks in a cell's brick world, with whichever arm reaches them.

    >>> import falsework
    >>> cell = CellWorld(falsework.new_cell("panda"), falsework.new("duplo-single"))
    >>> Mason(cell, np.random.default_rng(0), Errors(0.0, 0.0)).seen("1").shape
    (4, 4)
    """

    def __init__(self, cell: CellWorld, rng: np.random.Generator, errors: Errors | None = None) -> None:
        self.cell, self._rng = cell, rng
        self._errors = errors or Errors()

    def lay(
        self,
        parts: Sequence[str],
        grips: str,
        T_world_goal: Array,
        press_n: float = 0.0,
        press_point_m: Array | None = None,
        arms: Sequence[str] | None = None,
        until: Callable[[], bool] | None = None,
    ) -> str:
        """Bring parts that hang together to where `grips`, one of them, has the pose T_world_goal; the arm that did.

        `press_n` in N, at a point of the world: 0 puts them down. `until` says when it is in, by the click of its
        joints: the press grows slowly and ends there. `arms` are those that may: all unless told.
        Undecided where no arm finds a way.
        """
        part = self._part(grips)
        lift = np.zeros(3)
        lift[2] = GAP_M + (_studs_m(part) if press_n > 0 else 0.0)
        chosen = self._choose(part, tuple(parts), T_world_goal, lift, press_point_m, arms)
        name = chosen.arm
        self._take(chosen, part)
        self.follow(name, chosen.to_bring)
        self._lower(chosen, part, press_point_m)
        if press_n > 0:
            self.cell.hold_with(name, self._pressing_grip(chosen, SURE * press_n, press_point_m))
            self.cell.press_until(
                name,
                SURE * press_n,
                float(lift[2]) + DEEPER_M,
                speed_m_s=TOUCH_M_S,
                grows_s=GROWS_S,
                until=until,
            )
        self.cell.ease(name)
        self.cell.move_straight(name, self.cell.arm(name).T_world_tool(chosen.bring.above))
        if press_n > 0 and not (self._sits(part, T_world_goal) if until is None else until()):
            point = (
                T_world_goal[:3, :3] @ part.com_part_m + T_world_goal[:3, 3] if press_point_m is None else press_point_m
            )
            top = T_world_goal[2, 3] + part.shape.kind.size_m[2] + 2 * _studs_m(part)  # type: ignore[union-attr]
            self.press_from_above(name, np.array([point[0], point[1], top]), SURE * press_n, until)
        return name

    def _pressing_grip(self, chosen: _Chosen, press_n: float, press_point_m: Array | None) -> float:
        """N that bear a press: along the fingers, and the moment of what pushes back beside them."""
        tool = self.cell.arm(chosen.arm).placed.tool
        T = self.cell.arm(chosen.arm).T_world_tool(chosen.bring.way[-1])
        beside = 0.0 if press_point_m is None else float(abs((press_point_m - T[:3, 3]) @ T[:3, 0]))
        bears = pinch_capacity(tool, chosen.hold.width_m, 0.0)
        assert bears is not None  # flat faces do not slip out
        grip = SPARE * press_n * float(np.hypot(1.0 / bears.slip, beside / bears.twist))
        return float(np.clip(grip, *tool.force_n))

    def _sits(self, part: Part, T_goal: Array) -> bool:
        return bool(self.seen(part.name)[2, 3] <= T_goal[2, 3] + _studs_m(part) / 2)

    def _lower(self, chosen: _Chosen, part: Part, press_point_m: Array | None) -> None:
        """Down to the studs, after a look at how the brick is in the hand: it slides and tips a little on its way.

        Where fingers cannot be over the point of the press, the end next to it comes lower: what touches first takes
        most of the press, and what carries it is there.
        """
        name, hold = chosen.arm, chosen.hold
        arm = self.cell.arm(name)
        off, tipped, turned = self._in_hand(name, hold, part, GLANCES)
        off, tipped = float(np.clip(off, -SLID_M, SLID_M)), float(np.clip(tipped, -TIPPED_DEG, TIPPED_DEG))
        T = arm.T_world_tool(chosen.bring.way[-1])
        turn = about(1, -tipped - _lead_deg(part, T, press_point_m))
        if not _squares(arm.placed.tool, hold):
            turn = about(2, -turned) @ turn
        foot = np.array([0.0, 0.0, hold.T_part_tool[2, 3]])  # below the tool's point, in the brick's lower face
        for q in (chosen.bring.above, chosen.bring.way[-1]):
            T = arm.T_world_tool(q)
            T[:3, 3] += T[:3, :3] @ (foot - turn @ foot) - off * T[:3, 0]
            T[:3, :3] = T[:3, :3] @ turn
            self.cell.move_straight(name, T, SLOW_M_S)

    def _in_hand(self, name: str, hold: BrickHold, part: Part, glances: int = 1) -> tuple[float, float, float]:
        """How a brick moved in the hand since it was taken: m along the fingers, degrees about their line and the hand.

        The mean of several glances is nearer to the truth than one.
        """
        back = inverse(self.cell.state(name).T_world_tool)
        now = np.mean([back @ self.seen(part.name) @ hold.T_part_tool for _ in range(glances)], axis=0)
        tipped, turned = np.rad2deg(np.arctan2(now[[0, 1], [2, 0]], now[[2, 0], [2, 0]]))
        return float(now[0, 3]), float(tipped), float(turned)

    def press_from_above(
        self, name: str, point_m: Array, force_n: float, until: Callable[[], bool] | None = None
    ) -> None:
        """Closed fingers on top of something, at a point of the world, until they feel the force; then up again."""
        arm = self.cell.arm(name)
        tool = arm.placed.tool
        T = self.cell.aim(name).copy()
        T[:3, 3] = point_m + np.array([0.0, 0.0, tip_m(tool) + 5 * GAP_M])
        arm.open_to(tool.opening_m[0], 0.1, 5.0, self.cell.time_s)
        self.cell.wait([name])
        self.cell.move_to(name, T)
        self.cell.press_until(name, force_n, 5 * GAP_M + DEEPER_M, grows_s=GROWS_S, until=until)
        T[2, 3] += ABOVE_M
        self.cell.move_straight(name, T)
        self.cell.open(name)

    def go_home(self, names: Sequence[str] | None = None) -> None:
        """All arms, or those named, by free ways."""
        for name in self.cell.arms if names is None else names:
            self._go(name, np.array(self.cell.arm(name).placed.home))

    def seen(self, part: str) -> Array:
        """(4, 4) where a brick seems to be."""
        T = self.cell.T_world_part(part).copy()
        off = np.clip(self._rng.normal(size=3), -2.0, 2.0)
        centre = T[:3, :3] @ self._part(part).com_part_m + T[:3, 3]
        turn = about(2, float(off[2]) * self._errors.turn_deg)
        T[:3, :3] = turn @ T[:3, :3]
        T[:3, 3] = centre + turn @ (T[:3, 3] - centre)
        T[:2, 3] += off[:2] * self._errors.place_m
        return T

    def _take(self, chosen: _Chosen, part: Part) -> None:
        """Over the brick, down, closed, and up again with it; anew where it was not held."""
        name, cell = chosen.arm, self.cell
        take = chosen.take
        cell.open(name, chosen.open_m, wait=False)
        self.follow(name, chosen.to_take)
        for attempt in range(TAKES):
            self.follow(name, take.way, SLOW_M_S)
            if cell.grip(name, chosen.hold.width_m, CARRY_N):
                self.follow(name, take.way[::-1])
                if cell.holds(name, chosen.hold.width_m):
                    if abs(self._in_hand(name, chosen.hold, part)[1]) < TIPPED_DEG:
                        return
                    self.follow(name, take.way, SLOW_M_S)  # it swung about the fingers: it is put down again
            cell.open(name, chosen.open_m)
            if attempt + 1 < TAKES:
                cell.shift(name, cell.arm(name).T_world_tool(take.above)[:3, 3] - cell.aim(name)[:3, 3])
                take = self._again(chosen, part)
        raise Undecided(f"arm {shown(name)} did not get hold of {shown(part.name)} in {TAKES} tries")

    def _again(self, chosen: _Chosen, part: Part) -> Descent:
        """The same hold where the brick is seen now."""
        reach = Reach(self.cell, chosen.arm)
        around = reach.around((part.name,))
        bodies = ArmBodies(self.cell.arm(chosen.arm).placed, chosen.open_m)
        T = self.seen(part.name) @ chosen.hold.T_part_tool
        found = reach.descents(T, bodies, around, ABOVE_M) or reach.descents(T, bodies, around, LOW_M)
        if not found:
            raise Undecided(f"arm {shown(chosen.arm)} no longer reaches {shown(part.name)}, which it moved")
        self._go(chosen.arm, found[0].above)
        return found[0]

    def _choose(
        self,
        part: Part,
        parts: tuple[str, ...],
        T_goal: Array,
        lift: Array,
        press_point_m: Array | None,
        arms: Sequence[str] | None,
    ) -> _Chosen:
        best = part.com_part_m if press_point_m is None else (inverse(T_goal) @ np.append(press_point_m, 1.0))[:3]
        T_lay = T_goal.copy()
        T_lay[:3, 3] += lift
        names = list(self.cell.arms) if arms is None else list(arms)
        bases = {name: self.cell.arm(name).placed.T_world_base[:3, 3] for name in names}
        for look in range(LOOKS):  # joints near their limits may reach it as it is seen the next time
            height = ABOVE_M if look < LOOKS // 2 else LOW_M
            T_seen = self.seen(part.name)
            ends = [T_seen[:3, 3], T_lay[:3, 3]]
            far = {name: max(float(np.linalg.norm(at - bases[name])) for at in ends) for name in names}
            for name in sorted(names, key=far.__getitem__):
                found = self._with(name, part, parts, T_seen, T_lay, best, height)
                if found is None and len(names) > 1:  # the others may stand in its way
                    self.go_home([other for other in names if other != name])
                    found = self._with(name, part, parts, T_seen, T_lay, best, height)
                if found is not None:
                    return found
        raise Undecided(
            f"no arm found a way to take {shown(part.name)} from where it lies to its place: hands or bricks are in "
            "the way, or it is out of reach"
        )

    def _with(
        self, name: str, part: Part, parts: tuple[str, ...], T_seen: Array, T_lay: Array, best: Array, height: float
    ) -> _Chosen | None:
        """With one arm that comes from so high over the brick, or not at all."""
        reach, placed = Reach(self.cell, name), self.cell.arm(name).placed
        around = reach.around(parts)
        now = self.cell.arm(name).wanted(self.cell.time_s)
        leaving: dict[float, ArmBodies] = {}
        for hold in list(brick_holds(part, placed.tool, best, aside=True))[:HOLDS]:
            eased = ArmBodies(placed, min(hold.width_m + EASE_M, placed.tool.opening_m[1]))
            T_tool = T_lay @ hold.T_part_tool
            T_tool[:3, 3] += self._aside(parts, part, T_lay, T_tool[:3, 0])
            closed = ArmBodies(placed, hold.width_m)  # on the brick they may be over what lies flush beside it
            bring = [
                one
                for one in reach.descents(T_tool, eased, around, ABOVE_M)
                if reach.free(one.way, closed, around).all()
            ]
            if not bring:
                continue
            full = ArmBodies(placed, hold.width_m, self._load(parts, part, hold, placed.tool.T_flange_tool))
            for open_m in openings(hold, placed.tool):
                bodies = leaving.setdefault(open_m, ArmBodies(placed, open_m))
                for take in reach.descents(T_seen @ hold.T_part_tool, bodies, around, height):
                    to_take = reach.transit(now, take.above, bodies, around)
                    if to_take is None:
                        continue
                    for down in bring:
                        to_bring = reach.transit(take.above, down.above, full, around)
                        if to_bring is not None:
                            return _Chosen(name, hold, open_m, take, down, to_take, to_bring)
        return None

    def _aside(self, parts: tuple[str, ...], part: Part, T_lay: Array, along: Array) -> Array:
        """(3,) how far from its place a brick comes down, so that it passes by bricks that it will lie beside.

        Only the way it can slide in the fingers: as it snaps in it finds its place. Between two it is left to chance.
        """
        assert isinstance(part.shape, BrickShape)
        step = BESIDE * part.shape.kind.measures.pitch_m
        back = inverse(self.cell.T_world_part(part.name))
        sides = set()
        standing = [self._box(one, self.cell.T_world_part(one)) for one in self.cell.world.bricks if one not in parts]
        for name in parts:
            low, high = self._box(name, T_lay @ back @ self.cell.T_world_part(name))
            for sign in (-1.0, 1.0):
                toward = sign * along > 0.5, sign * along < -0.5  # the one coordinate in which it may slide, and how
                first = np.where(toward[0], high - step / 4, np.where(toward[1], low - step, low + step / 4))
                last = np.where(toward[0], high + step, np.where(toward[1], low + step / 4, high - step / 4))
                if any(((lo < last) & (hi > first)).all() for lo, hi in standing):
                    sides.add(sign)
        return -step * sides.pop() * along if len(sides) == 1 else np.zeros(3)

    def _box(self, name: str, T: Array) -> tuple[Array, Array]:
        """Lowest and highest corner of a brick's body at a pose."""
        points = corners(self._part(name).shape) @ T[:3, :3].T + T[:3, 3]
        return points.min(axis=0), points.max(axis=0)

    def _load(
        self, parts: tuple[str, ...], part: Part, hold: BrickHold, T_flange_tool: Array
    ) -> list[tuple[BrickShape, Array]]:
        """The parts with their poses in the flange's frame once they are held."""
        T_flange_part = T_flange_tool @ inverse(hold.T_part_tool)
        back = inverse(self.cell.T_world_part(part.name))
        return [
            (self._part(name).shape, T_flange_part @ back @ self.cell.T_world_part(name))  # type: ignore[misc]
            for name in parts
        ]

    def _go(self, name: str, goal: Array) -> None:
        """By a free way to joints."""
        reach = Reach(self.cell, name)
        bodies = ArmBodies(self.cell.arm(name).placed, self.cell.arm(name).placed.tool.opening_m[1])
        way = reach.transit(self.cell.arm(name).wanted(self.cell.time_s), goal, bodies, reach.around(()))
        if way is None:
            raise Undecided(f"arm {shown(name)} finds no free way from where it is")
        self.follow(name, way)

    def follow(self, name: str, way: Array, speed_m_s: float | None = None) -> None:
        """Joints one after another; at the corners of a transit it stops."""
        arm = self.cell.arm(name)
        if speed_m_s is None and len(way) <= 3:
            for goal in way[1:]:
                self.cell.move_to(name, goal)
            return
        ends = arm.kinematics.forward(way[[0, -1]])[:, :3, 3]
        least = 0.0 if speed_m_s is None else PEAK * float(np.linalg.norm(ends[1] - ends[0])) / speed_m_s
        arm.follow(timed(arm.placed.arm, way, arm.step_s, 0.5, least), self.cell.time_s)
        self.cell.wait([name])

    def _part(self, name: str) -> Part:
        return self.cell.world.assembly.bodies[self.cell.world.number(name)]


def _squares(tool: Tool, hold: BrickHold) -> bool:
    """Whether closing pads turn a brick that lies askew between them until its sides lie flat on them.

    It touches them with opposite corners. Where the line between these is inside of friction's cone, it stays askew.
    """
    return tool.pad_m[0] > tool.friction * hold.width_m


def _lead_deg(part: Part, T_world_tool: Array, press_point_m: Array | None) -> float:
    """How far the end of a brick that lies ahead of the hand, along its x axis, is to come lower than the other."""
    if press_point_m is None:
        return 0.0
    assert isinstance(part.shape, BrickShape)
    ahead = float((press_point_m - T_world_tool[:3, 3]) @ T_world_tool[:3, 0])
    return LEAD_DEG * float(np.clip(ahead / part.shape.kind.measures.pitch_m, -1.0, 1.0))


def _studs_m(part: Part) -> float:
    assert isinstance(part.shape, BrickShape)
    return part.shape.kind.measures.stud_height_m
