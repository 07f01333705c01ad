"""Bricks that one hand can never take off: a proof that a structure cannot be built, without trying every order.

A core K of the bricks that are there, `most`, is stuck if the first of it to leave could not: not from any state that
lies between K and `most`. Without a second hand, what stands against a brick p of K holds in all of them if

weight   more bricks hang from it than one hand carries
path     what bars each of its ways is in K, or fixed
grasp    so is what bars each of its grasps
press    for each way and grasp, once what bars them is gone: for each place to press on, a motion in which that breaks
         the structure, before p is in or after, gains whatever else is missing (`LastingMotion`)

Bricks that hang from a brick leave with it, as a group that is pressed home by that brick; so the press is the same
question for both. K is *anchored*: what of it hangs together is joined to the ground, or is more than a hand carries.
So nothing takes bricks of K along but a brick of K, and of K without p what is still anchored does not come along.
K is found from above: begin with everything, and let go of whatever nothing was proved to stand against.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from falsework.model.checkpoints import checkpoint
from falsework.model.ports import RemovalOracle
from falsework.model.state import State
from falsework.planning.brickwork import MOST_CARRIED, Brickwork
from falsework.planning.ledger import Ledger
from falsework.planning.moves import bits
from falsework.planning.searches import Outcome, Search
from falsework.planning.walks import Task

MOST_NAMED = 8
PATIENCE = 3  # evaluations a brick before a proof is looked for: most plans are found by then
MOST_UNSURE = 3  # neighbours that may or may not be there when a brick is pressed home; with more it is given up


def stuck_bricks(task: Task, cores: StuckCores, ledger: Ledger) -> Search:
    """As the searches are run: once they have tried enough for a plan without dead ends, a proof or nothing."""
    for _ in task.assembly.parts:
        if ledger.evaluations > PATIENCE * len(task.assembly.parts):
            break
        yield (task.whole.installed & ~task.bare.installed).bit_count()
    stuck = cores.core(task.whole.installed) & ~task.bare.installed
    if not stuck:
        return Outcome(None)
    names = task.assembly.named(stuck)
    shown = ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
    why = (
        f"1 hand can never take off {shown}: the first of them to go would be barred, or break the rest when pressed on"
    )
    return Outcome(None, exhaustive=True, why=why, by="bricks")


class StuckCores:
    """Stuck cores of the bricks of one assembly, for one hand."""

    def __init__(self, work: Brickwork, removals: RemovalOracle | None) -> None:
        self._work, self._removals = work, removals
        self._fixed = work.assembly.fixed_mask()
        self._known: dict[int, int] = {}  # by what was there
        self._stuck_in: list[tuple[int, int]] = []  # cores, and the most that was there

    def core(self, most: int) -> int:
        """A mask of installed bricks that can never all be taken off; 0 where none was found."""
        if most not in self._known:
            held_over = (core for core, more in self._stuck_in if not core & ~most and not most & ~more)
            self._known[most] = next(held_over, None) or self._shrunk(most)
            if self._known[most]:
                self._stuck_in.append((self._known[most], most))
        return self._known[most]

    def _shrunk(self, most: int) -> int:
        core, before = most & ~self._fixed, -1
        while core != before:
            before = core
            core = self._anchored(core)
            for part in bits(core):
                checkpoint()
                if not self._stuck(part, core, most):
                    core &= ~(1 << part)
        return core

    def _anchored(self, bricks: int) -> int:
        """Those that are joined to what is fixed, or to so many that no hand carries them, by bricks of the mask."""
        loose = self._work.hanging(bricks | self._fixed, 0)
        for piece in self._pieces(loose):
            if piece.bit_count() >= MOST_CARRIED:
                loose &= ~piece
        return bricks & ~loose

    def _pieces(self, bricks: int) -> Iterator[int]:
        """Bricks that hang together."""
        while bricks:
            first = bricks & -bricks
            piece = bricks & ~self._work.hanging(bricks, first)
            bricks &= ~piece
            yield piece

    def _stuck(self, part: int, core: int, most: int) -> bool:
        stays = self._anchored(core & ~(1 << part)) | self._fixed  # never carried along with it
        if self._too_heavy(part, core, most):
            return True
        alone = not self._work.joined(part) & most & ~stays  # nothing that may be gone could hang from it
        return all(self._unborne(part, stays, most, gone, alone) for gone in self._openings(part, stays, most, alone))

    def _too_heavy(self, part: int, core: int, most: int) -> bool:
        """More hangs from it than a hand carries: what does so in the largest state does in all that contain it."""
        return (self._work.hanging(most & ~(1 << part), 0) & core).bit_count() + 1 > MOST_CARRIED

    def _openings(self, part: int, stays: int, most: int, alone: bool) -> list[int]:
        """Sets of bricks, one of which must be gone, or come along, for it to have a way and a grasp; none: barred."""
        removals, certain = self._removals, self._removals is not None and self._removals.certain
        ways = removals.blockers(1 << part) if removals is not None and certain else (0,)
        near = self._work.entered_by(part, most & ~(1 << part))
        sure = alone and near & stays and self._work.rules.grasps != "none"
        grasps = self._work.barring(part, near & stays) if sure else [0]
        both = {(way | grasp) & most for way in ways for grasp in grasps if not (way | grasp) & stays}
        return [gone for gone in both if not any(other != gone and not other & ~gone for other in both)]

    def _unborne(self, part: int, stays: int, most: int, gone: int, alone: bool) -> bool:
        """Once these are gone, every press breaks what there is, before or after it is in."""
        presses = self._presses(part, stays, most & ~gone)
        if presses is None:  # how it is placed depends too much on what is there
            return False
        largest = most & ~gone if alone else most
        return all(self._breaks(part, *two, largest) for two in presses)

    def _presses(self, part: int, stays: int, most: int) -> list[tuple[int, int]] | None:
        """The least and the most of what it may be pressed onto, for all the ways that it may enter others.

        What surely stays is entered if it can be, and any choice of the others may be there.
        """
        near = self._work.entered_by(part, most & ~(1 << part))
        unsure = [1 << body for body in bits(near & ~stays)]
        if len(unsure) > MOST_UNSURE or not near & stays:
            return None
        bounds = []
        for chosen in product((False, True), repeat=len(unsure)):
            there = sum(one for one, taken in zip(unsure, chosen, strict=True) if taken)
            bounds.append((stays | there, most & ~(1 << part) & (~near | stays | there)))
        return bounds

    def _breaks(self, part: int, least: int, below: int, most: int) -> bool:
        """Every press on every structure from `least` to `below` breaks it, or breaks what there is once it is in.

        Whatever else is there then has come along with it.
        """
        there = below & ~self._work.hanging(most & ~(1 << part), 0)  # what hangs from it does so in smaller ones too
        presses = self._work.pressings(part, there)
        states = [self._work.pressed(pressing, most & ~there, there, 0) for pressing in presses]
        return bool(states) and all(any(self._lasts(state, part, least) for state in two) for two in states)

    def _lasts(self, state: State, part: int, least: int) -> bool:
        """A state falls, and goes on falling whatever of it is missing, but for the part and the least."""
        if self._work.oracle.answer(state) != "unstable":
            return False
        surely, motions = least | 1 << part, self._work.oracle.lasting(state)
        return any(motion.proves_all(surely & piece, state.installed & piece) for motion, piece in motions)
