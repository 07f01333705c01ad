"""The fewest parts to hold so that a state stands, with proof.

A motion that proves a state unstable goes on proving it while nobody holds a part that moves in it: every set of
hands that works must *hit* every such motion. So: keep the motions found so far, take a smallest set that hits them
all, ask whether the state stands with it. If it does, no smaller set can do, and the motions prove it. If not, the
answer is a motion that the set misses, and one more to hit. (Seed 001, IV-C, tries all O(n^M) sets.)

A motion is kept only if the referee accepts it with nobody helping. Then it holds for every set of hands that misses
it: what the loads gain stays as it is, and the weight that powers are measured against only shrinks.

Where contacts are ambiguous, to stand means to stand whichever way they push.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from falsework.model.arrays import Bools
from falsework.model.bits import bits, mask_of
from falsework.model.state import State
from falsework.model.verdict import Motion
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.outcome import Outcome
from falsework.statics.core.speeds import part_radii, part_speeds

MOST_HANDS = 3
STILL = (1e-3, 1e-6, 1e-9, 0.0)  # of the largest speed: slower parts are taken to rest, if the referee agrees


@dataclass(frozen=True, slots=True, eq=False)
class Holding:
    """The parts to hold, and the motions that every smaller set would leave free."""

    state: State  # what was asked about
    among: int  # mask of the parts that hands may hold
    most: int
    held: int | None  # mask of the parts to hold beyond those held already; None: `most` hands do not suffice
    exact: bool  # False where a smaller set was left undecided
    motions: tuple[Motion, ...]
    moving: tuple[int, ...]  # mask of the parts in `among` that each motion moves
    solves: int

    @property
    def count(self) -> int | None:
        return None if self.held is None else self.held.bit_count()

    def proved(self, equilibrium: Equilibrium) -> bool:
        """Recomputed: it stands when held so, and the referee accepts motions that no smaller set hits."""
        equilibrium = equilibrium.at_least
        if self.held is not None and not equilibrium.assess(helped(self.state, self.held)).stands:
            return False
        radii = part_radii(equilibrium.assembly)
        moved = [mask_of(part_speeds(motion.twists, radii) > 0) & self.among for motion in self.motions]
        refused = any(not _accepted(equilibrium, self.state, motion) for motion in self.motions)
        smaller = self.most if self.count is None else self.count - 1
        return self.exact and not refused and next(hitting_sets(moved, smaller), None) is None


def helped(state: State, held: int) -> State:
    """The state with these parts held too."""
    return replace(state, held=state.held | held)


def fewest_held(equilibrium: Equilibrium, state: State, most: int = MOST_HANDS, *, among: int | None = None) -> Holding:
    """The smallest set of further parts, of those in `among`, with which a state stands; None if `most` are too few.

    What makes this exact is that more hands never do harm (`monotone_in_held`).
    """
    free = state.free(equilibrium.assembly)
    search = _Search(equilibrium.at_least, state, free if among is None else free & among)
    held, undecided = search.run(most)
    least = min((bits.bit_count() for bits in undecided), default=most + 1)
    exact = least > most if held is None else held.bit_count() <= least
    return Holding(
        state, search.among, most, held, exact, tuple(search.motions), tuple(search.moving), len(search.answers)
    )


def hitting_sets(moving: Sequence[int], most: int) -> Iterator[int]:
    """Masks of at most `most` parts that share one with every mask of `moving`, without spare parts; smallest first."""
    for size in range(most + 1):
        yield from sorted(set(_hitting(list(moving), size)))


def _hitting(moving: list[int], size: int) -> Iterator[int]:
    """Exactly `size` parts: branch on the mask with the fewest."""
    if not moving and size == 0:
        yield 0
    if not moving or size == 0:
        return
    for part in bits(min(moving, key=int.bit_count)):
        for rest in _hitting([mask for mask in moving if not mask >> part & 1], size - 1):
            yield 1 << part | rest


class _Search:
    """What is known of one state: the motions found, and the answers with hands on some parts."""

    def __init__(self, equilibrium: Equilibrium, state: State, among: int) -> None:
        self._equilibrium, self._state, self.among = equilibrium, state, among
        self._radii = part_radii(equilibrium.assembly)
        self.motions: list[Motion] = []
        self.moving: list[int] = []
        self.answers: dict[int, Motion | str | None] = {}

    def run(self, most: int) -> tuple[int | None, set[int]]:
        """The first smallest set that helps, and the sets tried on the way that stayed undecided."""
        undecided: set[int] = set()
        self._apart(most)
        while True:
            tried = next((held for held in hitting_sets(self.moving, most) if held not in undecided), None)
            if tried is None:
                return None, undecided
            motion = self._asked(tried)
            if motion is None:
                return tried, undecided
            if isinstance(motion, str) or not self._learned(motion, tried):
                undecided.add(tried)

    def _apart(self, most: int) -> None:
        """Motions that share no part: each takes a hand of its own."""
        held = 0
        while len(self.moving) <= most:
            motion = self._asked(held)
            if not isinstance(motion, Motion) or not self._learned(motion, held) or not self.moving[-1]:
                return
            held |= self.moving[-1]

    def _asked(self, held: int) -> Motion | str | None:
        """None where it stands with these hands, the motion where it does not, else why that is not known."""
        if held not in self.answers:
            verdict = self._equilibrium.assess(helped(self._state, held))
            found = verdict.certificate if isinstance(verdict.certificate, Motion) else verdict.why
            self.answers[held] = None if verdict.stands else found
        return self.answers[held]

    def _learned(self, motion: Motion, held: int) -> bool:
        """Keep a motion that these hands miss, of as few parts as can be had; False if the referee refuses it."""
        kept = self._quieter(motion)
        if kept is None or kept[1] & held:
            return False
        motion, moving = kept
        for part in bits(moving & self.among):
            if not moving >> part & 1 or moving == 1 << part:
                continue
            smaller = self._asked(self.among & ~moving | 1 << part)
            kept = self._quieter(smaller) if isinstance(smaller, Motion) else None
            if kept is not None and not kept[1] & ~moving:
                motion, moving = kept
        self.motions.append(motion)
        self.moving.append(moving & self.among)
        return True

    def _quieter(self, motion: Motion) -> tuple[Motion, int] | None:
        """The motion with its slowest parts at rest, and which parts it moves; None if it proves nothing by itself."""
        speeds = part_speeds(motion.twists, self._radii)
        fastest = float(speeds.max(initial=0.0))
        for share in STILL:
            moves = speeds > share * fastest
            quieter = _only(self._equilibrium, motion, moves)
            if _accepted(self._equilibrium, self._state, quieter):
                return quieter, mask_of(moves)
        return None


def _accepted(equilibrium: Equilibrium, state: State, motion: Motion) -> bool:
    """Whether the referee takes this motion as proof that a state cannot stand."""
    return equilibrium.judged(state, Outcome(None, motion, "kept")).answer == "unstable"


def _only(equilibrium: Equilibrium, motion: Motion, moves: Bools) -> Motion:
    """The motion of some bodies; the others rest, and clutches between two that rest do not yield."""
    clutches = equilibrium.joints.clutches
    rests = ~moves[clutches.bodies].any(axis=1)
    counts = np.array([3 * len(kind.points) for kind in clutches.kinds], dtype=np.int64)[clutches.kind]
    slips = np.where(np.repeat(rests, counts), 0.0, motion.clutch_slips)
    return Motion(np.where(moves[:, None], motion.twists, 0.0), slips)
