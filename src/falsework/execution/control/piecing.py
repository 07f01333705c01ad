"""A hand that puts bricks together on a tray, looks at what came of it, and takes all of them by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, product

import numpy as np

from falsework.execution.control.belief import Belief, fits
from falsework.execution.control.handling import Job
from falsework.execution.control.pieces import begun_on, middle_of, piece_errands, seen_again, whole
from falsework.execution.control.recovery import Trouble
from falsework.execution.control.spots import spots
from falsework.execution.control.supporting import Supporting
from falsework.execution.control.ways import Errand
from falsework.model.arrays import Array
from falsework.model.perception.findings import Located, Sight
from falsework.model.plan import Step, Subassembly
from falsework.planning.nodes.carrying import InTheAir

ANYWHERE_M = 10.0  # from where a piece was: it slipped out of a hand, and may be wherever it is seen
BESIDE_M = 0.012  # of its place in a piece: what is seen nearer is the brick that was let go there
DEEP_M = 8e-4  # higher above its seat than this by sight a brick is not in
SPOTS = 12  # on the trays that are tried, each with its turns


class Piecing(Supporting):
    """Pieces, for the arms of a cell in turns."""

    _found: Sequence[Located] = ()  # all bricks of the last look

    @cached_property
    def _air(self) -> InTheAir:
        return InTheAir(self.belief.product)

    def _noticed(self, sight: Sight) -> None:
        """A piece on a tray is where it is seen."""
        self._found = sight.found
        if self.belief.piece is not None:
            found = seen_again(self.belief, self.belief.piece, sight.found)
            self.belief = replace(self.belief, piece=found or self.belief.piece)

    def _is_apart(self, job: Job) -> bool:
        """Whether it is of a piece that is not in its place yet."""
        piece = self.belief.piece
        return job.begins is not None or (piece is not None and job.name in piece.names)

    # The first brick

    def _begin_piece(self, job: Job, fitting: Sequence[Located]) -> None:
        """A brick stays where it lies, as the first of a piece, where the next finds its way to it and all leave it."""
        assert job.begins is not None
        for arm, one in product(self._in_turn(job), fitting):
            self.use(arm)
            for belief in begun_on(self.belief, job.begins, one):
                if self._goes_on(belief, job.begins):
                    self.belief, job.is_laid = belief, True
                    self.tell("piece", bricks=sorted(job.begins.parts), on=job.name, place_m=one.middle_m)
                    return
        raise Trouble("clearance", f"none of {len(fitting)} bricks lies where others could be put onto it")

    def _put_where_a_piece_fits(self, job: Job, fitting: Sequence[Located]) -> None:
        """The first brick of a piece to a place on the trays where hands find room for all of it."""
        assert job.begins is not None
        for one in fitting:
            others = tuple(other for other in self.belief.loose if other is not one)
            for T in islice(spots(self.facade.cell.feeders, one, self.belief.without(one).rooms), 4 * SPOTS):
                there = Located(one.kind, one.color, T)
                moved = replace(self.belief, loose=(*others, there))
                if not any(self._goes_on(belief, job.begins) for belief in begun_on(moved, job.begins, there)):
                    continue
                for errand in self.ways.puts(self.belief, job.name, one, T, self._now, self.settings):
                    self.tell("put elsewhere", brick=job.name, place_m=there.middle_m)
                    self._relay(errand, one)
                    return

    def _goes_on(self, belief: Belief, built: Subassembly) -> bool:
        """Whether the next brick finds its way onto the first, and a hand one to take all of them to their place."""
        step = next(one for one in built.steps if one.action == "place")
        name, best = step.parts[0], press_point(belief, step)
        bricks = [one for one in belief.loose if fits(belief.part(name), one)]
        lays = (self.ways.errands(belief, name, one, self._now, best, self.settings) for one in bricks)
        takes = self._piece_errands(whole(belief), belief.T_world_structure[:3, 3])
        return any(True for errands in lays for _ in errands) and any(True for _ in takes)

    # All of it

    def _find_piece(self, job: Job) -> None:
        """Where bricks are that were put together, and how a hand takes them to their place."""
        if self.belief.piece is None and job.piece is not None:
            found = seen_again(self.belief, job.piece, self._found, ANYWHERE_M)
            if found is None:
                raise Trouble("perception", f"the piece of {', '.join(job.step.parts)} is not seen")
            self.belief = replace(self.belief, piece=found)
            self.belief = replace(self.belief, loose=self.belief.not_placed(self.belief.loose))
        job.piece = self.belief.piece
        assert job.piece is not None
        best = press_point(replace(self.belief, piece=None), job.step)
        for arm in self._in_turn(job):
            self.use(arm)
            found_ways = list(islice(by_hold(self._piece_errands(self.belief, best)), job.hold + 1))
            if found_ways:
                job.errand = found_ways[min(job.hold, len(found_ways) - 1)]
                return
        raise Trouble("clearance", f"no way was found to take {', '.join(job.step.parts)} as one to its place")

    def _piece_errands(self, belief: Belief, best_m: Array) -> Iterator[Errand]:
        assert belief.piece is not None
        carriers = self._carriers(sorted(belief.piece.names))
        return piece_errands(self.ways, belief, carriers, self._now, best_m, self.settings)

    def _carriers(self, parts: Sequence[str]) -> list[str]:
        """Bricks by which a hand can carry all of them."""
        whole = self.belief.product
        group = whole.mask(parts)
        return [name for name in parts if self._air.stays_together(group, whole.mask([name]))]

    def _look_at_piece(self, job: Job) -> None:
        """Did a brick go into the piece? Where it sits as deep as it should, it snapped in."""
        self._see()
        part, goal = self.belief.part(job.name), self.belief.goal(job.name)
        off = [one.middle_m - middle_of(part, goal) for one in self.belief.loose if fits(part, one)]
        there = [float(one[2]) for one in off if np.abs(one).max() < BESIDE_M]
        if not there:
            raise Trouble("lost", "it is not seen where it was let go")
        if min(there) > DEEP_M:
            raise Trouble("insertion", f"it stands {1e3 * min(there):.1f} mm too high")

    @property
    def _now(self) -> Array:
        return self.facade.state(self.placed_arm.name).q


def press_point(belief: Belief, step: Step) -> Array:
    """(3,) of the world, over which the press of a step is best."""
    name = step.parts[0]
    if step.press is not None:
        point: Array = (belief.frame_of(name) @ np.append(step.press.point_m, 1.0))[:3]
        return point
    middle: Array = (belief.goal(name) @ np.append(belief.part(name).com_part_m, 1.0))[:3]
    return middle


def by_hold(errands: Iterator[Errand]) -> Iterator[Errand]:
    """The first errand of every hold."""
    last = None
    for errand in errands:
        if errand.hold is not last:
            last = errand.hold
            yield errand
