"""The craft of `reorient` (seed 001): hands take hold anew for every step, and the whole may be turned over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from falsework.model.plan import Step
from falsework.planning.crafts.craft import IsLate, crewed_walk, usual_checks, usual_steps
from falsework.planning.nodes.checks import Check, StabilityCheck
from falsework.planning.nodes.goals import Goal
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.nodes.moves import Move
from falsework.planning.rules.groups import BuildApart
from falsework.planning.rules.reorienting import AsGiven, Turning
from falsework.planning.search.searches import Search
from falsework.planning.search.walks import Task, Walk

if TYPE_CHECKING:
    from falsework.planning.plans.workshop import Workshop


class ReorientCraft:
    """Taking apart, part by part."""

    turns_on_the_way = True
    has_groups = False  # the seed knows of none

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop

    def checks(self) -> tuple[Check, ...]:
        return (*usual_checks(self._shop), StabilityCheck(self._shop.stability))

    def walks(self, task: Task) -> tuple[Walk, ...]:
        return (self._crewed(task) or self._walk(task, turns_late=True),)

    def beam_walk(self, task: Task) -> Walk:
        return self._crewed(task) or self._walk(task, turns_late=False)

    def _crewed(self, task: Task) -> Walk | None:
        """Arms build up; they take hold anew as these rules have it, but nothing is clamped while they do."""
        return crewed_walk(self._shop, replace(task, regrasp=True))

    def _walk(self, task: Task, turns_late: bool) -> Walk:
        lying = self._shop.lying
        return Turning(task, self._shop.stability, AsGiven() if lying is None else lying, turns_late=turns_late)

    def group_walk(self, task: Task, build_apart: BuildApart) -> None:
        del task, build_apart

    def groups_on_the_way(self, build_apart: BuildApart) -> None:
        del build_apart

    def proofs(self, task: Task, ledger: Ledger, *, grouping: bool) -> list[Search]:
        """Nothing but the walk itself: turned over, whatever was too heavy for its hands may stand."""
        del task, ledger, grouping
        return []

    def steps(self, moves: Sequence[Move], goal: Goal, is_late: IsLate) -> tuple[Step, ...]:
        del is_late
        return usual_steps(self._shop, moves, goal, lambda move: move.parts, self._shop.turn)
