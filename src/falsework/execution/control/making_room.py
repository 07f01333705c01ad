"""Where no way is free, or nothing that fits is seen: bricks are put elsewhere, turned upright or carried off first."""

from __future__ import annotations

from functools import cached_property
from itertools import islice

import numpy as np

from falsework.execution.control.belief import fits
from falsework.execution.control.clearing import Thing, carryings
from falsework.execution.control.handling import Job
from falsework.execution.control.piecing import by_hold, press_point
from falsework.execution.control.righting import rightings
from falsework.execution.control.taking_off import TakingOff
from falsework.model.arrays import Array
from falsework.model.perception.findings import Brick, Extent, Located
from falsework.model.poses import inverse

MOST_ASIDE, TWICE = 6, 2  # times that things are put aside in one build, and that the same is tried
FELL_M = 0.15  # farther from all places of the product than this nothing fell off it
AGAIN_M = 0.05  # nearer to where something was put than this lies the same


class MakingRoom(TakingOff):
    """What is done before a brick is tried, or tried again."""

    @cached_property
    def _put_aside(self) -> list[Array]:
        """(3,) where things lay that were put aside, or could not be."""
        return []

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
                self._relay(errand, one)
                return

    def turn_upright(self, job: Job) -> None:
        """A brick that lies on a side, or upside down, is turned a quarter, or carried to where a hand has room to."""
        assert job.lying is not None
        for arm in self._ways:
            self.use(arm)
            for errand in rightings(self.ways, self.belief, job.lying, self._now, self.settings):
                self.tell("turn upright", brick=job.name, place_m=errand.T_world_laid[:3, 3])
                self._relay(errand, job.lying)
                return
        job.is_stuck = not self._carries_off(Thing(job.lying), job, len(job.carried_to))

    def put_aside(self, job: Job) -> None:
        """What fell beside the structure and is unclear is carried to a tray, before things are built around it."""
        for room in (one.extent for one in self.belief.unclear):
            if room is None or self._on_a_tray(room.middle_m) or self.belief.is_built_into(room):
                continue
            if not _near(room.middle_m, [self.belief.goal(name)[:3, 3] for name in self.belief.product.names], FELL_M):
                continue  # somebody's own
            tried = sum(_near(room.middle_m, [place], AGAIN_M) for place in self._put_aside)
            if tried < TWICE and len(self._put_aside) < MOST_ASIDE:
                self._put_aside.append(room.middle_m)
                self._carries_off(Thing(room), job, tried)
                return

    def clear_away(self, job: Job, trouble: str) -> None:
        """What nobody can tell is carried to a tray; and where no way is free, bricks too that lie on no tray.

        What is nearest to the brick's place comes first; where that is occupied, nothing else.
        """
        things: list[Brick | Extent] = [one.extent for one in self.belief.unclear if one.extent is not None]
        if trouble == "clearance":
            things += [one for one in self.belief.loose if not self._on_a_tray(one.middle_m)]
        if trouble == "occupied":
            things = self.belief.occupying(job.name)
        goal = self.belief.goal(job.name)[:3, 3]

        def order(one: Brick | Extent) -> tuple[bool, float]:
            again = _near(one.middle_m, job.carried_to, AGAIN_M)  # that did not help
            return again, float(np.linalg.norm((one.middle_m - goal)[:2]))

        for thing in sorted(things, key=order):
            if self._carries_off(Thing(thing), job, len(job.carried_to)):
                return

    def _carries_off(self, thing: Thing, job: Job, again: int) -> bool:
        """Whether a hand found a way to take a thing as it lies to a tray, and tried; `again`, by another hold."""
        for arm in self._ways:
            self.use(arm)
            errands = carryings(self.ways, self.belief, thing, self._now, self.settings)
            found = list(islice(by_hold(errands), again + 1))
            if found:
                errand = found[-1]
                job.carried_to.append(errand.T_world_laid[:3, 3])
                self.tell("carry off", brick=job.name, place_m=errand.T_world_laid[:3, 3])
                self._relay(errand, thing.room)
                return True
        return False

    def _on_a_tray(self, point_m: Array) -> bool:
        """Whether a point (3,) of the world is over a tray."""
        feeders = self.facade.cell.feeders
        local = [(inverse(feeder.T_world_feeder) @ np.append(point_m, 1.0))[:2] for feeder in feeders]
        return any((np.abs(at) < np.array(one.size_m) / 2).all() for at, one in zip(local, feeders, strict=True))


def _near(point_m: Array, others: list[Array], within_m: float = 0.01) -> bool:
    return any(float(np.linalg.norm(point_m[:2] - other[:2])) < within_m for other in others)
