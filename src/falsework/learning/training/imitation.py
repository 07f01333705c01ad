"""Learning from exact labels: make right actions likely, whichever of them.

The loss of a situation is −log of the chance that the policy does something right there, so nothing is said about
which of several right actions it should prefer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch

from falsework.learning.nets.present import ABSENT
from falsework.learning.playing.player import Player
from falsework.learning.playing.rollouts import Episode
from falsework.learning.problems.labels import Labels
from falsework.learning.problems.problem import Situation
from falsework.learning.training.ppo import step
from falsework.learning.training.settings import Settings
from falsework.model.arrays import Bools


class Lessons:
    """Situations with labels, in the order in which they came."""

    def __init__(self, labels: Labels, player: Player) -> None:
        self._labels, self._player = labels, player
        self.situations: list[Situation] = []
        self._known: set[Situation] = set()
        self._right: list[Bools] = []

    def add(self, many: Iterable[Situation]) -> int:
        """Those that are new, can be finished and are not; how many that were."""
        problem = self._player.problem
        new = [here for here in dict.fromkeys(many) if here not in self._known and not problem.finished(here)]
        self._known.update(new)
        fit = [here for here, fine in zip(new, self._labels.solvable(new), strict=True) if fine]
        self.situations += fit
        self._right += list(self._labels.right(fit))
        return len(fit)

    def visited(self, played: Sequence[Episode]) -> int:
        """Whatever episodes got into (DAgger)."""
        return self.add(here for one in played for here in one.seen)

    def epoch(self, optimiser: torch.optim.Optimizer, settings: Settings, rng: np.random.Generator) -> float:
        """One pass over all of them in a random order; the mean loss."""
        rows, allowed = self._player.tensors(self.situations)
        right = torch.from_numpy(np.array(self._right))
        total = 0.0
        for few in torch.split(torch.from_numpy(rng.permutation(len(self.situations))), settings.minibatch):
            logits, _ = self._player.judged(rows[:, few], allowed[few])
            fine = torch.logsumexp(torch.where(right[few], logits, ABSENT), 1)
            loss = (torch.logsumexp(logits, 1) - fine).mean()
            step(optimiser, self._player.net, loss, settings)
            total += float(loss.detach()) * len(few)
        return total / max(len(self.situations), 1)
