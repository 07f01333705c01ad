"""A plan with arms as actions, one arm moving at a time in the order of its tasks: free ways found, all of it timed.

The arm that moves keeps clear of everything that stands at that moment: parts in place, parts that wait on trays, the
table, obstacles, and the other arms where they rest, with what they hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress

import numpy as np

from falsework.geometry.shapes.convex_pieces import rough_pieces_of
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, Undecided, shown
from falsework.model.part import Part
from falsework.model.poses import inverse
from falsework.model.robots.cell import ROTARY, CellArm
from falsework.model.robots.limits import JointLimits
from falsework.model.robots.motion import Guard, SegmentKind
from falsework.model.robots.task import CellPlan, Task, Waypoint
from falsework.robots.cells.feeding import waiting_places
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.bodies import Piece
from falsework.robots.collision.surroundings import Surroundings
from falsework.robots.grasps.bearing import ACCELERATION
from falsework.robots.kinematics.kinematics import Kinematics
from falsework.robots.motions.actions import FINGERS_M_S, GRIP_S, Action
from falsework.robots.motions.obstructions import Lying
from falsework.robots.motions.retiming import Timed, retimed
from falsework.robots.motions.rounding import Curve, followed, rounded_off
from falsework.robots.motions.transits import Standing, Ways
from falsework.robots.motions.turning import Turntable

STRAIGHT_M_S = 0.25  # the fastest that a hand goes near a part
PRESS_M_S = 0.05  # and onto one that is pressed
MARGINS_M = (0.002, 0.001)  # kept on free ways: less only where an end of one is nearer
STOP = 3.0  # times the force of a press, at which it is broken off
LEAST_PRESS_N = 1.0
STILL = 1e-9  # rad or m: what is no motion
BEFORE = -1  # the step that it is to take over what is held at the beginning
PASSING = ("place", "regrasp", "give", "take", "join", "part")  # what is done with a part on its way to its place
CARRIED = 0.95 * ACCELERATION  # m/s² of what is carried
SAMPLE_S, GENTLER = 0.01, 4  # at which that is looked at, and how often it is corrected


@dataclass(eq=False)
class _Hand:
    """An arm as it stands after the actions so far."""

    placed: CellArm
    kinematics: Kinematics
    limits: JointLimits
    q: Array
    opening_m: float
    carried: dict[str, Array] = field(default_factory=dict)  # parts in the hand, by their poses in the tool's frame
    grips: bool = False  # closed on a part, carried or not
    _made: dict[tuple[object, ...], ArmBodies] = field(default_factory=dict)

    def bodies(self, parts: dict[str, Part]) -> ArmBodies:
        """With what it carries, in the flange's frame."""
        T = self.placed.tool.T_flange_tool
        asked = (self.opening_m, *((name, at.tobytes()) for name, at in self.carried.items()))
        if asked not in self._made:
            load = [(parts[name].shape, T @ at) for name, at in self.carried.items()]
            self._made[asked] = ArmBodies(self.placed, self.opening_m, load)
        return self._made[asked]

    @property
    def T_world_tool(self) -> Array:
        pose: Array = self.placed.T_world_base @ self.kinematics.forward(self.q)
        return pose


class Sequence:
    """Goes through the tasks of a plan with arms, and keeps account of where everything is."""

    def __init__(self, plan: CellPlan, assembly: Assembly, rng: np.random.Generator) -> None:
        self.plan, self.assembly, self.rng = plan, assembly, rng
        self.parts = {body.name: body for body in assembly.bodies}
        self.hands = {
            one.name: _Hand(
                one, Kinematics(one.arm, one.tool), JointLimits.of(one.arm), one.home, one.tool.opening_m[1]
            )
            for one in plan.cell.arms
        }
        around = Surroundings.of(plan.cell)
        own = around.bodies
        self._cell = [
            Piece(own.points[own.starts[k] : own.starts[k + 1]], 0.0, 0, int(own.owner[k]))
            for k in range(len(own.radii))
        ]
        self._cell_names = around.names
        self._mounts = around.mounts.tolist()
        self.at: dict[str, Array] = {}  # parts at rest, in the world
        self.shown_at: dict[str, Array] = {}  # parts of stations, which come when they are taken
        self.turntable = None if plan.cell.rotary is None else Turntable(plan.cell.rotary)
        self.lying: list[Lying] = []  # where parts lie, and which action changes that
        self.count = 0  # actions so far
        self._touched: dict[str, tuple[int, str]] = {}  # by part on its way, the last action with it and whose that was
        self._bound: dict[str, int] = {}  # by part in its place, the last action that brought or held it
        self._begin()

    def _begin(self) -> None:
        there = {*self.assembly.fixed, *self.plan.plan.start.installed}
        for name in there:
            self.at[name] = self.plan.T_world_assembly @ self.parts[name].T_world_part
        if self.assembly.ground_part is not None and not (
            self.assembly.ground.kind == "table" and self.plan.cell.table is not None
        ):
            ground = self.assembly.ground_part
            self.at[ground.name] = self.plan.T_world_assembly @ ground.T_world_part
        if self.turntable is not None:
            self.turntable.begin_with(self.at)
        stations = {one.name for one in self.plan.cell.feeders if one.kind == "station"}
        waiting = waiting_places(self.plan.cell, self.assembly)
        for name, places in waiting.items():
            if name not in there:
                aside = all(one.feeder in stations for one in places)
                (self.shown_at if aside else self.at)[name] = places[0].T_world_part

    def actions(self) -> Iterator[Action]:
        """One after the other. Undecided where no free way was found."""
        for number, task in enumerate(self.plan.tasks):
            for action in self._turned(number, task) if task.action == "turn" else self._task(number, task):
                yield action
                self.count += 1

    def _turned(self, number: int, task: Task) -> Iterator[Action]:
        if self.turntable is None:
            raise BadInput(f"task {number + 1}: the cell has no turntable that could turn; plan without that")
        if any(hand.grips for hand in self.hands.values()):
            raise BadInput(f"task {number + 1}: a hand is closed on a part while the turntable turns; let go first")
        # a disc lies in the table; a plate is above it, and moves
        own = "table" if self.turntable.plate is None else ROTARY
        standing = self._standing(None, without={own, *self.turntable.on})
        steps = self.plan.plan.steps
        done = task.step if task.step < len(steps) and steps[task.step].action == "reorient" else None
        for action in self.turntable.turn(number, task.turned, self.parts, self.at, standing):
            yield replace(action, step=done)

    def _show(self, task: Task) -> None:
        """A station shows the parts that an arm comes for."""
        assert task.T_world_before is not None
        first = inverse(self.parts[task.part].T_world_part)
        for name in task.parts:
            self.shown_at.pop(name, None)
            self.at[name] = task.T_world_before @ first @ self.parts[name].T_world_part
            self.lying.append(Lying(self.count, "shows", name, self.at[name]))

    def _task(self, number: int, task: Task) -> Iterator[Action]:
        hand = self.hands[task.arm]
        points = list(task.waypoints)
        for k, point in enumerate(points):
            near = hand.grips or point.holding or _first_with_part(points, k)
            after = self._after(task) if near else ()
            if point.way is not None or np.abs(point.q - hand.q).max() > STILL:
                if task.T_world_before is not None and task.part in self.shown_at and _first_with_part(points, k):
                    self._show(task)
                brings = task.action == "place" and bool(hand.carried) and _last_with_part(points, k)
                self._note(task, hand)
                yield replace(self._moved(number, hand, task, point, brings), after=after)
            if point.holding != hand.grips or abs(point.opening_m - hand.opening_m) > STILL:
                self._note(task, hand, point.holding)
                yield replace(self._gripped(number, hand, task, point), after=after)

    def _after(self, task: Task) -> tuple[int, ...]:
        """The last action of another arm with the part, while that is on its way, or that brought or held it."""
        if task.action in ("hold", "release") and task.part in self._bound:
            return (self._bound[task.part],)
        if task.action in PASSING and self._piece(task) in self._touched:
            action, arm = self._touched[self._piece(task)]
            return (action,) if arm != task.arm else ()
        return ()

    def _note(self, task: Task, hand: _Hand, closes: bool = False) -> None:
        """What is done next is done with a part that a hand has, or takes."""
        if (task.action == "place" and hand.carried) or (task.action == "hold" and closes):
            self._bound.update((name, self.count) for name in task.parts)
        if task.action in PASSING and (hand.grips or closes):
            self._touched[self._piece(task)] = self.count, task.arm

    def _piece(self, task: Task) -> str:
        """What the part of a task is on its way as: itself, or the first of those that it is put together with."""
        parts = task.parts if task.subassembly is None else self.plan.plan.apart[task.subassembly].parts
        return min(parts)

    def _moved(self, number: int, hand: _Hand, task: Task, point: Waypoint, settles: bool) -> Action:
        """One way, free or straight; `settles`: with it the parts are in their place."""
        bodies = hand.bodies(self.parts)
        guard = None
        if point.way is not None:
            joins = task.action == "join" and bool(hand.carried) and point.name == "join"
            guard = self._guard(task, settles or joins)
            timed = self._straight(hand, point, PRESS_M_S if guard else STRAIGHT_M_S)
            away = point.name in ("lift", "retreat") or (not hand.carried and point.name.startswith("above"))
            kind: SegmentKind = "press" if guard else "retreat" if away else "approach"
        else:
            timed, kind = self._free(hand, bodies, point), "transit"
        hand.q = point.q
        carries = tuple(hand.carried)
        if settles:
            if self.turntable is not None:
                self.turntable.on.update(hand.carried)
            self._put(hand)
        return Action(
            task.arm, number, kind, point.name, timed, bodies, hand.opening_m, carries=carries, settles=settles,
            guard=guard, step=self._step(task) if settles else None,
        )  # fmt: skip

    def _step(self, task: Task) -> int | None:
        """Of the plan itself, not of what is built apart, nor where one hand takes over from another.

        What is held at the beginning is taken over by arms before any step.
        """
        step = self.plan.plan.steps[task.step] if task.step < len(self.plan.plan.steps) else None
        other = step is None or step.action != task.action or task.part not in step.parts
        takes_over = other and task.action in ("hold", "release")
        if takes_over and all(one.action == "hold" for one in self.plan.tasks[: self.plan.tasks.index(task)]):
            return BEFORE
        return task.step if task.subassembly is None and not takes_over else None

    def _guard(self, task: Task, closes: bool) -> Guard | None:
        """A brick is pressed home until its joints have closed."""
        plan = self.plan.plan
        steps = plan.steps if task.subassembly is None else plan.apart[task.subassembly].steps
        if not (closes and task.step < len(steps)):
            return None
        press = steps[task.step].press
        needed = self.plan.plan.rules.press_n
        if press is None and needed is None:
            return None
        force = max(LEAST_PRESS_N, float(np.linalg.norm(press.force_n)) if press is not None else float(needed or 0.0))
        return Guard(force, STOP * force)

    def _gripped(self, number: int, hand: _Hand, task: Task, point: Waypoint) -> Action:
        """Fingers close on a part, let go of one, or only get ready."""
        seconds = max(GRIP_S, abs(point.opening_m - hand.opening_m) / FINGERS_M_S)
        bodies = hand.bodies(self.parts)
        still = np.zeros((2, len(hand.q)))
        timed = Timed(np.array([0.0, seconds]), np.array([hand.q, hand.q]), still, still)
        carries, takes = tuple(hand.carried), tuple[str, ...]()
        frees = hand.grips and not point.holding
        if point.holding and not hand.grips:
            if task.grasp is None:
                raise BadInput(f"task {number + 1}: its hand closes on {shown(task.part)}, but it has no grasp")
            takes = (task.part,) if task.action == "hold" else task.parts
            if task.action != "hold":
                hand.carried = {name: inverse(hand.T_world_tool) @ self._taken(name) for name in takes}
        joined = ""
        if frees and task.subassembly is not None:
            joined = self._passed_on(hand, task)
        elif frees:
            self._put(hand)
        hand.grips, hand.opening_m = point.holding, point.opening_m
        ends = (task.action == "hold" and bool(takes)) or (task.action == "release" and frees)
        return Action(
            task.arm, number, "grip" if takes else "release" if frees else "wait", point.name, timed, bodies,
            point.opening_m, task.grasp if takes else None, takes, carries, frees,
            step=self._step(task) if ends else None, joined_to=joined,
        )  # fmt: skip

    def _passed_on(self, hand: _Hand, task: Task) -> str:
        """What a hand lets go of is joined to what another hand has, which then has it too."""
        assert task.subassembly is not None
        parts = self.plan.plan.apart[task.subassembly].parts
        other = next((one for one in self.hands.values() if one is not hand and {*one.carried} & {*parts}), None)
        if other is None:
            raise BadInput(f"part {shown(task.part)} is let go in the air, where no hand has what it is joined to")
        for name, at in hand.carried.items():
            T = hand.T_world_tool @ at
            other.carried[name] = inverse(other.T_world_tool) @ T
            self.lying.append(Lying(self.count, "joins", name, T))
        hand.carried = {}
        return other.placed.name

    def _put(self, hand: _Hand) -> None:
        """What is in the hand stands where it is now."""
        for name, at in hand.carried.items():
            self.at[name] = hand.T_world_tool @ at
            self.lying.append(Lying(self.count, "puts", name, self.at[name]))
        hand.carried = {}

    def _taken(self, name: str) -> Array:
        """The pose of a part that a hand takes, from where it rests or from another hand."""
        if name in self.at:
            self.lying.append(Lying(self.count, "takes", name, self.at[name]))
            return self.at.pop(name)
        for other in self.hands.values():
            if name in other.carried:
                T: Array = other.T_world_tool @ other.carried.pop(name)
                self.lying.append(Lying(self.count, "passes", name, T))
                return T
        raise BadInput(f"part {shown(name)} is taken, but it is nowhere in the cell")

    def _straight(self, hand: _Hand, point: Waypoint, most_m_s: float) -> Timed:
        """Along joints that are close together, no faster than a hand may be near parts."""
        assert point.way is not None
        if np.abs(point.way[0] - hand.q).max() > 1e-6:
            raise BadInput(f"the way to {shown(point.name)} does not begin where the arm is")
        pieces = followed(np.concatenate([hand.q[None], point.way[1:]]))
        caps = []
        for piece in pieces:
            steps = np.linalg.norm(np.diff(hand.kinematics.forward(piece.corners)[:, :3, 3], axis=0), axis=1)
            caps.append(most_m_s * np.diff(piece.places) / np.maximum(steps, 1e-9))
        return self._gently(hand, lambda limits: retimed(pieces, limits, caps))

    def _free(self, hand: _Hand, bodies: ArmBodies, point: Waypoint) -> Timed:
        standing = self._standing(hand)
        found = None
        for margin in MARGINS_M:
            ways = Ways(bodies, standing, margin)
            found = ways.between(hand.q, point.q, self.rng)
            if found is not None:
                break
        if found is None:
            raise Undecided(
                f"arm {shown(hand.placed.name)}: no free way to {shown(point.name)} was found{_why(ways, hand, point)}"
            )
        curves = [Curve(found, np.zeros(len(found)))]
        if len(found) > 2:
            curves.append(rounded_off(found, ways.free, float(ways.weights.max())))
        timed = [self._gently(hand, partial(retimed, curve.pieces())) for curve in curves]
        return min(timed, key=lambda one: one.seconds)

    def _gently(self, hand: _Hand, timed: Callable[[JointLimits], Timed]) -> Timed:
        """What is carried is not accelerated more than grasps are made for."""
        found = timed(hand.limits)
        if not hand.carried:
            return found
        limits = hand.limits
        for _ in range(GENTLER):
            most = _acceleration(hand, found)
            if most <= CARRIED:
                return found
            limits = replace(limits, acceleration=limits.acceleration * max(0.1, 0.98 * CARRIED / most))
            found = timed(limits)
        return found.slower(max(1.0, math.sqrt(_acceleration(hand, found) / CARRIED)))

    def _around(self) -> list[Piece]:
        """The cell's own pieces, the plate of a positioner as it stands."""
        plate = None if self.turntable is None else self.turntable.plate
        if plate is None:
            return self._cell
        return [one._replace(points=plate) if self._cell_names[one.owner] == ROTARY else one for one in self._cell]

    def _standing(self, mover: _Hand | None, without: Container[str] = ()) -> Standing:
        """What stands while one arm moves, or the turntable; `without` some of it."""
        able = [self._cell_names[one.owner] not in without for one in self._cell]
        pieces, names = list(compress(self._around(), able)), list(self._cell_names)
        mounts = compress(self._mounts, able)
        for name, T in self.at.items():
            if name in without:
                continue
            solid = rough_pieces_of(self.parts[name].shape).all
            pieces += [Piece(one.vertices @ T[:3, :3].T + T[:3, 3], 0.0, 0, len(names)) for one in solid]
            names.append(f"part {name!r}")
        standing = Standing(tuple(pieces), tuple(mounts), tuple(names))
        for other in self.hands.values():
            if other is not mover:
                standing = standing.and_arm(other.bodies(self.parts), other.q)
        return standing


def _why(ways: Ways, hand: _Hand, point: Waypoint) -> str:
    """What is in the way at either end, in words."""
    for q, where in ((point.q, "there"), (hand.q, "where it stands")):
        met = ways.in_the_way_at(q)
        if met:
            return f"; {where} it comes too near to {', '.join(met[:3])}"
    return ""


def _acceleration(hand: _Hand, timed: Timed) -> float:
    """The greatest acceleration, m/s², of what is in the hand."""
    if timed.seconds <= 3 * SAMPLE_S:
        times = np.linspace(0.0, timed.seconds, 7)
    else:
        times = np.arange(0.0, timed.seconds, SAMPLE_S)
    poses = hand.kinematics.forward(timed.many(times))
    most = 0.0
    for at in hand.carried.values():
        places = (poses @ at)[:, :3, 3]
        bends = np.diff(places, 2, axis=0) / (times[1] - times[0]) ** 2
        most = max(most, float(np.linalg.norm(bends, axis=1).max(initial=0.0)))
    return most


def _first_with_part(points: list[Waypoint], k: int) -> bool:
    """The way to waypoint k is the last one before the hand closes."""
    closes = next((number for number, one in enumerate(points) if one.holding), len(points))
    return k <= closes and not any(
        one.way is not None or np.abs(one.q - points[k].q).max() > STILL for one in points[k + 1 : closes + 1]
    )


def _last_with_part(points: list[Waypoint], k: int) -> bool:
    """The way to waypoint k is the last one that the part goes along."""
    return not any(
        one.holding and (one.way is not None or np.abs(one.q - points[k].q).max() > STILL) for one in points[k + 1 :]
    )
