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
from falsework.planning.bricks.brickwork import MOST_CARRIED, Brickwork
from falsework.planning.bricks.leavings import Leavings, Patience, TooManyCases
from falsework.planning.bricks.unborne_presses import UnbornePresses
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.nodes.moves import bits
from falsework.planning.search.searches import Outcome, Search
from falsework.planning.search.walks import Task

MOST_NAMED = 8
PATIENCE = 3  # evaluations a brick before a proof is looked for: most plans and many dead ends are found by then
CASES, SPLITS = 1000, 6  # that are told apart for one brick before it is given up; of those that take solves
MOST_CASES, MOST_SPLITS = 2500, 100  # for one core
SHARE = 0.25  # of all solves that may go into learning from dead ends


def stuck_bricks(task: Task, cores: StuckCores, ledger: Ledger) -> Search:
    """As the searches are run: once they have tried enough for a plan without dead ends, a proof or nothing."""
    everything = task.whole.installed
    while ledger.evaluations <= PATIENCE * len(task.assembly.parts) and not cores.known(everything):
        yield (everything & ~task.bare.installed).bit_count()
    stuck = cores.core(everything) & ~task.bare.installed
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
        self._found: list[tuple[int, int]] = []  # cores, and the most that is there
        self._solved = 0  # to find them

    def core(self, most: int) -> int:
        """A mask of installed bricks that can never all be taken off; 0 where none was found."""
        return self.known(most) or self._looked_for(most, most)

    def known(self, there: int) -> int:
        """The same, of the cores that were found."""
        return next((core for core, most in self._found if not core & ~there and not there & ~most), 0)

    def learn(self, dead_end: int, whole: int) -> None:
        """Find a core of a node from which no move was found, and the largest that it is stuck in.

        Unless cores took more than their share of the solves so far.
        """
        if self._solved <= SHARE * self._work.solved and not self.known(dead_end):
            self._looked_for(dead_end, whole)

    def _looked_for(self, there: int, whole: int) -> int:
        before = self._work.solved
        core, most = self._shrunk(there, there), there
        if core and whole != there:
            core, most = self._grown(core, there, whole & ~there)
        if core:
            self._found.append((core, most))
        self._solved += self._work.solved - before
        return core

    def _grown(self, core: int, most: int, others: int) -> tuple[int, int]:
        """A core in as much more as it, or some of it, is stuck in: with all others, or with halves of them."""
        found = self._shrunk(most | others, core)
        if found:
            return found, most | others
        few = list(bits(others))
        if len(few) > 1:
            for half in (few[: len(few) // 2], few[len(few) // 2 :]):
                core, most = self._grown(core, most, sum(1 << brick for brick in half))
        return core, most

    def _shrunk(self, most: int, core: int) -> int:
        """The largest core in `most` that is part of a given one; 0 once it has taken too long."""
        core, before, spent = core & ~self._fixed, -1, Patience(0, 0)
        while core != before:
            before = core
            core = self._anchored(core)
            for part in bits(core):
                checkpoint()
                patience = Patience(CASES, SPLITS)
                if not self._stuck(part, core, most, patience):
                    core &= ~(1 << part)
                spent.cases += CASES - patience.cases
                spent.splits += SPLITS - patience.splits
                if spent.cases > MOST_CASES or spent.splits > MOST_SPLITS:
                    return 0
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

    def _stuck(self, part: int, core: int, most: int, patience: Patience) -> bool:
        if self._too_heavy(part, core, most):
            return True
        stays = self._anchored(core & ~(1 << part)) | self._fixed  # never carried along with it
        leavings = Leavings(self._work, self._removals, core, most)
        try:
            return all(
                self._presses.all_break(leaving, patience) or leavings.is_dropped(leaving)
                for leaving in leavings.of(part, stays, patience)
            )
        except TooManyCases:
            return False

    def _too_heavy(self, part: int, core: int, most: int) -> bool:
        """More hangs from it than a hand carries: what does so in the largest state does in all that contain it."""
        return (self._work.hanging(most & ~(1 << part), 0) & core).bit_count() + 1 > MOST_CARRIED
