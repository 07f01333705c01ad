"""Proximal policy optimisation with masked actions: what is learned from a batch of episodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from falsework.learning.playing.player import Player
from falsework.learning.playing.rollouts import Episode
from falsework.learning.problems.problem import Situation
from falsework.learning.training.settings import Settings
from falsework.model.arrays import Array, Ints
from falsework.model.errors import BadInput

LEAST_SPREAD = 0.2  # of advantages: what differs less is not made larger, it is noise of values where all is won


class Batch(NamedTuple):
    """Steps of many episodes, and the distinct situations they were taken in."""

    situations: list[Situation]
    where: Ints  # (steps,) number of the situation
    actions: Ints
    log_probabilities: Array
    advantages: Array
    returns: Array
    entropy: Array  # (steps,) how much the spread of choices is worth
    start: Ints  # (steps,) number of the start of the episode


@dataclass(frozen=True, slots=True)
class Learned:
    """Of one update: mean losses, and the surrogate loss of every step in the last epoch."""

    policy: float
    value: float
    entropy: float
    by_step: Array


def batch_of(played: Sequence[Episode], settings: Settings) -> Batch:
    """Generalised advantages; the only reward is the last one."""
    numbers: dict[Situation, int] = {}
    steps: list[tuple[float, ...]] = []
    for one in played:
        last = len(one.actions) - 1
        advantage, following = 0.0, 0.0
        rows = []
        for n in range(last, -1, -1):
            reward = one.reward if n == last else 0.0
            surprise = reward + settings.discount * following - one.values[n]
            advantage = surprise + settings.discount * settings.trace * advantage
            following = one.values[n]
            at = numbers.setdefault(one.seen[n], len(numbers))
            worth = settings.entropy if one.reward > 0 else settings.most_entropy
            rows.append(
                (at, one.actions[n], one.log_probabilities[n], advantage, advantage + following, worth, one.start)
            )
        steps += reversed(rows)
    table = np.array(steps, dtype=float).reshape(-1, 7)
    where, actions, start = (table[:, n].astype(np.int64) for n in (0, 1, 6))
    return Batch(list(numbers), where, actions, table[:, 2], table[:, 3], table[:, 4], table[:, 5], start)


def update(
    player: Player, optimiser: torch.optim.Optimizer, batch: Batch, settings: Settings, rng: np.random.Generator
) -> Learned:
    """Several passes over the batch, in an order that `rng` gives.

    Many steps are taken in the same few situations. A minibatch is so many situations with all the steps taken in
    them, so that each goes through the net once a pass.
    """
    rows, allowed = player.tensors(batch.situations)
    advantages = (batch.advantages - batch.advantages.mean()) / max(batch.advantages.std(), LEAST_SPREAD)
    given = [_float(column) for column in (batch.log_probabilities, advantages, batch.returns, batch.entropy)]
    actions, by_step, sums = torch.from_numpy(batch.actions), np.zeros(len(batch.where)), np.zeros(4)
    for _ in range(settings.epochs):
        for distinct, steps, which in _minibatches(batch.where, len(batch.situations), settings.minibatch, rng):
            logits, values = player.judged(rows[:, distinct], allowed[distinct])
            chances = torch.log_softmax(logits, 1)
            spread = -(chances.exp() * chances).sum(1)[which]
            before, advantage, wanted, worth = (column[steps] for column in given)
            ratio = torch.exp(chances[which, actions[steps]] - before)
            bounded = ratio.clamp(1 - settings.clip, 1 + settings.clip)
            surrogate = -torch.minimum(ratio * advantage, bounded * advantage)
            value_loss = (values[which] - wanted) ** 2
            loss = (surrogate + settings.value_weight * value_loss - worth * spread).mean()
            step(optimiser, player.net, loss, settings)
            by_step[steps.numpy()] = (surrogate + settings.value_weight * value_loss).detach().numpy()
            means = [surrogate.mean().item(), value_loss.mean().item(), spread.mean().item(), 1.0]
            sums += len(steps) * np.array(means)
    policy, value, entropy = (sums[:3] / sums[3]).tolist()
    return Learned(policy, value, entropy, by_step)


def _minibatches(
    where: Ints, situations: int, size: int, rng: np.random.Generator
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Numbers of situations, of the steps taken in them, and for each step the place of its situation among these."""
    order = rng.permutation(situations)
    place = np.empty(situations, dtype=np.int64)
    place[order] = np.arange(situations)
    steps = np.argsort(place[where], kind="stable")
    for begin in range(0, situations, size):
        chosen = steps[slice(*np.searchsorted(place[where[steps]], [begin, begin + size]))]
        few = order[begin : begin + size]
        yield torch.from_numpy(few), torch.from_numpy(chosen), torch.from_numpy(place[where[chosen]] - begin)


def step(optimiser: torch.optim.Optimizer, net: nn.Module, loss: Tensor, settings: Settings) -> None:
    """One step down the gradient, cut where it is too steep; a loss that is no number ends the run."""
    if not torch.isfinite(loss):
        raise BadInput(
            "the loss is no number any more; use a smaller rate, or another seed; the last checkpoint is kept"
        )
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(net.parameters(), settings.steepest)
    optimiser.step()


def _float(column: Array) -> Tensor:
    return torch.from_numpy(column.astype(np.float32))
