"""What planning needs to know of one assembly under one set of rules: prepared once, asked often."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from falsework.geometry.interfaces import interfaces
from falsework.geometry.removal import StraightRemovals
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Rules, Step
from falsework.model.ports import PartSelector
from falsework.planning.checks import Check, PathCheck, StabilityCheck, WaysLeft
from falsework.planning.journal import Journals
from falsework.planning.moves import Move, Node
from falsework.planning.selectors import selector_named
from falsework.planning.stability import Stability, neighbours
from falsework.planning.steps import TurnOf, steps_of
from falsework.planning.tidying import tidied
from falsework.planning.turning import AsGiven, Turning
from falsework.planning.walks import Building, TakingApart, Task, Walk
from falsework.statics.oracle import Oracle
from falsework.statics.unknowns import Cone


class Workshop:
    """An assembly, the rules of planning it, and what was found out about it so far."""

    def __init__(
        self,
        assembly: Assembly,
        rules: Rules,
        *,
        found: Interfaces | None = None,
        threads: int = 1,
        journals: Journals | None = None,
    ) -> None:
        if not assembly.is_grounded and rules.name != "reorient":
            raise BadInput("nothing is fixed and there is no ground; name parts with --fixed, or use --ground")
        self.assembly, self.rules = assembly, rules
        self.found = interfaces(assembly) if found is None else found
        self.touching = neighbours(assembly, self.found)
        self.journals: Journals = {} if journals is None else journals
        cone: Cone = "exact" if rules.cone == "exact" else "8"
        self._oracle = Oracle(assembly, self.found, cone, threads=threads, journal=self.journals.setdefault(0, {}))
        self.stability = Stability(lambda _: self._oracle)

    @cached_property
    def removals(self) -> StraightRemovals | None:
        """How parts leave along straight lines; None where paths do not matter."""
        return None if self.rules.paths == "none" else StraightRemovals(self.assembly, self.found)

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """What every move needs, cheapest first."""
        paths = () if self.removals is None else (PathCheck(self.removals),)
        return (*paths, StabilityCheck(self.stability))

    @property
    def bare(self) -> Node:
        """What is there before anything is placed."""
        return Node(self.assembly.fixed_mask())

    @property
    def whole(self) -> Node:
        return Node((1 << len(self.assembly.bodies)) - 1)

    def walks(self, task: Task) -> tuple[Walk, ...]:
        """The ways to go through the nodes of a task under these rules; the quickest first."""
        if self.rules.name == "reorient":
            return (Turning(task, self.stability, AsGiven()),)
        if self.rules.regrasp:
            return (TakingApart(task),)
        ahead = None if self.removals is None else WaysLeft(self.removals, task.whole.installed)
        return (Building(task, ahead), TakingApart(task))

    def task(self, bare: Node, whole: Node, selector: str | PartSelector, rng: np.random.Generator) -> Task:
        """What to build on what, by these rules."""
        if isinstance(selector, str):
            selector = selector_named(selector, self.assembly, self.touching, self.removals, rng)
        return Task(self.assembly, self.touching, selector, self.rules.robots, bare, whole, self.rules.regrasp)

    def steps(self, moves: Sequence[Move], bare: Node, whole: Node) -> tuple[Step, ...]:
        """What a builder does; without need nothing is held."""
        if self.rules.name == "reorient":
            turn_of: TurnOf = self.turn
        else:
            turn_of = _never_turned
            if not self.rules.regrasp:
                moves = tidied(moves, self.stability.stands)
        return steps_of(self.assembly, moves, bare, whole, self.rules.robots, self.path, turn_of)

    def path(self, move: Move) -> Array | None:
        """How the parts of a move get to their place."""
        return None if self.removals is None else self.removals.path(move.parts, move.earlier.installed)

    def turn(self, pose: int) -> Array | None:
        """T_world_assembly of a way to lie."""
        del pose
        return np.eye(4)


def _never_turned(_: int) -> None:
    return None
