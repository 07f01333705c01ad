"""Holding no longer than needed: the same order of parts, with every part let go as early as it can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from falsework.planning.nodes.moves import Move, Node, bits


def tidied(moves: Sequence[Move], stands: Callable[[Node], bool]) -> tuple[Move, ...]:
    """Moves in building order with shorter holds; each part is still held in one go, from when it is until it is not.

    A search that builds holds what it can, in case it is needed. Here parts are let go early, those first that are
    held longest: from the end of its hold backwards, until a node would fall without it.
    """
    nodes = [moves[0].earlier, *(move.later for move in moves)] if moves else []
    for part in sorted(_ever_held(nodes), key=lambda part: (-_times(nodes, part), part)):
        _let_go_early(nodes, part, stands)
    return tuple(Move(move.parts, nodes[n], nodes[n + 1]) for n, move in enumerate(moves))


def _let_go_early(nodes: list[Node], part: int, stands: Callable[[Node], bool]) -> None:
    """Take the part out of the holds of the last nodes that hold it, as long as they stand without."""
    for n in reversed(range(1, len(nodes))):
        without = replace(nodes[n], held=nodes[n].held & ~(1 << part))
        if without != nodes[n]:
            if not stands(without):
                return
            nodes[n] = without


def _ever_held(nodes: Sequence[Node]) -> list[int]:
    held = 0
    for node in nodes[1:]:
        held |= node.held
    return list(bits(held))


def _times(nodes: Sequence[Node], part: int) -> int:
    return sum(node.held >> part & 1 for node in nodes)
