"""Taking apart under the rules of seed 001: hands take hold anew for every step, and the whole may be turned over.

Between two steps everything is clamped, so neither what is held nor how the structure lies carries over: a node is as
good as any other with the same parts. For every part and every way to lie, the fewest parts to hold are found exactly
(the seed holds greedily whatever falls first, and errs in one case of ten).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Protocol

from falsework.planning.nodes.checks import Refusal
from falsework.planning.nodes.ledger import Ledger, Met
from falsework.planning.nodes.moves import Move, Node, bits
from falsework.planning.nodes.stability import Stability
from falsework.planning.search.fastener_order import FastenersInOrder
from falsework.planning.search.walks import Task
from falsework.verdicts.holds.fewest_hands import hitting_sets

WHATEVER_WAY_IT_LIES = ("path", "connected", "grasp")  # what these checks refuse, they refuse in every pose


class Lying(Protocol):
    """The ways in which a structure can lie, by number."""

    def poses(self, installed: int, like: int) -> Sequence[int]:
        """Ways to lie for these parts, most promising first; `like` is how they lay with one part more."""
        ...

    def left_out(self, installed: int) -> bool:
        """Whether these parts may lie in other ways too."""
        ...

    def pull(self, pose: int) -> tuple[float, float, float] | None:
        """Gravity, m/s², in the assembly's frame as it lies; None: as the file has it."""
        ...


class AsGiven:
    """It lies as the file has it."""

    def poses(self, installed: int, like: int) -> Sequence[int]:
        del installed, like
        return (0,)

    def left_out(self, installed: int) -> bool:
        del installed
        return False

    def pull(self, pose: int) -> None:
        del pose


class Turning:
    """From the whole down, one (part, way to lie) an evaluation.

    As in the seed, only the likeliest ways to lie are tried: `exhaustive` until a part could not be removed for how the
    rest lies, and the rest may lie otherwise. The seed tries all of them for one part before it tries the next; with
    `turns_late`, all parts are tried as the whole lies, and as gravity pulls then, before it is turned over for any;
    and a part that could not be removed waits for the others as long as what stood against it is there, unless an
    order of fasteners was asked for.
    """

    minds_pose = False

    def __init__(self, task: Task, stability: Stability, lying: Lying, *, turns_late: bool = False) -> None:
        self._task, self._stability, self._lying, self._turns_late = task, stability, lying, turns_late
        self.start, self.exhaustive = task.whole, True
        self._against: dict[int, int] = {}  # by part: mask of what stood against it when it was tried last

    def left(self, node: Node) -> int:
        return self.movable(node).bit_count()

    def movable(self, node: Node) -> int:
        """The parts still to be removed."""
        return node.installed & ~self._task.bare.installed

    def arrived(self, node: Node) -> bool:
        return node.installed == self._task.bare.installed

    def moves(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        pull = self._lying.pull(node.pose) if self._turns_late else None
        ordered = self._task.ordered(node, self._task.still_to_go(node), pull)
        if self._turns_late and not isinstance(self._task.selector, FastenersInOrder):
            ordered = sorted(ordered, key=lambda part: self._waits(part, node))
        tries = {part: self._tries(node, part, ledger) for part in ordered}
        rounds = (1, None) if self._turns_late else (None,)
        for most in rounds:
            for part in ordered:
                if Node(node.installed & ~(1 << part)) in met:
                    continue
                move = next((one for one in islice(tries[part], most) if one is not None), None)
                if move is not None:
                    yield move, move.earlier

    def _waits(self, part: int, node: Node) -> bool:
        against = self._against.get(part)
        return against is not None and against & ~node.installed == 0

    def removal(self, node: Node, part: int, ledger: Ledger, *, counted: bool = True) -> Move | None:
        """The first way to lie in which a part can be removed from a node, if there is one."""
        return next((move for move in self._tries(node, part, ledger, counted=counted) if move is not None), None)

    def _tries(self, node: Node, part: int, ledger: Ledger, *, counted: bool = True) -> Iterator[Move | None]:
        """One way to lie after the other: None where the part cannot be removed so, else the move, and that is all.

        It ends, too, where it would be no better in any other way to lie.
        """
        rest = Node(node.installed & ~(1 << part))
        for pose in self._lying.poses(rest.installed, node.pose):
            move = Move(1 << part, replace(rest, pose=pose), node)
            refusal = ledger.refusal(move, counted=counted)
            if refusal is not None and refusal.check == "stability":
                move = replace(move, earlier=self._held(move.earlier))
                refusal = ledger.refusal(move, counted=False)
            if refusal is not None and refusal.check != "stability" and refusal.node == move.earlier:  # it may be held
                move, refusal = self._supported(move, refusal, ledger)
            if refusal is None:
                yield move
                return
            self._against[part] = refusal.blockers
            if refusal.check in WHATEVER_WAY_IT_LIES:
                return
            yield None
        if self._lying.left_out(rest.installed):
            self.exhaustive = False

    def _supported(self, move: Move, refusal: Refusal | None, ledger: Ledger) -> tuple[Move, Refusal | None]:
        """The same with more held of what a press moves, until one is borne or hands run out."""
        waiting, tried = [(move, refusal)], {move.earlier.held}
        while waiting:
            helped, against = waiting.pop(0)
            if against is None:
                return helped, None
            if against.node != helped.earlier or helped.earlier.held.bit_count() + 1 >= self._task.robots:
                continue
            for part in bits(against.blockers & ~self._task.assembly.fixed_mask()):
                if (held := helped.earlier.held | 1 << part) not in tried:
                    tried.add(held)
                    another = replace(helped, earlier=replace(helped.earlier, held=held))
                    waiting.append((another, ledger.refusal(another, counted=False)))
        return move, refusal

    def without(self, node: Node, part: int) -> Node:
        """A part gone, whether or not it can be removed; the rest lies as before, or as it is likeliest to."""
        installed = node.installed & ~(1 << part)
        return Node(installed, pose=next(iter(self._lying.poses(installed, node.pose)), node.pose))

    def _held(self, node: Node) -> Node:
        """The node with the fewest parts held with which it stands; with too few hands, one that does not.

        Parts to hold must hit every motion in which it falls.
        """
        movable = node.installed & ~self._task.assembly.fixed_mask()
        most = self._task.robots - 1
        motions = self._apart(node, movable, most)
        if len(motions) > most:
            return node
        while (held := next(hitting_sets(motions, most), None)) is not None:
            node = replace(node, held=held)
            finding = self._stability.finding(node)
            if finding.answer != "unstable":
                break
            motions.append(finding.moving & movable)
        return node

    def _apart(self, node: Node, movable: int, most: int) -> list[int]:
        """Motions that share no part, one more than there are hands at most: each takes a hand of its own."""
        motions: list[int] = []
        held = 0
        while len(motions) <= most:
            finding = self._stability.finding(replace(node, held=held))
            if finding.answer != "unstable" or not finding.moving & movable:
                break
            motions.append(finding.moving & movable)
            held |= motions[-1]
        return motions

    def prospects(self, node: Node, met: Met) -> list[Node]:
        del node, met
        return []

    def covers(self, here: int, there: int) -> bool:
        del here, there
        return True

    def in_building_order(self, moves: Sequence[Move]) -> tuple[Move, ...]:
        return tuple(reversed(moves))
