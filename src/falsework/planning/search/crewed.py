"""Building with arms: who carries each part, in which way, and whose hands stay on what is held.

Holding more never hurts what stands, but an arm that holds is not free, and may be where the next part goes. So of two
ways to hold neither is better, and nodes differ by the hands that are on them. Arms are asked for samples of what they
can do: what they refuse may yet be possible, and this walk never proves anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain, combinations
from operator import or_

from falsework.model.ports import Crew, Hands
from falsework.planning.nodes.checks import Check, Refusal
from falsework.planning.nodes.ledger import Ledger, Met
from falsework.planning.nodes.moves import Move, Node, bits
from falsework.planning.nodes.tilting import Tilted
from falsework.planning.search.walks import Task

NAME = "arms"  # of the check that a crew stands for
ALIKE = 6  # nodes that differ by nothing but hands


class CrewedBuilding:
    """From the bare node up, each part brought by an arm; what touches the structure first."""

    exhaustive = False
    minds_pose = True

    def __init__(
        self,
        task: Task,
        crew: Crew,
        start: Node,
        ahead: Check | None = None,
        *,
        in_pairs: bool = False,
        tilted: Tilted | None = None,
    ) -> None:
        """`in_pairs`: where single parts come to nothing, two that arms put together in the air come as one.

        `tilted`: ways to lie to which the structure is turned over, while no hand is on it.
        """
        self._task, self._crew, self._ahead, self.start, self._in_pairs = task, crew, ahead, start, in_pairs
        self._tilted = tilted
        self._over: set[Node] = set()  # to which it was turned, and nothing else has been done since
        self._alike: dict[Node, set[Hands]] = {}
        self._taken: dict[Node, int] = {}  # how often hands took hold since the last part was placed

    def left(self, node: Node) -> int:
        return (self._task.whole.installed & ~node.installed).bit_count()

    def arrived(self, node: Node) -> bool:
        """All is in place, as it is to lie, and what is not to be held in the end can be let go."""
        whole = self._task.whole
        if node.installed != whole.installed or node.pose != whole.pose:
            return False
        return self._crew.let_go(node.installed, node.hands, node.held & ~whole.held) is not None

    def moves(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        if node == self.start and self._out_of_reach(node, ledger):
            return
        if self._task.regrasp and len(node.hands) >= self._task.robots:
            yield from self._freed(node, ledger, met, [])
            return
        fell: list[int] = []  # masks of what hands on it might have kept
        for part in self._in_order(node):
            yield from self._brought(part, node, ledger, met, fell)
        yield from self._freed(node, ledger, met, fell)
        for upper, lower in self._pairs(node):
            ways = self._crew.pair_ways(upper, lower, node.installed, node.hands)
            yield from self._placed(1 << upper | 1 << lower, upper, ways, node, ledger, met, fell)
        if self._task.regrasp:
            yield from self._held_anew(node, fell, ledger, met)
        yield from self._turned_over(node, ledger, met)

    def _turned_over(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        """Nothing is brought, but the structure is made to lie in another way; it stands all along without hands."""
        if self._tilted is None or node.held or node in self._over:
            return
        for pose in self._tilted.poses:
            later = replace(node, pose=pose)
            if pose == node.pose or later in met:
                continue
            passed = (replace(node, pose=one) for one in self._tilted.between(node.pose, pose))
            if all(ledger.refusal(Move(0, node, one)) is None for one in passed):
                self._over.add(later)
                yield Move(0, node, later), later

    def _pairs(self, node: Node) -> Iterator[tuple[int, int]]:
        """Upper and lower: parts still to come that touch each other, one of which touches what is there."""
        if not self._in_pairs or node.pose:
            return
        height = [float(part.com_world_m[2]) for part in self._task.assembly.parts]
        for part in self._in_order(node):
            if self._task.touching[part] & node.installed:
                for other in bits(self._task.touching[part] & self._task.still_to_come(node)):
                    known = other < part and self._task.touching[other] & node.installed  # told the other way round
                    if height[part] != height[other] and not known:
                        yield (part, other) if height[part] > height[other] else (other, part)

    def _out_of_reach(self, start: Node, ledger: Ledger) -> bool:
        """Whether there are parts that no arm brings, neither onto what is there at first nor when all others are."""
        found = False
        for part in bits(self._task.whole.installed & ~start.installed):
            others = self._task.whole.installed & ~(1 << part)
            onto, poses = (start.installed, others), (0,) if self._tilted is None else self._tilted.poses
            if not any(self._crew.reaches(part, there, pose) for pose in poses for there in onto):
                found = True
                self._refuse(part, start, ledger)
        return found

    def _refuse(self, part: int, node: Node, ledger: Ledger) -> None:
        told = self._crew.objection(part, node.installed, node.hands, node.pose)
        later = Node(node.installed | 1 << part, node.held | 1 << part, node.pose)
        ledger.count()
        ledger.refuse(
            Move(1 << part, node, later), Refusal(NAME, told.why, told.blockers, undecided=True, minds_hands=True)
        )

    def _in_order(self, node: Node) -> list[int]:
        absent = self._task.still_to_come(node)
        first = list(reversed(self._task.ordered(Node(node.installed | absent, node.held), absent)))
        near = [part for part in first if self._task.touching[part] & node.installed]
        return near + [part for part in first if part not in near]

    def _brought(self, part: int, node: Node, ledger: Ledger, met: Met, fell: list[int]) -> Iterator[tuple[Move, Node]]:
        """One part, by all arms and in all ways."""
        ways = iter(self._crew.ways(part, node.installed, node.hands, node.pose))
        first = next(ways, None)
        if first is None:
            self._refuse(part, node, ledger)
        else:
            yield from self._placed(1 << part, part, chain([first], ways), node, ledger, met, fell)

    def _placed(
        self, parts: int, gripped: int, ways: Iterable[int], node: Node, ledger: Ledger, met: Met, fell: list[int]
    ) -> Iterator[tuple[Move, Node]]:
        """Parts that come as one, in some ways; what cannot be held so is not asked about again."""
        placed = Node(node.installed | parts, node.held | 1 << gripped, node.pose)
        falls: set[int] = set()
        for way in ways:
            hands = (*node.hands, (gripped, way))
            for held in self._kept(placed.held):
                if held in falls:
                    continue
                left = self._crew.let_go(placed.installed, hands, placed.held & ~held)
                if left is None:
                    continue
                later = Node(placed.installed, held, node.pose, left)
                if later in met or self._enough(later):
                    continue
                move = Move(parts, node, later, way)
                refusal = ledger.refusal(move, self._ahead)
                if refusal is None:
                    self._alike.setdefault(later.at_rest, set()).add(left)
                    yield move, later
                    continue
                if refusal.node is not None:
                    fell.append(refusal.blockers)
                if refusal.check != "stability" or refusal.node != later:
                    return
                falls.add(held)

    def _freed(self, node: Node, ledger: Ledger, met: Met, fell: list[int]) -> Iterator[tuple[Move, Node]]:
        """Nothing is brought, but hands let go."""
        for held in self._kept(node.held):
            left = None if held == node.held else self._crew.let_go(node.installed, node.hands, node.held & ~held)
            if left is not None:
                later = Node(node.installed, held, node.pose, left)
                if later in met:
                    continue
                refusal = ledger.refusal(Move(0, node, later))
                if refusal is None:
                    self._taken[later] = self._taken.get(node, 0)
                    yield Move(0, node, later), later
                else:
                    fell.append(refusal.blockers)

    def _held_anew(self, node: Node, fell: list[int], ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        """A free arm takes hold of what fell, or of what another holds, which then lets go.

        All arms may be on the structure then: the next move lets go of something. Between two placements hands take
        hold once less often than there are arms, which is enough for each that is to stay.
        """
        if self._taken.get(node, 0) >= self._task.robots - 1:
            return
        falling = reduce(or_, fell, 0) & node.installed & ~node.held & ~self._task.assembly.fixed_mask()
        for part in bits(falling):
            for way in self._crew.holds(part, node.installed, node.hands, node.pose):
                hands = (*node.hands, (part, way))
                if self._crew.let_go(node.installed, hands, 0) is not None:
                    later = Node(node.installed, node.held | 1 << part, node.pose, hands)
                    yield from self._changed(node, later, ledger, met)
        for part in bits(node.held):
            for hands in self._crew.taken_over(part, node.installed, node.hands):
                yield from self._changed(node, replace(node, hands=hands), ledger, met)

    def _changed(self, node: Node, later: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        if later not in met and not self._enough(later) and ledger.refusal(Move(0, node, later)) is None:
            self._alike.setdefault(later.at_rest, set()).add(later.hands)
            self._taken[later] = self._taken.get(node, 0) + 1
            yield Move(0, node, later), later

    def _enough(self, node: Node) -> bool:
        known = self._alike.get(node.at_rest, set())
        return node.hands not in known and len(known) >= ALIKE

    def _kept(self, held: int) -> list[int]:
        """What of `held` stays held, as long as an arm is free: nothing, then as much as can be, then less."""
        most = min(held.bit_count(), self._task.robots - 1)
        counts = [0, *range(most, 0, -1)]
        kept = (parts for count in counts for parts in combinations(bits(held), count))
        return [sum(1 << part for part in parts) for parts in kept]

    def prospects(self, node: Node, met: Met) -> list[Node]:
        """Whatever is kept, that nothing need be held is asked first."""
        absent = [1 << part for part in bits(self._task.still_to_come(node))]
        near = [part for part in absent if self._task.touching[part.bit_length() - 1] & node.installed]
        return [Node(node.installed | part, 0, node.pose) for part in near]

    def covers(self, here: int, there: int) -> bool:
        return here == there

    def in_building_order(self, moves: Sequence[Move]) -> tuple[Move, ...]:
        return tuple(moves)
