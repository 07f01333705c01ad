"""What seed 001 was compared with (V-B): random orders, a genetic algorithm, and a planner that is blind to falling.

All three go on until they have a plan or their budget is spent; none can prove that there is no plan.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from falsework.model.arrays import Ints
from falsework.planning.nodes.checks import Check
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.nodes.moves import Move, Node, bits
from falsework.planning.rules.reorienting import Turning
from falsework.planning.search.searches import Outcome, Search

POPULATION, ELITE, MUTATION = 10, 3, 0.3


def random_permutation(walk: Turning, ledger: Ledger, rng: np.random.Generator) -> Search:
    """Orders drawn at random, each followed until a part cannot be removed."""
    parts = _parts(walk)
    while True:
        moves, node = [], walk.start
        for part in rng.permutation(parts).tolist():
            move = walk.removal(node, part, ledger)
            yield walk.left(node)
            if move is None:
                break
            moves.append(move)
            node = move.earlier
        if walk.arrived(node):
            return Outcome(walk.in_building_order(moves))


def genetic(walk: Turning, ledger: Ledger, rng: np.random.Generator) -> Search:
    """Orders bred for fitness: how many of their steps are feasible, each after all the ones before it.

    A step that was evaluated once is remembered and costs nothing again; a generation costs one evaluation at least,
    and where it has nothing new to it, orders drawn at random come in.
    """
    parts = _parts(walk)
    known: dict[tuple[int, int], Move | None] = {}
    population = [rng.permutation(parts) for _ in range(POPULATION)]
    while True:
        rated: list[tuple[int, Ints]] = []
        before = ledger.evaluations
        for order in population:
            feasible, moves, node = 0, [], walk.start
            for part in order.tolist():
                key = node.installed, part
                if key not in known:
                    known[key] = walk.removal(node, part, ledger)
                    yield walk.left(node)
                move = known[key]
                feasible += move is not None
                if move is not None:
                    moves.append(move)
                node = walk.without(node, part) if move is None else move.earlier
            if len(moves) == len(parts):
                return Outcome(walk.in_building_order(_chained(moves, walk.start)))
            rated.append((feasible, order))
        rated.sort(key=lambda one: -one[0])
        best = [order for _, order in rated[:ELITE]]
        if ledger.evaluations == before:
            ledger.count()
            best = [best[0], *(rng.permutation(parts) for _ in range(ELITE - 1))]
        population = best + [_child(best, rng) for _ in range(POPULATION - ELITE)]


def stability_blind(walk: Turning, ledger: Ledger, path: Check | None, rng: np.random.Generator) -> Search:
    """Orders that only mind the way out, as in a world without gravity; looked at for falling afterwards.

    Every look for a way out is an evaluation; the look for falling is free.
    """
    while True:
        order, node = [], walk.start
        while not walk.arrived(node):
            part = _free_to_leave(walk, ledger, path, rng, node)
            yield walk.left(node)
            if part is None:
                return Outcome(None, exhaustive=path is not None)
            order.append(part)
            node = Node(node.installed & ~(1 << part))
        moves = list(_followed(walk, ledger, order))
        if len(moves) == len(order):
            return Outcome(walk.in_building_order(moves))


def _free_to_leave(
    walk: Turning, ledger: Ledger, path: Check | None, rng: np.random.Generator, node: Node
) -> int | None:
    """A part that has a way out, the first in a random order."""
    for part in rng.permutation(list(bits(walk.movable(node)))).tolist():
        ledger.count()
        rest = Node(node.installed & ~(1 << part))
        if path is None or path.refusal(Move(1 << part, rest, node)) is None:
            return int(part)
    return None


def _followed(walk: Turning, ledger: Ledger, order: list[int]) -> Iterator[Move]:
    """The moves of an order until one is not feasible."""
    node = walk.start
    for part in order:
        move = walk.removal(node, part, ledger, counted=False)
        if move is None:
            return
        yield move
        node = move.earlier


def _chained(moves: list[Move], start: Node) -> list[Move]:
    """Remembered moves may have met their later node in another pose: say how it really lies."""
    chained, later = [], start
    for move in moves:
        chained.append(Move(move.parts, move.earlier, later))
        later = move.earlier
    return chained


def _child(parents: list[Ints], rng: np.random.Generator) -> Ints:
    """Order crossover of two parents: a stretch of one, the rest in the order of the other; now and then a swap."""
    one, other = (parents[k] for k in rng.integers(len(parents), size=2))
    low, high = np.sort(rng.integers(len(one) + 1, size=2))
    rest = other[~np.isin(other, one[low:high])]
    child = np.concatenate([rest[:low], one[low:high], rest[low:]])
    if len(child) > 1 and rng.random() < MUTATION:
        a, b = rng.integers(len(child), size=2)
        child[[a, b]] = child[[b, a]]
    return child


def _parts(walk: Turning) -> list[int]:
    return list(bits(walk.movable(walk.start)))
