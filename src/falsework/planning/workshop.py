"""What planning needs to know of one assembly under one set of rules: prepared once, asked often."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from falsework.geometry.interfaces import interfaces
from falsework.geometry.removal import StraightRemovals
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Rules
from falsework.model.ports import PartSelector
from falsework.planning.checks import Check, PathCheck, StabilityCheck, WaysLeft
from falsework.planning.journal import Journals
from falsework.planning.moves import Node
from falsework.planning.selectors import selector_named
from falsework.planning.stability import Stability, neighbours
from falsework.planning.walks import Task
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
        if not assembly.is_grounded:
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

    def ways_left(self, whole: Node) -> WaysLeft | None:
        return None if self.removals is None else WaysLeft(self.removals, whole.installed)

    def task(self, bare: Node, whole: Node, selector: str | PartSelector, rng: np.random.Generator) -> Task:
        """What to build on what, by these rules."""
        if isinstance(selector, str):
            selector = selector_named(selector, self.assembly, self.touching, self.removals, rng)
        return Task(self.assembly, self.touching, selector, self.rules.robots, bare, whole, self.rules.regrasp)

    def path(self, parts: int, installed: int) -> Array | None:
        return None if self.removals is None else self.removals.path(parts, installed)
