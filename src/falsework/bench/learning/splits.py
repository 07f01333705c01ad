"""Clean splits: a fifth of the *installed sets* is withheld with all their holds, and mistakes are counted there.

Test states of the seed's protocol lie, most of them, among those that can be reached from training states. Here nothing
that was withheld is ever labelled. A mistake is a first choice that leaves the solvable states; counted are states
where one is possible.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from statistics import mean

import numpy as np
import torch

from falsework.bench.learning.efforts import Effort
from falsework.bench.published import folder_of, published
from falsework.bench.rows import Row
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


def clean_splits(effort: Effort) -> Iterator[Row]:
    """Mistakes on withheld sets, taught by labels of everything else, or of curriculum states only."""
    if folder_of("Bottle-12") is None:
        return
    problem = Problem.of(published("Bottle-12"), 2)
    labels = Labels(problem)
    labels.solvable([problem.complete()])
    reached = labels.known()
    states = [here for here, fine in zip(reached, labels.solvable(reached), strict=True) if fine]
    for name, target in TARGETS.items():
        shares, cpu_s, sizes = [], 0.0, (0, 0)
        for seed in effort.seeds:
            withheld = _withheld(states, seed)
            taught = states if name == "dense" else start_states(problem, seed).train
            lessons = [here for here in taught if here.installed not in withheld]
            examined = _where_it_matters(labels, problem, [here for here in states if here.installed in withheld])
            begun = time.process_time()
            player = _taught(problem, labels, lessons, 60.0 * effort.compact_min, seed)
            cpu_s += time.process_time() - begun
            shares.append(mistakes(player, labels, examined))
            sizes = (len(lessons), len(examined))
        notes = {"labelled": sizes[0], "examined": sizes[1], "seeds": list(effort.seeds)}
        notes["at random"] = f"{100 * _at_random(labels, problem, examined):.1f} %"
        figure = f"{100 * mean(shares):.2f} % mistakes"
        case = f"clean split Bottle-12, {name} labels"
        yield Row(case, 1e3 * cpu_s / len(shares), notes=notes, target=f"at most {target} %", figure=figure)


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
    optimiser = torch.optim.Adam(net.parameters(), settings.rate, settings.momenta)
    begun = time.process_time()
    while (gone := (time.process_time() - begun) / seconds) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * max(1.0 - gone, 0.01)
        lessons.epoch(optimiser, settings, rng)
    return player
