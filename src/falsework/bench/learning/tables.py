"""Tables 3, 4 and 5 of seed 002, and transfer to another structure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from statistics import mean
from typing import Any

import numpy as np

from falsework.bench.learning.efforts import TABLE_3, TABLE_4, TABLE_5, TRANSFERRED, Effort, vault
from falsework.bench.learning.trials import Figures, Trial
from falsework.bench.published import folder_of, published
from falsework.bench.rows import Row
from falsework.learning.nets.making import net_of
from falsework.learning.playing.player import Player
from falsework.learning.playing.rollouts import finishes
from falsework.learning.problems import beams
from falsework.learning.problems.labels import Labels
from falsework.learning.problems.problem import Problem, Situation
from falsework.learning.problems.without_learning import highest_first, searched
from falsework.learning.training.learn import Trained, learn
from falsework.learning.training.settings import Settings
from falsework.model.assembly import Assembly

SMALL = 20  # parts up to which there is an exact table
PLAIN_MIN = 0.5  # of the plain policy that Table 4 compares with
TARGETS = {
    ("Bottle-12", "published"): "93 % in 10 min",
    ("Bottle-12", "compact"): "96 % in 5 min",
    ("Tetris-14", "compact"): "95 %",
    ("Tetris-17", "compact"): "95 %",
    ("Dome-37", "compact"): "93 % in 60 min",
}


def start_states(effort: Effort) -> Iterator[Trial]:
    """Table 3."""
    for name in effort.models:
        if folder_of(name) is None:
            continue
        assembly = published(name)
        large = len(assembly.parts) > SMALL
        for net, usual_min in (("compact", effort.compact_min), ("published", effort.published_min)):
            minutes = effort.large_min if large else usual_min
            if minutes and (net == "compact" or name in effort.by_published):
                measure = partial(_finished, assembly, net, 2, minutes, effort.examined)
                target, paper = TARGETS.get((name, net), ""), _table_3(name)
                yield Trial(f"Table 3 {name}, {net}", minutes, measure, target, paper, large)
    for robots in effort.vaults:
        name, assembly = f"Vault-62 ({robots})", vault()
        case = f"Table 3 {name}: gallery vault of {len(assembly.parts)} stones, compact"
        measure = partial(_finished, assembly, "compact", robots, effort.large_min, effort.examined)
        yield Trial(case, effort.large_min, measure, "", _table_3(name), large=True)


def _table_3(name: str) -> str:
    states, hours, train, test_states, test = TABLE_3[name]
    return f"{states} states, {train} % after {hours} h on an H100; test {test} % of {test_states}"


def _finished(assembly: Assembly, net: str, robots: int, minutes: float, examined: int, seed: int) -> Figures:
    """Test states that first choices finish, beside what needs no learning on the same states."""
    run = learn(assembly, robots=robots, minutes=minutes, seed=seed, settings=Settings.usual(net))
    problem = Problem.of(assembly, robots)
    beside = without_learning(problem, beams.start_states(problem, seed).test, examined)
    return _figures(run, beside)


def _figures(run: Trained, beside: dict[str, Any]) -> Figures:
    told = {
        "train": f"{100 * run.train_accuracy:.2f} % of {run.train_states}",
        "test": f"{100 * run.test_accuracy:.2f} % of {run.test_states}",
        "updates": f"{run.updates}, ended by {run.stopped}",
    }
    return {"figure": run.test_accuracy, "cpu_s": run.cpu_s, "beside": {**told, **beside}}


def without_learning(problem: Problem, starts: Sequence[Situation], most: int) -> dict[str, str]:
    """What rules, search and the exact table finish of the same states."""
    few = [starts[n] for n in np.unique(np.linspace(0, len(starts) - 1, min(most, len(starts))).round().astype(int))]
    found = {
        "highest first": mean(highest_first(problem, here) for here in few),
        "search": mean(searched(problem, here) is True for here in few),
    }
    if problem.parts <= SMALL:
        found["exact table"] = mean(Labels(problem).solvable(few))
    return {name: f"{100 * share:.1f} %" for name, share in found.items()}


def target_states(effort: Effort) -> Iterator[Trial]:
    """Table 4: from the whole to targets of a beam that takes apart, by the target policy and by the plain one."""
    for name in effort.with_targets:
        if folder_of(name) is None:
            continue
        assembly = published(name)
        large = len(assembly.parts) > SMALL
        minutes = effort.large_min if large else effort.compact_min
        if minutes:
            paper = "plain {} %, target policy {} %".format(*TABLE_4[name])
            measure = partial(_reached, assembly, minutes, effort.examined)
            yield Trial(f"Table 4 {name}, targets, compact", minutes, measure, "90 %", paper, large)


def _reached(assembly: Assembly, minutes: float, examined: int, seed: int) -> Figures:
    """Targets that first choices reach, and those that the plain policy reaches with targets masked."""
    problem = Problem.of(assembly, 2)
    tasks = beams.target_tasks(problem, seed).test
    run = learn(assembly, minutes=minutes, seed=seed, settings=Settings(tasks="targets"))
    plain = learn(assembly, minutes=min(minutes, PLAIN_MIN), seed=seed)
    player = Player(problem, net_of(plain.policy), sees_target=False)
    masked = f"{100 * float(finishes(player, tasks).mean()):.2f} %"
    return _figures(run, {"plain policy, targets masked": masked, **without_learning(problem, tasks, examined)})


def architectures(effort: Effort) -> Iterator[Trial]:
    """Table 5: the perceptron on the Bottle; what graphs do there is in Table 3."""
    if folder_of("Bottle-12") is None:
        return
    told = [
        f"{name} " + "{} steps, {} h, train {} %, test {} %".format(*TABLE_5[f"Bottle-12 {name}"])
        for name in ("perceptron", "published")
    ]
    measure = partial(_finished, published("Bottle-12"), "perceptron", 2, effort.compact_min, effort.examined)
    yield Trial("Table 5 Bottle-12, perceptron", effort.compact_min, measure, "", "; ".join(told))


def transfer(effort: Effort) -> Iterator[Row]:
    """The Bottle's policy on structures it was not trained on; the seed: 66 % of the Dog's training states."""
    others = [name for name in ("Tetris-14", "Tetris-17", "Dome-37") if folder_of(name) is not None]
    if folder_of("Bottle-12") is None or not others:
        return
    trained = learn(published("Bottle-12"), minutes=effort.compact_min, seed=effort.seeds[0])
    net = net_of(trained.policy)
    notes: dict[str, Any] = {"paper": f"{TRANSFERRED} % of the Dog's training states, which is not shared"}
    for name in others:
        problem = Problem.of(published(name), 2)
        starts = beams.start_states(problem, widths=(16, 1)).train
        notes[name] = f"{100 * float(finishes(Player(problem, net), starts).mean()):.1f} % of {len(starts)}"
    yield Row("transfer from Bottle-12", 1e3 * trained.cpu_s, notes=notes)
