"""From a plan with arms to a motion: one by one first, then side by side, then written down in time."""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Sequence as Listed

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.poses import inverse
from falsework.model.robots.cell import ROTARY
from falsework.model.robots.motion import Grip, GripCommand, Motion, Segment, SegmentKind, Stay, Track
from falsework.model.robots.task import CellPlan
from falsework.model.robots.tilting import UPRIGHT
from falsework.robots.motions.actions import Action
from falsework.robots.motions.obstructions import Obstructions
from falsework.robots.motions.sequence import Sequence
from falsework.robots.motions.timetable import Timetable, one_by_one, side_by_side

TOGETHER_S = 1e-9  # actions that follow each other within this have no wait between them


def motions_of(
    plan: CellPlan,
    assembly: Assembly,
    rng: np.random.Generator | None = None,
    together: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Motion:
    """How the arms of a cell carry out a plan, in time; one arm at a time unless `together`.

    Undecided where no free way to a waypoint was found. The same generator gives the same motion.

    >>> import falsework
    >>> from falsework import Plan, Rules
    >>> arch = falsework.load("examples/arch.yaml")
    >>> empty = CellPlan(Plan(Rules(), "complete", ()), falsework.new_cell("two-panda"), np.eye(4), ())
    >>> motions_of(empty, arch).makespan_s
    0.0
    """
    sequence = Sequence(plan, assembly, np.random.default_rng(0) if rng is None else rng)
    before = dict(sequence.at)
    actions = []
    for action in sequence.actions():
        actions.append(action)
        if progress is not None:
            progress(action.task + 1, len(plan.tasks))
    if together:
        table = side_by_side(actions, Obstructions(actions, sequence.lying, sequence.parts))
    else:
        table = one_by_one(actions)
    return written(plan, actions, table, sequence, before)


def written(
    plan: CellPlan, actions: Listed[Action], table: Timetable, sequence: Sequence, before: dict[str, Array]
) -> Motion:
    """Actions and when they begin, as a motion."""
    writer = _Writer(plan, actions, table)
    for k in np.lexsort((np.arange(len(actions)), table.begins)).tolist():
        writer.write(int(k))
    return Motion(
        plan.plan,
        plan.cell,
        plan.T_world_assembly,
        tuple(writer.track(one.name, one.home) for one in plan.cell.movers),
        tuple(writer.commands),
        tuple(sorted(writer.segments, key=lambda one: (one.begin_s, one.arm))),
        tuple(writer.all_grips()),
        tuple(_stays(actions, table, sequence, before)),
        tuple(writer.steps()),
        table.one_by_one_s,
        table.bound_s,
    )


class _Writer:
    def __init__(self, plan: CellPlan, actions: Listed[Action], table: Timetable) -> None:
        self.plan, self.actions, self.table = plan, actions, table
        self.rows: dict[str, list[tuple[float, Array, Array, Array]]] = {}
        self.commands: list[GripCommand] = []
        self.segments: list[Segment] = []
        self.grips: list[Grip] = []
        self._closed: dict[str, tuple[float, Action]] = {}
        self._more: dict[str, list[str]] = {}  # by arm, parts that were joined to the one in its hand
        self._opening = {one.name: one.tool.opening_m[1] for one in plan.cell.movers}
        self._done: dict[int, float] = {}

    def write(self, k: int) -> None:
        action, begin = self.actions[k], float(self.table.begins[k])
        end = begin + action.seconds
        self._wait(action, begin)
        timed, rows = action.timed, self.rows.setdefault(action.arm, [])
        for row in zip(timed.times.tolist(), timed.q, timed.speed, timed.acceleration, strict=True):
            if not rows or begin + row[0] > rows[-1][0] + TOGETHER_S:
                rows.append((begin + row[0], *row[1:]))
        self.segments.append(Segment(action.arm, action.kind, begin, end, action.task, action.to, action.guard))
        closes = action.takes or action.frees or action.clamps_n is not None
        if closes or abs(action.opening_m - self._opening[action.arm]) > TOGETHER_S:
            force = action.grasp.force_n if action.grasp is not None else action.clamps_n or 0.0
            self.commands.append(GripCommand(action.arm, begin, end, action.opening_m, force))
            self._opening[action.arm] = action.opening_m
        if action.joined_to:
            self._more.setdefault(action.joined_to, []).extend(action.carries)
        if action.frees:
            self._let_go(action.arm, begin)
        if action.takes:
            self._closed[action.arm] = (end, action)
        if action.step is not None:
            self._done[action.step] = begin if action.frees else end

    def _wait(self, action: Action, begin: float) -> None:
        rows = self.rows.get(action.arm)
        since = rows[-1][0] if rows else 0.0
        if begin > since + TOGETHER_S:
            kind: SegmentKind = "hold" if action.arm in self._closed else "wait"
            self.segments.append(Segment(action.arm, kind, since, begin, action.task, ""))

    def _let_go(self, arm: str, when: float) -> None:
        since, action = self._closed.pop(arm)
        assert action.grasp is not None
        self.grips.append(Grip(arm, (*action.takes, *self._more.pop(arm, ())), since, when, action.grasp))

    def all_grips(self) -> list[Grip]:
        """With those of hands that stay closed."""
        for arm in list(self._closed):
            self._let_go(arm, math.inf)
        return sorted(self.grips, key=lambda one: (one.begin_s, one.arm))

    def track(self, arm: str, home: Array) -> Track:
        rows = self.rows.get(arm)
        if not rows:
            still = np.zeros((1, len(home)))
            return Track(arm, np.zeros(1), home[None], still, still)
        times, q, speed, acceleration = (np.array(column) for column in zip(*rows, strict=True))
        return Track(arm, times, q, speed, acceleration)

    def steps(self) -> list[float]:
        """When each step is done; one that needs no arm, with the one before."""
        found, last = [], 0.0
        for number in range(len(self.plan.plan.steps)):
            last = self._done.get(number, last)
            found.append(last)
        return found


def _stays(actions: Listed[Action], table: Timetable, sequence: Sequence, before: dict[str, Array]) -> list[Stay]:
    """Where every part is: at rest, then in a hand, then at rest, or on the turntable."""
    ends = table.begins + [one.seconds for one in actions]
    turntable, frame = sequence.turntable, np.eye(4)
    if turntable is not None:
        frame = turntable.frame_at(UPRIGHT)
    open_stays: dict[str, Stay] = {}
    done: list[Stay] = []

    def rests(name: str, T: Array, when: float, in_place: bool) -> None:
        if turntable is not None and in_place:
            change(name, when, inverse(frame) @ T, ROTARY)
        else:
            change(name, when, T, None)

    def change(name: str, when: float, T: Array, arm: str | None) -> None:
        last = open_stays.pop(name, None)
        if last is not None:
            done.append(Stay(name, last.begin_s, when, last.T, last.arm))
        open_stays[name] = Stay(name, when, math.inf, T, arm)

    for name, T in before.items():
        rests(name, T, 0.0, turntable is not None and name in turntable.first)
    for k, action in enumerate(actions):
        if action.kind == "turn" and turntable is not None:
            frame = turntable.frame_after(action)
        lying = [one for one in sequence.lying if one.action == k]
        for _, what, name, T in lying:
            if what == "shows":
                change(name, float(table.begins[k]), T, None)
            elif what in ("takes", "passes"):
                change(name, float(ends[k]), inverse(_tool(sequence, action)) @ T, action.arm)
            elif what == "joins":
                change(name, float(table.begins[k]), inverse(_stood(sequence, actions, k)) @ T, action.joined_to)
            else:
                rests(name, T, float(table.begins[k] if action.frees else ends[k]), action.settles)
    return sorted([*done, *open_stays.values()], key=lambda one: (one.part, one.begin_s))


def _stood(sequence: Sequence, actions: Listed[Action], k: int) -> Array:
    """(4, 4) the tool of the arm to which action k leaves its part, where it stands then."""
    return _tool(sequence, next(one for one in reversed(actions[:k]) if one.arm == actions[k].joined_to))


def _tool(sequence: Sequence, action: Action) -> Array:
    hand = sequence.hands[action.arm]
    T: Array = hand.placed.T_world_base @ hand.kinematics.forward(action.timed.q[-1])
    return T
