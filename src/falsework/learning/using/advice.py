"""What now? A policy's answer for thousands of states at once, each checked by the oracle before it counts.

First choices of all states are judged in one pass of the net and one batch of the oracle; where one falls, the next
likely one is tried, up to `tries`. An answer that is not `safe` is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from falsework.learning.nets.present import ABSENT
from falsework.learning.playing.player import Player
from falsework.learning.problems.problem import REMOVE, Situation
from falsework.model.errors import BadInput
from falsework.model.state import State

TRIES = 4


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do next: take hold of a part, take one away, nothing (all is done), or no answer.

    `safe`: the oracle has proved that what is left stands. `tries` counts choices that were looked at.

    >>> Advice("remove", "keystone", safe=True, tries=1).part
    'keystone'
    """

    does: Literal["hold", "remove", "done", "none"]
    part: str = ""
    safe: bool = False
    tries: int = 0


def advise(player: Player, states: Sequence[State], tries: int = TRIES) -> list[Advice]:
    """The next action in each state, if one of the likeliest few is safe.

    >>> import falsework
    >>> arch = falsework.load("examples/arch.yaml")
    >>> trained = falsework.learn(arch, updates=1)
    >>> from falsework.learning.using.policy import Policy
    >>> advise(Policy(trained.policy).player(arch), [State.complete(arch)])[0].does
    'hold'
    """
    problem = player.problem
    every = problem.whole
    for state in states:
        if state.installed & ~every or state.gravity is not None or state.loads is not None:
            raise BadInput("advice is for states of this assembly as it lies, without loads of their own")
    asked = [Situation(state.installed | problem.bare, state.held & ~problem.bare, problem.bare) for state in states]
    given: list[Advice] = [Advice("done", safe=True) if problem.finished(here) else Advice("none") for here in asked]
    open_ones = [n for n, here in enumerate(asked) if not problem.finished(here)]
    if not open_ones:
        return given
    chances, _ = player.logits([asked[n] for n in open_ones])
    likeliest = np.argsort(-chances, axis=1, kind="stable")[:, :tries]
    rows = dict(zip(open_ones, range(len(open_ones)), strict=True))
    for rank in range(min(tries, chances.shape[1])):
        choices = [(n, int(likeliest[rows[n], rank])) for n in open_ones]
        choices = [(n, action) for n, action in choices if chances[rows[n], action] > 0.5 * ABSENT]
        stands = problem.stand([problem.after(asked[n], action) for n, action in choices])
        for (n, action), fine in zip(choices, stands, strict=True):
            does: Literal["hold", "remove"] = "remove" if action % 2 == REMOVE else "hold"
            if fine:
                given[n] = Advice(does, problem.assembly.names[action // 2], True, rank + 1)
        open_ones = [n for n in open_ones if not given[n].safe]
        if not open_ones:
            break
    return given
