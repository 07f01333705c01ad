"""Bricks that one hand can never take off: a proof that a structure cannot be built, without trying every order.

A core K of the bricks that are there, `most`, is stuck if the first of it to leave could not: not from any state that
lies between K and `most`. Without a second hand, a brick p of K is stuck in all of them if

weight   more bricks hang from it than one hand carries
case     or else in every case of what leaves with it and what it is pressed onto (`leavings`), what surely stays bars
         every way or every grasp
press    or every press breaks what there is, whatever else is missing (`unborne_presses`)

K is *anchored*: what of it hangs together is joined to the ground, or is more than a hand carries. So nothing takes
bricks of K along but a brick of K, and of K without p what is still anchored does not come along.
K is found from above: begin with everything, and let go of whatever nothing was proved to stand against: a larger core
leaves fewer states to rule out.
"""

from __future__ import annotations

from collections.abc import Iterator

from falsework.model.checkpoints import checkpoint
from falsework.model.ports import RemovalOracle
from falsework.planning.brickwork import MOST_CARRIED, Brickwork
from falsework.planning.leavings import Leavings, Patience, Unproved
from falsework.planning.ledger import Ledger
from falsework.planning.moves import bits
from falsework.planning.searches import Outcome, Search
from falsework.planning.unborne_presses import UnbornePresses
from falsework.planning.walks import Task

MOST_NAMED = 8
PATIENCE = 3  # evaluations a brick before a proof is looked for: most plans are found by then
CASES = 64  # that are told apart for one brick before it is given up


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
        self._presses = UnbornePresses(work)
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
        if self._too_heavy(part, core, most):
            return True
        stays = self._anchored(core & ~(1 << part)) | self._fixed  # never carried along with it
        patience = Patience(CASES)
        try:
            for leaving in Leavings(self._work, self._removals, core, most).of(part, stays, patience):
                self._presses.refute(leaving, patience)
        except Unproved:
            return False
        return True

    def _too_heavy(self, part: int, core: int, most: int) -> bool:
        """More hangs from it than a hand carries: what does so in the largest state does in all that contain it."""
        return (self._work.hanging(most & ~(1 << part), 0) & core).bit_count() + 1 > MOST_CARRIED
