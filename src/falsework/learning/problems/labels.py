"""Exact labels: from which situations everything can be finished, and so which actions are right.

All that can be reached from the situations asked about is listed, layer by layer, and judged from its end. This is for
assemblies of up to about twenty parts; from the complete state `planning.plans.truth` has the same in a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from falsework.learning.problems.problem import Problem, Situation
from falsework.model.arrays import Bools
from falsework.model.bits import bits
from falsework.model.errors import BadInput

MOST = 2_000_000  # situations


class Labels:
    """What is known to be solvable, or not; grows with what is asked."""

    def __init__(self, problem: Problem, most: int = MOST) -> None:
        self._problem, self._most = problem, most
        self._solvable: dict[Situation, bool] = {}

    def __len__(self) -> int:
        return len(self._solvable)

    def known(self) -> list[Situation]:
        """All that was ever looked at, in that order."""
        return list(self._solvable)

    def solvable(self, many: Iterable[Situation]) -> list[bool]:
        """Whether situations that stand can be finished."""
        asked = list(many)
        self._explore(asked)
        return [self._solvable[here] for here in asked]

    def right(self, many: Sequence[Situation]) -> Bools:
        """(situations, 2 · parts) which actions keep what can be finished finishable."""
        self._explore(many)
        found = np.zeros((len(many), 2 * self._problem.parts), dtype=bool)
        for row, here in zip(found, many, strict=True):
            for action in bits(self._problem.allowed(here)):
                row[action] = self._solvable.get(self._problem.after(here, action), False)
        return found

    def _explore(self, many: Iterable[Situation]) -> None:
        """Everything that can be reached and is new, then which of it can be finished."""
        problem, new = self._problem, list[Situation]()
        layer = [here for here in dict.fromkeys(many) if here not in self._solvable]
        while layer:
            new += layer
            if len(self._solvable) + len(new) > self._most:
                raise BadInput(
                    f"more than {self._most} situations can be reached; exact labels are for smaller assemblies"
                )
            self._solvable.update((here, False) for here in layer)
            on = (here for here in layer if not problem.finished(here))
            after = (problem.after(here, action) for here in on for action in bits(problem.allowed(here)))
            fresh = [there for there in dict.fromkeys(after) if there not in self._solvable]
            layer = [there for there, stands in zip(fresh, problem.stand(fresh), strict=True) if stands]
        new.sort(key=lambda here: (here.installed.bit_count(), -here.held.bit_count()))  # what comes later first
        for here in new:
            self._solvable[here] = problem.finished(here) or any(
                self._solvable.get(problem.after(here, action), False) for action in bits(problem.allowed(here))
            )
