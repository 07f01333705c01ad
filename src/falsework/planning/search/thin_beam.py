"""A beam that asks no more than it must: layer by layer, the cheapest candidates first, until the layer is full.

A plain beam asks about every move of every node of a layer, and then keeps the cheapest. What a candidate costs is
known before anybody asks about it; so in the order of costs, the first that pass are the ones that it would keep.
Where somebody guesses what is still to be paid from a node, that is added before candidates are compared.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.nodes.moves import Move, Node
from falsework.planning.search.searches import Outcome, Search
from falsework.planning.search.sparing import Candidate, SparingWalk


@dataclass(frozen=True, slots=True, eq=False)
class Stop:
    """A node on the way, what it took to get there, and how."""

    node: Node
    cost: int
    move: Move | None = None
    before: Stop | None = None

    def trail(self) -> list[Move]:
        moves, stop = [], self
        while stop.move is not None and stop.before is not None:
            moves.append(stop.move)
            stop = stop.before
        return moves[::-1]


ToGo = Callable[[Sequence[Node]], Array]  # for each node, about what is still to be paid


def _nothing_to_go(nodes: Sequence[Node]) -> Array:
    return np.zeros(len(nodes))


def thin_beam(
    walk: SparingWalk, ledger: Ledger, width: int, below: int | None = None, to_go: ToGo = _nothing_to_go
) -> Search:
    """The cheapest way that `width` nodes a layer lead to, if it costs less than `below`; it proves nothing."""
    layer, layers = [Stop(walk.start, 0)], 0
    while layer:
        arrived = [stop for stop in layer if walk.arrived(stop.node)]
        if arrived:
            return Outcome(walk.in_building_order(min(arrived, key=lambda stop: stop.cost).trail()))
        reached: list[Stop] = []
        for asked in _layer(walk, ledger, layer, width, below, to_go):
            reached += asked
            yield layers
        layer = sorted(reached, key=lambda stop: stop.cost)
        layers += 1
    return Outcome(None)


def _layer(
    walk: SparingWalk, ledger: Ledger, layer: list[Stop], width: int, below: int | None, to_go: ToGo
) -> Iterator[tuple[Stop, ...]]:
    """The stops of the next layer, none or one an evaluation."""
    queue: list[tuple[float, int, int, Stop, Candidate]] = []
    serial = _add(
        queue, [(n, stop, one) for n, stop in enumerate(layer) for one in walk.candidates(stop.node)], walk, to_go, 0
    )
    found = 0
    tried: set[tuple[int, Node]] = set()
    met: dict[int, list[tuple[int, int]]] = {}  # by what is installed: what is held, at which cost
    while queue and found < width:
        _, place, _, stop, candidate = heapq.heappop(queue)
        node = candidate.node
        cost = stop.cost + walk.cost(node)
        if below is not None and cost >= below:
            continue
        there = met.setdefault(node.installed, [])
        if (place, node) in tried or any(paid <= cost and walk.covers(held, node.held) for held, paid in there):
            continue
        tried.add((place, node))
        refusal = walk.refusal(candidate, ledger)
        if refusal is None:
            there.append((node.held, cost))
            found += 1
            yield (Stop(node, cost, candidate.move, stop),)
            continue
        serial = _add(queue, [(place, stop, other) for other in walk.helped(candidate, refusal)], walk, to_go, serial)
        yield ()


def _add(
    queue: list[tuple[float, int, int, Stop, Candidate]],
    more: Sequence[tuple[int, Stop, Candidate]],
    walk: SparingWalk,
    to_go: ToGo,
    serial: int,
) -> int:
    """Put in the order of what they cost in all, then of stops and candidates; the number of the next one."""
    guesses = to_go([candidate.node for _, _, candidate in more]).tolist()
    for guess, (place, stop, candidate) in zip(guesses, more, strict=True):
        heapq.heappush(queue, (stop.cost + walk.cost(candidate.node) + guess, place, serial, stop, candidate))
        serial += 1
    return serial
