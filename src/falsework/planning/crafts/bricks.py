"""The craft of `bricks` (seed 004): a hand takes a brick, or one with those that hang from it, and presses it home."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from falsework.model.plan import Step
from falsework.planning.bricks.brickwork import Brickwork, with_details
from falsework.planning.bricks.groups import BrickGroups
from falsework.planning.bricks.stuck_cores import StuckCores, stuck_bricks
from falsework.planning.bricks.taking_apart import BrickRemoval
from falsework.planning.crafts.craft import IsLate, crewed_walk, usual_checks, usual_steps
from falsework.planning.nodes.checks import Check, StabilityCheck
from falsework.planning.nodes.goals import Goal
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.nodes.moves import Move
from falsework.planning.rules.groups import BuildApart
from falsework.planning.search.searches import Search
from falsework.planning.search.walks import Task, Walk

if TYPE_CHECKING:
    from falsework.planning.plans.workshop import Workshop


class BricksCraft:
    """Taking apart, bricks and what hangs from them; for one hand, with an eye on bricks that it can never take off."""

    turns_on_the_way = False
    has_groups = False  # its groups are moved on the way

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop

    @cached_property
    def work(self) -> Brickwork:
        """Grasps and presses."""
        assert self._shop.bricks is not None, "rules for bricks have them"
        return self._shop.bricks

    @cached_property
    def _cores(self) -> StuckCores:
        return StuckCores(self.work, self._shop.removals)

    def checks(self) -> tuple[Check, ...]:
        return (*usual_checks(self._shop), *self.work.checks(StabilityCheck(self._shop.stability)))

    def walks(self, task: Task) -> tuple[Walk, ...]:
        return (self.beam_walk(task),)

    def beam_walk(self, task: Task) -> Walk:
        if (crewed := crewed_walk(self._shop, task, in_pairs=True)) is not None:
            return crewed
        return BrickRemoval(task, self.work, self._cores if task.robots == 1 else None)

    def group_walk(self, task: Task, build_apart: BuildApart) -> None:
        del task, build_apart

    def groups_on_the_way(self, build_apart: BuildApart) -> BrickGroups | None:
        return BrickGroups(self.work, build_apart)

    def proofs(self, task: Task, ledger: Ledger, *, grouping: bool) -> list[Search]:
        del grouping
        alone = task.robots == 1 and not task.bare.held and not task.whole.held
        return [stuck_bricks(task, self._cores, ledger)] if self._shop.convex and alone else []

    def steps(self, moves: Sequence[Move], goal: Goal, is_late: IsLate) -> tuple[Step, ...]:
        """With how each brick is taken and pressed."""
        return with_details(self.work, usual_steps(self._shop, moves, goal, self.grasped), goal.bare, is_late)

    def grasped(self, move: Move) -> int:
        """Of bricks that come as one, the one that a hand carries them by."""
        if move.way is not None and self._shop.crew is not None:
            return 1 << self._shop.crew.gripped(move.way)
        taken_by = self.work.taken_by(move.parts, move.earlier.installed, move.later.held & move.parts)
        return move.parts if taken_by is None else 1 << taken_by
