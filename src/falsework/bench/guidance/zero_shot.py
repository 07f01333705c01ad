"""The generalist on assemblies that it was not trained on: first choices until the end, nothing masked but the rules.

Beside it, highest first with one step of oracle, and highest first by what the net is told of what would move
(`learning/graphs/imagining.py`), on the same states: those of a beam of width 128 without those of one of width 64, as
seed 002 examines its policies, which it trains on each of these assemblies. Dog-35 and Vault-62 are not shared; a heap
of as many pieces and a vault of about as many stones stand in for them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from falsework.bench.reference_data import DATA
from falsework.bench.rows import Row
from falsework.bench.samples import vault
from falsework.formats.loading import load
from falsework.learning.generalist.shipped import Generalist, generalist
from falsework.learning.generalist.taught import heap
from falsework.learning.graphs.imagining import Imagined
from falsework.learning.problems.beams import start_states
from falsework.learning.problems.problem import Problem, Situation
from falsework.learning.problems.without_learning import Belief, highest_first
from falsework.model.assembly import Assembly
from falsework.model.state import State

PUBLISHED = {  # folder: name, fixed part, the seed's trained policy (%), what is asked for (%)
    "tetris-1": ("Bottle-12", "0", 86.53, 95),
    "tetris-3": ("Tetris-14", "0", 86.55, 95),
    "tetris-2": ("Tetris-17", "0", 92.64, 95),
    "rulin": ("Dome-37", "0", 90.96, 90),
    "dome": ("Dome-72", "72", 96.40, 90),
}
FEW = 300  # states a case, unless all are asked for
STILL = 0.05  # of what falls freely
NARROW = 32  # of the beams of large ones, whose states are a hundred each
HEAP_SEED = 11  # the first with as many pieces that stands


def zero_shot_rows(full: bool = False) -> Iterator[Row]:
    for folder, (name, fixed, seed, target) in PUBLISHED.items():
        path = DATA.find(f"blocks/{folder}")
        if path is None:
            continue
        problem = Problem.of(load(path, fixed=[fixed]), 2)
        states = list(start_states(problem).test)
        if not full:
            states = [states[n] for n in np.random.default_rng(0).permutation(len(states))[:FEW]]
        yield examined(name, problem, states, target, {"seed, trained on it": f"{seed:g} %"})
    for name, assembly, asked in stand_ins():
        problem = Problem.of(assembly, 2)
        found = start_states(problem, widths=(0, NARROW)).test
        few = [found[n] for n in np.random.default_rng(0).permutation(len(found))[:100]]
        yield examined(name, problem, few, asked)


def stand_ins() -> Iterator[tuple[str, Assembly, float]]:
    """Name, assembly, and what is asked for of the published one (%)."""
    yield "heap of 35 pieces (for Dog-35)", heap(6, 4, 6, HEAP_SEED), 97
    yield "vault of 50 stones (for Vault-62)", vault(62, 1), 39


def examined(
    name: str, problem: Problem, states: Sequence[Situation], target: float, notes: dict[str, str] | None = None
) -> Row:
    """How many of the states first choices finish."""
    guide = generalist(problem.assembly, problem.joints)
    start = time.process_time()
    finished = greedy(guide, problem, states)
    took = time.process_time() - start
    simple = np.mean([highest_first(problem, here) for here in states])
    belief = _imagining(problem)
    believed = np.mean([highest_first(problem, here, belief) for here in states])
    return Row(
        f"zero-shot, {name}, {len(states)} states",
        1e3 * took / max(len(states), 1),
        notes={
            "highest first, one step of oracle": f"{100 * simple:.1f} %",
            "highest first, by what is imagined": f"{100 * believed:.1f} %",
            **(notes or {}),
        },
        target=f"≥ {target:g} %",
        figure=f"{100 * finished.mean():.1f} %",
    )


def _imagining(problem: Problem) -> Belief:
    """The rest is believed to stand where nothing is imagined to move faster than `STILL`."""
    imagined = Imagined(problem.assembly, problem.joints)

    def belief(here: Situation, part: int) -> bool:
        installed, held, _ = problem.rows([here])
        return bool(imagined(installed, held)[0, part, -1] < np.log10(10.0 * STILL))

    return belief


def greedy(guide: Generalist, problem: Problem, states: Sequence[Situation]) -> np.typing.NDArray[np.bool_]:
    """Whether first choices lead from each state to its end; stability is not masked."""
    running, done = dict(enumerate(states)), np.zeros(len(states), bool)
    choice: dict[Situation, Situation | None] = {}
    while running:
        new = [here for here in dict.fromkeys(running.values()) if here not in choice and not problem.finished(here)]
        _choose(guide, problem, new, choice)
        onward = {}
        for number, here in running.items():
            if problem.finished(here):
                done[number] = True
            elif (there := choice[here]) is not None:
                onward[number] = there
        running = onward
    return done


def _choose(
    guide: Generalist, problem: Problem, many: Sequence[Situation], choice: dict[Situation, Situation | None]
) -> None:
    if not many:
        return
    logits, _ = guide.logits([State(here.installed, here.held) for here in many])
    flat = logits[:, : problem.parts].reshape(len(many), -1)
    masked = np.where(problem.allowed_rows(many), flat, -np.inf)
    actions = masked.argmax(axis=1).tolist()
    there = [problem.after(here, action) for here, action in zip(many, actions, strict=True)]
    for here, place, fine, row in zip(many, there, problem.stand(there), masked, strict=True):
        choice[here] = place if fine and np.isfinite(row).any() else None
