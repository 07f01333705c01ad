"""Factors of large graphs that are made a part at a time, for callers who must be done with a frame.

    parts = FactorParts.of(springs)                     # one pattern
    made = PartlyFactored(parts, springs, diagonal, lower)
    while made.open: made.go_on()                       # made.next_ms: about what that costs

The parts follow from the pattern alone, and the factor is the same as if it had been made at once, bit for bit.
"""

# The kernels it calls are typed by numba.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from falsework.kernels.block_bunches import factor_some, products_of, workbench
from falsework.kernels.block_cholesky import MANY, factor_blocks
from falsework.model.arrays import Array, Ints

PRODUCT_MS = 2.5e-5  # what a product of two blocks costs on the machine it was measured on
PART_MS = 10.0  # about


class Pattern(Protocol):
    """Which blocks a factor has; see `BlockPattern`."""

    @property
    def fstarts(self) -> Ints: ...
    @property
    def frows(self) -> Ints: ...
    @property
    def row_starts(self) -> Ints: ...
    @property
    def row_columns(self) -> Ints: ...
    @property
    def row_slots(self) -> Ints: ...


@dataclass(frozen=True, slots=True, eq=False)
class FactorParts:
    """Where each part ends, in bunches of columns, and about what it costs, ms as counted."""

    ends: tuple[int, ...]
    costs_ms: tuple[float, ...]
    at_once: bool = False  # by columns, not by bunches of them: quicker where there are few

    @staticmethod
    def of(net: Pattern, part_ms: float = PART_MS) -> FactorParts:
        """Small factors are made at once; none if a part costs nothing."""
        columns = np.diff(net.fstarts)
        whole_ms = PRODUCT_MS * float((columns * (columns + 1)).sum()) / 2
        if part_ms > 0 and (len(net.frows) < MANY or whole_ms < 2.0 * part_ms):
            return FactorParts((len(columns),), (whole_ms,), at_once=True)
        bench = workbench(len(columns), net.fstarts, net.frows)
        costs = PRODUCT_MS * products_of(bench, net.fstarts, net.frows, net.row_starts, net.row_columns)
        total = np.cumsum(costs)
        count = int(np.ceil(total[-1] / part_ms)) if part_ms > 0 else len(costs)
        wanted = np.linspace(0.0, total[-1], 1 + count)[1:-1]
        ends = np.unique([*(np.searchsorted(total, wanted) + 1), len(costs)]).tolist()
        spent = np.diff([0.0, *total[np.array(ends) - 1]])
        return FactorParts(tuple(ends), tuple(spent.tolist()))


class PartlyFactored:
    """A matrix that becomes its factor in place, `diagonal` (n, 6, 6) and `lower` (blocks, 6, 6)."""

    def __init__(self, parts: FactorParts, net: Pattern, diagonal: Array, lower: Array) -> None:
        self.diagonal, self.lower = diagonal, lower
        self.done = 0  # parts
        self._parts, self._net = parts, net
        self._where = np.empty(len(diagonal), dtype=np.int64)
        self._bench = workbench(len(diagonal), net.fstarts, net.frows) if not parts.at_once else None

    @property
    def open(self) -> bool:
        return self.done < len(self._parts.ends)

    @property
    def next_ms(self) -> float:
        return self._parts.costs_ms[self.done]

    def go_on(self) -> None:
        """One part."""
        net, ends = self._net, self._parts.ends
        if self._bench is None:
            factor_blocks(
                *(len(self.diagonal), net.fstarts, net.frows, net.row_starts, net.row_columns, net.row_slots),
                *(self.diagonal, self.lower, self._where),
            )
        else:
            factor_some(
                *(self._bench, ends[self.done - 1] if self.done else 0, ends[self.done]),
                *(net.fstarts, net.frows, net.row_starts, net.row_columns, self.diagonal, self.lower, self._where),
            )
        self.done += 1

    def finish(self) -> None:
        """All that is left."""
        while self.open:
            self.go_on()
