"""Which supposed bricks together explain the picture best: an exact choice, and how good the next best is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from falsework.model.arrays import Array


class Packing:
    """Choose among supposed bricks: pixels that any chosen one explains count once, each brick has its cost.

    `shows` are the pixels that each explains, `costs` what each costs in pixels (what speaks against it, and that it
    is one brick more), `apart` pairs that cannot both be there.
    """

    def __init__(
        self, shows: Sequence[npt.NDArray[np.int64]], costs: Sequence[float], apart: Sequence[tuple[int, int]]
    ) -> None:
        self.count = len(shows)
        self.costs = np.array(costs, dtype=float)
        groups = _groups(shows)
        self._members = [frozenset(members) for members, _ in groups]
        self._weights = np.array([weight for _, weight in groups], dtype=float)
        rows: list[int] = []
        columns: list[int] = []
        values: list[float] = []
        total = self.count + len(groups)
        at = 0
        for group, (members, _) in enumerate(groups):  # explained ≤ Σ chosen of those that show it
            for member in members:
                rows.append(at), columns.append(member), values.append(-1.0)  # type: ignore[func-returns-value]
            rows.append(at), columns.append(self.count + group), values.append(1.0)  # type: ignore[func-returns-value]
            at += 1
        upper = [0.0] * at
        for one, other in apart:
            rows += [at, at]
            columns += [one, other]
            values += [1.0, 1.0]
            upper.append(1.0)
            at += 1
        self._matrix = sparse.csr_array((values, (rows, columns)), shape=(at, total))
        self._upper = np.array(upper)

    def best(self, without: Sequence[int] = ()) -> tuple[tuple[int, ...], float]:
        """(those chosen, pixels explained less costs), with some of them ruled out."""
        total = self.count + len(self._weights)
        high = np.ones(total)
        high[list(without)] = 0.0
        whole = np.concatenate([np.ones(self.count), np.zeros(len(self._weights))])
        gain = np.concatenate([-self.costs, self._weights])
        constraint = LinearConstraint(self._matrix, ub=self._upper)
        answer = milp(-gain, integrality=whole, bounds=Bounds(np.zeros(total), high), constraints=constraint)
        if answer.x is None:
            return (), 0.0
        chosen = np.flatnonzero(answer.x[: self.count] > 0.5)
        return tuple(int(one) for one in chosen), float(-answer.fun)

    def least_loss(self, chosen: Sequence[int], one: int, alike: Sequence[int]) -> float:
        """What any packing without `alike` explains less than the chosen one, at least: no solver is asked.

        Pixels that only they explain are lost; gained are the cost of `one` and, at most, all pixels left over.
        """
        taken, gone = frozenset(chosen), frozenset(alike)
        lost = left = 0.0
        for members, weight in zip(self._members, self._weights.tolist(), strict=True):
            if members <= gone:
                lost += weight if one in members else 0.0
            elif not members & taken:
                left += weight
        return float(lost - left - self.costs[one])


def _groups(shows: Sequence[npt.NDArray[np.int64]]) -> list[tuple[tuple[int, ...], float]]:
    """Pixels that the same bricks explain, as one: (bricks, how many pixels)."""
    if not shows:
        return []
    pixels = np.concatenate(shows)
    owners = np.concatenate([np.full(len(one), at) for at, one in enumerate(shows)])
    order = np.lexsort((owners, pixels))
    pixels, owners = pixels[order], owners[order]
    starts = np.flatnonzero(np.r_[True, pixels[1:] != pixels[:-1]])
    names = np.random.default_rng(0).integers(1, 2**62, len(shows), dtype=np.uint64)  # sums of these name sets
    keys = np.add.reduceat(names[owners], starts)
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    ends = np.r_[starts[1:], len(pixels)]
    return [
        (tuple(owners[starts[at] : ends[at]].tolist()), float(count))
        for at, count in zip(first.tolist(), counts.tolist(), strict=True)
    ]


def footprints_overlap(corners: Array, others: Array, slack: float) -> bool:
    """Whether two rectangles (4, 2) overlap by more than `slack` (m) in every direction of their sides."""
    for one, other in ((corners, others), (others, corners)):
        for at in range(2):
            way = one[at + 1] - one[at]
            way = way / np.hypot(*way)
            a, b = one @ way, other @ way
            if min(a.max(), b.max()) - max(a.min(), b.min()) < slack:
                return False
    return True
