"""The same bricks in one frame after another: identities, and regions that are used up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from falsework.model.perception.findings import Located, Sight

MOST_WAY_M = 0.03  # that a brick moves between two frames and is still taken for the same


class Tracker:
    """Gives every brick a number that it keeps, also among equal ones: those that moved least are the same.

    A region that is used (a brick was taken from it, or is to be left alone) is excluded: nothing that is found there
    counts. Bricks that are hidden for a while keep their number, if they reappear where they were.

    >>> Tracker().update(Sight((), (), np.zeros((0, 4, 4)), ()), 0.0)
    ()
    """

    def __init__(self, forget_s: float = 10.0) -> None:
        self.forget_s = forget_s
        self._known: dict[int, tuple[Located, float]] = {}
        self._used: list[tuple[float, float, float]] = []
        self._next = 0

    def exclude(self, x_m: float, y_m: float, radius_m: float) -> None:
        """From now on, nothing in this circle of the table counts."""
        self._used.append((x_m, y_m, radius_m))

    def include(self) -> None:
        """No region is excluded any more."""
        self._used.clear()

    def take(self, identity: int) -> None:
        """A hand took this brick: its number is gone, and where it lay is used."""
        brick, _ = self._known.pop(identity)
        x, y, _ = brick.middle_m
        self.exclude(float(x), float(y), 0.5 * float(np.hypot(*brick.kind.size_m[:2])))

    def update(self, sight: Sight, time_s: float) -> tuple[Located, ...]:
        """Those of a sight that count, each with its number."""
        those = [one for one in sight.found if not self._excluded(one)]
        self._known = {n: kept for n, kept in self._known.items() if time_s - kept[1] <= self.forget_s}
        matched = self._matched(those)
        out = []
        for at, one in enumerate(those):
            number = matched.get(at)
            if number is None:
                number, self._next = self._next, self._next + 1
            named = replace(one, identity=number)
            self._known[number] = (named, time_s)
            out.append(named)
        return tuple(out)

    def _excluded(self, one: Located) -> bool:
        x, y, _ = one.middle_m
        return any(np.hypot(x - a, y - b) < radius for a, b, radius in self._used)

    def _matched(self, those: Sequence[Located]) -> dict[int, int]:
        numbers = list(self._known)
        if not those or not numbers:
            return {}
        far = 10.0
        cost = np.full((len(those), len(numbers)), far)
        for i, one in enumerate(those):
            for j, number in enumerate(numbers):
                old = self._known[number][0]
                way = float(np.linalg.norm(one.middle_m - old.middle_m))
                if one.kind == old.kind and one.color == old.color and way < MOST_WAY_M:
                    cost[i, j] = way
        rows, columns = linear_sum_assignment(cost)
        return {int(i): numbers[j] for i, j in zip(rows, columns, strict=True) if cost[i, j] < far}
