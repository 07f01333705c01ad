"""Taking brick models apart: brick by brick, in groups that hang from one brick, and no further than leads anywhere."""

from __future__ import annotations

from collections.abc import Iterator

from falsework.planning.bricks.brickwork import MOST_CARRIED, Brickwork
from falsework.planning.bricks.stuck_cores import StuckCores
from falsework.planning.nodes.ledger import Ledger, Met
from falsework.planning.nodes.moves import Move, Node, bits
from falsework.planning.search.walks import TakingApart, Task


class BrickRemoval(TakingApart):
    """From the whole down; a brick that others hang from may take them along (seed 004's subassemblies).

    The group must hold together in the hand that carries it by one brick. `cores`, where there is one hand only, ends
    nodes from which no plan leads on; it is asked once there are more nodes than a way without dead ends has.
    """

    def __init__(self, task: Task, work: Brickwork, cores: StuckCores | None = None) -> None:
        super().__init__(task)
        self._goal, self._work, self._cores = task, work, cores

    def moves(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        possible, is_dead_end = self._possible(node, ledger, met), True
        while not self._leads_nowhere(node):
            move = next(possible, None)
            if move is None:
                if is_dead_end and self._cores is not None and not self.arrived(node):
                    self._cores.learn(node.installed, self._goal.whole.installed)
                return
            is_dead_end = False
            yield move

    def _possible(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        """What takes no hand before what does: a hand that is bound early is missing later."""
        supported = []
        yield from self._let_go(node, ledger, met)
        for parts in self._leaving(node):
            earlier = Node(node.installed & ~parts, node.held & ~parts, node.pose)
            if earlier in met:
                continue
            refusal = ledger.refusal(Move(parts, earlier, node))
            if refusal is None:
                yield Move(parts, earlier, node), earlier
            elif refusal.node == earlier:
                supported.append(parts)
        for parts in supported:
            rest = Node(node.installed & ~parts, node.held & ~parts, node.pose)
            for earlier in self._helped(parts, rest, node, ledger, met):
                yield Move(parts, earlier, node), earlier
        yield from self._regrasped(node, ledger, met)

    def _let_go(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        """Holds that are not needed any more."""
        for part in bits(node.held & ~self._goal.whole.held):
            earlier = Node(node.installed, node.held & ~(1 << part), node.pose)
            if earlier not in met and ledger.refusal(Move(0, earlier, node)) is None:
                yield Move(0, earlier, node), earlier

    def _leaving(self, node: Node) -> Iterator[int]:
        """Single bricks, then bricks with those that hang from them, where one hand carries them all."""
        order = self._goal.ordered(node, self._goal.still_to_go(node))
        yield from (1 << part for part in order)
        for part in order:
            hanging = self._work.hanging(node.installed & ~(1 << part), node.held & ~(1 << part))
            group = hanging | 1 << part
            if not hanging or group.bit_count() > MOST_CARRIED or group in self._work.unbuildable:
                continue
            if self._work.taken_by(group, node.installed & ~group, node.held & group) is not None:
                yield group

    def _leads_nowhere(self, node: Node) -> bool:
        """Whether bricks that have to go are known to be stuck."""
        return self._cores is not None and bool(self._cores.known(node.installed) & ~self._goal.bare.installed)
