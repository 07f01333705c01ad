"""The states that a search really asks about: a two-robot beam search in assembly order (seed 002, 5.2).

From the fixed parts outward; a step places an absent part that touches what is there, held, or releases a held one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Answer


def beam_layers(
    assembly: Assembly,
    joints: Interfaces,
    answers: Callable[[Sequence[State]], Sequence[Answer]],
    rng: np.random.Generator,
    width: int = 64,
    robots: int = 2,
) -> list[list[State]]:
    """Every distinct state that the search asks about, layer by layer, until the assembly is complete."""
    everything = (1 << len(assembly.bodies)) - 1
    neighbours = joints.neighbours(len(assembly.bodies))
    kept = [(assembly.fixed_mask(), 0)]
    seen, layers = set(kept), []
    while kept:
        moves = [move for there, held in kept for move in _moves(there, held, neighbours, robots)]
        new = [move for move in dict.fromkeys(moves) if move not in seen]
        seen.update(new)
        layers.append([State(*move) for move in new])
        told = answers(layers[-1])
        alive = [move for move, answer in zip(new, told, strict=True) if answer == "stable"]
        if (everything, 0) in alive:
            break
        chosen = rng.permutation(len(alive))[:width]
        kept = [alive[n] for n in sorted(chosen.tolist())]
    return layers


def beam_states(
    assembly: Assembly,
    joints: Interfaces,
    stands: Callable[[State], bool],
    rng: np.random.Generator,
    width: int = 64,
    robots: int = 2,
) -> list[State]:
    """The same, one by one and in order."""

    def answers(states: Sequence[State]) -> list[Answer]:
        return ["stable" if stands(state) else "unstable" for state in states]

    return [state for layer in beam_layers(assembly, joints, answers, rng, width, robots) for state in layer]


def _moves(there: int, held: int, neighbours: Sequence[int], robots: int) -> list[tuple[int, int]]:
    parts = range(len(neighbours))
    placed = [n for n in parts if not there >> n & 1 and neighbours[n] & there] if held.bit_count() < robots else []
    released = [n for n in parts if held >> n & 1]
    return [(there | 1 << n, held | 1 << n) for n in placed] + [(there, held & ~(1 << n)) for n in released]
