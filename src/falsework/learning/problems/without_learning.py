"""What nobody has to learn: highest first with one step of oracle, and a search that remembers dead ends.

Both answer the question that a policy is examined on, from the same starts; a policy is worth something where it beats
the first and is quicker than the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from falsework.learning.problems.problem import Problem, Situation
from falsework.model.bits import bits

BUDGET = 20_000  # situations that one search looks at


Belief = Callable[[Situation, int], bool]  # whether the rest stands without a part, which is held


def highest_first(problem: Problem, start: Situation, belief: Belief | None = None) -> bool:
    """Whether it gets to the end who always takes the highest part whose removal the rest survives.

    Where none is, the highest part is taken hold of, while a hand is free. What survives, the oracle says, or a
    `belief`, which may be wrong: then it falls.
    """
    here = start
    while not problem.finished(here):
        onward = next(_highest(problem, here, belief), None)
        if onward is None or not problem.stand([onward])[0]:
            return False
        here = onward
    return True


def _highest(problem: Problem, here: Situation, belief: Belief | None) -> Iterator[Situation]:
    """Where the rule goes on: to what is left without the highest part that can be spared, else one more is held."""
    free_hand = here.held.bit_count() < problem.robots
    for part in _by_height(problem, here.installed & ~here.target):
        held = here._replace(held=here.held | 1 << part)
        if held.held != here.held and not free_hand:
            continue
        if problem.allowed(held) >> 2 * part + 1 & 1:
            gone = problem.after(held, 2 * part + 1)
            if problem.stand([gone])[0] if belief is None else belief(held, part):
                yield gone
    if free_hand:
        for part in _by_height(problem, here.installed & ~here.held & ~problem.bare):
            yield here._replace(held=here.held | 1 << part)


def _by_height(problem: Problem, parts: int) -> list[int]:
    heights = problem.assembly.coms_m
    return sorted(bits(parts), key=lambda part: (-round(float(heights[part, 2]), 9), part))


def searched(problem: Problem, start: Situation, budget: int = BUDGET) -> bool | None:
    """Whether there is a way to the end, by depth-first search that goes nowhere twice; None: the budget ran out."""
    met, stack = {start}, [start]
    while stack:
        here = stack.pop()
        if problem.finished(here):
            return True
        if len(met) > budget:
            return None
        fresh = [there for there in _onward(problem, here) if there not in met]
        met.update(fresh)
        stack += reversed(fresh)  # the best one is looked at first
    return False


def _onward(problem: Problem, here: Situation) -> list[Situation]:
    """Everything that can be done, removals of the highest first, then holds of the highest."""
    allowed = problem.allowed(here)
    order = _by_height(problem, here.installed & ~problem.bare)
    gone = [problem.after(here, 2 * part + 1) for part in order if allowed >> 2 * part + 1 & 1]
    held = [problem.after(here, 2 * part) for part in order if allowed >> 2 * part & 1]
    many = list(dict.fromkeys([*gone, *held]))
    return [there for there, stands in zip(many, problem.stand(many), strict=True) if stands]
