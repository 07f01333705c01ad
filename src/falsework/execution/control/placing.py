"""One brick from where it lies to its place: what is done in each state of the table, and what is checked there.

Every check that is violated raises `Trouble` with the class of the failure; `builder.py` decides what then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from itertools import islice

import numpy as np

from falsework.execution.control.handling import MEETS_N, Job, back_up
from falsework.execution.control.in_hand import WristOffset
from falsework.execution.control.piecing import by_hold, press_point
from falsework.execution.control.presses import Presses, errand_of, pitch_of, studs_of
from falsework.execution.control.recovery import Trouble
from falsework.execution.control.righting import lies
from falsework.execution.control.sight import Inspected
from falsework.execution.control.table import TABLE, State
from falsework.execution.control.ways import Errand
from falsework.model.perception.findings import Brick
from falsework.model.poses import inverse
from falsework.model.shapes import BrickShape

STANDS_OFF_M = 2e-3  # farther from its place than this by sight is off
STANDS_HIGH_M = 8e-4  # higher above its seat than this by sight is not pressed home
BLOCKED_N = 0.4  # felt before a press: a brick has run onto something
FEEL_N, THERE_M = 1.0, 1e-3  # with which a brick is let down between others, and how near the end it is through
OVER_M = 2e-3  # above their tops, where that begins
ASIDE = (0.006, -0.006, 0.012, -0.012, 0.02, -0.02, 0.03, -0.03)  # of a pitch, one after another
AT_REST_RAD = 5e-3  # an arm that is nearer to where it goes is there
MISSEEN_M = 1.5e-3  # farther along the pads than this nothing lies in a hand


class Placing(Presses):
    """The states, for the arms of a cell in turns."""

    @cached_property
    def _states(self) -> dict[State, Callable[[Job], None]]:
        return {
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

    # The states

    def _look(self, job: Job) -> None:
        """Find a brick that fits, and all ways for it."""
        if self.settings.look_again or not self._looked:
            self._see(anew=job.tries > 0)
        if (job.tries or job.again) and self.settings.verify and not self._is_apart(job):
            seen = self._look_over(self.belief.placed | set(job.step.parts))
            job.is_laid = all(seen[name].state == "in place" for name in job.step.parts)
            if job.is_laid:
                return
            mine = seen[job.name]
            measured = mine.state == "off" and mine.off_m < 0.5 * pitch_of(job, self.belief)
            self.belief = self.belief.lying(mine.instead, measured)
        if len(job.step.parts) > 1:
            self._find_piece(job)
            return
        fitting = self._fitting(job)
        if not fitting:
            self._miss(job)
        if job.begins is not None:
            self._begin_piece(job, fitting)
            return
        if self.belief.occupying(job.name):
            raise Trouble("occupied", "something else lies where it belongs")
        for arm in self._in_turn(job):
            self.use(arm)
            for stance in self._supported(job, arm):
                job.stance = stance
                if self._finds_errand(job):
                    return
        held = f" while {job.support} is held" if job.support else ""
        raise Trouble("clearance", f"no way was found to take any of {len(fitting)} bricks to its place{held}")

    def _miss(self, job: Job) -> None:
        """No brick is seen that may serve, unless one lies on a side, or upside down."""
        part = self.belief.part(job.name)
        kind = part.shape.kind if isinstance(part.shape, BrickShape) else part.name
        job.lying = self._toppled(part)
        if job.lying is not None:
            stuck = ", and no hand finds room to turn it" if job.is_stuck else ""
            raise Trouble("toppled", f"no {part.color or ''} {kind} stands; one lies {lies(job.lying)}{stuck}")
        unclear = f"; {len(self.belief.unclear)} things are not clear" if self.belief.unclear else ""
        raise Trouble("perception", f"no {part.color or ''} {kind} is seen{unclear}")

    def _finds_errand(self, job: Job) -> bool:
        """Whether this arm can bring one of the bricks that fit to its place; how is kept in the job."""
        now = self.facade.state(self.placed_arm.name).q
        best = press_point(self.belief, job.step)
        for one in self._fitting(job):
            errands = self.ways.errands(self.belief, job.name, one, now, best, self.settings)
            found = list(islice(by_hold(errands), job.hold + 1))
            if found:
                job.taken, job.errand = one, found[min(job.hold, len(found) - 1)]
                return True
        return False

    def _pregrasp(self, job: Job) -> None:
        errand = errand_of(job)
        row = TABLE[State.PREGRASP]
        self._take_hold(job)
        if self.settings.centre and job.taken is not None and self.belief.is_between(job.name, errand.along):
            self._centre(job)
        if np.abs(self.facade.state(errand.arm).q - errand.take[0]).max() < AT_REST_RAD:
            return
        self.facade.open(errand.arm, errand.open_m)
        self._follow(errand.arm, errand.to_take, row.share)

    def _descend_to_grasp(self, job: Job) -> None:
        errand, row = errand_of(job), TABLE[State.DESCENDTOGRASP]
        if not self._gets_down(errand.arm, errand.take, row):
            raise Trouble("closure", "fingers meet something on their way down to it")

    def _grasp(self, job: Job) -> None:
        errand = errand_of(job)
        held = self._grip(errand.arm, errand.hold)
        if not held and self.settings.grasp_check:
            found, carry_n = self.facade.state(errand.arm), self._force_of(errand.arm, self.settings.carry_n)
            raise Trouble(
                "closure",
                f"fingers are {1e3 * found.opening_m:.1f} mm apart and press with {found.grip_n:.1f} N, "
                f"expected {1e3 * errand.hold.width_m:.1f} mm and {carry_n:.0f} N",
            )
        if job.piece is not None:
            self.belief = replace(self.belief, piece=None)  # it is in the hand

    def _lift(self, job: Job) -> None:
        errand, row = errand_of(job), TABLE[State.LIFT]
        if self._feel_along(errand.arm, errand.take[::-1], row.share, row.speed_m_s, MEETS_N) > MEETS_N:
            raise Trouble("closure", "it hangs on something as it is lifted")
        self._still_held(errand, "as it was lifted")

    def _preplace(self, job: Job) -> None:
        errand, row = errand_of(job), TABLE[State.PREPLACE]
        self._follow(errand.arm, errand.to_bring, row.share)
        self._still_held(errand, "on the way")
        if self.settings.wrist:
            self._look_at_hand(job)

    def _look_at_hand(self, job: Job) -> None:
        """Fingers centre a brick between them, not along their pads: what it is off by there is seen, and made good."""
        errand = errand_of(job)
        part = self.belief.part(errand.carrier or job.name)
        frame = self.picture_of_hand(errand.arm)
        if frame is None or not isinstance(part.shape, BrickShape):
            return
        T = self.facade.state(errand.arm).T_world_tool @ inverse(errand.hold.T_part_tool)
        expected = Brick(part.shape.kind, part.color or "white", T)
        off = self.eyes.held(frame, expected)
        if off is None:
            self.tell("in hand", brick=job.name, aside_m=None)
            return
        seen_m, offset = float(off @ errand.along), self._wrists.get(errand.arm, WristOffset())
        aside_m = offset.of_brick(seen_m)
        if job.piece is None:  # the rest of a piece may be taken for the brick that is held
            self._wrists[errand.arm] = offset.after(seen_m)
        elif abs(aside_m) > MISSEEN_M:
            aside_m = 0.0
        self.tell("in hand", brick=job.name, aside_m=aside_m, seen_m=seen_m)
        better = self.ways.shifted(errand, -aside_m * errand.along, self._press_m(job))
        job.errand = errand if better is None else better

    def _descend_to_place(self, job: Job) -> None:
        errand, row = errand_of(job), TABLE[State.DESCENDTOPLACE]
        if self.settings.feel and job.piece is None and self.belief.is_between(job.name, errand.along):
            self._feel_down(job)
            return
        weighs = self.facade.state(errand.arm).wrench[2]
        if not self._gets_down(errand.arm, errand.bring, row):
            raise Trouble("misaligned", "on its way down it runs into something")
        felt = float(self.facade.state(errand.arm).wrench[2] - weighs)
        if self.settings.feel and felt > BLOCKED_N:
            raise Trouble("misaligned", f"on its way down it meets something: {felt:.1f} N are felt above its place")

    def _feel_down(self, job: Job) -> None:
        """Between two others, slowly; where it meets one, up, a little aside along the pads, and down again.

        A brick has a tenth of a millimetre of play on each side, and an arm stands as far from where it should be.
        """
        errand, row = errand_of(job), TABLE[State.DESCENDTOPLACE]
        deep = self._depth_between(job)
        heights = (self.placed_arm.T_world_base @ self.ways.kinematics.forward(errand.bring))[:, 2, 3]
        above = errand.bring[heights > heights[-1] + deep]
        self._follow(errand.arm, above, row.share, row.speed_m_s)
        over = self.placed_arm.T_world_base @ self.ways.kinematics.forward(errand.bring[-1])
        over[2, 3] += deep
        for aside in (0.0, *ASIDE):
            aside_m = aside * pitch_of(job, self.belief)
            goal = over.copy()
            goal[:3, 3] += aside_m * over[:3, 0]
            way = self.ways.straight_to(self.facade.state(errand.arm).q, goal)
            if way is None:
                continue
            self._follow(errand.arm, way, row.share, row.speed_m_s)
            done = self._press(errand.arm, FEEL_N, deep)
            self.tell("felt", brick=job.name, aside_m=aside_m, most_n=done.most_n, travel_m=done.travel_m)
            if done.travel_m > deep - THERE_M:
                return
        raise Trouble("misaligned", "it finds no way down between those beside it")

    def _depth_between(self, job: Job) -> float:
        """How far above the end of the way down a brick's foot is over the tops of its neighbours."""
        shape = self.belief.part(job.name).shape
        height = shape.kind.size_m[2] if isinstance(shape, BrickShape) else 0.0
        return max(0.0, height - self.settings.gap_m - studs_of(job, self.belief)) + OVER_M

    def _release(self, job: Job) -> None:
        self.facade.ease(errand_of(job).arm)

    def _retreat(self, job: Job) -> None:
        errand, row = errand_of(job), TABLE[State.RETREAT]
        now = self.facade.state(errand.arm).q
        up = self._lowest(errand.bring, self.settings.clear_m) if self.settings.press_top else errand.bring
        self._follow(errand.arm, back_up(now, up), row.share, row.speed_m_s)

    def _inspect(self, job: Job) -> None:
        """Does it stand where it should?"""
        if job.is_supported:
            self.go_home(job.step.parts)
            self._let_go(job)
        self.go_home(job.step.parts)
        if not self.settings.verify:
            return  # out of the way of the cameras that look for the next one
        if self._is_apart(job):
            self._look_at_piece(job)
            return
        if job.is_unsure:
            self._see()  # the plate may be elsewhere than where it was pressed
        found = self._look_over(self.belief.placed | set(job.step.parts))
        mine = max((found[name] for name in job.step.parts), key=_badness)
        if mine.state == "missing":
            raise Trouble("lost", "it is not seen where it was let go")
        if mine.state == "wrong":
            raise Trouble("misaligned", mine.words)
        if job.is_unsure and mine.state == "off":
            raise Trouble("misaligned", f"it was not felt to go in, and is {1e3 * mine.off_m:.1f} mm off")
        if job.is_unsure and mine.state == "not seen" and any(map(self.belief.occupying, job.step.parts)):
            raise Trouble("misaligned", "it was not felt to go in, and something unclear is seen at its place")
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
        belief = self.belief.standing(*job.step.parts)
        self.belief = replace(belief, loose=belief.not_placed(loose))

    # What they share

    def _still_held(self, errand: Errand, when: str) -> None:
        if self.settings.grasp_check and not self.facade.holds(errand.arm, errand.hold.width_m):
            raise Trouble("slip", f"it was lost {when}")


def _badness(found: Inspected) -> tuple[bool, bool, float]:
    """To find the brick of a piece that stands worst."""
    return found.state == "missing", found.state in ("wrong", "off"), found.off_m
