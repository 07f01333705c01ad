"""Taking brick models apart: brick by brick, in groups that hang from one brick, and no further than leads anywhere."""

from __future__ import annotations

from collections.abc import Iterator

from falsework.planning.brickwork import MOST_CARRIED, Brickwork
from falsework.planning.ledger import Ledger, Met
from falsework.planning.moves import Move, Node
from falsework.planning.stuck_cores import StuckCores
from falsework.planning.walks import TakingApart, Task


class BrickRemoval(TakingApart):
    """From the whole down; a brick that others hang from may take them along (seed 004's subassemblies).

    The group must hold together in the hand that carries it by that brick. `cores`, where there is one hand only, ends
    nodes from which no plan leads on; it is asked once there are more nodes than a way without dead ends has.
    """

    def __init__(self, task: Task, work: Brickwork, cores: StuckCores | None = None) -> None:
        super().__init__(task)
        self._goal, self._work, self._cores = task, work, cores
        self._nodes = 0

    def moves(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        self._nodes += 1
        if self._leads_nowhere(node):
            return
        yield from super().moves(node, ledger, met)
        for part in self._goal.ordered(node, self._goal.still_to_go(node)):
            hanging = self._work.hanging(node.installed & ~(1 << part), node.held & ~(1 << part))
            group = hanging | 1 << part
            earlier = Node(node.installed & ~group, node.held & ~group, node.pose)
            if not hanging or group.bit_count() > MOST_CARRIED or earlier in met:
                continue
            move = Move(group, earlier, node)
            if ledger.refusal(move) is None and self._work.carries(part, group):
                yield move, earlier

    def _leads_nowhere(self, node: Node) -> bool:
        """Whether bricks that have to go are known to be stuck."""
        if self._cores is None or self._nodes <= len(self._goal.assembly.parts):
            return False
        return bool(self._cores.core(node.installed) & ~self._goal.bare.installed)
