"""A run: a net, its optimiser, what is known of the starts, and random numbers; one update after the other.

All that an update depends on is here and goes into a checkpoint. So a run that was cut off and resumed ends with the
same weights as one that was not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from falsework.learning.nets.making import make_net, weights_of
from falsework.learning.nets.policy_file import Shape, Weights
from falsework.learning.playing.player import Player
from falsework.learning.playing.rollouts import WON, Episode, episodes, finishes
from falsework.learning.problems.beams import Split, start_states, target_tasks
from falsework.learning.problems.labels import Labels
from falsework.learning.problems.problem import Problem, Situation
from falsework.learning.training.curricula import Starts
from falsework.learning.training.hindsight import hindsight
from falsework.learning.training.imitation import Lessons
from falsework.learning.training.ppo import batch_of, update
from falsework.learning.training.settings import Settings
from falsework.model.errors import BadInput

AGAIN = -1  # the number of the start of an episode that was learned from in hindsight
DROP = 0.1  # of the rate of learning, at each of `drops`


@dataclass(frozen=True, slots=True)
class Update:
    """What one update came to: losses, and of the episodes how many were won and how long they were."""

    policy_loss: float
    value_loss: float
    entropy: float
    won: float
    steps: float
    situations: int

    def as_dict(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in self.__slots__}


class Course:
    """One of the problems of a run: its starts, who plays it, and what was taught about it."""

    def __init__(self, problem: Problem, run_net: torch.nn.Module, settings: Settings, seed: int) -> None:
        self.player = Player(problem, run_net)
        self.split = _split(problem, settings, seed)
        if not self.split.train:
            raise BadInput("nothing can be learned here: no state that stands was found but the bare one")
        self.starts = Starts(self.split.train, settings)
        self.lessons = Lessons(Labels(problem), self.player)
        if settings.teacher == "labels":
            self.lessons.add(self.split.train)


class Run:
    """Trains one net on the starts of one problem or several, which take turns."""

    def __init__(self, problems: Sequence[Problem], settings: Settings, seed: int = 0) -> None:
        if settings.net == "perceptron" and len(problems) != 1:
            raise BadInput(
                f"net perceptron: found {len(problems)} assemblies; it is of one assembly, nets on graphs of many"
            )
        self.settings, self.seed, self.done = settings, seed, 0
        self.shape = Shape.usual(settings.net, len(problems[0].assembly.bodies))
        self.net = make_net(self.shape, seed)
        self.courses = [Course(problem, self.net, settings, seed) for problem in problems]
        self.optimiser = torch.optim.Adam(self.net.parameters(), settings.rate, settings.momenta, fused=True)
        self.rng = np.random.default_rng([seed, 7])

    def update(self) -> Update:
        """Play and learn once."""
        course = self.courses[self.done % len(self.courses)]
        for group in self.optimiser.param_groups:
            group["lr"] = self.settings.rate * DROP ** sum(self.done >= drop for drop in self.settings.drops)
        found = self._play(course) if self.settings.teacher == "play" else self._imitate(course)
        self.done += 1
        return found

    def _play(self, course: Course) -> Update:
        played = episodes(course.player, course.starts.drawn(self.settings.rollouts, self.rng), self.rng)
        again = hindsight(course.player, played) if self.settings.tasks == "targets" else []
        for one in again:
            one.start = AGAIN
        batch = batch_of([*played, *again], self.settings)
        found = update(course.player, self.optimiser, batch, self.settings, self.rng)
        losses: dict[int, list[float]] = {}
        for start, loss in zip(batch.start.tolist(), found.by_step.tolist(), strict=True):
            if start != AGAIN:
                losses.setdefault(start, []).append(loss)
        rewards: dict[int, list[float]] = {}
        for one in played:
            rewards.setdefault(one.start, []).append(one.reward)
        course.starts.learned(losses, rewards)
        return Update(found.policy, found.value, found.entropy, *_outcome(played), len(batch.situations))

    def _imitate(self, course: Course) -> Update:
        played: list[Episode] = []
        if self.settings.teacher == "relabel":
            played = episodes(course.player, course.starts.drawn(self.settings.rollouts, self.rng), self.rng)
            course.lessons.visited(played)
            course.starts.learned(
                {one.start: [-one.reward] for one in played}, {one.start: [one.reward] for one in played}
            )
        loss = np.mean(
            [course.lessons.epoch(self.optimiser, self.settings, self.rng) for _ in range(self.settings.epochs)]
        )
        return Update(float(loss), 0.0, 0.0, *_outcome(played), len(course.lessons.situations))

    def outcomes(self, which: str, most: int | None = None) -> list[tuple[Course, Situation, bool]]:
        """The starts, "train" or "test", and whether first choices finish them; at most so many, evenly chosen."""
        found: list[tuple[Course, Situation, bool]] = []
        for course in self.courses:
            starts: Sequence[Situation] = getattr(course.split, which)
            if not starts:
                continue
            numbers = (
                np.unique(np.linspace(0, len(starts) - 1, most).round().astype(int)) if most else range(len(starts))
            )
            chosen = [starts[n] for n in numbers]
            fine = finishes(course.player, chosen).tolist()
            found += zip([course] * len(chosen), chosen, fine, strict=True)
        return found

    def accuracy(self, which: str, most: int | None = None) -> float:
        """Share of the starts that first choices finish (the seed's accuracy); NaN where there are none."""
        return share([fine for _, _, fine in self.outcomes(which, most)])

    def weights(self) -> Weights:
        return weights_of(self.net)

    def state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a checkpoint keeps: arrays by name, and what JSON can hold."""
        arrays: dict[str, Any] = {f"net/{name}": values for name, values in self.weights().items()}
        for n, moments in self.optimiser.state_dict()["state"].items():
            arrays |= {f"adam/{n}/{name}": np.array(values.numpy()) for name, values in moments.items()}
        for n, course in enumerate(self.courses):
            arrays |= {f"starts/{n}/{name}": values for name, values in course.starts.state().items()}
        taught = [[list(here) for here in course.lessons.situations] for course in self.courses]
        return arrays, {"done": self.done, "random": self.rng.bit_generator.state, "taught": taught}

    def restore(self, arrays: dict[str, Any], kept: dict[str, Any]) -> None:
        """As `state` gave it."""
        self.net.load_state_dict(
            {name[4:]: torch.from_numpy(values.copy()) for name, values in arrays.items() if name.startswith("net/")}
        )
        moments: dict[int, dict[str, torch.Tensor]] = {}
        for name, values in arrays.items():
            if name.startswith("adam/"):
                _, number, moment = name.split("/")
                moments.setdefault(int(number), {})[moment] = torch.from_numpy(values.copy())
        self.optimiser.load_state_dict(self.optimiser.state_dict() | {"state": moments})
        for n, course in enumerate(self.courses):
            names = course.starts.state()
            course.starts.restore({name: arrays[f"starts/{n}/{name}"] for name in names})
            course.lessons.add(Situation(*here) for here in kept["taught"][n])
        self.done, self.rng.bit_generator.state = kept["done"], kept["random"]


def _split(problem: Problem, settings: Settings, seed: int) -> Split:
    """Where to begin; whoever learns targets learns to take everything apart, too, and is examined on targets."""
    if settings.curriculum == "none":
        return Split((problem.complete(),), ())
    states = start_states(problem, seed, settings.widths)
    if settings.tasks == "states":
        return states
    targets = target_tasks(problem, seed, settings.widths)
    return Split((*states.train, *targets.train), targets.test)


def share(found: Sequence[bool]) -> float:
    return float(np.mean(found)) if len(found) else float("nan")


def _outcome(played: Sequence[Episode]) -> tuple[float, float]:
    """The share that was won, and the mean number of steps."""
    if not played:
        return float("nan"), 0.0
    return float(np.mean([one.reward == WON for one in played])), float(np.mean([len(one.actions) for one in played]))
