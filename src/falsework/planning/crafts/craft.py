"""How work is done by one rule set in one workshop: its checks, walks, proofs and steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from falsework.model.errors import BadInput
from falsework.model.plan import Step
from falsework.planning.bricks.groups import BrickGroups
from falsework.planning.nodes.checks import Check, ConnectedCheck, PathCheck, WaysLeft
from falsework.planning.nodes.goals import Goal
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.nodes.moves import Move
from falsework.planning.nodes.steps import TurnOf, steps_of
from falsework.planning.rules.groups import BuildApart, GroupRemoval
from falsework.planning.rules.lying import TableCheck
from falsework.planning.search.crewed import CrewedBuilding
from falsework.planning.search.searches import Search
from falsework.planning.search.walks import Task, Walk

if TYPE_CHECKING:
    from falsework.planning.plans.workshop import Workshop

IsLate = Callable[[], bool]


class Craft(Protocol):
    """What a search asks of a rule set."""

    @property
    def turns_on_the_way(self) -> bool:
        """Whether a part may turn on its way, where any way is allowed; else ways have bends only."""
        ...

    @property
    def has_groups(self) -> bool:
        """Whether parts may be placed as one where single ones come to nothing."""
        ...

    def checks(self) -> tuple[Check, ...]:
        """What every move needs, cheapest first."""
        ...

    def walks(self, task: Task) -> tuple[Walk, ...]:
        """The ways to go through the nodes of a task; the quickest first."""
        ...

    def beam_walk(self, task: Task) -> Walk:
        """The way for searches that look at many nodes at once."""
        ...

    def group_walk(self, task: Task, build_apart: BuildApart) -> GroupRemoval | None:
        """How to go on then; None where it has no such groups."""
        ...

    def groups_on_the_way(self, build_apart: BuildApart) -> BrickGroups | None:
        """Who finds out how groups are put together that the walks themselves move; None where they move none."""
        ...

    def proofs(self, task: Task, ledger: Ledger, *, grouping: bool) -> list[Search]:
        """Searches for a proof that there is no plan, to take turns with those for one; `grouping`: nor with groups."""
        ...

    def steps(self, moves: Sequence[Move], goal: Goal, is_late: IsLate) -> tuple[Step, ...]:
        """What a builder does. Once it is late, no time is spent on niceties."""
        ...


def usual_checks(shop: Workshop) -> tuple[Check, ...]:
    """What every rule set asks before it asks what stands: a way, and what the caller asks."""
    checks: list[Check] = [] if shop.removals is None else [PathCheck(shop.removals)]
    if shop.rules.require_connected:
        checks.append(ConnectedCheck(shop.touching, shop.assembly.fixed_mask()))
    if shop.lying is not None:
        checks.append(TableCheck(shop.lying, shop.removals))
    return (*checks, *shop.own)


def ways_left(shop: Workshop, task: Task) -> WaysLeft | None:
    """For walks that build: what is still to come finds a way."""
    return None if shop.removals is None else WaysLeft(shop.removals, task.whole.installed)


def crewed_walk(shop: Workshop, task: Task, *, in_pairs: bool = False) -> CrewedBuilding | None:
    """How arms build, where a crew is to carry the plan out; `in_pairs`: two parts may come as one."""
    if shop.crew is None:
        return None
    hands = shop.crew.hands_on(task.bare.installed, task.bare.held)
    if hands is None:
        held = ", ".join(shop.assembly.named(task.bare.held))
        raise BadInput(f"no arm can hold {held}, which is held at the beginning; let it go first, or move an arm")
    start, ahead = replace(task.bare, hands=hands), ways_left(shop, task)
    return CrewedBuilding(task, shop.crew, start, ahead, in_pairs=in_pairs, tilted=shop.tilted)


def usual_steps(
    shop: Workshop,
    moves: Sequence[Move],
    goal: Goal,
    grasped_of: Callable[[Move], int],
    turn_of: TurnOf | None = None,
) -> tuple[Step, ...]:
    """The steps of moves, with the paths of a workshop."""
    robots = shop.rules.robots
    return steps_of(shop.assembly, moves, goal.bare, goal.whole, robots, shop.path, grasped_of, turn_of)
