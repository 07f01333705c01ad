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
AT_LEAST = 5  # evaluations that the guide is counted as having had, so that small problems are done before it is back
SHARE = 6  # evaluations of the others for each of the guide's then


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
        yield from (found for found in self.tries(node, ledger, met) if found is not None)
        if self._task.regrasp:
            yield from self._regrasped(node, ledger, met)

    def tries(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node] | None]:
        """What every evaluation comes to: a move and the node that it leads to, or nothing."""
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
            yield None if refusal is not None else (Move(parts_gone, rest, node), rest)
            if refusal is not None and refusal.node == rest and rest.held.bit_count() + 1 < self._task.robots:
                helped = refusal.blockers & rest.installed & ~rest.held & ~self._fixed
                more = [(parts_gone, Node(rest.installed, rest.held | 1 << part, rest.pose)) for part in bits(helped)]
                self._add(queue, state, more, serial)
                serial += len(more)

    def _add(
        self, queue: list[tuple[float, int, int, Node]], state: State, moves: Sequence[tuple[int, Node]], serial: int
    ) -> None:
        """Scored all at once."""
        scores = scored(self._guide, state, [(parts, State(rest.installed, rest.held)) for parts, rest in moves])
        for number, (score, (parts, rest)) in enumerate(zip(scores.tolist(), moves, strict=True)):
            heapq.heappush(queue, (-score, serial + number, parts, rest))


def straight_on(walk: GuidedRemoval, ledger: Ledger) -> Search:
    """Always on by the first move that is possible; it pauses after every evaluation, and ends where there is none."""
    node, moves, met = walk.start, list[Move](), Met(walk.covers)
    while not walk.arrived(node):
        onward = None
        for onward in walk.tries(node, ledger, met):
            yield walk.left(node if onward is None else onward[1])
            if onward is not None:
                break
        if onward is None:
            return Outcome(None)
        moves.append(onward[0])
        node = onward[1]
    return Outcome(walk.in_building_order(moves))


def led(ahead: Search, guided: Search, others: Sequence[Search], ledger: Ledger) -> Search:
    """Straight ahead first, as long as that gets on; once it does not, the others in turns, and the guide now and
    then."""
    before, most = ledger.evaluations, 0
    while True:
        try:
            left = next(ahead)
        except StopIteration as ended:
            outcome: Outcome = ended.value
            if outcome.moves is not None or outcome.exhaustive:
                return outcome
            break
        most = max(most, left)
        yield left
        if ledger.evaluations - before > TRUST * (most - left) + GRACE:
            break
    return (yield from in_turns([_slowed(guided, ledger), *others]))


def _slowed(search: Search, ledger: Ledger) -> Search:
    """The same search, which waits until the others have had several evaluations for each of its own, or are done."""
    left, spent, begun = NOBODY_KNOWS, 0, ledger.evaluations
    while True:
        seen = -1
        while ledger.evaluations - begun - spent < SHARE * max(spent, AT_LEAST) and ledger.evaluations != seen:
            seen = ledger.evaluations
            yield left
        before = ledger.evaluations
        try:
            left = next(search)
        except StopIteration as ended:
            outcome: Outcome = ended.value
            return outcome
        spent += ledger.evaluations - before
        yield left


def _without(state: State, part: int) -> State:
    return State(state.installed & ~(1 << part), state.held & ~(1 << part))
