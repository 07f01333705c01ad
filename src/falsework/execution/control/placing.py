"""One brick from where it lies to its place: what is done in each state of the table, and what is checked there.

Every check that is violated raises `Trouble` with the class of the failure; `builder.py` decides what then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from falsework.execution.control.belief import Belief, fits
from falsework.execution.control.looking import Looking
from falsework.execution.control.recovery import Trouble
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.sight import Eyes
from falsework.execution.control.table import TABLE, State
from falsework.execution.control.ways import Errand, Ways
from falsework.execution.facade import Facade, Stopped
from falsework.execution.journal import Journal
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import shown
from falsework.model.perception.findings import Located
from falsework.model.plan import Step
from falsework.model.shapes import BrickShape
from falsework.robots.brickcell.brick_holds import tip_m
from falsework.robots.collision.arm_bodies import ArmBodies

STANDS_OFF_M = 2e-3  # farther from its place than this by sight is off
STANDS_HIGH_M = 8e-4  # higher above its seat than this by sight is not pressed home
NOTHING_N = 0.3  # a press that feels less has met nothing
BLIND_M_S = 0.02  # of a press that feels nothing
STALLED_RAD = 0.05  # farther from where it was sent than this an arm has stalled


@dataclass(slots=True, eq=False)
class Job:
    """One brick on its way to its place."""

    name: str
    step: Step
    begun_s: float
    tries: int = 0
    hold: int = 0  # which of the holds that were found
    passed_over: list[Array] = field(default_factory=list)  # (3,) where bricks lie that were tried and left
    climbed: dict[str, int] = field(default_factory=dict)  # rungs of each ladder
    taken: Located | None = None
    errand: Errand | None = None
    again: bool = False  # it was given up before
    is_laid: bool = False  # it was found in its place
    is_unsure: bool = False  # it was not felt to go in: nobody touches it before it was seen


class Placing(Looking):
    """The states, for one arm of a cell."""

    def __init__(
        self,
        facade: Facade,
        eyes: Eyes,
        product: Assembly,
        settings: ControlSettings,
        journal: Journal,
        arm: str | None,
    ) -> None:
        super().__init__(facade, eyes, product, settings, journal)
        cell = facade.cell
        self.placed_arm = cell.arms[0] if arm is None else cell.arm_named(arm)
        self.ways = Ways(cell, self.placed_arm)
        self._states: dict[State, Callable[[Job], None]] = {
            State.LOOK: self._look,
            State.PREGRASP: self._pregrasp,
            State.DESCENDTOGRASP: self._descend_to_grasp,
            State.GRASP: self._grasp,
            State.LIFT: self._lift,
            State.PREPLACE: self._preplace,
            State.DESCENDTOPLACE: self._descend_to_place,
            State.PRESSIN: self._press_in,
            State.RELEASE: self._release,
            State.RETREAT: self._retreat,
            State.PRESSTOP: self._press_top,
            State.INSPECT: self._inspect,
        }

    def do(self, state: State, job: Job) -> None:
        """What a state asks for; `Trouble` where a check is violated."""
        self._states[state](job)

    def withdraw(self, job: Job, state: State) -> None:
        """Out of the way, with empty fingers, wherever the trouble came."""
        arm = self.placed_arm.name
        errand = job.errand
        now = self.facade.state(arm).q
        if errand is not None and state in (State.DESCENDTOGRASP, State.GRASP):
            self.facade.open(arm, errand.open_m)
            self._follow(arm, _back(now, errand.take), TABLE[State.LIFT].share, TABLE[State.LIFT].speed_m_s)
        elif errand is not None and state in (State.LIFT, State.PREPLACE):
            self.facade.open(arm, errand.open_m)
        elif errand is not None and state in (State.DESCENDTOPLACE, State.PRESSIN, State.RELEASE):
            self.facade.ease(arm)
            self._follow(arm, _back(now, errand.bring), TABLE[State.LIFT].share, TABLE[State.LIFT].speed_m_s)
        try:
            self.go_home()
        except Trouble:
            self._rise()

    def _rise(self) -> None:
        """Straight up and home from there: the last way out."""
        arm = self.placed_arm.name
        state = self.facade.state(arm)
        T = np.array(state.T_world_tool)
        T[2, 3] += self.settings.above_m
        way = self.ways.straight_to(state.q, T)
        try:
            if way is not None:
                self._follow(arm, way, TABLE[State.LIFT].share, TABLE[State.LIFT].speed_m_s)
            self.go_home()
        except Trouble as trouble:
            raise Stopped(f"arm {shown(arm)}: {trouble.words}") from trouble

    # The states

    def _look(self, job: Job) -> None:
        """Find a brick that fits, and all ways for it."""
        if self.settings.look_again or not self._looked:
            self._see()
        if (job.tries or job.again) and self.settings.verify:
            seen = self._look_over(self.belief.placed | {job.name})
            job.is_laid = seen[job.name].state == "in place"
            if job.is_laid:
                return
            self.belief = replace(self.belief, loose=self.belief.not_placed(self.belief.loose))
        part = self.belief.part(job.name)
        fitting = [one for one in self.belief.loose if fits(part, one) and not _near(one.middle_m, job.passed_over)]
        if not fitting:
            kind = part.shape.kind if isinstance(part.shape, BrickShape) else part.name
            unclear = f"; {len(self.belief.unclear)} things are not clear" if self.belief.unclear else ""
            raise Trouble("perception", f"no {part.color or ''} {kind} is seen{unclear}")
        base = self.placed_arm.T_world_base[:3, 3]
        now = self.facade.state(self.placed_arm.name).q
        best = self._press_point(job)
        for one in sorted(fitting, key=lambda one: float(np.linalg.norm(one.middle_m - base))):
            errands = self.ways.errands(self.belief, job.name, one, now, best, self.settings)
            found = list(islice(_by_hold(errands), job.hold + 1))
            if found:
                job.taken, job.errand = one, found[min(job.hold, len(found) - 1)]
                return
        raise Trouble("clearance", f"no way was found to take any of {len(fitting)} bricks to its place")

    def _pregrasp(self, job: Job) -> None:
        errand = _errand(job)
        row = TABLE[State.PREGRASP]
        self.facade.open(errand.arm, errand.open_m)
        self._follow(errand.arm, errand.to_take, row.share)

    def _descend_to_grasp(self, job: Job) -> None:
        errand, row = _errand(job), TABLE[State.DESCENDTOGRASP]
        self._follow(errand.arm, errand.take, row.share, row.speed_m_s)

    def _grasp(self, job: Job) -> None:
        errand = _errand(job)
        held = self.facade.grip(errand.arm, errand.hold.width_m, self.settings.carry_n)
        if not held and self.settings.grasp_check:
            found = self.facade.state(errand.arm)
            raise Trouble(
                "closure",
                f"fingers are {1e3 * found.opening_m:.1f} mm apart and press with {found.grip_n:.1f} N, "
                f"expected {1e3 * errand.hold.width_m:.1f} mm and {self.settings.carry_n:.0f} N",
            )

    def _lift(self, job: Job) -> None:
        errand, row = _errand(job), TABLE[State.LIFT]
        self._follow(errand.arm, errand.take[::-1], row.share, row.speed_m_s)
        self._still_held(errand, "as it was lifted")

    def _preplace(self, job: Job) -> None:
        errand, row = _errand(job), TABLE[State.PREPLACE]
        self._follow(errand.arm, errand.to_bring, row.share)
        self._still_held(errand, "on the way")

    def _descend_to_place(self, job: Job) -> None:
        errand, row = _errand(job), TABLE[State.DESCENDTOPLACE]
        self._follow(errand.arm, errand.bring, row.share, row.speed_m_s)

    def _press_in(self, job: Job) -> None:
        errand = _errand(job)
        if not self.settings.feel:
            self._press_blindly(job)
            return
        press_n = self._press_n(job)
        tool = self.placed_arm.tool
        grip = self.settings.grip_spare * press_n / (2.0 * tool.friction)
        self.facade.hold_with(errand.arm, float(np.clip(grip, *tool.force_n)))
        limit = self.settings.gap_m + _studs(job, self.belief) + self.settings.deeper_m
        done = self.facade.press(errand.arm, press_n, limit)
        job.is_unsure = not done.reached
        self.tell("pressed", brick=job.name, reached=done.reached, most_n=done.most_n, travel_m=done.travel_m)

    def _press_blindly(self, job: Job) -> None:
        """As deep as the seat should be."""
        arm = self.placed_arm.name
        T = np.array(self.facade.state(arm).T_world_tool)
        T[2, 3] -= self.settings.gap_m + _studs(job, self.belief)
        way = self.ways.straight_to(self.facade.state(arm).q, T)
        if way is not None:
            self._follow(arm, way, TABLE[State.PRESSIN].share, BLIND_M_S)

    def _release(self, job: Job) -> None:
        self.facade.ease(_errand(job).arm)

    def _retreat(self, job: Job) -> None:
        errand, row = _errand(job), TABLE[State.RETREAT]
        now = self.facade.state(errand.arm).q
        self._follow(errand.arm, _back(now, errand.bring), row.share, row.speed_m_s)

    def _press_top(self, job: Job) -> None:
        """With closed fingers from above: what was let go while it was pressed askew goes home now."""
        if not self.settings.press_top or (job.is_unsure and self.settings.verify):
            return
        arm, row = self.placed_arm.name, TABLE[State.PRESSTOP]
        down = self._down_onto(job)
        if down is None:
            return  # it cannot be pressed from above; INSPECT says whether it must
        self.facade.close(arm)
        self._go(down[0], row.share, 0.0, job.name)
        self._follow(arm, down, row.share, TABLE[State.RETREAT].speed_m_s)
        needed = self._press_n(job) / self.settings.press_sure
        force = self.settings.press_sure * self._press_n(job)
        limit = self.settings.hover_m + self.settings.deeper_m + _studs(job, self.belief)
        done = self.facade.press(arm, force, limit)
        self.tell("pressed", brick=job.name, reached=done.reached, most_n=done.most_n, travel_m=done.travel_m, top=True)
        self._follow(arm, _back(self.facade.state(arm).q, down), row.share, TABLE[State.RETREAT].speed_m_s)
        if done.most_n < NOTHING_N:
            raise Trouble("lost", "nothing was felt where it should stand")
        if done.travel_m < self.settings.hover_m / 2:
            raise Trouble("misaligned", "it stands too high to have gone in")
        if done.most_n < needed:
            raise Trouble("insertion", f"pressed from above with {done.most_n:.1f} N, {needed:.1f} N are needed")

    def _inspect(self, job: Job) -> None:
        """Does it stand where it should?"""
        if not self.settings.verify:
            return
        self.go_home(job.name)
        found = self._look_over(self.belief.placed | {job.name})
        mine = found[job.name]
        if mine.state == "missing":
            raise Trouble("lost", "it is not seen where it was let go")
        if job.is_unsure and mine.state == "off":
            raise Trouble("misaligned", f"it was not felt to go in, and is {1e3 * mine.off_m:.1f} mm off")
        if job.is_unsure:
            job.is_unsure = False
            raise Trouble("insertion", "it was not felt to go in")
        if mine.state == "off" and mine.high_m > STANDS_HIGH_M and mine.off_m <= STANDS_OFF_M:
            raise Trouble("insertion", f"it stands {1e3 * mine.high_m:.1f} mm too high")
        if mine.state == "off":
            raise Trouble("offset", f"it stands {1e3 * mine.off_m:.1f} mm beside its place")

    def has_laid(self, job: Job) -> None:
        """A brick is in its place, and no longer where it lay."""
        loose = tuple(one for one in self.belief.loose if one is not job.taken)
        self.belief = replace(self.belief.standing(*job.step.parts), loose=loose)

    def look_after(self, names: frozenset[str]) -> None:
        """Believe that bricks are in their place, as far as that can be seen."""
        self.belief = self.belief.standing(*names)
        self.go_home()
        self._look_over(names)

    # What they share

    def _still_held(self, errand: Errand, when: str) -> None:
        if self.settings.grasp_check and not self.facade.holds(errand.arm, errand.hold.width_m):
            raise Trouble("slip", f"it was lost {when}")

    def _press_point(self, job: Job) -> Array:
        """(3,) of the world, over which a press is best."""
        press = job.step.press
        if press is not None:
            point: Array = (self.belief.T_world_structure @ np.append(press.point_m, 1.0))[:3]
            return point
        part, goal = self.belief.part(job.name), self.belief.goal(job.name)
        middle: Array = (goal @ np.append(part.com_part_m, 1.0))[:3]
        return middle

    def _press_n(self, job: Job) -> float:
        press = job.step.press
        asked = 0.0 if press is None else float(np.linalg.norm(press.force_n))
        return self.settings.press_sure * asked

    def _follow(self, arm: str, way: Array, share: float, speed_m_s: float | None = None) -> None:
        """Where an arm does not come to where it was sent, the build stops."""
        self.facade.follow(arm, way, share, speed_m_s)
        off = float(np.abs(self.facade.state(arm).q - way[-1]).max())
        if off > STALLED_RAD:
            raise Stopped(f"arm {shown(arm)} stalled: a joint is {np.rad2deg(off):.1f}° from where it was sent")

    def _down_onto(self, job: Job) -> Array | None:
        """(k, n) a free straight way for closed fingers down to a little above a brick, turned as the hand is."""
        tool, part, goal = self.placed_arm.tool, self.belief.part(job.name), self.belief.goal(job.name)
        height = part.shape.kind.size_m[2] if isinstance(part.shape, BrickShape) else 0.0
        T = np.array(self.facade.state(self.placed_arm.name).T_world_tool)
        T[:3, 3] = self._press_point(job)
        T[2, 3] = goal[2, 3] + height + _studs(job, self.belief) + tip_m(tool) + self.settings.hover_m
        closed = ArmBodies(self.placed_arm, tool.opening_m[0])
        around = self.belief.standing(job.name).around(self.facade.cell)
        press_m = self.settings.hover_m + self.settings.deeper_m + _studs(job, self.belief)
        now = self.facade.state(self.placed_arm.name).q
        found = self.ways.descents(T, closed, around, self.settings.above_m, press_m, near=now)
        return found[0] if found else None

    def _go(self, goal: Array, share: float, opening_m: float, laid: str | None = None) -> None:
        """By a free way to joints, with empty fingers; around a brick too that was just laid."""
        arm = self.placed_arm.name
        now = self.facade.state(arm).q
        empty = ArmBodies(self.placed_arm, opening_m)
        belief = self.belief if laid is None else self.belief.standing(laid)
        way = self.ways.transit(now, goal, empty, belief.around(self.facade.cell), np.random.default_rng(0))
        if way is None:
            raise Trouble("clearance", "no free way was found from where the hand is")
        self._follow(arm, way, share)

    def go_home(self, laid: str | None = None) -> None:
        """Out of the cameras' way."""
        tool = self.placed_arm.tool
        opening = float(np.clip(self.facade.state(self.placed_arm.name).opening_m, *tool.opening_m))
        self._go(np.array(self.placed_arm.home), TABLE[State.PREGRASP].share, opening, laid)


def _errand(job: Job) -> Errand:
    assert job.errand is not None
    return job.errand


def _near(point_m: Array, others: list[Array], within_m: float = 0.01) -> bool:
    return any(float(np.linalg.norm(point_m[:2] - other[:2])) < within_m for other in others)


def _by_hold(errands: Iterable[Errand]) -> Iterator[Errand]:
    """The first errand of every hold."""
    last = None
    for errand in errands:
        if errand.hold is not last:
            last = errand.hold
            yield errand


def _back(now: Array, way: Array) -> Array:
    """Up the way that led down, from where the arm is now."""
    return np.concatenate([now[None], way[-2::-1]])


def _studs(job: Job, belief: Belief) -> float:
    shape = belief.part(job.name).shape
    return shape.kind.measures.stud_height_m if isinstance(shape, BrickShape) else 0.0
