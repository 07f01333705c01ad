"""Parts that only leave together: two bars of a ring that locks itself (seed 002, Fig. 11), a frame lifted as one.

A group is grown from a part: along every direction, what bars its way comes along, until it is free. One hand carries
a group that hangs together when it is held by one of its parts; otherwise every part takes a hand of its own. A group
is built apart before it is placed, with that part held fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, cached_property

from falsework.geometry.interfaces import interfaces
from falsework.model.assembly import Assembly, Ground
from falsework.model.plan import Step, Subassembly
from falsework.model.state import State
from falsework.planning.apart import alone
from falsework.planning.checks import Removals
from falsework.planning.ledger import Ledger, Met
from falsework.planning.moves import Move, Node, bits
from falsework.planning.walks import TakingApart, Task
from falsework.statics.oracle import Oracle

MOST_PARTS = 12  # of a group
MOST_TRIED = 200  # groups grown from one part


BuildApart = Callable[[Assembly, Node], tuple[Step, ...] | None]  # an assembly, until so much of it is held


class Carrying:
    """How groups of one assembly's parts are carried and built apart, each found out once."""

    def __init__(self, assembly: Assembly, build_apart: BuildApart) -> None:
        self._assembly, self._build_apart = assembly, build_apart
        self.carrier = cache(self._carrier)
        self.built = cache(self._built)

    def hands(self, group: int) -> int:
        """How many hands a group takes."""
        return group.bit_count() if self.carrier(group) is None else 1

    def _built(self, group: int) -> Subassembly | None:
        """How the group is built apart on the part that is held fast; None if it cannot be."""
        carrier = self.carrier(group)
        names = self._assembly.named(group)
        fast = names[0] if carrier is None else self._assembly.bodies[carrier].name
        parts = alone(self._assembly, names, fast)
        whole = (1 << len(parts.parts)) - 1
        steps = self._build_apart(parts, Node(whole, whole & ~parts.fixed_mask() if carrier is None else 0))
        return None if steps is None else Subassembly(names, fast, steps)

    def _carrier(self, group: int) -> int | None:
        """The first part by which a hand can carry the whole group through the air."""
        parts = list(bits(group))
        answers = self._in_the_air.answers([State(group, 1 << part) for part in parts])
        return next((part for part, answer in zip(parts, answers, strict=True) if answer == "stable"), None)

    @cached_property
    def _in_the_air(self) -> Oracle:
        """Of the same parts with nothing fixed and no ground."""
        loose = self._assembly.changed(fixed=frozenset(), ground=Ground(), ground_part=None, loads=())
        return Oracle(loose, interfaces(loose))


class GroupRemoval(TakingApart):
    """Taking apart; after the single parts, groups."""

    def __init__(self, task: Task, removals: Removals, carrying: Carrying) -> None:
        super().__init__(task)
        self._goal, self._removals, self.carrying = task, removals, carrying

    def moves(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        yield from super().moves(node, ledger, met)
        for group in self._groups(node):
            spare = self._goal.robots - self.carrying.hands(group)
            rest = Node(node.installed & ~group, node.held & ~group, node.pose)
            if rest.held.bit_count() > spare or self.carrying.built(group) is None:
                continue
            for earlier in self._helped(group, rest, node, ledger, met):
                if earlier.held.bit_count() <= spare:
                    yield Move(group, earlier, node), earlier

    def _groups(self, node: Node) -> list[int]:
        """Least groups of two and more that can leave, smallest first."""
        movable = self._goal.still_to_go(node)
        found: set[int] = set()
        for part in bits(movable):
            found.update(self._grown(1 << part, node.installed, movable))
        least = [group for group in found if not any(other != group and not other & ~group for other in found)]
        return sorted(least, key=lambda group: (group.bit_count(), group))

    def _grown(self, seed: int, installed: int, movable: int) -> Iterator[int]:
        waiting, seen = [seed], {seed}
        while waiting and len(seen) < MOST_TRIED:
            group = waiting.pop(0)
            rest = installed & ~group
            for blockers in self._removals.blockers(group):
                larger = group | blockers & rest
                if larger == group:
                    if group != seed:
                        yield group
                    break
                if not larger & ~movable and larger.bit_count() <= MOST_PARTS and larger not in seen:
                    seen.add(larger)
                    waiting.append(larger)
