"""The craft of `holds` (seed 002): hands hold what would fall, each part in one go unless regrasping is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from falsework.model.plan import Step
from falsework.planning.crafts.craft import IsLate, crewed_walk, usual_checks, usual_steps, ways_left
from falsework.planning.nodes.checks import Check, StabilityCheck, first_refusal
from falsework.planning.nodes.goals import Goal
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.nodes.moves import Move
from falsework.planning.nodes.tidying import tidied
from falsework.planning.rules.groups import BuildApart, GroupBuilding, GroupRemoval
from falsework.planning.rules.too_few_hands import too_few_hands
from falsework.planning.search.searches import Search
from falsework.planning.search.walks import Building, TakingApart, Task, Walk

if TYPE_CHECKING:
    from falsework.planning.plans.workshop import Workshop


class HoldsCraft:
    """Building up and taking apart, single parts first and groups where these come to nothing."""

    turns_on_the_way = True

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop

    @property
    def has_groups(self) -> bool:
        """Abstract problems, without ways, know of none; nor is there any without an oracle for parts in the air.

        Arms bring parts one by one.
        """
        return self._shop.rules.paths != "none" and self._shop.knows_the_air and self._shop.crew is None

    def checks(self) -> tuple[Check, ...]:
        return (*usual_checks(self._shop), StabilityCheck(self._shop.stability))

    def walks(self, task: Task) -> tuple[Walk, ...]:
        if (crewed := crewed_walk(self._shop, task)) is not None:
            return (crewed,)
        if self._shop.rules.regrasp:
            return (TakingApart(task),)
        return (Building(task, ways_left(self._shop, task)), TakingApart(task))

    def beam_walk(self, task: Task) -> Walk:
        """As seed 002, parts are put where they touch."""
        if (crewed := crewed_walk(self._shop, task)) is not None:
            return crewed
        if self._shop.rules.regrasp:
            return TakingApart(task)
        return Building(task, ways_left(self._shop, task), in_the_air=False)

    def group_walk(self, task: Task, build_apart: BuildApart) -> GroupRemoval:
        shop = self._shop
        assert shop.removals is not None, "where there are groups, there are ways"
        return GroupRemoval(task, shop.removals, shop.stability, GroupBuilding(shop.assembly, shop.air, build_apart))

    def groups_on_the_way(self, build_apart: BuildApart) -> None:
        del build_apart

    def proofs(self, task: Task, ledger: Ledger, *, grouping: bool) -> list[Search]:
        del ledger
        if not self._shop.convex:
            return []
        return [too_few_hands(task, self._shop.stability, self._shop.air if grouping else None)]

    def steps(self, moves: Sequence[Move], goal: Goal, is_late: IsLate) -> tuple[Step, ...]:
        """Without need nothing is held."""
        shop = self._shop
        if shop.crew is None and not shop.rules.regrasp and shop.stability.monotone:
            shorter = tidied(moves, lambda node: not is_late() and shop.stability.stands(node))
            if all(first_refusal(shop.own, move) is None for move in shorter):
                moves = shorter
        return usual_steps(shop, moves, goal, self._grasped)

    def _grasped(self, move: Move) -> int:
        return self._shop.air.grasped(move.parts, move.later.held & move.parts)
