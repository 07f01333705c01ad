"""Which situations of a large assembly can be finished, by a search that remembers: labels where no table is made.

Whoever stands also stands with one more part held, so the oracle is asked about removals only.
"""

from __future__ import annotations

from collections.abc import Iterator

from falsework.learning.problems.problem import HOLD, REMOVE, Problem, Situation
from falsework.model.bits import bits

BUDGET = 120  # situations that one question may look at


class Solvability:
    """Answers about one problem: what was found on the way to one answer is known for the next.

    >>> import falsework
    >>> problem = Problem.of(falsework.load("examples/arch.yaml"), robots=2)
    >>> Solvability(problem)(problem.complete())
    True
    """

    def __init__(self, problem: Problem, budget: int = BUDGET) -> None:
        self._problem, self._budget = problem, budget
        self._known: dict[Situation, bool] = {}
        heights = problem.assembly.coms_m[:, 2]
        self._order = sorted(range(problem.parts), key=lambda part: (-round(float(heights[part]), 9), part))

    def __call__(self, start: Situation) -> bool | None:
        """Whether a situation that stands can be finished; None: the budget ran out."""
        if start in self._known:
            return self._known[start]
        trail, onward, looked = [start], [self._onward(start)], 1
        while trail:
            if self._problem.finished(trail[-1]) or self._known.get(trail[-1]):
                self._known.update(dict.fromkeys(trail, True))
                return True
            if looked > self._budget:
                return None
            there = next((one for one in onward[-1] if self._known.get(one, True)), None)
            if there is None:
                self._known[trail.pop()] = False
                onward.pop()
            else:
                looked += 1
                trail.append(there)
                onward.append(self._onward(there))
        return False

    def actions(self, here: Situation) -> tuple[int, int]:
        """Bit masks over actions: those that lead to what can be finished, and those of which nothing is known."""
        right = open_ = 0
        for action in bits(self._problem.allowed(here)):
            there = self._problem.after(here, action)
            if action % 2 == REMOVE and not self._problem.stand([there])[0]:
                continue
            answer = self(there)
            right |= (answer is True) << action
            open_ |= (answer is None) << action
        return right, open_

    def _onward(self, here: Situation) -> Iterator[Situation]:
        """What stands after one action, removals of the highest first, then holds of the highest."""
        allowed = self._problem.allowed(here)
        for part in self._order:
            if allowed >> 2 * part + REMOVE & 1:
                there = self._problem.after(here, 2 * part + REMOVE)
                if self._problem.stand([there])[0]:
                    yield there
        for part in self._order:
            if allowed >> 2 * part + HOLD & 1:
                yield self._problem.after(here, 2 * part + HOLD)
