"""From which starts to play next: an order in which tasks become harder, or the ones that went badly first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from falsework.learning.problems.problem import Situation
from falsework.learning.training.settings import Settings
from falsework.model.arrays import Array

KEPT = 0.7  # of what is known about a start when it is played again
AHEAD = 0.5  # of the episodes of a rising curriculum begin with as many parts as there may be, as long as it rises


class Starts:
    """The training starts, what is known of each, and how the next ones are drawn.

    ranked  first all that were never played, fewer steps first; then by rank of the loss of their last episodes,
            with chances 1 / rank^0.8 (the seed's code)
    rising  among those with at most so many parts to go, which rises whenever most of the hardest are won (its text)
    """

    def __init__(self, starts: Sequence[Situation], settings: Settings) -> None:
        self.starts, self._settings = tuple(starts), settings
        left = [(here.installed & ~here.target).bit_count() for here in starts]
        self.left = np.array(left)
        steps = [2 * to_go - (here.held & ~here.target).bit_count() for to_go, here in zip(left, starts, strict=True)]
        self._by_steps = np.argsort(steps, kind="stable")
        self.loss = np.full(len(starts), np.nan)  # NaN: never played
        self.won = np.zeros(len(starts))  # running share of episodes won
        self.limit = int(self.left.min(initial=1))

    def drawn(self, count: int, rng: np.random.Generator) -> list[tuple[int, Situation]]:
        """So many starts with their numbers."""
        if self._settings.curriculum == "none":
            chosen = [int(self.left.argmax())] * count
        elif self._settings.curriculum == "rising":
            chosen = self._rising(count, rng)
        else:
            chosen = self._ranked(count, rng)
        return [(n, self.starts[n]) for n in chosen]

    def _ranked(self, count: int, rng: np.random.Generator) -> list[int]:
        new = [int(n) for n in self._by_steps if np.isnan(self.loss[n])][:count]
        rest = count - len(new)
        known = np.flatnonzero(~np.isnan(self.loss))
        if not rest or not len(known):
            return new or rng.integers(len(self.starts), size=count).tolist()
        worst_first = known[np.argsort(-self.loss[known], kind="stable")]
        chances = np.arange(1, len(known) + 1) ** -self._settings.rank_power
        return [*new, *rng.choice(worst_first, size=rest, p=chances / chances.sum()).tolist()]

    def _rising(self, count: int, rng: np.random.Generator) -> list[int]:
        hardest, all_of_them = np.flatnonzero(self.left == self.limit), np.flatnonzero(self.left <= self.limit)
        ahead = round(AHEAD * count) if self.limit < self.left.max() and len(hardest) else 0
        return [*rng.choice(hardest, ahead).tolist(), *rng.choice(all_of_them, count - ahead).tolist()]

    def learned(self, losses: Mapping[int, Sequence[float]], rewards: Mapping[int, Sequence[float]]) -> None:
        """What an update found, by the number of the start: losses of its episodes, and how they ended."""
        hardest: list[float] = []
        for n, found in losses.items():
            self.loss[n] = float(np.mean(found))
            wins = float(np.mean([reward > 0 for reward in rewards[n]]))
            self.won[n] = KEPT * self.won[n] + (1.0 - KEPT) * wins
            if self.left[n] == self.limit:
                hardest.append(wins)
        if hardest and np.mean(hardest) >= self._settings.raise_at:
            harder = self.left[self.left > self.limit]
            self.limit = int(harder.min()) if len(harder) else self.limit

    def state(self) -> dict[str, Array]:
        """What a checkpoint has to keep."""
        return {"loss": self.loss, "won": self.won, "limit": np.array([self.limit], dtype=float)}

    def restore(self, state: Mapping[str, Array]) -> None:
        self.loss, self.won, self.limit = state["loss"].copy(), state["won"].copy(), int(state["limit"][0])
