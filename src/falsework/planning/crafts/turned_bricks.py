"""The craft of `bricks+reorient`: bricks are pressed plumb down onto a model that is turned over on a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from falsework.model.plan import Step
from falsework.planning.bricks.brickwork import with_details
from falsework.planning.crafts.bricks import BricksCraft
from falsework.planning.crafts.craft import IsLate, usual_steps
from falsework.planning.crafts.reorient import ReorientCraft
from falsework.planning.nodes.checks import Check
from falsework.planning.nodes.goals import Goal
from falsework.planning.nodes.moves import Move
from falsework.planning.search.walks import Task, Walk

if TYPE_CHECKING:
    from falsework.planning.plans.workshop import Workshop


class TurnedBricksCraft(ReorientCraft):
    """Walks as `reorient`, checks as `bricks`; steps are those of both."""

    def __init__(self, shop: Workshop) -> None:
        super().__init__(shop)
        self._bricks = BricksCraft(shop)

    def checks(self) -> tuple[Check, ...]:
        return self._bricks.checks()

    def walks(self, task: Task) -> tuple[Walk, ...]:
        """A brick is tried in all ways to lie before the next: there are two at most, and presses decide."""
        return (self.beam_walk(task),)

    def steps(self, moves: Sequence[Move], goal: Goal, is_late: IsLate) -> tuple[Step, ...]:
        steps = usual_steps(self._shop, moves, goal, self._bricks.grasped, self._shop.turn)
        return with_details(self._bricks.work, steps, goal.bare, is_late)
