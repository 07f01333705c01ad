"""Parts that only leave together: bars of a ring that locks itself (seed 002, Fig. 11), a beam and what balances it.

A group is grown from a part: along every direction, what bars its way comes along, until it is free; then what would
fall without it comes along too. One hand carries a group that hangs together when it is held by one of its parts;
otherwise every part takes a hand of its own. A group is built apart before it is placed, with that part held fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations

from falsework.model.assembly import Assembly
from falsework.model.plan import Plan, Subassembly
from falsework.model.ports import RemovalOracle
from falsework.planning.nodes.apart import alone
from falsework.planning.nodes.carrying import InTheAir
from falsework.planning.nodes.ledger import Ledger, Met
from falsework.planning.nodes.moves import Move, Node, bits
from falsework.planning.nodes.stability import Stability
from falsework.planning.search.walks import TakingApart, Task

MOST_PARTS = 12  # of a group
MOST_TRIED = 200  # groups grown from one part
MOST_CARRIED = 6  # parts that one may carry along, up to which all groups of them are tried


BuildApart = Callable[[Assembly, Node], Plan | None]  # an assembly, until so much of it is held


class GroupBuilding:
    """How groups of one assembly's parts are carried and built apart, each found out once."""

    def __init__(self, assembly: Assembly, air: InTheAir, build_apart: BuildApart) -> None:
        self._assembly, self.air, self._build_apart = assembly, air, build_apart
        self.built = cache(self._built)

    def hands(self, group: int, kept: int) -> int:
        """How many hands bring a group of which `kept` is still held afterwards, by the same hands."""
        return self.air.grasped(group, kept).bit_count()

    def _built(self, group: int) -> tuple[Subassembly, ...] | None:
        """How the group is built apart on the part that is held fast, after groups of its own; None if it cannot be."""
        carrier = self.air.carrier(group)
        names = self._assembly.named(group)
        fast = names[0] if carrier is None else self._assembly.bodies[carrier].name
        parts = alone(self._assembly, names, fast)
        whole = (1 << len(parts.parts)) - 1
        plan = self._build_apart(parts, Node(whole, whole & ~parts.fixed_mask() if carrier is None else 0))
        return None if plan is None else (*plan.apart, Subassembly(names, fast, plan.steps))


class GroupRemoval(TakingApart):
    """Taking apart; after the single parts, groups.

    Take a group that leaves along some direction: each of its parts does so too, together with what bars its way. If
    every part of it is in a hand of its own, those smaller groups can leave one after the other just as well. If one
    hand carries it, they may not hang together; so of the parts that have a way, all are tried together that a hand
    may carry, where they are few. `exhaustive` says whether they always were.
    """

    def __init__(self, task: Task, removals: RemovalOracle, stability: Stability, apart: GroupBuilding) -> None:
        super().__init__(task)
        self._goal, self._removals, self._stability, self.apart = task, removals, stability, apart

    def moves(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        yield from super().moves(node, ledger, met)
        for group in self._groups(node):
            spare = self._goal.robots - self.apart.hands(group, node.held & group)
            rest = Node(node.installed & ~group, node.held & ~group, node.pose)
            if rest.held.bit_count() > spare:
                continue
            for earlier in self._helped(group, rest, node, ledger, met):
                if earlier.held.bit_count() <= spare and self.apart.built(group) is not None:
                    yield Move(group, earlier, node), earlier

    def _groups(self, node: Node) -> list[int]:
        """Groups of two and more that can leave, smallest first."""
        movable = self._goal.still_to_go(node)
        found: set[int] = set()
        for part in bits(movable):
            found.update(self._grown(1 << part, node, movable))
        leaving = 0
        for group in found:
            leaving |= group
        for part in bits(leaving):
            found.update(self._carried(1 << part, self.apart.air.may_carry(part) & leaving, node.installed))
        return sorted((group for group in found if group & (group - 1)), key=lambda group: (group.bit_count(), group))

    def _grown(self, seed: int, node: Node, movable: int) -> Iterator[int]:
        """From one part: the least groups that have a way, itself included, and then with what falls without them."""
        waiting, seen = [seed], {seed}
        while waiting:
            group = waiting.pop(0)
            larger = [group | blockers & node.installed & ~group for blockers in self._removals.blockers(group)]
            if group in larger:
                yield group
                larger = [group | self._falling(node, group)]
            for more in larger:
                if more in seen or more & ~movable:
                    continue
                if more.bit_count() > MOST_PARTS or len(seen) >= MOST_TRIED:
                    self.exhaustive = False
                    continue
                seen.add(more)
                waiting.append(more)

    def _carried(self, carrier: int, carried: int, installed: int) -> Iterator[int]:
        """All groups of parts that one of them may carry and that have a way; none where they are too many."""
        others = [1 << part for part in bits(carried & ~carrier)]
        if len(others) > MOST_CARRIED:
            self.exhaustive = False
            return
        for count in range(1, len(others) + 1):
            for chosen in combinations(others, count):
                group = carrier | sum(chosen)
                if self._removals.leaves(group, installed):
                    yield group

    def _falling(self, node: Node, group: int) -> int:
        """What moves in the motion in which the rest falls without the group; nothing if it stands."""
        return self._stability.finding(Node(node.installed & ~group, node.held & ~group, node.pose)).moving
