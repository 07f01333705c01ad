"""A state falls into pieces: free bodies joined by interfaces, with the held and fixed bodies that they touch.

Pieces do not know of each other, so each can be solved, remembered and reasoned about alone. Sets of bodies are bit
masks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

from falsework.model.assembly import Assembly, Load
from falsework.model.bits import near
from falsework.model.interfaces import Interfaces
from falsework.model.state import State

SPLIT = 64  # sets of free bodies whose pieces are kept: whichever part is placed next is held, and frees nothing


class Pieces:
    """How states of one assembly fall apart."""

    def __init__(self, assembly: Assembly, joints: Interfaces) -> None:
        self._assembly, self._fixed = assembly, assembly.fixed_mask()
        self.neighbours = joints.neighbours(len(assembly.bodies))
        self.of_free = lru_cache(SPLIT)(partial(_connected, self.neighbours))

    def split(self, state: State) -> list[State]:
        """Each piece of a state as a state of its own."""
        return [
            self.alone(state, free, free | near & state.installed)
            for free, near in self.of_free(state.free(self._assembly))
        ]

    def alone(self, state: State, free: int, there: int) -> State:
        """The free bodies of a piece, and what is there beside them held; nothing else but what is fixed."""
        installed, held = there | self._fixed, there & ~free & ~self._fixed
        loads = None if state.loads is None else self.acting(state, free)
        if (installed, held) == (state.installed, state.held) and loads is None:
            return state
        return State(installed, held, state.gravity, loads)

    def acting(self, state: State, free: int) -> tuple[Load, ...]:
        """The loads on these bodies."""
        loads = state.loads_of(self._assembly)
        return tuple(load for load in loads if free >> self._assembly.index[load.part] & 1) if loads else ()

    def touched(self, bodies: int) -> int:
        """Every body that touches one of these."""
        return near(bodies, self.neighbours)


def _connected(neighbours: Sequence[int], free: int) -> list[tuple[int, int]]:
    """Sets of free bodies that act on each other, and the bodies that each set touches."""
    rest, sets = free, []
    while rest:
        found, near, grow = 0, 0, rest & -rest
        while grow:
            body = grow & -grow
            found |= body
            touched = neighbours[body.bit_length() - 1]
            near |= touched
            grow = (grow | touched & rest) & ~found
        rest &= ~found
        sets.append((found, near))
    return sets
