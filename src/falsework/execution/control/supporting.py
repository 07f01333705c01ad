"""One arm holds a brick of the structure while another presses: what a press would break is borne by the hand.

Where the holding hand stands is chosen together with the way of the other: a stance counts only if, with that arm in
it, the other can bring its brick. It takes hold before anything is taken from a tray, and lets go when the other is
home again, so that cameras see the structure without any hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from falsework.execution.control.belief import Belief
from falsework.execution.control.handling import Handling, Job, back_up
from falsework.execution.control.recovery import Trouble
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.table import TABLE, State
from falsework.execution.control.ways import Ways
from falsework.execution.facade import Stopped
from falsework.model.arrays import Array
from falsework.model.errors import shown
from falsework.robots.brickcell.brick_holds import BrickHold, brick_holds, leaning_holds, openings
from falsework.robots.collision.arm_bodies import ArmBodies

LEANS_DEG = (30.0, 45.0)  # of hands that come aslant, where upright ones are in the other's way
STANCES = 12  # that are tried for one brick with one arm


@dataclass(frozen=True, slots=True, eq=False)
class Stance:
    """An arm that holds a brick of the structure: how, and its ways there."""

    arm: str
    brick: str
    hold: BrickHold
    open_m: float
    to_take: Array  # (k, n) from home to above the brick
    take: Array  # (k, n) down to it


def stances(ways: Ways, belief: Belief, brick: str, laid: Sequence[str], settings: ControlSettings) -> Iterator[Stance]:
    """Ways for an arm at home to take hold of a brick that stands, upright hands first.

    The hand stays until others are `laid`, must leave past these, and may have to come again.
    """
    part, goal, tool = belief.part(brick), belief.goal(brick), ways.arm.tool
    beside = replace(belief, placed=belief.placed - {brick} | set(laid)).around(ways.cell)
    before, home = belief.standing(*laid).around(ways.cell), np.array(ways.arm.home)
    upright = list(brick_holds(part, tool, part.com_part_m))
    leaning = [hold for lean in LEANS_DEG for hold in leaning_holds(part, tool, part.com_part_m, lean)]
    for hold in (*upright, *leaning):
        for open_m in openings(hold, tool):
            empty = ArmBodies(ways.arm, open_m)
            down = ways.descents(goal @ hold.T_part_tool, empty, beside, settings.above_m)
            way = ways.transit(home, down[0][0], empty, before, np.random.default_rng(0)) if down else None
            if way is not None:
                yield Stance(ways.arm.name, brick, hold, open_m, way, down[0])
                break


class Supporting(Handling):
    """Arms that hold for each other."""

    def _supported(self, job: Job, arm: str) -> Iterator[Stance | None]:
        """Stances of the other arms while this one works, each with its arm believed there; None where none is needed.

        Whoever takes one leaves it at that; once all were seen, every arm is believed at home again.
        """
        if job.support is None:
            yield None
            return
        working = self._ways[arm]
        for other, ways in self._ways.items():
            if other == arm:
                continue
            for stance in islice(stances(ways, self.belief, job.support, job.step.parts, self.settings), STANCES):
                working.stands(ways.arm, stance.take[-1], stance.hold.width_m)
                yield stance
            working.stands(ways.arm)

    def _take_hold(self, job: Job) -> None:
        """The arm of the job's stance takes hold of its brick: gently until both fingers touch, then for good."""
        stance = job.stance
        if stance is None or job.is_supported:
            return
        down = TABLE[State.DESCENDTOGRASP]
        self.facade.open(stance.arm, stance.open_m)
        self._follow(stance.arm, stance.to_take, TABLE[State.PREGRASP].share)
        self._follow(stance.arm, stance.take, down.share, down.speed_m_s)
        self.ways.stands(self._ways[stance.arm].arm, stance.take[-1], stance.hold.width_m)
        job.is_supported = True
        held = self.facade.grip(stance.arm, stance.hold.width_m, self._force_of(stance.arm, self.settings.touch_n))
        if not held:
            raise Trouble("closure", f"no grip was felt on {stance.brick}, which is to be held meanwhile")
        force = self._force_of(stance.arm, self.settings.support_n)
        self.facade.hold_with(stance.arm, force)
        self.tell("hold", brick=stance.brick, arm=stance.arm, force_n=force)

    def _let_go(self, job: Job) -> None:
        """The arm that holds for another opens, goes home, and is believed there."""
        stance = job.stance
        if stance is None:
            return
        if job.is_supported:
            lift = TABLE[State.LIFT]
            self.facade.ease(stance.arm)
            up = back_up(self.facade.state(stance.arm).q, stance.take)
            self._follow(stance.arm, up, lift.share, lift.speed_m_s)
            self.tell("let go", brick=stance.brick, arm=stance.arm)
            self._leave(stance, job.step.parts)
        self.ways.stands(self._ways[stance.arm].arm)
        job.is_supported = False

    def _leave(self, stance: Stance, laid: Sequence[str]) -> None:
        """Home from above the brick that was held, around what was laid meanwhile."""
        ways, around = self._ways[stance.arm], self.belief.standing(*laid).around(self.facade.cell)
        now = self.facade.state(stance.arm)
        empty = ArmBodies(ways.arm, float(np.clip(now.opening_m, *ways.arm.tool.opening_m)))
        way = ways.transit(now.q, np.array(ways.arm.home), empty, around, np.random.default_rng(0))
        if way is None:
            raise Stopped(f"arm {shown(stance.arm)} held {shown(stance.brick)} and finds no free way home")
        self._follow(stance.arm, way, TABLE[State.PREGRASP].share)
