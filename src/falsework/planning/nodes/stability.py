"""Which nodes stand, and if not, which parts move in the motion that proves it.

Holding a part that does not move in it is vain: the motion goes on. So the searches only ever hold parts that move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from falsework.model.assembly import Assembly, Load
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Answer, Verdict
from falsework.planning.nodes.moves import Node
from falsework.statics.core.batches import STABLE, Finding
from falsework.verdicts.searching import SearchOracle

BATCH = 64  # nodes at once: what one batch proves often settles nodes of the next


class Stability:
    """Findings about nodes, each asked for once; `oracle_of` gives the oracle for a pose.

    `monotone`: holding more never makes anything fall, and a motion that proves a fall proves others.
    """

    def __init__(self, oracle_of: Callable[[int], SearchOracle], *, monotone: bool = True) -> None:
        self._oracle_of, self.monotone = oracle_of, monotone
        self._known: dict[Node, Finding] = {}

    def finding(self, node: Node) -> Finding:
        node = node.at_rest
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = self._ask(node)
        return known

    def _ask(self, node: Node) -> Finding:
        if not node.installed & ~node.held:  # every part is in a hand
            return STABLE
        oracle = self._oracle_of(node.pose)
        return oracle.findings([self._state(node, oracle)])[0]

    def _state(self, node: Node, oracle: SearchOracle) -> State:
        """With the table that it lies on, if any."""
        return State(node.installed | oracle.assembly.fixed_mask(), node.held)

    def look_up(self, nodes: Iterable[Node]) -> None:
        """Find out about many nodes at once: in batches, on as many threads as the oracle has."""
        by_pose: dict[int, list[Node]] = {}
        for node in dict.fromkeys(node.at_rest for node in nodes):
            if node not in self._known and node.installed & ~node.held:
                by_pose.setdefault(node.pose, []).append(node)
        for pose, several in by_pose.items():
            oracle = self._oracle_of(pose)
            for begin in range(0, len(several), BATCH):
                batch = several[begin : begin + BATCH]
                found = oracle.findings([self._state(node, oracle) for node in batch])
                self._known.update(zip(batch, found, strict=True))

    def under(self, pulled: Sequence[tuple[Node, tuple[Load, ...]]]) -> list[Answer]:
        """Whether nodes that lie as they were made stand under loads of their own."""
        oracle = self._oracle_of(0)
        states = [replace(self._state(node, oracle), loads=loads) for node, loads in pulled]
        batches = (states[begin : begin + BATCH] for begin in range(0, len(states), BATCH))
        return [answer for batch in batches for answer in oracle.answers(batch)]

    def stands(self, node: Node) -> bool:
        return self.finding(node).answer == "stable"

    def verdict(self, node: Node) -> Verdict:
        """The verdict with its certificate, solved now."""
        oracle = self._oracle_of(node.pose)
        return oracle.assess(self._state(node, oracle))


def neighbours(assembly: Assembly, joints: Interfaces) -> tuple[int, ...]:
    """For each body, the bit mask of the bodies that it touches."""
    masks = [0] * len(assembly.bodies)
    pairs = (*joints.patches.bodies.tolist(), *joints.clutches.bodies.tolist(), *joints.hinges.bodies.tolist())
    for first, second in pairs:
        masks[first] |= 1 << second
        masks[second] |= 1 << first
    return tuple(masks)
