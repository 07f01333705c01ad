"""Disruptions: what now? A policy's answers, checked by the oracle, beside a search's."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from falsework.bench.learning.efforts import Effort
from falsework.bench.published import folder_of, published
from falsework.bench.rows import Row
from falsework.learning.nets.making import net_of
from falsework.learning.playing.player import Player
from falsework.learning.problems.beams import start_states
from falsework.learning.problems.problem import Problem, Situation
from falsework.learning.problems.without_learning import searched
from falsework.learning.training.learn import learn
from falsework.learning.using.advice import Advice, advise
from falsework.model.state import State

QUESTIONS = 1000


def disruptions(effort: Effort) -> Iterator[Row]:
    """A thousand states in which somebody finds the work, one by one and all at once."""
    if folder_of("Bottle-12") is None:
        return
    trained = learn(published("Bottle-12"), minutes=effort.compact_min / 2, seed=effort.seeds[0])
    for name in effort.models:
        if folder_of(name) is None:
            continue
        problem = Problem.of(published(name), 2)
        player = Player(problem, net_of(trained.policy))
        starts = start_states(problem).test
        drawn = np.random.default_rng(0).integers(len(starts), size=QUESTIONS)
        asked = [starts[n] for n in drawn]
        states = [State(here.installed, here.held) for here in asked]
        begun = time.process_time()
        found = advise(player, states)
        batched_ms = 1e3 * (time.process_time() - begun) / QUESTIONS
        single = _times(partial(_advised, player), asked)
        search = _times(partial(searched, problem), asked)
        notes = {
            "answered": f"{sum(one.safe for one in found)} of {QUESTIONS}, each checked",
            "one by one": f"median {np.median(single):.2f} ms, p99 {np.percentile(single, 99):.2f} ms",
            "search, whole plan": f"median {np.median(search):.2f} ms, p99 {np.percentile(search, 99):.2f} ms",
            "trained on": "Bottle-12",
        }
        figure = f"{batched_ms:.2f} ms"
        yield Row(f"what now? {name}", batched_ms, notes=notes, target="under 1 ms a state", figure=figure)


def _advised(player: Player, here: Situation) -> list[Advice]:
    return advise(player, [State(here.installed, here.held)])


def _times(answer: Callable[[Situation], object], asked: list[Situation]) -> list[float]:
    """Milliseconds of processor time for each."""
    took = []
    for here in asked:
        begun = time.process_time()
        answer(here)
        took.append(1e3 * (time.process_time() - begun))
    return took
