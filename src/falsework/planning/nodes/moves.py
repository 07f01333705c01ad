"""Nodes and moves of the search.

A node is a state in which the structure rests: what is installed, what is held, and how it lies. A move puts one part
(or a group as one) onto an `earlier` node and ends in a `later` one; earlier and later are meant in *building* order,
whichever way the search walks. Between the two a hand carries the part: it arrives held, so a move needs a hand more
than its earlier node, and what the later node does not hold is let go.

With convex interfaces that is all there is to check of stability: the earlier node must stand, and the later one. A
held part on a standing structure leaves it standing (its contacts may carry nothing), and holding more never hurts.
A model that does not promise that is asked about every node `between` them too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from falsework.model.ports import Hands


@dataclass(frozen=True, slots=True)
class Node:
    """Bit masks over `Assembly.bodies`; `pose` numbers the way the assembly lies (0: as the file has it)."""

    installed: int
    held: int = 0
    pose: int = 0
    hands: Hands = ()  # whose hands hold it, where arms are looked at

    @property
    def at_rest(self) -> Node:
        """The same for whom it is all one whose hands hold it."""
        return Node(self.installed, self.held, self.pose) if self.hands else self


@dataclass(frozen=True, slots=True)
class Move:
    """`parts` (a bit mask) are placed on `earlier`, lying as there; then holds change and it is turned to `later`."""

    parts: int
    earlier: Node
    later: Node
    way: int | None = None  # by which an arm of the crew brings them


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def between(move: Move) -> list[Node]:
    """The nodes that a builder passes through from the earlier node to the later one, as `steps_of` tells the steps.

    The parts arrive held; then, unless it is turned over, hands take hold and let go, one part at a time.
    """
    installed, held, pose = move.earlier.installed | move.parts, move.earlier.held | move.parts, move.earlier.pose
    passed = [Node(installed, held, pose)]
    if move.later.pose == pose:
        for part in (*bits(move.later.held & ~held), *bits(held & ~move.later.held)):
            held ^= 1 << part
            passed.append(Node(installed, held, pose))
    return [node for node in passed if node not in (move.earlier, move.later)]
