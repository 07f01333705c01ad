"""That no press of a brick is borne, in any of the states from which it might leave.

A press breaks the largest of these states by a motion. It breaks all of them by the same motion if that gains whatever
else is missing (`LastingMotion`). If it does not, the states are parted: those with the brick that the motion would
miss most, and those without it. Motions are kept: the same ones break most of what comes after.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from falsework.model.checkpoints import checkpoint
from falsework.planning.bricks.brickwork import Brickwork
from falsework.planning.bricks.leavings import Leaving, Patience, standing
from falsework.planning.nodes.moves import bits
from falsework.planning.nodes.presses import Pressing
from falsework.planning.nodes.stability import neighbours
from falsework.verdicts.lasting_motions import LastingMotion


class Breaking(NamedTuple):
    """A motion by which a press breaks what there is."""

    motion: LastingMotion
    in_the_way: int  # what touches bricks that move, and was not there
    is_home: bool  # with the brick in, or while it lies on the studs

    def proves_all(self, leaving: Leaving) -> bool:
        """Whether it does so whatever is missing; what is there beside its own rests."""
        came = leaving.group if self.is_home else 0
        most, own = leaving.most | came, self.motion.there
        return not self.in_the_way & most and self.motion.proves_all((leaving.least | came) & own, most & own)


class UnbornePresses:
    """Presses of the bricks of one assembly, by one hand."""

    def __init__(self, work: Brickwork) -> None:
        self._work = work
        self._touching = neighbours(work.assembly, work.joints)
        self._known: defaultdict[tuple[int, int, int], list[Breaking]] = defaultdict(list)  # by brick, supports, press

    def all_break(self, leaving: Leaving, patience: Patience) -> bool:
        """Whether every press was proved to break what there is, before the brick is in or after."""
        presses = self._work.pressings(leaving.part, leaving.least)
        supports = self._work.joined(leaving.part) & leaving.least
        return bool(presses) and all(
            self._breaks(press, self._known[leaving.part, supports, number], leaving, patience)
            for number, press in enumerate(presses)
        )

    def _breaks(self, press: Pressing, known: list[Breaking], leaving: Leaving, patience: Patience) -> bool:
        if any(breaking.proves_all(leaving) for breaking in known):
            return True
        found = []
        for breaking in self._breaking(press, leaving):
            if leaving.least == leaving.most or breaking.proves_all(leaving):
                known.append(breaking)
                return True
            found.append(breaking)
        if not found or patience.splits == 0:
            return False
        patience.splits -= 1
        cases = (standing(self._work, case) for case in leaving.split(_missed_most(found[-1].motion, leaving)))
        return all(case is None or self._breaks(press, known, case, patience) for case in cases)

    def _breaking(self, press: Pressing, leaving: Leaving) -> Iterator[Breaking]:
        """How it breaks the most that may be there; last of all, the way in which most is gained."""
        for is_home, state in enumerate(self._work.pressed(press, leaving.group, leaving.most, 0)):
            checkpoint()
            for motion in self._work.breaking(state):
                yield Breaking(motion, self._beside(motion), bool(is_home))

    def _beside(self, motion: LastingMotion) -> int:
        touched = 0
        for body in bits(motion.moving):
            touched |= self._touching[body]
        return touched & ~motion.there


def _missed_most(motion: LastingMotion, leaving: Leaving) -> int:
    """Of the bricks that may stay or be gone: the one that drives the motion, or holds it up, the most."""
    worth = np.maximum(motion.gained_w, 0.0)
    for side in motion.pairs.T:
        np.add.at(worth, side, motion.paid_w)
    return max(bits(leaving.most & ~leaving.least), key=lambda brick: float(worth[brick]))
