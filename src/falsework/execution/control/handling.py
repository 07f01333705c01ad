"""What an arm does on its way, whatever the state: follow, go home, put back, withdraw; and one brick's job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from falsework.execution.control.belief import Piece
from falsework.execution.control.in_hand import WristOffset
from falsework.execution.control.looking import Looking
from falsework.execution.control.recovery import Trouble
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.sight import Eyes
from falsework.execution.control.table import TABLE, Row, State
from falsework.execution.control.ways import Errand, Ways
from falsework.execution.facade import Facade, Pressing, Stopped
from falsework.execution.journal import Journal
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import shown
from falsework.model.perception.findings import Brick, Extent, Located
from falsework.model.plan import Step, Subassembly
from falsework.robots.brickcell.brick_holds import BrickHold, brick_holds, openings
from falsework.robots.collision.arm_bodies import ArmBodies

if TYPE_CHECKING:
    from falsework.execution.control.supporting import Stance

TOUCHED_N = 0.5  # felt on a way, more than as it began; what a brick in the hand meets with 1.2 N it felt as 1.0
MEETS_N = 10.0  # felt on a way down at which a hand stops: fingers that rub along a brick feel half of it
STALLED_RAD = 0.05  # farther from where it was sent than this an arm has stalled
TOUCH_N = 1.0  # at which fingers that feel their way down stop
THIN_M = 5e-3  # apart by less than this, fingers hold nothing
PULL_M_S = 0.02  # of a hand that pulls a brick off: a jerk would tear off more than that
LET_GO = (State.RETREAT, State.PRESSTOP, State.INSPECT)  # states in whose trouble a brick may lie about its place
HELD_OUT = (State.DESCENDTOPLACE, State.PRESSIN)  # states in whose trouble a brick may still be held over its place


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
    carried_to: list[Array] = field(default_factory=list)  # (3,) where things were put that were carried off for it
    taken: Located | None = None
    errand: Errand | None = None
    again: bool = False  # it was given up before
    is_laid: bool = False  # it was found in its place
    is_unsure: bool = False  # it was not felt to go in: nobody touches it before it was seen
    lying: Brick | None = None  # one that fits, on a side or upside down, where none that stands does
    is_stuck: bool = False  # no hand finds room to turn that one
    stance: Stance | None = None  # of an arm that holds a brick of the structure meanwhile
    is_supported: bool = False  # that arm is there
    begins: Subassembly | None = None  # of which it is the first brick: it stays where it lies
    piece: Piece | None = None  # the bricks are one, and lie there

    @property
    def support(self) -> str | None:
        """The brick that another hand must hold meanwhile."""
        return next((name for name in self.step.held if name not in self.step.parts), None)


class Handling(Looking):
    """The arms of a cell, one of which is at work while the others wait at home, and what they are among."""

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
        arms = cell.arms if arm is None else (cell.arm_named(arm),)
        self._ways = {
            one.name: Ways(cell, one, [(other, np.array(other.home)) for other in cell.arms if other is not one])
            for one in arms
        }
        self._wrists: dict[str, WristOffset] = {}
        self.use(arms[0].name)

    def use(self, arm: str) -> None:
        """Go on with another arm of the cell; all others are at home by now."""
        self.ways = self._ways[arm]
        self.placed_arm = self.ways.arm

    @property
    def arms(self) -> int:
        """How many may be used."""
        return len(self._ways)

    def _force_of(self, arm: str, wanted_n: float) -> float:
        """A grip as near to what is wanted as the arm's hand has."""
        return float(np.clip(wanted_n, *self._ways[arm].arm.tool.force_n))

    @property
    def by_whom(self) -> dict[str, str]:
        """For the log: which arm is at work, where there are several."""
        return {"arm": self.placed_arm.name} if len(self._ways) > 1 else {}

    def _in_turn(self, job: Job) -> list[str]:
        """The cell's arms: the next one after that which laid the last brick first; for a job begun, the same again."""
        names = list(self._ways)
        first = names.index(self.placed_arm.name) + (0 if job.tries or not self.belief.placed else 1)
        return [names[(first + k) % len(names)] for k in range(len(names))]

    def withdraw(self, job: Job, state: State) -> None:
        """Out of the way, with empty fingers, wherever the trouble came."""
        arm = self.placed_arm.name
        errand = job.errand
        now = self.facade.state(arm).q
        if errand is not None and state in (State.DESCENDTOGRASP, State.GRASP, State.LIFT):
            self.facade.open(arm, errand.open_m)
            self._follow(arm, back_up(now, errand.take), TABLE[State.LIFT].share, TABLE[State.LIFT].speed_m_s)
        elif errand is not None and state is State.PREPLACE:
            self.facade.open(arm, errand.open_m)
        elif errand is not None and state in HELD_OUT and self.facade.holds(arm, errand.hold.width_m):
            self.facade.hold_with(arm, self._force_of(arm, self.settings.carry_n))
            self._putback_up(errand)
        elif errand is not None and state in (State.DESCENDTOPLACE, State.PRESSIN, State.RELEASE):
            self.facade.ease(arm)
            self._follow(arm, back_up(now, errand.bring), TABLE[State.LIFT].share, TABLE[State.LIFT].speed_m_s)
        self._get_home(job.step.parts if state in LET_GO else ())
        self._let_go(job)

    def _let_go(self, job: Job) -> None:
        """Whoever holds something meanwhile need no longer."""

    def _putback_up(self, errand: Errand) -> None:
        """What is held, to where it was taken: as it comes to lie there its place in the hand is known anew."""
        lift, bring = TABLE[State.LIFT], TABLE[State.PREPLACE]
        now = self.facade.state(errand.arm).q
        self._follow(errand.arm, back_up(now, errand.bring), lift.share, lift.speed_m_s)
        self._follow(errand.arm, errand.to_bring[::-1], bring.share)
        self._follow(errand.arm, errand.take, lift.share, TABLE[State.DESCENDTOGRASP].speed_m_s)
        self.facade.open(errand.arm, errand.open_m)
        self._follow(errand.arm, errand.take[::-1], lift.share, lift.speed_m_s)

    def _relay(self, errand: Errand, room: Brick | Extent, pulls: bool = False) -> None:
        """What takes up a room to a tray; slowly, and held firmly, where it must be pulled off.

        What is no brick may be of any width. From when it is let go it is in the way of the hand that goes home.
        """
        down, lift = TABLE[State.DESCENDTOGRASP], TABLE[State.LIFT]
        self.facade.open(errand.arm, errand.open_m)
        self._follow(errand.arm, errand.to_take, TABLE[State.PREGRASP].share)
        if isinstance(room, Brick):
            held = self._gets_down(errand.arm, errand.take, down) and self._grip(errand.arm, errand.hold)
        else:
            held = self._feels_down(errand) and self._grips_something(errand)
        if held and pulls:
            self.facade.hold_with(errand.arm, self._force_of(errand.arm, self.settings.support_n))
        up, speed = back_up(self.facade.state(errand.arm).q, errand.take), PULL_M_S if pulls else lift.speed_m_s
        most_n = np.inf if pulls else MEETS_N
        if self._feel_along(errand.arm, up, lift.share, speed, most_n) > most_n:  # it hangs on what stands
            self.facade.open(errand.arm, errand.open_m)
            held, up = False, back_up(self.facade.state(errand.arm).q, errand.take)
            self._follow(errand.arm, up, lift.share, lift.speed_m_s)
        if held:
            self._follow(errand.arm, errand.to_bring, TABLE[State.PREPLACE].share)
            self._gets_down(errand.arm, errand.bring, down)  # or something hangs from it
            self.facade.ease(errand.arm)
            self.belief = self.belief.without(room).beside(room.at(errand.T_world_laid))
            now = self.facade.state(errand.arm).q
            self._follow(errand.arm, back_up(now, errand.bring), lift.share, lift.speed_m_s)
        self.facade.open(errand.arm, errand.open_m)
        self._get_home()

    def _grip(self, arm: str, hold: BrickHold) -> bool:
        """Close on a brick, as hard as it is carried; whether it is held. It may lie elsewhere from then on."""
        self._handled.append(self.facade.state(arm).T_world_tool[:3, 3])
        return self.facade.grip(arm, hold.width_m, self._force_of(arm, self.settings.carry_n))

    def _feels_down(self, errand: Errand) -> bool:
        """Whether open fingers come down beside something, of which nobody knows where it ends, and touch nothing."""
        row = TABLE[State.DESCENDTOGRASP]
        heights = (self.placed_arm.T_world_base @ self.ways.kinematics.forward(errand.take))[:, 2, 3]
        above = heights >= heights[-1] + self.settings.clear_m
        self._follow(errand.arm, errand.take[above], row.share, row.speed_m_s)
        deep = float(heights[above][-1] - heights[-1])
        if not self._may_press(errand.arm, deep):
            return False
        done = self.facade.press(errand.arm, TOUCH_N, deep)
        if done.most_n >= TOUCH_N:
            self.tell("touched", arm=errand.arm, most_n=done.most_n)
        return done.most_n < TOUCH_N

    def _grips_something(self, errand: Errand) -> bool:
        """Whether closed fingers are kept apart by what is between them, however wide."""
        arm = errand.arm
        if self._grip(arm, errand.hold):
            return True
        found, tool = self.facade.state(arm).opening_m, self._ways[arm].arm.tool
        force = self._force_of(arm, self.settings.carry_n)
        return found > tool.opening_m[0] + THIN_M and self.facade.grip(arm, found, force)

    def _get_home(self, laid: Sequence[str] = ()) -> None:
        """Home, by a free way or else straight up first; around bricks too that were just laid."""
        try:
            self.go_home(laid)
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

    def _lowest(self, way: Array, height_m: float) -> Array:
        """(k, n) the end of a way that leads straight down, from so high above its last point."""
        heights = (self.placed_arm.T_world_base @ self.ways.kinematics.forward(way))[:, 2, 3]
        end: Array = way[min(int(np.argmax(heights <= heights[-1] + height_m)), len(way) - 2) :]
        return end

    def _follow(self, arm: str, way: Array, share: float, speed_m_s: float | None = None) -> None:
        """Where an arm does not come to where it was sent, the build stops; what it ran into is told."""
        self._feel_along(arm, way, share, speed_m_s, np.inf)

    def _gets_down(self, arm: str, way: Array, row: Row) -> bool:
        """Whether a hand came to the end of a straight way and met nothing; it stops where it does."""
        return self._feel_along(arm, way, row.share, row.speed_m_s, MEETS_N) <= MEETS_N

    def _feel_along(self, arm: str, way: Array, share: float, speed_m_s: float | None, stop_n: float) -> float:
        before_n = float(np.linalg.norm(self.facade.state(arm).wrench[:3]))
        most_n = self.facade.follow(arm, way, share, speed_m_s, stop_n)
        if most_n > before_n + TOUCHED_N:
            self.tell("touched", arm=arm, most_n=most_n)
        if most_n <= stop_n:
            self._refuse_stalled(arm, way[-1])
        return most_n

    def _press(self, arm: str, force_n: float, limit_m: float, gently: bool = False) -> Pressing:
        """A press that the arm can follow to its end; else nothing is begun."""
        if not self._may_press(arm, limit_m):
            raise Trouble("misaligned", f"the arm cannot go on straight by {1e3 * limit_m:.0f} mm from where it is")
        return self.facade.press(arm, force_n, limit_m, gently)

    def _may_press(self, arm: str, limit_m: float) -> bool:
        """Whether joints lead straight on that far along the way the tool points."""
        state = self.facade.state(arm)
        T = np.array(state.T_world_tool)
        T[:3, 3] += limit_m * T[:3, 2]
        return self._ways[arm].straight_to(state.q, T) is not None

    def _refuse_stalled(self, arm: str, goal: Array) -> None:
        off = float(np.abs(self.facade.state(arm).q - goal).max())
        if off > STALLED_RAD:
            raise Stopped(f"arm {shown(arm)} stalled: a joint is {np.rad2deg(off):.1f}° from where it was sent")

    def _go(self, goal: Array, share: float, opening_m: float, laid: Sequence[str] = ()) -> None:
        """By a free way to joints, with empty fingers; around bricks too that were just laid."""
        way = self._way(goal, opening_m, laid)
        if way is None:
            raise Trouble("clearance", "no free way was found from where the hand is")
        self._follow(self.placed_arm.name, way, share)

    def _way(self, goal: Array, opening_m: float, laid: Sequence[str] = ()) -> Array | None:
        """(k, n) a free way for empty fingers from where the arm is."""
        now = self.facade.state(self.placed_arm.name).q
        empty = ArmBodies(self.placed_arm, opening_m)
        around = self.belief.standing(*laid).around(self.facade.cell)
        return self.ways.transit(now, goal, empty, around, np.random.default_rng(0))

    def go_home(self, laid: Sequence[str] = ()) -> None:
        """Out of the cameras' way."""
        tool = self.placed_arm.tool
        opening = float(np.clip(self.facade.state(self.placed_arm.name).opening_m, *tool.opening_m))
        self._go(np.array(self.placed_arm.home), TABLE[State.PREGRASP].share, opening, laid)

    def look_after(self, names: frozenset[str]) -> None:
        """Believe that bricks are in their place, as far as that can be seen."""
        self.belief = self.belief.standing(*names)
        self.go_home()
        self._look_over(names)

    def _centre(self, job: Job) -> None:
        """Squeeze a brick the other way first: fingers centre it along their pads too, where sight is less exact."""
        errand, tool = job.errand, self.placed_arm.tool
        assert errand is not None and job.taken is not None
        part = self.belief.part(job.name)
        beside = self.belief.around(self.facade.cell, job.taken)
        around = self.belief.around(self.facade.cell)  # over it, the brick itself is in the way too
        across = [
            hold
            for hold in brick_holds(part, tool, part.com_part_m)
            if abs(hold.T_part_tool[:3, 1] @ errand.hold.T_part_tool[:3, 1]) < 0.5
        ]
        for hold in across[:2]:
            open_m = openings(hold, tool)[0]
            empty = ArmBodies(self.placed_arm, open_m)
            T = errand.T_world_seen @ hold.T_part_tool
            for down in self.ways.descents(T, empty, beside, self.settings.clear_m):
                over = self._way(down[0], open_m)
                back = self.ways.transit(down[0], errand.take[0], empty, around, np.random.default_rng(0))
                if over is None or back is None:
                    continue
                row = TABLE[State.DESCENDTOGRASP]
                self.facade.open(errand.arm, open_m)
                self._follow(errand.arm, over, TABLE[State.PREGRASP].share)
                self._follow(errand.arm, down, row.share, row.speed_m_s)
                self._grip(errand.arm, hold)
                self.facade.open(errand.arm, open_m)
                self._follow(errand.arm, down[::-1], row.share, row.speed_m_s)
                self.tell("centred", brick=job.name)
                self.facade.open(errand.arm, errand.open_m)
                self._follow(errand.arm, back, TABLE[State.PREGRASP].share)
                return


def back_up(now: Array, way: Array) -> Array:
    """Up the way that led down, from where the arm is now.

    >>> back_up(np.array([2.6]), np.array([[0.0], [1.0], [2.0], [3.0]])).ravel().tolist()
    [2.6, 2.0, 1.0, 0.0]
    """
    nearest = int(np.argmin(np.abs(way - now).max(axis=1)))
    return np.concatenate([now[None], way[: max(nearest, 1)][::-1]])
