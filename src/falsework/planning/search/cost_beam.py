"""A plain beam in the order of what it has cost so far: all moves of the cheapest nodes with as many parts left."""

from __future__ import annotations

from collections.abc import Callable

from falsework.planning.nodes.ledger import Ledger, Met
from falsework.planning.nodes.moves import Move, Node
from falsework.planning.search.searches import Outcome, Search
from falsework.planning.search.thin_beam import Stop
from falsework.planning.search.walks import Walk


class NothingMet(Met):
    """Which of two ways to a node is the cheaper one is not known to a walk: it is to leave none of them out."""

    def __init__(self) -> None:
        super().__init__(lambda here, there: False)


def cost_beam(
    walk: Walk, ledger: Ledger, cost_of: Callable[[Move], int], width: int, below: int | None = None
) -> Search:
    """The cheapest way that `width` nodes with as many parts left lead to, if it costs less than `below`.

    Moves that remove nothing lead to nodes that are looked at among those that they come from. It proves nothing.
    """
    nothing_met, waiting = NothingMet(), {walk.left(walk.start): {walk.start: Stop(walk.start, 0)}}
    while waiting:
        left = max(waiting)
        layer, done = waiting.pop(left), dict[Node, int]()
        while layer and len(done) < width:
            stop = min(layer.values(), key=lambda one: one.cost)
            del layer[stop.node]
            if walk.arrived(stop.node):
                return Outcome(walk.in_building_order(stop.trail()))
            done[stop.node] = stop.cost
            for move, node in walk.moves(stop.node, ledger, nothing_met):
                yield left
                cost = stop.cost + cost_of(move)
                if (below is not None and cost >= below) or done.get(node, cost + 1) <= cost:
                    continue
                there = layer if walk.left(node) == left else waiting.setdefault(walk.left(node), {})
                if node not in there or there[node].cost > cost:
                    there[node] = Stop(node, cost, move, stop)
    return Outcome(None)
