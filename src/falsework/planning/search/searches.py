"""Searches of a walk. Each is a generator that pauses after every evaluation or so, and returns its outcome: so that
several can take turns, and the first to finish wins. The same walk gives the same outcome, every time.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from falsework.model.plan import ProofKind
from falsework.planning.nodes.ledger import Ledger, Met
from falsework.planning.nodes.moves import Move, Node
from falsework.planning.search.diversity import diverse
from falsework.planning.search.walks import Walk

DETOUR = 1.0  # parts that a second choice must promise to be tried before going on with a first choice


@dataclass(frozen=True, slots=True)
class Outcome:
    """`moves` in building order; or None, whether that is proved, and how; if not, what was left out."""

    moves: tuple[Move, ...] | None
    exhaustive: bool = False
    why: str = ""  # a proof without a reason: every state was tried
    by: ProofKind = "search"
    groups: bool = False  # the proof is about groups too


Search = Generator[int, None, Outcome]  # pauses with the fewest parts left so far


@dataclass(frozen=True, slots=True, eq=False)
class Visit:
    """A node on the way, how it was reached, and the moves from it that were not asked for yet."""

    node: Node
    move: Move | None
    before: Visit | None
    onward: Iterator[tuple[Move, Node]]
    number: int  # in the ledger's tree

    def trail(self) -> list[Move]:
        moves, visit = [], self
        while visit.before is not None and visit.move is not None:
            moves.append(visit.move)
            visit = visit.before
        return moves[::-1]


class _Journey:
    """What the searches share: the nodes met and the best so far."""

    def __init__(self, walk: Walk, ledger: Ledger) -> None:
        self._walk, self._ledger = walk, ledger
        self.met = Met(walk.covers, walk.minds_pose)
        self.fewest_left = walk.left(walk.start)

    def begin(self) -> Visit:
        return self._visit(self._walk.start, None, None)

    def next_from(self, visit: Visit) -> Visit | None:
        """The next node from here that was not met before; None when there is none left."""
        self._ledger.at = visit.number
        for move, node in visit.onward:
            if node not in self.met:
                return self._visit(node, move, visit)
        return None

    def _visit(self, node: Node, move: Move | None, before: Visit | None) -> Visit:
        self.met.add(node)
        left = self._walk.left(node)
        self.fewest_left = min(self.fewest_left, left)
        parent, parts = (-1 if before is None else before.number), (0 if move is None else move.parts)
        number = self._ledger.branch(parent, parts, node, left)
        return Visit(node, move, before, self._walk.moves(node, self._ledger, self.met), number)

    def outcome(self, visit: Visit) -> Outcome:
        return Outcome(self._walk.in_building_order(visit.trail()))


def depth_first(walk: Walk, ledger: Ledger) -> Search:
    """Go on from the newest node; back up when it has no moves left (seed 001, III-B)."""
    journey = _Journey(walk, ledger)
    stack = [journey.begin()]
    while stack:
        if walk.arrived(stack[-1].node):
            return journey.outcome(stack[-1])
        found = journey.next_from(stack[-1])
        if found is None:
            stack.pop()
        else:
            stack.append(found)
        yield journey.fewest_left
    return Outcome(None, exhaustive=walk.exhaustive)


def best_first(walk: Walk, ledger: Ledger, detour: float = DETOUR) -> Search:
    """Go on where the fewest parts are left, but count every choice that is not the first as a detour.

    Nodes are asked for one move at a time. A node that has given n moves waits behind nodes with up to n · `detour`
    more parts left, and so do its descendants. A dead end is therefore not searched to its last leaf, as depth-first
    search would, before an earlier choice is reconsidered.
    """
    journey = _Journey(walk, ledger)
    first = journey.begin()
    queue: list[tuple[float, int, float, Visit]] = [(walk.left(first.node), 0, 0.0, first)]
    serial = 0
    while queue:
        _, _, detours, visit = heapq.heappop(queue)
        if walk.arrived(visit.node):
            return journey.outcome(visit)
        found = journey.next_from(visit)
        if found is not None:
            serial -= 1
            heapq.heappush(queue, (walk.left(found.node) + detours, serial, detours, found))
            again = detours + detour
            heapq.heappush(queue, (walk.left(visit.node) + again, serial, again, visit))
        yield journey.fewest_left
    return Outcome(None, exhaustive=walk.exhaustive)


def beam(
    walk: Walk,
    ledger: Ledger,
    rng: np.random.Generator,
    width: int = 64,
    grow: float = 1.0,
    look_up: Callable[[Iterable[Node]], None] | None = None,
) -> Search:
    """Layer by layer, `width` nodes a layer: the most diverse ones where there are more (seed 002, 5.2).

    `look_up` is told beforehand which nodes a layer will ask about: it may find out about them all at once.

    With `grow` > 1 a search that comes to nothing begins again with a wider beam, until nothing is left out; what was
    found out about nodes is remembered by the checks.
    """
    while True:
        journey = _Journey(walk, ledger)
        layer, left_out = [journey.begin()], False
        while layer:
            reached: list[Visit] = []
            if look_up is not None:
                look_up([node for visit in layer for node in walk.prospects(visit.node, journey.met)])
            for visit in layer:
                if walk.arrived(visit.node):
                    return journey.outcome(visit)
                while (found := journey.next_from(visit)) is not None:
                    reached.append(found)
                    yield journey.fewest_left
            left_out |= len(reached) > width
            layer = [reached[n] for n in diverse([visit.node for visit in reached], width, rng)]
        if not left_out:
            return Outcome(None, exhaustive=walk.exhaustive)
        if grow <= 1.0:
            return Outcome(None)
        width = int(np.ceil(width * grow))


def in_turns(searches: Sequence[Search]) -> Search:
    """Several searches, a move each in turn; the first that ends with a plan or with a proof ends them all."""
    running, outcome = list(searches), Outcome(None)
    fewest: dict[Search, int] = {}
    while running:
        for search in list(running):
            try:
                fewest[search] = next(search)
            except StopIteration as ended:
                ending: Outcome = ended.value
                outcome = ending
                if outcome.moves is not None or outcome.exhaustive:
                    return outcome
                running.remove(search)
            yield min(fewest.values(), default=0)
    return outcome
