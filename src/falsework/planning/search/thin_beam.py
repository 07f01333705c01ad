"""A beam that asks no more than it must: layer by layer, the cheapest candidates first, until the layer is full.

A plain beam asks about every move of every node of a layer, and then keeps the cheapest. What a candidate costs is
known before anybody asks about it; so in the order of costs, the first that pass are the ones that it would keep.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

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


def thin_beam(walk: SparingWalk, ledger: Ledger, width: int, below: int | None = None) -> Search:
    """The cheapest way that `width` nodes a layer lead to, if it costs less than `below`; it proves nothing."""
    layer, layers = [Stop(walk.start, 0)], 0
    while layer:
        arrived = [stop for stop in layer if walk.arrived(stop.node)]
        if arrived:
            return Outcome(walk.in_building_order(arrived[0].trail()))
        reached: list[Stop] = []
        for asked in _layer(walk, ledger, layer, width, below):
            reached += asked
            yield layers
        layer = sorted(reached, key=lambda stop: stop.cost)
        layers += 1
    return Outcome(None)


def _layer(
    walk: SparingWalk, ledger: Ledger, layer: list[Stop], width: int, below: int | None
) -> Iterator[tuple[Stop, ...]]:
    """The stops of the next layer, none or one an evaluation."""
    queue: list[tuple[int, int, int, Stop, Candidate]] = []
    for place, stop in enumerate(layer):
        for candidate in walk.candidates(stop.node):
            queue.append((stop.cost + walk.cost(candidate.node), place, len(queue), stop, candidate))
    heapq.heapify(queue)
    serial, found = len(queue), 0
    tried: set[tuple[int, Node]] = set()
    met: dict[int, list[tuple[int, int]]] = {}  # by what is installed: what is held, at which cost
    while queue and found < width:
        cost, place, _, stop, candidate = heapq.heappop(queue)
        node = candidate.node
        if below is not None and cost >= below:
            return
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
        for other in walk.helped(candidate, refusal):
            serial += 1
            heapq.heappush(queue, (stop.cost + walk.cost(other.node), place, serial, stop, other))
        yield ()
