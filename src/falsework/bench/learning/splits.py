"""Clean splits: a fifth of the *installed sets* is withheld with all their holds, and mistakes are counted there.

Test states of the seed's protocol lie, most of them, among those that can be reached from training states. Here nothing
that was withheld is ever labelled. A mistake is a first choice that leaves the solvable states; counted are states
where one is possible.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import torch

from falsework.bench.learning.efforts import Effort
from falsework.bench.learning.trials import Figures, Trial
from falsework.bench.published import folder_of, published
from falsework.learning.nets.making import make_net
from falsework.learning.nets.policy_file import Shape
from falsework.learning.playing.player import Player
from falsework.learning.problems.beams import start_states
from falsework.learning.problems.labels import Labels
from falsework.learning.problems.problem import Problem, Situation
from falsework.learning.training.imitation import Lessons
from falsework.learning.training.settings import Settings

WITHHELD = 0.2
TARGETS = {"dense": 0.5, "curriculum": 2.5}  # % of mistakes


def clean_splits(effort: Effort) -> Iterator[Trial]:
    """Mistakes on withheld sets, taught by labels of everything else, or of curriculum states only."""
    if folder_of("Bottle-12") is not None:
        for name, target in TARGETS.items():
            case = f"clean split Bottle-12, {name} labels, mistakes"
            measure = partial(_examined, name == "dense", effort.compact_min)
            yield Trial(case, effort.compact_min, measure, f"at most {target} %")


def _examined(dense: bool, minutes: float, seed: int) -> Figures:
    problem = Problem.of(published("Bottle-12"), 2)
    labels = Labels(problem)
    labels.solvable([problem.complete()])
    reached = labels.known()
    states = [here for here, fine in zip(reached, labels.solvable(reached), strict=True) if fine]
    withheld = _withheld(states, seed)
    lessons = [
        here for here in (states if dense else start_states(problem, seed).train) if here.installed not in withheld
    ]
    examined = _where_it_matters(labels, problem, [here for here in states if here.installed in withheld])
    begun = time.process_time()
    player = _taught(problem, labels, lessons, 60.0 * minutes, seed)
    cpu_s = time.process_time() - begun
    at_random = f"{100 * _at_random(labels, problem, examined):.1f} %"
    beside = {"labelled": len(lessons), "examined": len(examined), "at random": at_random}
    return {"figure": mistakes(player, labels, examined), "cpu_s": cpu_s, "beside": beside}


def mistakes(player: Player, labels: Labels, states: Sequence[Situation]) -> float:
    """Share of first choices that leave the solvable states."""
    right = labels.right(states)
    return float(1.0 - right[np.arange(len(states)), player.first_choices(states)].mean())


def _at_random(labels: Labels, problem: Problem, states: Sequence[Situation]) -> float:
    right, allowed = labels.right(states), problem.allowed_rows(states)
    return float(1.0 - (right.sum(axis=1) / allowed.sum(axis=1)).mean())


def _withheld(states: Sequence[Situation], seed: int) -> frozenset[int]:
    sets = sorted({here.installed for here in states})
    chosen = np.random.default_rng([seed, 11]).permutation(len(sets))[: round(WITHHELD * len(sets))]
    return frozenset(sets[n] for n in chosen)


def _where_it_matters(labels: Labels, problem: Problem, states: Sequence[Situation]) -> list[Situation]:
    wrong = problem.allowed_rows(states) & ~labels.right(states)
    return [here for here, row in zip(states, wrong, strict=True) if row.any()]


def _taught(problem: Problem, labels: Labels, states: Sequence[Situation], seconds: float, seed: int) -> Player:
    """A compact net that has gone over labels for so long, at a rate that falls to nothing."""
    settings = Settings()
    net = make_net(Shape.usual("compact"), seed)
    player, rng = Player(problem, net), np.random.default_rng([seed, 13])
    lessons = Lessons(labels, player)
    lessons.add(states)
    optimiser = torch.optim.Adam(net.parameters(), settings.rate, settings.momenta, fused=True)
    begun = time.process_time()
    while (gone := (time.process_time() - begun) / seconds) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * max(1.0 - gone, 0.01)
        lessons.epoch(optimiser, settings, rng)
    return player
