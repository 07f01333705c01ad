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


def _groups(shows: Sequence[npt.NDArray[np.int64]]) -> list[tuple[tuple[int, ...], float]]:
    """Pixels that the same bricks explain, as one: (bricks, how many pixels)."""
    if not shows:
        return []
    pixels = np.concatenate(shows)
    owners = np.concatenate([np.full(len(one), at) for at, one in enumerate(shows)])
    _, where = np.unique(pixels, return_inverse=True)
    table = sparse.csr_array((np.ones(len(pixels)), (where, owners)))
    table.sum_duplicates()
    bounds = table.indptr
    counted: dict[bytes, list[float]] = {}
    names: dict[bytes, tuple[int, ...]] = {}
    indices = np.sort(table.indices) if len(shows) == 1 else table.indices
    for row in range(table.shape[0]):
        members = np.sort(indices[bounds[row] : bounds[row + 1]])
        key = members.tobytes()
        counted.setdefault(key, [0.0])[0] += 1.0
        names.setdefault(key, tuple(int(one) for one in members))
    return [(names[key], weight[0]) for key, weight in counted.items()]


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
