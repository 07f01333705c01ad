"""Searches that a guide leads: by its order of moves, holds included, in turns with searches that nobody leads.

What is tried, and what a move must pass, is as without a guide. A guide that gives nonsense costs some evaluations.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.ports import Guide
from falsework.model.state import State
from falsework.planning.nodes.ledger import Ledger, Met
from falsework.planning.nodes.moves import Move, Node, bits
from falsework.planning.search.searches import Outcome, Search, in_turns
from falsework.planning.search.walks import TakingApart, Task

TRUST = 1.25  # evaluations a part removed that a guide may take before the other searches join in
GRACE = 3  # and so many beside
NOBODY_KNOWS = 10**9  # how many parts are left
SHARE = 4  # turns that each of the others then has for one of the guide's


def scored(guide: Guide, state: State, moves: Sequence[tuple[int, State]]) -> Array:
    """What a guide says of moves, fit to sort by: what is not a number comes last."""
    if not moves:
        return np.zeros(0)
    found = np.asarray(guide.scores(state, moves), dtype=float)
    if found.shape != (len(moves),):
        raise BadInput(f"guide: found scores of shape {found.shape} for {len(moves)} moves; expected one number each")
    return np.where(np.isnan(found), -np.inf, found)


class ByGuide:
    """A guide as a selector, for walks that choose holds themselves."""

    def __init__(self, guide: Guide) -> None:
        self._guide = guide

    def order(self, assembly: Assembly, state: State, candidates: Sequence[int]) -> list[int]:
        del assembly
        moves = [(1 << part, _without(state, part)) for part in candidates]
        scores = scored(self._guide, state, moves)
        return [candidates[n] for n in np.argsort(-scores, kind="stable")]


class GuidedRemoval(TakingApart):
    """From the whole down, the likeliest (part, holds) first; every way to hold that helps has its turn."""

    def __init__(self, task: Task, guide: Guide) -> None:
        super().__init__(task)
        self._guide = guide
        self._fixed = task.assembly.fixed_mask()

    def moves(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        state = State(node.installed, node.held)
        parts = self._task.ordered(node, self._task.still_to_go(node))
        rests = [
            (1 << part, Node(node.installed & ~(1 << part), node.held & ~(1 << part), node.pose)) for part in parts
        ]
        queue: list[tuple[float, int, int, Node]] = []
        self._add(queue, state, rests, 0)
        asked, serial = set[tuple[int, Node]](), len(queue)
        while queue:
            _, _, parts_gone, rest = heapq.heappop(queue)
            if (parts_gone, rest) in asked or rest in met:
                continue
            asked.add((parts_gone, rest))
            refusal = ledger.refusal(Move(parts_gone, rest, node))
            if refusal is None:
                yield Move(parts_gone, rest, node), rest
            elif refusal.node == rest and rest.held.bit_count() + 1 < self._task.robots:
                helped = refusal.blockers & rest.installed & ~rest.held & ~self._fixed
                more = [(parts_gone, Node(rest.installed, rest.held | 1 << part, rest.pose)) for part in bits(helped)]
                self._add(queue, state, more, serial)
                serial += len(more)
        if self._task.regrasp:
            yield from self._regrasped(node, ledger, met)

    def _add(
        self, queue: list[tuple[float, int, int, Node]], state: State, moves: Sequence[tuple[int, Node]], serial: int
    ) -> None:
        """Scored all at once."""
        scores = scored(self._guide, state, [(parts, State(rest.installed, rest.held)) for parts, rest in moves])
        for number, (score, (parts, rest)) in enumerate(zip(scores.tolist(), moves, strict=True)):
            heapq.heappush(queue, (-score, serial + number, parts, rest))


def led(guided: Search, others: Sequence[Search], ledger: Ledger) -> Search:
    """The guided search first, as long as it gets on; once it does not, the others in turns, and it now and then."""
    before, most = ledger.evaluations, 0
    while True:
        try:
            left = next(guided)
        except StopIteration as ended:
            outcome: Outcome = ended.value
            if outcome.moves is not None or outcome.exhaustive:
                return outcome
            return (yield from in_turns(others))
        most = max(most, left)
        yield left
        if ledger.evaluations - before > TRUST * (most - left) + GRACE:
            break
    return (yield from in_turns([_slowed(guided), *others]))


def _slowed(search: Search) -> Search:
    """The same search, which lets the others have several turns for one of its own."""
    left = NOBODY_KNOWS
    while True:
        for _ in range(SHARE - 1):
            yield left
        try:
            left = next(search)
        except StopIteration as ended:
            outcome: Outcome = ended.value
            return outcome


def _without(state: State, part: int) -> State:
    return State(state.installed & ~(1 << part), state.held & ~(1 << part))
