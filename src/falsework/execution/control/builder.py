"""Builds a product: plans, then takes brick after brick through the states of the table, and mends what fails.

It sees the cell through its façade and through pictures, and believes nothing else. The clock that counts is the
cell's; what looking and planning cost is told to it as settings say, so that the same seed gives the same log on any
machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from falsework.execution.control.finger_room import FingerRoom
from falsework.execution.control.handling import Job
from falsework.execution.control.placing import Placing
from falsework.execution.control.polygon import PolygonPress
from falsework.execution.control.recovery import LADDERS, WAITED, Rung, Trouble
from falsework.execution.control.settings import BLOW, ControlSettings
from falsework.execution.control.sight import Eyes
from falsework.execution.control.table import TABLE, State
from falsework.execution.facade import Facade, Stopped
from falsework.execution.journal import Journal
from falsework.model.assembly import Assembly
from falsework.model.plan import Plan, Step
from falsework.planning.plan import plan as planned
from falsework.planning.plans.jobs import Planned
from falsework.planning.replan import replan as replanned

WAITS_S = 4.0  # between two looks for a brick that is not there, at first
HANDS = 400  # evaluations, to find out whether a second hand would help
MOST_FAILURES = 6  # bricks given up, counted each time, before a build ends


@dataclass(frozen=True, slots=True)
class Failed:
    """A brick that was given up, where, and why."""

    brick: str
    state: str
    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class Built:
    """How a build ended, as the controller believes."""

    complete: bool
    placed: tuple[str, ...]
    failures: tuple[Failed, ...]
    seconds: float  # by the cell's clock
    planning_s: float
    manipulation_s: float
    late: bool = False  # its time was over, or that of planning


class Builder:
    """Builds one product in one cell, with its arms in turns, or with the one that is named."""

    def __init__(
        self,
        facade: Facade,
        eyes: Eyes,
        product: Assembly,
        settings: ControlSettings | None = None,
        journal: Journal | None = None,
        arm: str | None = None,
    ) -> None:
        self.facade, self.product = facade, product
        self.settings = settings or ControlSettings()
        self.journal = journal or Journal()
        self.placing = Placing(facade, eyes, product, self.settings, self.journal, arm)
        self.tell = self.placing.tell
        self.planning_s = 0.0
        self.failures: list[Failed] = []
        self._undecided = False
        self._waited_s = 0.0
        tool = self.placing.placed_arm.tool
        self._checks = (FingerRoom(product, tool, between=False), FingerRoom(product, tool))  # the better order first
        self._polygon = (PolygonPress(product),) if self.settings.polygon else ()
        self.after_brick: Callable[[], None] = lambda: None  # called whenever a brick is in its place

    def build(self, placed: frozenset[str] = frozenset()) -> Built:
        """The whole product, as far as it goes; `placed` are bricks that were in their place when it was cut off."""
        begun = self.facade.time_s
        try:
            self._build(placed)
        except Stopped as why:
            self.facade.stop(str(why))  # whoever found the reason: nothing moves any more
            self.failures.append(Failed("", "", "stopped", str(why)))
            self.tell("stopped", why=str(why))
        seconds = self.facade.time_s - begun
        done = tuple(sorted(self.placing.belief.placed))
        complete = len(done) == len(self.product.parts)
        self.tell("end", complete=complete, placed=done, failures=[one.kind for one in self.failures])
        doing = seconds - self.planning_s - self.placing.looking_s
        planning = self.planning_s + self.placing.looking_s
        return Built(complete, done, tuple(self.failures), seconds, planning, doing, self._is_late or self._undecided)

    def _build(self, placed: frozenset[str]) -> None:
        plan = self._plan()
        if plan is None:
            return
        if placed:
            self.tell("resume", placed=placed)
            self.placing.look_after(placed)
            again = self._plan_rest(plan, set())
            if again is None:
                return
            plan = again
        given_up: set[str] = set()
        steps = _placements(plan)
        while steps and self.facade.time_s < self.settings.limit_s:
            failed = self._place(steps.pop(0))
            if failed is not None:
                self.failures.append(failed)
                if failed.brick in given_up and failed.kind == "perception" and not self._may_wait():
                    break  # it was waited for, and what is left rests on it
                given_up.add(failed.brick)
            fallen = {name for step in _placements(plan) for name in step.parts} - {
                name for step in steps for name in step.parts
            }
            if failed is None and fallen <= self.placing.belief.placed:
                continue
            if not self.settings.replan or len(self.failures) > MOST_FAILURES:
                break
            again = self._plan_rest(plan, given_up)
            if again is None:
                break
            plan, steps = again, _placements(again)

    # One brick

    def _place(self, step: Step) -> Failed | None:
        """Through the states of the table; None where it is in its place, as far as one can see."""
        given_up = any(one.brick == step.parts[0] for one in self.failures)
        job = Job(step.parts[0], step, self.facade.time_s, again=given_up)
        state = State.LOOK
        while state is not State.DONE:
            row, began = TABLE[state], self.facade.time_s
            self.tell("state", state=str(state), brick=job.name)
            try:
                self.placing.do(state, job)
                if self.facade.time_s - began > row.limit_s:
                    raise Trouble("time-out", f"{state} took {self.facade.time_s - began:.1f} s")
                state = State.DONE if job.is_laid else row.then
            except Trouble as trouble:
                rung = self._next_rung(job, state, trouble)
                if rung is None:
                    return Failed(job.name, str(state), trouble.kind, trouble.words)
                state = rung.state
        self.placing.has_laid(job)
        self.tell("placed", brick=job.name, tries=job.tries, **self.placing.by_whom)
        self.after_brick()
        return None

    def _next_rung(self, job: Job, state: State, trouble: Trouble) -> Rung | None:
        """What to do about a trouble; None where the ladder ends."""
        if trouble.kind == "perception" and job.again and self._may_wait():
            self.tell("wait", brick=job.name, words=trouble.words)
            seconds = max(WAITS_S, self._waited_s / 2)  # longer and longer
            self._waited_s += seconds
            self.facade.pause(seconds)
            return WAITED
        ladder = LADDERS[trouble.kind]
        climbed = job.climbed.get(trouble.kind, 0)
        job.climbed[trouble.kind] = climbed + 1
        job.tries += 1
        over = climbed >= len(ladder) or job.tries > self.settings.tries or self._is_late
        rung = None if over else ladder[climbed]
        self.tell(
            "trouble",
            state=str(state),
            brick=job.name,
            kind=trouble.kind,
            words=trouble.words,
            then=None if rung is None else rung.name,
        )
        if rung is None or rung.state is State.LOOK:
            self.placing.withdraw(job, state)
        if rung is not None and rung.elsewhere and state is State.LOOK:
            self.placing.put_elsewhere(job)
        if rung is not None and rung.upright:
            self.placing.turn_upright(job)
        if rung is not None and rung.other_hold:
            job.hold += 1
        if rung is not None and rung.other_brick and job.taken is not None:
            job.passed_over.append(job.taken.middle_m)
            job.hold = 0
        return rung

    def _may_wait(self) -> bool:
        """For a brick that is not there, once all others are in their place or rest on it."""
        return not self._is_late and self._waited_s < self.settings.patience_s

    @property
    def _is_late(self) -> bool:
        return self.facade.time_s >= self.settings.limit_s

    def _plan(self) -> Plan | None:
        """The first plan; None, and the failure is told, where there is none."""
        self.facade.pause(self.settings.plans_s)
        self.planning_s += self.settings.plans_s
        for hands, press_n, check in self._ways_to_plan():
            found = self._planned(hands, press_n, check)
            more = {} if hands == 1 else {"hands": hands}
            self.tell("plan", status=found.status, steps=len(_placements(found.plan)), **more)
            if found.status == "complete" and not _together(found.plan) and _held_at_once(found.plan) < hands:
                return found.plan
        self.failures.append(Failed("", "PLAN", "no plan", self._why_not(found)))
        return None

    def _ways_to_plan(self) -> Iterator[tuple[int, float | None, FingerRoom]]:
        """Hands, the press that is proved and a check: the better first. A second hand is asked for where one fails.

        Presses with their blow, else without it, else of what plans have for the least.
        """
        press_n = self.settings.press_n
        presses: tuple[float | None, ...] = (0.0,) if self._polygon else (BLOW * press_n, press_n, None)
        hands = (1, 2) if self.placing.arms > 1 and not self._polygon else (1,)
        for press, count, check in product(presses, hands, self._checks):
            yield count, press, check

    def _planned(self, hands: int, press_n: float | None, check: FingerRoom) -> Planned:
        return planned(
            self.product,
            rules="bricks",
            robots=hands,
            grasps="side",
            groups=False,
            checks=[check, *self._polygon],
            press_n=press_n,
            budget=None if hands == 1 else HANDS,
        )

    def _why_not(self, found: Planned) -> str:
        """Why no plan is followed, by the last one that was looked for."""
        together = _together(found.plan)
        self._undecided = found.status not in ("infeasible", "complete")
        if together:
            return f"one hand can place {', '.join(together)} only as one piece, and pieces are not built apart"
        if found.status == "complete":
            return f"{_held_at_once(found.plan) + 1} hands would be needed at once, the cell has {self.placing.arms}"
        if self._undecided:
            return f"no plan was found: {found.status}"
        who = "one hand" if self.placing.arms == 1 else "two hands"
        return f"{who} cannot build it: {self._needs_a_hand() or found.why or 'no order of its bricks leads to it'}"

    def _needs_a_hand(self) -> str:
        """What a second hand would have to hold while the first presses, if that is all that is missing."""
        if self._polygon or self.placing.arms > 1:
            return ""
        found = self._planned(2, None, self._checks[-1])
        for number, step in enumerate(found.plan.steps):
            if step.action == "hold" and found.status == "complete":
                pressed = next(one for one in found.plan.steps[number:] if one.action == "place")
                held, laid = ", ".join(step.parts), ", ".join(pressed.parts)
                return f"{held} must be held while {laid} is pressed in, and the cell has no other arm for that"
        return ""

    def _plan_rest(self, plan: Plan, given_up: set[str]) -> Plan | None:
        """A plan for what is missing on what is there, what was given up last; None where there is none."""
        self.facade.pause(self.settings.plans_s)
        self.planning_s += self.settings.plans_s
        placed = self.placing.belief.placed
        late = given_up - placed
        orders = (late, set()) if late else (set(),)  # what was given up comes last, unless others rest on it
        for delayed, check in product(orders, self._checks):
            found = replanned(
                plan,
                self.product,
                at=len(plan.steps),
                target=sorted(placed),
                delayed=sorted(delayed),
                groups=False,
                checks=[check, *self._polygon],
            )
            steps = _placements(found.plan)
            self.tell("replan", status=found.status, placed=placed, late=delayed, steps=len(steps))
            if found.status == "complete" and steps and not _together(found.plan):
                return found.plan
        return None


def _placements(plan: Plan) -> list[Step]:
    return [step for step in plan.steps if step.action == "place"]


def _held_at_once(plan: Plan) -> int:
    """The most bricks that must be held while another is placed."""
    return max((len(set(step.held) - set(step.parts)) for step in _placements(plan)), default=0)


def _together(plan: Plan) -> tuple[str, ...]:
    """Bricks of the first step that places several as one."""
    return next((step.parts for step in _placements(plan) if len(step.parts) > 1), ())
