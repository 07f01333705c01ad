"""Lessons from assemblies too large for the truth: of some actions it is certain whether they are right, of some not.

States are those of a beam that builds: the way back takes all of them apart. An action is right if it leads to such a
state, to one with fewer of its parts held, or to one that highest first finishes; it is wrong if something falls, or if
all hands are full and whatever they remove next something falls. Of the others nothing is said, nor are they taught.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.learning.problems.beams import start_states
from falsework.learning.problems.problem import REMOVE, Problem, Situation
from falsework.learning.problems.without_learning import highest_first
from falsework.model.arrays import Bools
from falsework.model.bits import bits

WIDTH = 24  # of the beam


class Certainties:
    """What is certain about states of one problem."""

    def __init__(self, problem: Problem, states: Sequence[Situation]) -> None:
        self._problem = problem
        self._held: dict[int, list[int]] = {}  # by what is installed: what is held in states that can be finished
        self._finished: dict[Situation, bool] = {}
        for here in states:
            self._held.setdefault(here.installed, []).append(here.held)

    def right(self, there: Situation) -> bool | None:
        """Whether a state that an action led to can be finished; None: nobody knows."""
        if not self._problem.stand([there])[0]:
            return False
        if any(not there.held & ~held for held in self._held.get(there.installed, ())):
            return True  # whoever holds less may take hold later
        onward = [self._problem.after(there, 2 * part + REMOVE) for part in bits(there.held & ~there.target)]
        stand = self._problem.stand(onward)
        if there.held.bit_count() == self._problem.robots and not any(stand):
            return False
        return True if self._by_rule(there) else None

    def _by_rule(self, there: Situation) -> bool:
        if there not in self._finished:
            self._finished[there] = highest_first(self._problem, there)
        return self._finished[there]


def known_actions(problem: Problem, states: int, rng: np.random.Generator) -> tuple[list[Situation], Bools, Bools]:
    """Some situations of a beam, (n, 2 · parts) of which actions something is certain, and which of these are right.

    None where the beam does not build the whole.
    """
    seed = int(rng.integers(2**31))
    beam = start_states(problem, seed, (WIDTH, 1)).train
    if not any(here.installed == problem.whole for here in beam):
        beam = ()
    certain = Certainties(problem, beam)
    few = [beam[n] for n in np.sort(rng.permutation(len(beam))[:states])]
    told = np.full((len(few), 2 * problem.parts), -1, np.int8)
    for row, here in zip(told, few, strict=True):
        for action in bits(problem.allowed(here)):
            fine = certain.right(problem.after(here, action))
            row[action] = -1 if fine is None else fine
    taught = (told == 1).any(axis=1) & (told == 0).any(axis=1)
    chosen = [here for here, kept in zip(few, taught, strict=True) if kept]
    return chosen, told[taught] >= 0, told[taught] == 1
