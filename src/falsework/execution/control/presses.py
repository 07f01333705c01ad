"""A brick is pressed in by the hand that holds it, then from above; no harder than what stands was proved to bear."""

from __future__ import annotations

import numpy as np

from falsework.execution.control.belief import Belief, box
from falsework.execution.control.handling import Job, back_up
from falsework.execution.control.making_room import MakingRoom
from falsework.execution.control.piecing import press_point
from falsework.execution.control.recovery import Trouble
from falsework.execution.control.settings import BLOW
from falsework.execution.control.table import TABLE, State
from falsework.execution.control.ways import Errand
from falsework.execution.facade import Pressing
from falsework.model.arrays import Array
from falsework.model.poses import inverse
from falsework.model.shapes import BrickShape
from falsework.robots.brickcell.brick_holds import tip_m
from falsework.robots.collision.arm_bodies import ArmBodies

BORNE = 0.95  # of the strength of what stands: what a press may use
SNAPS_N = 1.1  # on each brick below, at which one snaps in
NOTHING_N = 0.3  # a press that feels less has met nothing
BLIND_M_S = 0.02  # of a press that feels nothing


class Presses(MakingRoom):
    """PRESSIN and PRESSTOP, and how hard."""

    def _press_in(self, job: Job) -> None:
        errand = errand_of(job)
        if not self.settings.feel:
            self._press_blindly(job)
            return
        press_n = self._press_n(job)
        grip = self.settings.grip_spare * press_n / (2.0 * self.placed_arm.tool.friction)
        self.facade.hold_with(errand.arm, self._force_of(errand.arm, grip))
        done = self._press(errand.arm, press_n, self._press_m(job), self._gently(job))
        job.is_unsure = not done.reached
        self._tell_press(job, done)
        if job.is_unsure and done.most_n < NOTHING_N:
            raise Trouble("unsupported", "nothing is felt below its place")

    def _press_m(self, job: Job) -> float:
        """How deep it may be pressed from where its way down ends."""
        return self.settings.gap_m + studs_of(job, self.belief) + self.settings.deeper_m

    def _press_blindly(self, job: Job) -> None:
        """As deep as the seat should be."""
        arm = self.placed_arm.name
        T = np.array(self.facade.state(arm).T_world_tool)
        T[2, 3] -= self.settings.gap_m + studs_of(job, self.belief)
        way = self.ways.straight_to(self.facade.state(arm).q, T)
        if way is not None:
            self._follow(arm, way, TABLE[State.PRESSIN].share, BLIND_M_S)

    def _press_top(self, job: Job) -> None:
        """With closed fingers from above: what was let go while it was pressed askew goes home now."""
        if not self.settings.press_top or (job.is_unsure and self.settings.verify):
            return
        self._take_hold(job)
        arm, row = self.placed_arm.name, TABLE[State.PRESSTOP]
        down = self._down_onto(job)
        over = None if down is None else self._way(down[0], self.placed_arm.tool.opening_m[0], job.step.parts)
        if down is None or over is None:
            return  # it cannot be pressed from above; INSPECT says whether it must
        self.facade.close(arm)
        self._follow(arm, over, row.share)
        self._follow(arm, down, row.share, TABLE[State.RETREAT].speed_m_s)
        force = self._press_n(job)
        needed = force / self.settings.press_sure
        hover = self._hover_m(job)
        done = self._press(arm, force, hover + self.settings.deeper_m, self._gently(job))
        self._tell_press(job, done, top=True)
        self._follow(arm, back_up(self.facade.state(arm).q, down), row.share, TABLE[State.RETREAT].speed_m_s)
        if done.most_n < NOTHING_N:
            raise Trouble("lost", "nothing was felt where it should stand")
        if done.travel_m < self.settings.hover_m + studs_of(job, self.belief) / 4:  # it lay on studs, and stayed there
            raise Trouble("misaligned", "it stands too high to have gone in")
        if done.most_n < needed:
            raise Trouble("insertion", f"pressed from above with {done.most_n:.1f} N, {needed:.1f} N are needed")

    def _press_n(self, job: Job) -> float:
        """Enough for each brick below to get its share where they share evenly, but no more than was proved.

        What carries one press at a share of all strengths carries one as much harder. (The weights, which need not grow
        with it, are a hundredth of what joints bear.)
        """
        below = max(1, sum(self.belief.supports(name) for name in job.step.parts))
        wanted = max(self.settings.press_n, self.settings.press_sure * SNAPS_N * below)
        return min(wanted, BORNE * self._borne_n(job))

    def _gently(self, job: Job) -> bool:
        """Whether a press that begins with a blow might be more than what stands bears.

        Where one hand holds for another, it is in the way of holds over the point that was proved.
        """
        weak = self._is_apart(job) or job.support is not None
        return weak or BLOW * self._press_n(job) > self._borne_n(job)

    def _tell_press(self, job: Job, done: Pressing, **more: bool) -> None:
        """What was felt; and in a line of its own where that is more, or elsewhere, than the plan is proved for."""
        self.tell("pressed", brick=job.name, reached=done.reached, most_n=done.most_n, travel_m=done.travel_m, **more)
        at, best = self.facade.state(self.placed_arm.name).T_world_tool[:3, 3], press_point(self.belief, job.step)
        beside_m, proved_n = float(np.linalg.norm((at - best)[:2])), self._borne_n(job)
        if done.most_n > proved_n:
            self.tell("unproved", brick=job.name, most_n=done.most_n, proved_n=proved_n)
        if job.step.press is not None and beside_m > 0.5 * pitch_of(job, self.belief):
            self.tell("unproved", brick=job.name, most_n=done.most_n, beside_m=beside_m)

    def _borne_n(self, job: Job) -> float:
        """The press under which the plan's forces leave some joint no strength."""
        press = job.step.press
        if press is None or not press.utilization:
            return np.inf
        return float(np.linalg.norm(press.force_n)) / press.utilization

    def _down_onto(self, job: Job) -> Array | None:
        """(k, n) a free straight way for closed fingers down to a little above a brick, turned as the hand is."""
        tool = self.placed_arm.tool
        T = np.array(self.facade.state(self.placed_arm.name).T_world_tool)
        T[:3, 3] = press_point(self.belief, job.step)
        hover = self._hover_m(job)
        T[2, 3] = self._top_m(job) + studs_of(job, self.belief) + tip_m(tool) + hover
        closed = ArmBodies(self.placed_arm, tool.opening_m[0])
        around = self.belief.standing(*job.step.parts).around(self.facade.cell)
        press_m = hover + self.settings.deeper_m
        now = self.facade.state(self.placed_arm.name).q
        found = self.ways.descents(T, closed, around, self.settings.over_m, press_m, near=now)
        return found[0] if found else None

    def _hover_m(self, job: Job) -> float:
        """Over the studs of a brick that is in, where a press from above begins: clear of one that lies on studs."""
        return studs_of(job, self.belief) + self.settings.hover_m

    def _top_m(self, job: Job) -> float:
        """How high what was laid reaches, without studs, over the point of its press."""
        frame = self.belief.frame_of(job.name)
        x, y = (inverse(frame) @ np.append(press_point(self.belief, job.step), 1.0))[:2]
        boxes = [box(self.belief.part(name)) for name in job.step.parts]
        over = [high[2] for low, high in boxes if low[0] < x < high[0] and low[1] < y < high[1]]
        return float(frame[2, 3] + max(over or [high[2] for _, high in boxes]))


def errand_of(job: Job) -> Errand:
    assert job.errand is not None
    return job.errand


def studs_of(job: Job, belief: Belief) -> float:
    shape = belief.part(job.name).shape
    return shape.kind.measures.stud_height_m if isinstance(shape, BrickShape) else 0.0


def pitch_of(job: Job, belief: Belief) -> float:
    shape = belief.part(job.name).shape
    return shape.kind.measures.pitch_m if isinstance(shape, BrickShape) else 0.0
