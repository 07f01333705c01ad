"""One brick from where it lies to its place: what is done in each state of the table, and what is checked there.

Every check that is violated raises `Trouble` with the class of the failure; `builder.py` decides what then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from itertools import islice

import numpy as np

from falsework.execution.control.belief import Belief, box, fits
from falsework.execution.control.clearing import Thing, carryings
from falsework.execution.control.handling import Job, back_up
from falsework.execution.control.in_hand import WristOffset
from falsework.execution.control.piecing import by_hold, press_point
from falsework.execution.control.recovery import Trouble
from falsework.execution.control.righting import lies, rightings
from falsework.execution.control.settings import BLOW
from falsework.execution.control.sight import Inspected
from falsework.execution.control.table import TABLE, State
from falsework.execution.control.taking_off import TakingOff
from falsework.execution.control.ways import Errand
from falsework.execution.facade import Pressing
from falsework.model.arrays import Array
from falsework.model.perception.findings import Brick, Extent, Located
from falsework.model.poses import inverse
from falsework.model.shapes import BrickShape
from falsework.robots.brickcell.brick_holds import tip_m
from falsework.robots.collision.arm_bodies import ArmBodies

STANDS_OFF_M = 2e-3  # farther from its place than this by sight is off
STANDS_HIGH_M = 8e-4  # higher above its seat than this by sight is not pressed home
BLOCKED_N = 0.4  # felt before a press: a brick has run onto something
FEEL_N, THERE_M = 1.0, 1e-3  # with which a brick is let down between others, and how near the end it is through
OVER_M = 2e-3  # above their tops, where that begins
ASIDE = (0.006, -0.006, 0.012, -0.012, 0.02, -0.02, 0.03, -0.03)  # of a pitch, one after another
AT_REST_RAD = 5e-3  # an arm that is nearer to where it goes is there
BORNE = 0.95  # of the strength of what stands: what a press may use
SNAPS_N = 1.1  # on each brick below, at which one snaps in
MISSEEN_M = 1.5e-3  # farther along the pads than this nothing lies in a hand
NOTHING_N = 0.3  # a press that feels less has met nothing
BLIND_M_S = 0.02  # of a press that feels nothing


class Placing(TakingOff):
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
            self.belief = self.belief.lying(seen[job.name].instead)
        if len(job.step.parts) > 1:
            self._find_piece(job)
            return
        fitting = self._fitting(job)
        if not fitting:
            self._miss(job)
        if job.begins is not None:
            self._begin_piece(job, fitting)
            return
        for arm in self._in_turn(job):
            self.use(arm)
            for stance in self._supported(job, arm):
                job.stance = stance
                if self._finds_errand(job):
                    return
        held = f" while {job.support} is held" if job.support else ""
        raise Trouble("clearance", f"no way was found to take any of {len(fitting)} bricks to its place{held}")

    def _is_apart(self, job: Job) -> bool:
        """Whether it is of a piece that is not in its place yet."""
        piece = self.belief.piece
        return job.begins is not None or (piece is not None and job.name in piece.names)

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

    def _fitting(self, job: Job) -> list[Located]:
        """Loose bricks that may serve, the nearest first."""
        part, base = self.belief.part(job.name), self.placed_arm.T_world_base[:3, 3]
        fitting = [one for one in self.belief.loose if fits(part, one) and not _near(one.middle_m, job.passed_over)]
        return sorted(fitting, key=lambda one: float(np.linalg.norm(one.middle_m - base)))

    def put_elsewhere(self, job: Job) -> None:
        """A brick that no hand can take as it must be held at its place is put down where one can."""
        if job.begins is not None:
            self._put_where_a_piece_fits(job, self._fitting(job))
            return
        now, best = self._now, press_point(self.belief, job.step)
        for one in self._fitting(job):
            for errand in self.ways.relays(self.belief, job.name, one, now, best, self.settings):
                self.tell("put elsewhere", brick=job.name, place_m=errand.T_world_laid[:3, 3])
                self._relay(errand)
                return

    def turn_upright(self, job: Job) -> None:
        """A brick that lies on a side, or upside down, is turned a quarter, or carried to where a hand has room to."""
        assert job.lying is not None
        for arm in self._ways:
            self.use(arm)
            for errand in rightings(self.ways, self.belief, job.lying, self._now, self.settings):
                self.tell("turn upright", brick=job.name, place_m=errand.T_world_laid[:3, 3])
                self._relay(errand)
                return
        job.is_stuck = not self._carries_off(Thing(job.lying), job)

    def clear_away(self, job: Job, trouble: str) -> None:
        """What nobody can tell is carried to a tray; and where no way is free, bricks too that lie on no tray.

        What is nearest to the brick's place comes first.
        """
        things: list[Brick | Extent] = [one.extent for one in self.belief.unclear if one.extent is not None]
        if trouble == "clearance":
            things += [one for one in self.belief.loose if not self._on_a_tray(one.middle_m)]
        goal = self.belief.goal(job.name)[:3, 3]
        for thing in sorted(things, key=lambda one: float(np.linalg.norm((one.middle_m - goal)[:2]))):
            if self._carries_off(Thing(thing), job):
                return

    def _carries_off(self, thing: Thing, job: Job) -> bool:
        """Whether a hand found a way to take a thing as it lies to a tray, and did."""
        for arm in self._ways:
            self.use(arm)
            errands = carryings(self.ways, self.belief, thing, self._now, self.settings)
            found = list(islice(by_hold(errands), job.carried_off + 1))
            if found:
                errand = found[-1]
                job.carried_off += 1
                self.tell("carry off", brick=job.name, place_m=errand.T_world_laid[:3, 3])
                self.belief = self.belief.without(thing.room)
                self._relay(errand, told=isinstance(thing.room, Brick))
                return True
        return False

    def _on_a_tray(self, point_m: Array) -> bool:
        """Whether a point (3,) of the world is over a tray."""
        feeders = self.facade.cell.feeders
        local = [(inverse(feeder.T_world_feeder) @ np.append(point_m, 1.0))[:2] for feeder in feeders]
        return any((np.abs(at) < np.array(one.size_m) / 2).all() for at, one in zip(local, feeders, strict=True))

    def _pregrasp(self, job: Job) -> None:
        errand = _errand(job)
        row = TABLE[State.PREGRASP]
        self._take_hold(job)
        if self.settings.centre and job.taken is not None and self.belief.is_between(job.name, errand.along):
            self._centre(job)
        if np.abs(self.facade.state(errand.arm).q - errand.take[0]).max() < AT_REST_RAD:
            return
        self.facade.open(errand.arm, errand.open_m)
        self._follow(errand.arm, errand.to_take, row.share)

    def _descend_to_grasp(self, job: Job) -> None:
        errand, row = _errand(job), TABLE[State.DESCENDTOGRASP]
        self._follow(errand.arm, errand.take, row.share, row.speed_m_s)

    def _grasp(self, job: Job) -> None:
        errand = _errand(job)
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
        errand, row = _errand(job), TABLE[State.LIFT]
        self._follow(errand.arm, errand.take[::-1], row.share, row.speed_m_s)
        self._still_held(errand, "as it was lifted")

    def _preplace(self, job: Job) -> None:
        errand, row = _errand(job), TABLE[State.PREPLACE]
        self._follow(errand.arm, errand.to_bring, row.share)
        self._still_held(errand, "on the way")
        if self.settings.wrist:
            self._look_at_hand(job)

    def _look_at_hand(self, job: Job) -> None:
        """Fingers centre a brick between them, not along their pads: what it is off by there is seen, and made good."""
        errand = _errand(job)
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
        better = self.ways.shifted(errand, -aside_m * errand.along)
        job.errand = errand if better is None else better

    def _descend_to_place(self, job: Job) -> None:
        errand, row = _errand(job), TABLE[State.DESCENDTOPLACE]
        if self.settings.feel and job.piece is None and self.belief.is_between(job.name, errand.along):
            self._feel_down(job)
            return
        weighs = self.facade.state(errand.arm).wrench[2]
        self._follow(errand.arm, errand.bring, row.share, row.speed_m_s)
        felt = float(self.facade.state(errand.arm).wrench[2] - weighs)
        if self.settings.feel and felt > BLOCKED_N:
            raise Trouble("misaligned", f"on its way down it meets something: {felt:.1f} N are felt above its place")

    def _feel_down(self, job: Job) -> None:
        """Between two others, slowly; where it meets one, up, a little aside along the pads, and down again.

        A brick has a tenth of a millimetre of play on each side, and an arm stands as far from where it should be.
        """
        errand, row = _errand(job), TABLE[State.DESCENDTOPLACE]
        deep = self._depth_between(job)
        heights = (self.placed_arm.T_world_base @ self.ways.kinematics.forward(errand.bring))[:, 2, 3]
        above = errand.bring[heights > heights[-1] + deep]
        self._follow(errand.arm, above, row.share, row.speed_m_s)
        over = self.placed_arm.T_world_base @ self.ways.kinematics.forward(errand.bring[-1])
        over[2, 3] += deep
        for aside in (0.0, *ASIDE):
            aside_m = aside * _pitch(job, self.belief)
            goal = over.copy()
            goal[:3, 3] += aside_m * over[:3, 0]
            way = self.ways.straight_to(self.facade.state(errand.arm).q, goal)
            if way is None:
                continue
            self._follow(errand.arm, way, row.share, row.speed_m_s)
            done = self.facade.press(errand.arm, FEEL_N, deep)
            self.tell("felt", brick=job.name, aside_m=aside_m, most_n=done.most_n, travel_m=done.travel_m)
            if done.travel_m > deep - THERE_M:
                return
        raise Trouble("misaligned", "it finds no way down between those beside it")

    def _depth_between(self, job: Job) -> float:
        """How far above the end of the way down a brick's foot is over the tops of its neighbours."""
        shape = self.belief.part(job.name).shape
        height = shape.kind.size_m[2] if isinstance(shape, BrickShape) else 0.0
        return max(0.0, height - self.settings.gap_m - _studs(job, self.belief)) + OVER_M

    def _press_in(self, job: Job) -> None:
        errand = _errand(job)
        if not self.settings.feel:
            self._press_blindly(job)
            return
        press_n = self._press_n(job)
        grip = self.settings.grip_spare * press_n / (2.0 * self.placed_arm.tool.friction)
        self.facade.hold_with(errand.arm, self._force_of(errand.arm, grip))
        limit = self.settings.gap_m + _studs(job, self.belief) + self.settings.deeper_m
        done = self.facade.press(errand.arm, press_n, limit, self._gently(job))
        job.is_unsure = not done.reached
        self._tell_press(job, done)
        if job.is_unsure and done.most_n < NOTHING_N:
            raise Trouble("unsupported", "nothing is felt below its place")

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
        up = self._lowest(errand.bring, self.settings.clear_m) if self.settings.press_top else errand.bring
        self._follow(errand.arm, back_up(now, up), row.share, row.speed_m_s)

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
        done = self.facade.press(arm, force, hover + self.settings.deeper_m, self._gently(job))
        self._tell_press(job, done, top=True)
        self._follow(arm, back_up(self.facade.state(arm).q, down), row.share, TABLE[State.RETREAT].speed_m_s)
        if done.most_n < NOTHING_N:
            raise Trouble("lost", "nothing was felt where it should stand")
        if done.travel_m < self.settings.hover_m + _studs(job, self.belief) / 4:  # it lay on studs, and stayed there
            raise Trouble("misaligned", "it stands too high to have gone in")
        if done.most_n < needed:
            raise Trouble("insertion", f"pressed from above with {done.most_n:.1f} N, {needed:.1f} N are needed")

    def _inspect(self, job: Job) -> None:
        """Does it stand where it should?"""
        if job.is_supported:
            self.go_home(job.step.parts)
            self._let_go(job)
        if not self.settings.verify:
            return
        self.go_home(job.step.parts)
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
        if job.is_unsure and mine.state == "not seen" and self._is_unclear_at(job):
            raise Trouble("misaligned", "it was not felt to go in, and something unclear is seen at its place")
        if job.is_unsure:
            job.is_unsure = False
            raise Trouble("insertion", "it was not felt to go in")
        if mine.state == "off" and mine.high_m > STANDS_HIGH_M and mine.off_m <= STANDS_OFF_M:
            raise Trouble("insertion", f"it stands {1e3 * mine.high_m:.1f} mm too high")
        if mine.state == "off":
            raise Trouble("offset", f"it stands {1e3 * mine.off_m:.1f} mm beside its place")

    def _is_unclear_at(self, job: Job) -> bool:
        """Whether something that nobody can tell is seen where a brick belongs: it may lean there."""
        return any(self.belief.overlaps(name, one) for name in job.step.parts for one in self.belief.unclear)

    def has_laid(self, job: Job) -> None:
        """A brick is in its place, and no longer where it lay."""
        loose = tuple(one for one in self.belief.loose if one is not job.taken)
        belief = self.belief.standing(*job.step.parts)
        self.belief = replace(belief, loose=belief.not_placed(loose))

    # What they share

    def _still_held(self, errand: Errand, when: str) -> None:
        if self.settings.grasp_check and not self.facade.holds(errand.arm, errand.hold.width_m):
            raise Trouble("slip", f"it was lost {when}")

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
        if job.step.press is not None and beside_m > 0.5 * _pitch(job, self.belief):
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
        T[2, 3] = self._top_m(job) + _studs(job, self.belief) + tip_m(tool) + hover
        closed = ArmBodies(self.placed_arm, tool.opening_m[0])
        around = self.belief.standing(*job.step.parts).around(self.facade.cell)
        press_m = hover + self.settings.deeper_m
        now = self.facade.state(self.placed_arm.name).q
        found = self.ways.descents(T, closed, around, self.settings.over_m, press_m, near=now)
        return found[0] if found else None

    def _hover_m(self, job: Job) -> float:
        """Over the studs of a brick that is in, where a press from above begins: clear of one that lies on studs."""
        return _studs(job, self.belief) + self.settings.hover_m

    def _top_m(self, job: Job) -> float:
        """How high what was laid reaches, without studs, over the point of its press."""
        frame = self.belief.frame_of(job.name)
        x, y = (inverse(frame) @ np.append(press_point(self.belief, job.step), 1.0))[:2]
        boxes = [box(self.belief.part(name)) for name in job.step.parts]
        over = [high[2] for low, high in boxes if low[0] < x < high[0] and low[1] < y < high[1]]
        return float(frame[2, 3] + max(over or [high[2] for _, high in boxes]))


def _badness(found: Inspected) -> tuple[bool, bool, float]:
    """To find the brick of a piece that stands worst."""
    return found.state == "missing", found.state in ("wrong", "off"), found.off_m


def _errand(job: Job) -> Errand:
    assert job.errand is not None
    return job.errand


def _near(point_m: Array, others: list[Array], within_m: float = 0.01) -> bool:
    return any(float(np.linalg.norm(point_m[:2] - other[:2])) < within_m for other in others)


def _studs(job: Job, belief: Belief) -> float:
    shape = belief.part(job.name).shape
    return shape.kind.measures.stud_height_m if isinstance(shape, BrickShape) else 0.0


def _pitch(job: Job, belief: Belief) -> float:
    shape = belief.part(job.name).shape
    return shape.kind.measures.pitch_m if isinstance(shape, BrickShape) else 0.0
