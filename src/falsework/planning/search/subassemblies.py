"""Seed 004's Algorithm 1: top-down disassembly that finishes one local structure before it turns to the next.

    DISASSEMBLE(S): for every candidate p on top that can be reached and bears its press,
        if p belongs to a local structure A:  DISASSEMBLE(A), then DISASSEMBLE(S \\ A)
        else                                  p, then DISASSEMBLE(S \\ p)
    and back to the next candidate where one of these fails.

A is p and, again and again, every brick that carries nothing but bricks of A. The bricks stay where they are meanwhile:
A is an order, not a group that is carried. Without A (its ablation) the same search removes brick after brick.
"""

from __future__ import annotations

from collections.abc import Generator

from falsework.geometry.shapes.lattice import lattices
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.nodes.moves import Move, Node, bits
from falsework.planning.search.searches import Outcome, Search
from falsework.planning.search.walks import Task

LEFT_OUT = "Algorithm 1 takes off single bricks that nothing is on, and no hand supports the others"
Removed = list[Move] | None  # in disassembly order; None: there is no order
Removing = Generator[int, None, Removed]


class Subassemblies:
    """The search of Algorithm 1 over one task."""

    def __init__(self, task: Task, joints: Interfaces, ledger: Ledger, *, grouped: bool = True) -> None:
        self._task, self._ledger, self._grouped = task, ledger, grouped
        self._above, self._below = _stacking(joints, len(task.assembly.bodies))
        self._levels = _levels(task.assembly)
        self._failed: set[tuple[int, int]] = set()
        self._fewest = (task.whole.installed & ~task.bare.installed).bit_count()

    def search(self) -> Search:
        """As the other searches are run: pauses with the fewest parts left so far, ends with its outcome."""
        start = self._task.whole
        removed = yield from self._disassemble(start, start.installed & ~self._task.bare.installed)
        return Outcome(None, why=LEFT_OUT) if removed is None else Outcome(tuple(reversed(removed)))

    def _disassemble(self, node: Node, inside: int) -> Removing:
        """An order for the bricks `inside`, all else staying; failures are remembered, so none is repeated."""
        if not inside:
            return []
        if (node.installed, inside) in self._failed:
            return None
        for part in self._candidates(node, inside):
            earlier = Node(node.installed & ~(1 << part))
            move = Move(1 << part, earlier, node)
            refusal = self._ledger.refusal(move)
            yield self._fewest
            if refusal is not None:
                continue
            self._fewest = min(self._fewest, (earlier.installed & ~self._task.bare.installed).bit_count())
            local = self._local(part, node.installed, inside) if self._grouped else 1 << part
            if local == 1 << part or local == inside:
                rest = yield from self._disassemble(earlier, inside & ~(1 << part))
                removed = None if rest is None else [move, *rest]
            else:
                removed = yield from self._local_first(node, inside, local)
            if removed is not None:
                return removed
        self._failed.add((node.installed, inside))
        return None

    def _local_first(self, node: Node, inside: int, local: int) -> Removing:
        first = yield from self._disassemble(node, local)
        if first is None:
            return None
        rest = yield from self._disassemble(Node(node.installed & ~local), inside & ~local)
        return None if rest is None else [*first, *rest]

    def _candidates(self, node: Node, inside: int) -> list[int]:
        """Bricks with nothing on them, the highest first."""
        on_top = [part for part in bits(inside) if not self._above[part] & node.installed]
        return sorted(on_top, key=lambda part: (-self._levels[part], part))

    def _local(self, part: int, installed: int, inside: int) -> int:
        """The brick and, below it, every brick that carries nothing but bricks found so far."""
        local = 1 << part
        waiting = [part]
        while waiting:
            for below in bits(self._below[waiting.pop()] & inside & ~local):
                if not self._above[below] & installed & ~local:
                    local |= 1 << below
                    waiting.append(below)
        return local


def _stacking(joints: Interfaces, bodies: int) -> tuple[list[int], list[int]]:
    """For each body, the masks of those whose holes take its studs, and of those whose studs it takes."""
    above, below = [0] * bodies, [0] * bodies
    for lower, upper in joints.clutches.bodies.tolist():
        above[lower] |= 1 << upper
        below[upper] |= 1 << lower
    return above, below


def _levels(assembly: Assembly) -> dict[int, int]:
    tops = [zip(grid.bodies.tolist(), grid.heights()[1].tolist(), strict=True) for grid in lattices(assembly)]
    return {body: top for rows in tops for body, top in rows}
