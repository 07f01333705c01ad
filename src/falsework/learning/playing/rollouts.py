"""Episodes that are drawn from a policy, all in step, and what first choices lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from falsework.learning.playing.player import Player
from falsework.learning.problems.problem import REMOVE, Problem, Situation
from falsework.model.arrays import Bools

WON, LOST = 1.0, -1.0


@dataclass(slots=True)
class Episode:
    """What was seen and done from one start, how likely it was, and how it ended: won (1), or lost (−1)."""

    start: int  # the number of the start, among those that were drawn from
    seen: list[Situation]
    actions: list[int]
    log_probabilities: list[float]
    values: list[float]
    reward: float = LOST


def episodes(player: Player, starts: Sequence[tuple[int, Situation]], rng: np.random.Generator) -> list[Episode]:
    """One episode from each start, which comes with its number; actions are drawn from the policy."""
    played = [Episode(number, [here], [], [], []) for number, here in starts]
    running = _not_over(player.problem, played)
    while running:
        logits, values = player.logits([one.seen[-1] for one in running])
        drawn = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
        for one, action, row, value in zip(running, drawn.tolist(), logits, values, strict=True):
            one.actions.append(action)
            one.log_probabilities.append(float(row[action]))
            one.values.append(float(value))
        there = [player.problem.after(one.seen[-1], one.actions[-1]) for one in running]
        stands = _stands_after(player.problem, [one.actions[-1] for one in running], there)
        alive = []
        for one, place, fine in zip(running, there, stands, strict=True):
            if fine:
                one.seen.append(place)
                alive.append(one)
        running = _not_over(player.problem, alive)
    return played


def _not_over(problem: Problem, played: Sequence[Episode]) -> list[Episode]:
    """Those that go on; the others are told that they are won, or that nothing more can be done."""
    on = []
    for one in played:
        if problem.finished(one.seen[-1]):
            one.reward = WON
        elif problem.allowed(one.seen[-1]):
            on.append(one)
    return on


def _stands_after(problem: Problem, actions: Sequence[int], there: Sequence[Situation]) -> list[bool]:
    """To take hold of one part more never makes anything fall, where the oracle promises that."""
    if not problem.oracle.monotone_in_held:
        return problem.stand(there)
    fine = [True] * len(there)
    removed = [n for n, action in enumerate(actions) if action % 2 == REMOVE]
    for n, stands in zip(removed, problem.stand([there[n] for n in removed]), strict=True):
        fine[n] = stands
    return fine


def finishes(player: Player, starts: Sequence[Situation]) -> Bools:
    """Whether first choices lead from each start to its end; every situation on the way is asked about once."""
    problem = player.problem
    onward: dict[Situation, Situation | None] = {}
    frontier = list(dict.fromkeys(starts))
    while frontier:
        asked = [here for here in frontier if not problem.finished(here)]
        actions = player.first_choices(asked).tolist() if asked else []
        moves = [(here, action) for here, action in zip(asked, actions, strict=True) if action >= 0]
        onward.update((here, None) for here in asked)
        there = [problem.after(here, action) for here, action in moves]
        stands = _stands_after(problem, [action for _, action in moves], there)
        onward.update(
            (here, place if fine else None) for (here, _), place, fine in zip(moves, there, stands, strict=True)
        )
        alive = (place for place, fine in zip(there, stands, strict=True) if fine)
        frontier = [place for place in dict.fromkeys(alive) if place not in onward]
    return np.array([_arrives(problem, onward, here) for here in starts], dtype=bool)


def _arrives(problem: Problem, onward: Mapping[Situation, Situation | None], start: Situation) -> bool:
    here: Situation | None = start
    while here is not None and not problem.finished(here):
        here = onward.get(here)
    return here is not None
