"""Two ways to walk the graph of resting nodes under the rules of seed 002: building up and taking apart.

A hand that carries a part must be free, so a resting node holds at most robots − 1 parts. Without regrasping a part is
held from its arrival until it is let go, once. Which of two nodes with the same parts is the better one to be at
depends on the way:

building      the one that holds more: it may let go later (seed 002's beam walks this way)
taking apart  the one that holds less: it may take hold later, and holding never makes anything fall
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

from falsework.model.assembly import Assembly
from falsework.model.ports import PartSelector
from falsework.model.state import State
from falsework.planning.nodes.checks import Check
from falsework.planning.nodes.ledger import Ledger, Met
from falsework.planning.nodes.moves import Move, Node, bits


class Walk(Protocol):
    """A graph of nodes as a search sees it; `exhaustive` if no node that can be reached is left out."""

    @property
    def exhaustive(self) -> bool: ...

    @property
    def minds_pose(self) -> bool:
        """Whether it matters how the structure lies at a node: not where it is turned for nothing."""
        ...

    @property
    def start(self) -> Node: ...

    def left(self, node: Node) -> int:
        """How many parts are still to be moved from here."""
        ...

    def arrived(self, node: Node) -> bool:
        """Whether this is the goal."""
        ...

    def moves(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        """Moves from a node that passed the checks, most promising first, each with the node it leads to."""
        ...

    def prospects(self, node: Node, met: Met) -> list[Node]:
        """Nodes whose standing will be asked about when the moves from a node are; none where that depends."""
        ...

    def covers(self, here: int, there: int) -> bool:
        """Whoever is at a node holding `here` need not go to the same parts holding `there`."""
        ...

    def in_building_order(self, moves: Sequence[Move]) -> tuple[Move, ...]:
        """The moves of a walk as a builder makes them."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """From where to where, with how many hands: `bare` is in place from the start, `whole` at the end."""

    assembly: Assembly
    touching: tuple[int, ...]  # by body: the bodies it touches
    selector: PartSelector
    robots: int
    bare: Node
    whole: Node
    regrasp: bool = False
    last: int = 0  # parts that come only when all others are in place
    every_hold: bool = False  # a check minds hands: of two ways to hold, neither is better

    def still_to_come(self, node: Node) -> int:
        """Parts that may be placed next."""
        absent = self.whole.installed & ~node.installed
        return absent & ~self.last or absent

    def still_to_go(self, node: Node) -> int:
        """Parts that may be removed next."""
        there = node.installed & ~self.bare.installed
        return there & self.last or there

    def ordered(self, node: Node, candidates: int, gravity: tuple[float, float, float] | None = None) -> list[int]:
        """Candidates for removal, most promising first; `gravity` where it is not as the file has it."""
        state = State(node.installed, node.held, gravity)
        return list(self.selector.order(self.assembly, state, list(bits(candidates))))


class Building:
    """From the bare node up; what touches the structure first, then what has to be held in the air.

    `ahead` refuses moves that leave the checks nothing to object to now, but bar the way to the goal. Without
    `in_the_air`, parts are only put where they touch something.
    """

    minds_pose = False

    def __init__(self, task: Task, ahead: Check | None = None, *, in_the_air: bool = True) -> None:
        self._task, self._ahead, self.start = task, ahead, task.bare
        self.exhaustive = in_the_air

    def left(self, node: Node) -> int:
        return (self._task.whole.installed & ~node.installed).bit_count()

    def arrived(self, node: Node) -> bool:
        return node.installed == self._task.whole.installed

    def moves(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        if node.held.bit_count() >= self._task.robots:
            yield from self._freed(node, ledger, met)
            return
        absent = self._task.still_to_come(node)
        last_first = self._task.ordered(Node(node.installed | absent, node.held), absent)
        first = list(reversed(last_first))
        near = [part for part in first if self._task.touching[part] & node.installed]
        far = [part for part in first if part not in near] if self.exhaustive else []
        for part in near + far:
            for held in self._kept(node.held | 1 << part, 1 << part):
                later = Node(node.installed | 1 << part, held, node.pose)
                if later in met:
                    continue
                move = Move(1 << part, node, later)
                refusal = ledger.refusal(move, self._ahead)
                if refusal is None:
                    yield move, later
                elif refusal.check != "stability":
                    break

    def prospects(self, node: Node, met: Met) -> list[Node]:
        if node.held.bit_count() >= self._task.robots:
            return []
        absent = [1 << part for part in bits(self._task.still_to_come(node))]
        reached = [
            Node(node.installed | part, held, node.pose)
            for part in absent
            for held in self._kept(node.held | part, part)
            if self._task.touching[part.bit_length() - 1] & node.installed
        ]
        return [later for later in reached if later not in met]

    def _freed(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        """All hands are full at the start: let go until one is free."""
        for held in self._kept(node.held, 0):
            later = Node(node.installed, held, node.pose)
            if later not in met and ledger.refusal(Move(0, node, later)) is None:
                yield Move(0, node, later), later

    def _kept(self, held: int, arrived: int) -> list[int]:
        """What of `held` stays held: as much as leaves a hand free; first of all, what was held before."""
        most = min(held.bit_count(), self._task.robots - 1)
        if most == held.bit_count() and not self._task.every_hold:
            return [held]
        counts = range(most, -1, -1) if self._task.every_hold else (most,)
        kept = (parts for count in counts for parts in combinations(bits(held), count))
        masks = [sum(1 << part for part in parts) for parts in kept]
        return sorted(masks, key=lambda mask: (-mask.bit_count(), bool(mask & arrived), mask))

    def covers(self, here: int, there: int) -> bool:
        """With all hands full nothing can be done but to let go."""
        if here == there or self._task.every_hold:
            return here == there
        return there & ~here == 0 and here.bit_count() < self._task.robots

    def in_building_order(self, moves: Sequence[Move]) -> tuple[Move, ...]:
        return tuple(moves)


class TakingApart:
    """From the whole down. Parts are held only where the structure falls otherwise, and only parts that fall."""

    minds_pose = False

    def __init__(self, task: Task) -> None:
        self._task, self.start = task, task.whole
        self.exhaustive = not task.every_hold

    def left(self, node: Node) -> int:
        return (node.installed & ~self._task.bare.installed).bit_count()

    def arrived(self, node: Node) -> bool:
        """Everything off, and nothing held that was not held at the beginning."""
        return node.installed == self._task.bare.installed and not node.held & ~self._task.bare.held

    def moves(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        for part in self._task.ordered(node, self._task.still_to_go(node)):
            rest = Node(node.installed & ~(1 << part), node.held & ~(1 << part), node.pose)
            for earlier in self._helped(1 << part, rest, node, ledger, met):
                yield Move(1 << part, earlier, node), earlier
        if self._task.regrasp:
            yield from self._regrasped(node, ledger, met)

    def prospects(self, node: Node, met: Met) -> list[Node]:
        gone = [1 << part for part in bits(self._task.still_to_go(node))]
        rests = [Node(node.installed & ~part, node.held & ~part, node.pose) for part in gone]
        return [rest for rest in rests if rest not in met]

    def _regrasped(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        """One held part let go for another: hands that meet on the same structure."""
        for part in bits(node.held):
            rest = Node(node.installed, node.held & ~(1 << part), node.pose)
            for earlier in self._helped(0, rest, node, ledger, met):
                yield Move(0, earlier, node), earlier

    def _helped(self, parts: int, rest: Node, later: Node, ledger: Ledger, met: Met) -> Iterator[Node]:
        """The ways to hold `rest` so that it stands, adding one part at a time to what is held already."""
        fixed = self._task.assembly.fixed_mask()
        waiting, tried = [rest], {rest.held}
        while waiting:
            node = waiting.pop(0)
            if node in met:
                continue
            refusal = ledger.refusal(Move(parts, node, later))
            if refusal is None:
                yield node
            elif refusal.node != node:
                if not refusal.minds_hands:  # no hand helps against it
                    return
            elif node.held.bit_count() + 1 < self._task.robots:
                for part in bits(refusal.blockers & ~node.held & ~fixed):
                    if (held := node.held | 1 << part) not in tried:
                        tried.add(held)
                        waiting.append(Node(node.installed, held, node.pose))

    def covers(self, here: int, there: int) -> bool:
        return here == there if self._task.every_hold else here & ~there == 0

    def in_building_order(self, moves: Sequence[Move]) -> tuple[Move, ...]:
        return tuple(reversed(moves))
