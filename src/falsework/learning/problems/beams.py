"""Start situations from beams (seed 002, 5.2 and 5.3): of what can be built, and of what can be taken apart.

A beam goes layer by layer, one action a layer, and keeps `width` of the new situations that stand, drawn at random.
All that were kept are its states. Building, a part that touches what is there is placed, held, or one is let go; the
way back takes apart whatever was kept, so every state of the beam can be finished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from falsework.learning.problems.problem import Problem, Situation
from falsework.model.bits import bits

TRAIN_WIDTH, TEST_WIDTH = 64, 128
TEST_STREAM = 1  # of the random numbers: the test beam is another one, not the first part of the same


@dataclass(frozen=True, slots=True)
class Split:
    """Situations to learn from, and others to be examined on."""

    train: tuple[Situation, ...]
    test: tuple[Situation, ...]


def start_states(problem: Problem, seed: int = 0, widths: tuple[int, int] = (TRAIN_WIDTH, TEST_WIDTH)) -> Split:
    """States of a beam that builds; the test states are those of a wider beam *without* the training states."""
    train = _building(problem, widths[0], np.random.default_rng([seed, 0]))
    test = _building(problem, widths[1], np.random.default_rng([seed, TEST_STREAM]))
    return _split(train, test)


def target_tasks(problem: Problem, seed: int = 0, widths: tuple[int, int] = (TRAIN_WIDTH, TEST_WIDTH)) -> Split:
    """From the whole to what is left in the states of a beam that takes apart (5.3); test targets are not among the
    training targets."""
    wanted: list[list[Situation]] = []
    for width, stream in zip(widths, (0, TEST_STREAM), strict=True):
        states = _taking_apart(problem, width, np.random.default_rng([seed, 2 + stream]))
        left = dict.fromkeys(here.installed for here in states if here.installed not in (problem.whole, problem.bare))
        wanted.append([problem.complete(target) for target in left])
    return _split(*wanted)


def _split(train: Sequence[Situation], test: Sequence[Situation]) -> Split:
    known = set(train)
    return Split(tuple(train), tuple(here for here in test if here not in known))


def _building(problem: Problem, width: int, rng: np.random.Generator) -> list[Situation]:
    touching = problem.joints.neighbours(len(problem.assembly.bodies))

    def onward(here: Situation) -> Iterator[Situation]:
        if here.held.bit_count() < problem.robots:
            for part in bits(problem.whole & ~here.installed):
                there = here.installed | 1 << part
                if touching[part] & here.installed and (
                    problem.removals is None or problem.removals.leaves(1 << part, there)
                ):
                    yield here._replace(installed=there, held=here.held | 1 << part)
        for part in bits(here.held):
            yield here._replace(held=here.held & ~(1 << part))

    return _beam(problem, Situation(problem.bare, 0, problem.bare), onward, width, rng)


def _taking_apart(problem: Problem, width: int, rng: np.random.Generator) -> list[Situation]:
    def onward(here: Situation) -> Iterator[Situation]:
        return (problem.after(here, action) for action in bits(problem.allowed(here)))

    return _beam(problem, problem.complete(), onward, width, rng)


def _beam(
    problem: Problem,
    start: Situation,
    onward: Callable[[Situation], Iterator[Situation]],
    width: int,
    rng: np.random.Generator,
) -> list[Situation]:
    kept, layer = [], [start]
    while layer:
        new = list(dict.fromkeys(there for here in layer for there in onward(here)))
        alive = [there for there, stands in zip(new, problem.stand(new), strict=True) if stands]
        layer = [alive[n] for n in np.sort(rng.permutation(len(alive))[:width])]
        kept += layer
    return kept
