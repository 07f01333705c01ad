"""Taking an assembly apart as a decision process (seed 002, 5.1): what may be done, and what it leads to.

A hand takes hold of a part, or takes a part that is held away; nothing is let go. Masked is what makes no sense: to
hold what is held already, more parts than there are hands, to take away what nobody holds or what is to stay and, if
`removals` are given, what cannot leave along a straight line. *Stability is not masked*: whoever takes away a part and
lets the rest fall has lost, and so has whoever can do nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Bools
from falsework.model.assembly import Assembly
from falsework.model.bits import bits, flags_of
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.ports import RemovalOracle
from falsework.model.state import State
from falsework.verdicts.registry import AUTO, model_for
from falsework.verdicts.searching import SearchOracle, search_oracle

HOLD, REMOVE = 0, 1  # an action is 2 · part + one of these
MOST_ROBOTS = 16
BATCH = 256  # states that the oracle is asked about at once


class Situation(NamedTuple):
    """Bit masks over `Assembly.bodies`: what is there, what is held, and what is to stay, fixed parts included.

    >>> Situation(installed=0b111, held=0b010, target=0b001)._replace(held=0)
    Situation(installed=7, held=0, target=1)
    """

    installed: int
    held: int
    target: int


@dataclass(frozen=True, eq=False)
class Problem:
    """An assembly, so many hands, and whoever knows what stands.

    >>> import falsework
    >>> problem = Problem.of(falsework.load("examples/arch.yaml"), robots=2)
    >>> start = problem.complete()
    >>> problem.allowed(start).bit_count()  # each of the stones can be taken hold of
    11
    """

    assembly: Assembly
    joints: Interfaces
    robots: int
    oracle: SearchOracle
    removals: RemovalOracle | None = None  # None: what is in the way is not looked at
    known: dict[tuple[int, int], bool] = field(default_factory=dict)  # by installed and held: does it stand?

    @staticmethod
    def of(
        assembly: Assembly,
        robots: int = 2,
        *,
        model: str = AUTO,
        joints: Interfaces | None = None,
        removals: RemovalOracle | None = None,
    ) -> Problem:
        """With the oracle that a search would ask."""
        assembly.require_ground()
        if not 1 <= robots <= MOST_ROBOTS:
            raise BadInput(f"robots: found {robots}, expected 1 to {MOST_ROBOTS}")
        found = interfaces(assembly) if joints is None else joints
        oracle = search_oracle(model_for(model, assembly, found), assembly, found)
        return Problem(assembly, found, robots, oracle, removals)

    @property
    def parts(self) -> int:
        return len(self.assembly.parts)

    @property
    def bare(self) -> int:
        """What is always there."""
        return self.assembly.fixed_mask()

    @property
    def whole(self) -> int:
        return (1 << len(self.assembly.bodies)) - 1

    def complete(self, target: int | None = None) -> Situation:
        """Everything in place and nothing held; all but the fixed parts are to go, or all but `target`."""
        return Situation(self.whole, 0, self.bare if target is None else target | self.bare)

    def finished(self, here: Situation) -> bool:
        return here.installed == here.target

    def allowed(self, here: Situation) -> int:
        """Bit mask over actions: bit 2 · part to take hold of it, bit 2 · part + 1 to take it away."""
        mask = 0
        if here.held.bit_count() < self.robots:
            for part in bits(here.installed & ~here.held & ~self.bare):
                mask |= 1 << 2 * part + HOLD
        for part in bits(here.held & ~here.target):
            if self.removals is None or self.removals.leaves(1 << part, here.installed):
                mask |= 1 << 2 * part + REMOVE
        return mask

    def allowed_rows(self, many: Sequence[Situation]) -> Bools:
        """(situations, 2 · parts) which actions are allowed."""
        return flags_of([self.allowed(here) for here in many], 2 * self.parts)

    def after(self, here: Situation, action: int) -> Situation:
        """What an action leads to, whether it stands or not."""
        part = 1 << action // 2
        if action % 2 == HOLD:
            return here._replace(held=here.held | part)
        return here._replace(installed=here.installed & ~part, held=here.held & ~part)

    def stand(self, many: Iterable[Situation]) -> list[bool]:
        """Whether situations stand; what nobody can decide does not count as standing."""
        keys = [(here.installed, here.held) for here in many]
        new = list(dict.fromkeys(key for key in keys if key not in self.known))
        for begin in range(0, len(new), BATCH):
            batch = new[begin : begin + BATCH]
            answers = self.oracle.answers([State(*key) for key in batch])
            self.known.update((key, answer == "stable") for key, answer in zip(batch, answers, strict=True))
        return [self.known[key] for key in keys]

    def rows(self, many: Sequence[Situation]) -> Bools:
        """(3, situations, bodies) installed, held and target, as nets see them."""
        count = len(self.assembly.bodies)
        return np.stack([flags_of([here[n] for here in many], count) for n in range(3)])
