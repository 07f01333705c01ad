"""Walks that hold as little as they can, for plans of fewest holds under rules `holds`.

What a plan costs is the number of parts held while another is placed, summed over the placements: paid by every node
on entering it, whichever way one walks. A candidate is a node that nobody has asked about yet; what it will cost is
known before. If it falls, the same with one more part held takes its place: of those that move, as to hold another is
vain. Candidates come without a new hold first, so whoever takes the cheapest first asks about few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from falsework.planning.nodes.checks import Check, Refusal
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.nodes.moves import Move, Node, bits
from falsework.planning.search.walks import Task

Order = Literal["selector", "neighbours"]  # as the selector has it; what touches least (or, when building, most) first


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move that may be possible, and the node that it would lead to."""

    move: Move
    node: Node


class SparingWalk(Protocol):
    """A graph of nodes as a search for cheap plans sees it."""

    @property
    def start(self) -> Node: ...

    def arrived(self, node: Node) -> bool:
        """Whether this is the goal."""
        ...

    def cost(self, node: Node) -> int:
        """What is paid on entering a node; never more than with more parts held."""
        ...

    def candidates(self, node: Node) -> list[Candidate]:
        """The moves from a node, each with the fewest parts held, most promising first."""
        ...

    def refusal(self, candidate: Candidate, ledger: Ledger) -> Refusal | None:
        """What stands against it."""
        ...

    def helped(self, candidate: Candidate, refusal: Refusal) -> list[Candidate]:
        """The same with one more part held, where that may help."""
        ...

    def covers(self, here: int, there: int) -> bool:
        """Whoever is at a node holding `here`, as cheaply, need not go to the same parts holding `there`."""
        ...

    def in_building_order(self, moves: Sequence[Move]) -> tuple[Move, ...]:
        """The moves of a walk as a builder makes them."""
        ...


class SparingRemoval:
    """From the whole down: a part is taken hold of when something falls without, and held until it is removed."""

    def __init__(self, task: Task, order: Order = "neighbours") -> None:
        self._task, self._order, self.start = task, order, task.whole
        self._fixed = task.assembly.fixed_mask()

    def arrived(self, node: Node) -> bool:
        return node.installed == self._task.bare.installed and not node.held & ~self._task.bare.held

    def cost(self, node: Node) -> int:
        return node.held.bit_count()

    def candidates(self, node: Node) -> list[Candidate]:
        parts = self._task.ordered(node, self._task.still_to_go(node))
        if self._order == "neighbours":
            parts.sort(key=lambda part: (self._task.touching[part] & node.installed).bit_count())
        rests = [Node(node.installed & ~(1 << part), node.held & ~(1 << part), node.pose) for part in parts]
        return [Candidate(Move(1 << part, rest, node), rest) for part, rest in zip(parts, rests, strict=True)]

    def refusal(self, candidate: Candidate, ledger: Ledger) -> Refusal | None:
        return ledger.refusal(candidate.move)

    def helped(self, candidate: Candidate, refusal: Refusal) -> list[Candidate]:
        rest, move = candidate.node, candidate.move
        if refusal.node != rest or rest.held.bit_count() + 1 >= self._task.robots:
            return []
        nodes = [
            Node(rest.installed, rest.held | 1 << part, rest.pose)
            for part in bits(refusal.blockers & rest.installed & ~rest.held & ~self._fixed)
        ]
        return [Candidate(Move(move.parts, node, move.later), node) for node in nodes]

    def covers(self, here: int, there: int) -> bool:
        return here & ~there == 0

    def in_building_order(self, moves: Sequence[Move]) -> tuple[Move, ...]:
        return tuple(reversed(moves))


class SparingBuilding:
    """From the bare node up: everything is let go as soon as it stands without; parts come where they touch."""

    def __init__(self, task: Task, ahead: Check | None = None, order: Order = "selector") -> None:
        self._task, self._ahead, self._order, self.start = task, ahead, order, task.bare

    def arrived(self, node: Node) -> bool:
        return node.installed == self._task.whole.installed

    def cost(self, node: Node) -> int:
        return 0 if self.arrived(node) else node.held.bit_count()  # nothing is placed after the last one

    def candidates(self, node: Node) -> list[Candidate]:
        absent = self._task.still_to_come(node)
        ordered = self._task.ordered(Node(node.installed | absent, node.held), absent)
        parts = [part for part in reversed(ordered) if self._task.touching[part] & node.installed] or ordered[::-1]
        if self._order == "neighbours":
            parts.sort(key=lambda part: (self._task.touching[part] & absent).bit_count())
        if node.held.bit_count() >= self._task.robots:
            return []
        wanted = self._task.whole.held
        laters = [Node(node.installed | 1 << part, (node.held | 1 << part) & wanted, node.pose) for part in parts]
        return [Candidate(Move(1 << part, node, later), later) for part, later in zip(parts, laters, strict=True)]

    def refusal(self, candidate: Candidate, ledger: Ledger) -> Refusal | None:
        return ledger.refusal(candidate.move, self._ahead)

    def helped(self, candidate: Candidate, refusal: Refusal) -> list[Candidate]:
        later, move = candidate.node, candidate.move
        if refusal.node != later or later.held.bit_count() + 1 >= self._task.robots or self.arrived(later):
            return []
        carried = (move.earlier.held | move.parts) & ~later.held
        nodes = [Node(later.installed, later.held | 1 << part, later.pose) for part in bits(refusal.blockers & carried)]
        return [Candidate(Move(move.parts, move.earlier, node), node) for node in nodes]

    def covers(self, here: int, there: int) -> bool:
        return here == there

    def in_building_order(self, moves: Sequence[Move]) -> tuple[Move, ...]:
        return tuple(moves)
