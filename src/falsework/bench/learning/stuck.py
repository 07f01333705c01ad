"""What cannot be learned: plain PPO from the whole (Fig. 6), and parts that lock each other (7.3)."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from falsework.bench.learning.efforts import PLAIN_STEPS, VAULT_STEPS, Effort, vault
from falsework.bench.rows import Row
from falsework.gallery.registry import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.removal import StraightRemovals
from falsework.learning.problems.problem import Problem
from falsework.learning.problems.without_learning import searched
from falsework.learning.training.learn import learn
from falsework.learning.training.run import Run
from falsework.learning.training.settings import Settings

ROLLOUTS = 64  # of plain PPO, as its text has it


def plain_ppo(effort: Effort) -> Iterator[Row]:
    """Fig. 6: a perceptron, always from the complete vault; how many actions episodes take until they are lost."""
    problem = Problem.of(vault(), 2)
    settings = Settings(net="perceptron", curriculum="none", rollouts=ROLLOUTS)
    run = Run([problem], settings, effort.seeds[0])
    begun = time.process_time()
    lengths, won = [], []
    while time.process_time() - begun < 60.0 * effort.compact_min:
        found = run.update()
        lengths.append(found.steps)
        won.append(found.won)
    movable = (problem.whole & ~problem.bare).bit_count()
    wins = f"{100 * float(np.mean(won[-3:])):.1f} %"
    notes = {
        "updates": len(lengths),
        "actions at first": round(float(np.mean(lengths[:3])), 1),
        "actions at last": round(float(np.mean(lengths[-3:])), 1),
        "actions needed": 2 * movable,
        "episodes won": wins,
        "paper": f"stuck at {PLAIN_STEPS} of at least {VAULT_STEPS} actions",
    }
    case = f"Fig. 6: plain PPO on a vault of {movable} stones"
    yield Row(case, 1e3 * (time.process_time() - begun), notes=notes, target="none won", figure=wins)


def blocked_parts(effort: Effort) -> Iterator[Row]:
    """7.3: with removals masked that no straight line allows, a bird house is learned; a deadlock is told as one."""
    house = make("bird-house")
    trained = learn(house, minutes=effort.compact_min, seed=effort.seeds[0], paths="straight")
    notes = {"updates": trained.updates, "paper": "Bird House solved, Bookshelf deadlocked"}
    figure = f"{100 * trained.train_accuracy:.1f} % of {trained.train_states} states"
    yield Row("7.3 bird house, paths masked", 1e3 * trained.cpu_s, notes=notes, target="solved", figure=figure)
    shelf = make("locked-bookshelf")
    joints = interfaces(shelf)
    problem = Problem.of(shelf, 2, joints=joints, removals=StraightRemovals(shelf, joints))
    begun = time.process_time()
    solved = searched(problem, problem.complete())
    told = {None: "undecided", True: "can be taken apart", False: "deadlock, proved by search"}[solved]
    took_ms = 1e3 * (time.process_time() - begun)
    yield Row("7.3 locked bookshelf", took_ms, notes={"parts": problem.parts}, target="deadlock", figure=told)
