"""The states that a search really asks about: a two-robot beam search in assembly order (seed 002, 5.2).

From the fixed parts outward; a step places an absent part that touches what is there, held, or releases a held one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State


def beam_states(
    assembly: Assembly,
    found: Interfaces,
    stands: Callable[[State], bool],
    rng: np.random.Generator,
    width: int = 64,
    robots: int = 2,
) -> list[State]:
    """Every distinct state that the search asks about, in order, until the assembly is complete."""
    everything = (1 << len(assembly.bodies)) - 1
    neighbours = _neighbours(assembly, found)
    layer = [(assembly.fixed_mask(), 0)]
    seen, asked = set(layer), []
    while layer:
        alive = []
        for state in (move for there, held in layer for move in _moves(there, held, neighbours, robots)):
            if state not in seen:
                seen.add(state)
                asked.append(State(*state))
                if stands(asked[-1]):
                    alive.append(state)
        if (everything, 0) in alive:
            break
        chosen = rng.permutation(len(alive))[:width]
        layer = [alive[n] for n in sorted(chosen.tolist())]
    return asked


def _neighbours(assembly: Assembly, found: Interfaces) -> list[int]:
    """Bit mask of the bodies that each body touches."""
    masks = [0] * len(assembly.bodies)
    for first, second in (*found.patches.bodies.tolist(), *found.clutches.bodies.tolist()):
        masks[first] |= 1 << second
        masks[second] |= 1 << first
    return masks


def _moves(there: int, held: int, neighbours: list[int], robots: int) -> list[tuple[int, int]]:
    parts = range(len(neighbours))
    placed = [n for n in parts if not there >> n & 1 and neighbours[n] & there] if held.bit_count() < robots else []
    released = [n for n in parts if held >> n & 1]
    return [(there | 1 << n, held | 1 << n) for n in placed] + [(there, held & ~(1 << n)) for n in released]
