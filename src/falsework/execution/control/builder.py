"""Builds a product: plans, then takes brick after brick through the states of the table, and mends what fails.

It sees the cell through its façade and through pictures, and believes nothing else. The clock that counts is the
cell's; what looking and planning cost is told to it as settings say, so that the same seed gives the same log on any
machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from falsework.execution.control.handling import Job
from falsework.execution.control.ordering import Asked, Orders, placements
from falsework.execution.control.pieces import put_together
from falsework.execution.control.placing import Placing
from falsework.execution.control.recovery import LADDERS, WAITED, Rung, Trouble
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.sight import Eyes
from falsework.execution.control.table import TABLE, State
from falsework.execution.facade import Facade, Stopped
from falsework.execution.journal import Journal
from falsework.model.assembly import Assembly
from falsework.model.plan import Plan, Step, Subassembly
from falsework.planning.plans.jobs import Planned

WAITS_S = 4.0  # between two looks for a brick that is not there, at first
MOST_OFF = 4  # bricks that are taken off again, in all
STUCK = 2  # times that a brick on its side is tried which no hand finds room to turn or to carry off
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
        self._undecided = self._lost = False  # a piece that slipped out of a hand: its bricks are not to be had singly
        self._waited_s = 0.0
        self._taken_off = 0
        self._orders = Orders(product, self.placing.placed_arm.tool, self.placing.arms, self.settings)
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
        steps = placements(plan)
        while steps and self.facade.time_s < self.settings.limit_s:
            failed = self._place(steps.pop(0), plan)
            if failed is not None:
                self.failures.append(failed)
                if failed.brick in given_up and failed.kind == "perception" and not self._may_wait():
                    break  # it was waited for, and what is left rests on it
                given_up.add(failed.brick)
            to_come = {name for step in steps for name in step.parts}
            if failed is None and set(self.product.names) <= self.placing.belief.placed | to_come:
                continue  # nothing has fallen meanwhile
            if not self.settings.replan or len(self.failures) > MOST_FAILURES or self._lost:
                break
            again = self._plan_rest(plan, given_up)
            if again is None:
                break
            plan, steps = again, placements(again)

    # One brick

    def _place(self, step: Step, plan: Plan) -> Failed | None:
        """None where what a step places is in its place, as far as one can see."""
        failed = self._put_together(step, plan) if len(step.parts) > 1 else None
        job = self._job(step)
        failed = failed or self._through_states(job)
        self._lost = job.piece is not None and self.placing.belief.piece is None and failed is not None
        if failed is None:
            for name in step.parts:
                self.tell("placed", brick=name, tries=job.tries, **self.placing.by_whom)
            self.after_brick()
        return failed

    def _put_together(self, step: Step, plan: Plan) -> Failed | None:
        """Bricks that come as one, on a tray; None where they are one there, as far as one can see."""
        built = put_together(plan, step)
        assert built is not None  # others are not followed
        piece = self.placing.belief.piece
        there = piece.there if piece is not None and piece.names == frozenset(built.parts) else frozenset()
        first = Step("place", (built.fast,))
        jobs = [self._job(first, built), *(self._job(one) for one in built.steps if one.action == "place")]
        for job in jobs:
            failed = None if job.name in there else self._through_states(job)
            if failed is not None:
                return failed
            if job.begins is None:
                self.tell("joined", brick=job.name, tries=job.tries, **self.placing.by_whom)
        return None

    def _job(self, step: Step, begins: Subassembly | None = None) -> Job:
        given_up = any(one.brick == step.parts[0] for one in self.failures)
        return Job(step.parts[0], step, self.facade.time_s, again=given_up, begins=begins)

    def _through_states(self, job: Job) -> Failed | None:
        """Of the table, from LOOK to DONE, or to the end of a ladder."""
        if self.settings.look_again:
            self.placing.put_aside(job)
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
        stuck = job.is_stuck and climbed >= STUCK
        over = stuck or climbed >= len(ladder) or job.tries > self.settings.tries or self._is_late
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
        if trouble.kind == "unsupported" and self.settings.verify:
            self.placing.look_after(self.placing.belief.placed)
        if rung is not None and rung.elsewhere and state is State.LOOK:
            self.placing.put_elsewhere(job)
        if rung is not None and rung.clear:
            self.placing.clear_away(job, trouble.kind)
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
        self._spend_on_planning()
        last: dict[bool, Planned] = {}
        for asked in self._orders.to_ask():
            found = last[asked.pieces] = self._orders.plan(asked)
            self.tell("plan", status=found.status, steps=len(placements(found.plan)), **asked.words)
            if self._orders.is_followed(found, asked.hands):
                return found.plan
        why, self._undecided = self._orders.why_not(last[False], last.get(True))
        self.failures.append(Failed("", "PLAN", "no plan", why))
        return None

    def _plan_rest(self, plan: Plan, given_up: set[str]) -> Plan | None:
        """A plan for what is missing on what is there, what was given up last; None where there is none."""
        self._spend_on_planning()
        belief = self.placing.belief
        piece = frozenset() if belief.piece is None or len(belief.piece.there) < 2 else belief.piece.names
        last: dict[bool, Planned] = {}
        for delayed, asked in self._orders.rests_to_ask(given_up - belief.placed, piece):
            found = last[asked.pieces] = self._orders.rest(plan, belief.placed, delayed, asked)
            steps = len(placements(found.plan))
            self.tell("replan", status=found.status, placed=belief.placed, late=delayed, steps=steps, **asked.words)
            if self._orders.is_followed(found, plan.rules.robots, piece):
                return found.plan
        if not piece and self._has_taken_off(plan):
            return self._plan_rest(plan, given_up)
        from_pieces = last.get(True)
        singly = last.get(False, from_pieces)
        assert singly is not None  # something was asked for
        why, undecided = self._orders.why_not(singly, from_pieces)
        self._undecided |= undecided
        self.failures.append(Failed("", "PLAN", "no plan", f"from what stands, {why}"))
        return None

    def _has_taken_off(self, plan: Plan) -> bool:
        """Whether a brick was taken off again that was in the way of all orders."""
        if self._taken_off >= MOST_OFF or self._is_late:
            return False

        def goes_on(placed: frozenset[str]) -> bool:
            found = self._orders.rest(plan, placed, (), Asked())
            return self._orders.is_followed(found, plan.rules.robots)

        first = self.placing.to_take_off(goes_on)[:1]
        self._taken_off += len(first)
        return bool(first) and self.placing.take_off(first[0])

    def _spend_on_planning(self) -> None:
        self.facade.pause(self.settings.plans_s)
        self.planning_s += self.settings.plans_s
