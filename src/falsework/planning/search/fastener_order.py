"""Where screws, nuts, pins and washers come in the order of work, as people have them.

as-found  wherever the search puts them
soon      as soon as everything that they hold is there: taking apart, they wait until nothing else can leave
last      after everything that they do not bar: taking apart, they leave first

Selectors only say what to try first, so a plan that exists is found whatever is asked for here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from falsework.geometry.fasteners import fasteners
from falsework.model.assembly import Assembly
from falsework.model.ports import PartSelector, RemovalOracle
from falsework.model.state import State

FastenerOrder = Literal["as-found", "soon", "last"]
FASTENER_ORDERS: tuple[FastenerOrder, ...] = get_args(FastenerOrder)


class FastenersInOrder:
    """Another selector's order, with the fasteners moved to its beginning or its end."""

    def __init__(
        self, inner: PartSelector, holds: Mapping[int, int], order: FastenerOrder, removals: RemovalOracle | None
    ) -> None:
        """`holds`: the fasteners by part, each with the mask of what it goes through."""
        self._inner, self._holds, self._order, self._removals = inner, holds, order, removals

    def order(self, assembly: Assembly, state: State, candidates: Sequence[int]) -> list[int]:
        ranked = list(self._inner.order(assembly, state, candidates))
        if self._order == "last":
            return sorted(ranked, key=lambda part: not (part in self._holds and self._is_free(part, state)))
        if self._order == "soon":
            return sorted(ranked, key=lambda part: self._fellows(part, state))
        return ranked

    def _is_free(self, part: int, state: State) -> bool:
        """Whether nothing bars it; what is barred is not worth a try before the others."""
        if self._removals is None:
            return True
        there = state.installed & ~(1 << part)
        return any(not mask & there for mask in self._removals.blockers(1 << part))

    def _fellows(self, part: int, state: State) -> int:
        """0 for what holds nothing; else how many fasteners there are, it included, on the parts that it holds.

        So what is being opened is opened entirely before something else is.
        """
        if part not in self._holds:
            return 0
        mine = self._holds[part]
        return sum(bool(state.installed >> one & 1 and held & mine) for one, held in self._holds.items()) or 1


def held_by_fasteners(assembly: Assembly) -> dict[int, int]:
    """The fasteners of an assembly, each with the mask of what it goes through."""
    return {assembly.index[one.part]: assembly.mask(one.clamps) for one in fasteners(assembly)}
