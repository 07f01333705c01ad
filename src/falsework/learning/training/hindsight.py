"""Hindsight (seed 002, 5.3): an episode that failed has still taken parts away properly, down to where it got."""

from __future__ import annotations

from collections.abc import Sequence

from falsework.learning.playing.player import Player
from falsework.learning.playing.rollouts import WON, Episode
from falsework.learning.problems.problem import REMOVE


def hindsight(player: Player, played: Sequence[Episode]) -> list[Episode]:
    """Lost episodes, each once more as if what it left standing had been its target.

    It ends with the last part that it took away. Other targets make other chances: they are asked for anew, so that to
    the optimiser these are episodes of the present policy.
    """
    anew = []
    for one in played:
        steps = len(one.seen) - 1  # the last action of a lost episode led nowhere
        while steps and one.actions[steps - 1] % 2 != REMOVE:
            steps -= 1
        if one.reward < 0 and steps:
            target = one.seen[steps].installed
            seen = [here._replace(target=target) for here in one.seen[: steps + 1]]
            anew.append(Episode(one.start, seen, one.actions[:steps], [], [], WON))
    if anew:
        _judge(player, anew)
    return anew


def _judge(player: Player, anew: Sequence[Episode]) -> None:
    logits, values = player.logits([here for one in anew for here in one.seen[:-1]])
    at = 0
    for one in anew:
        for action in one.actions:
            one.log_probabilities.append(float(logits[at, action]))
            one.values.append(float(values[at]))
            at += 1
