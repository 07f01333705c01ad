"""A trained policy: read from its file, asked about states of any assembly that its net can read.

Whatever it says only orders what a search tries, or is checked by the oracle before it counts. So the worst that a bad
policy can do is to cost time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from falsework.geometry.contacts.interfaces import interfaces
from falsework.learning.nets.making import net_of
from falsework.learning.nets.policy_file import PolicyFile, read_policy
from falsework.learning.playing.player import Player
from falsework.learning.problems.problem import HOLD, REMOVE, Problem, Situation
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.planning.search.selectors import Learned

ROBOTS = 2  # where a file does not say with how many it was trained
IMPOSSIBLE = -1e6  # the score of what cannot be done


class Policy:
    """The net of a policy file, bound to the assemblies that it is asked about.

    As a `planning.search.selectors.Policy`, it scores the removal of candidates: by how likely it is that the policy
    takes hold of the part and then takes it away, or only the latter where it is held.

    >>> import falsework
    >>> arch = falsework.load("examples/arch.yaml")
    >>> policy = Policy(falsework.learn(arch, updates=1).policy)
    >>> falsework.plan(arch, selector=Learned(policy), paths="none").status
    'complete'
    """

    def __init__(self, file: PolicyFile, path: str | os.PathLike[str] = "policy") -> None:
        self.file, self._path = file, path
        self._net = net_of(file, Path(path))
        robots = file.about.get("robots", ROBOTS)
        self.robots = robots if isinstance(robots, int) and robots >= 1 else ROBOTS
        self._players: dict[int, tuple[Assembly, Player]] = {}

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Policy:
        """From a file that `falsework learn` wrote; `BadFile` for anything else."""
        return Policy(read_policy(Path(path)), path)

    def player(self, assembly: Assembly, joints: Interfaces | None = None) -> Player:
        """Bound to an assembly; made once for each."""
        known = self._players.get(id(assembly))
        if known is None:
            problem = Problem.of(assembly, self.robots, joints=interfaces(assembly) if joints is None else joints)
            try:
                player = Player(problem, self._net)
            except BadInput as why:
                raise BadInput(f"{self._path}: {why}") from why
            known = self._players[id(assembly)] = (assembly, player)
        return known[1]

    def __call__(self, assembly: Assembly, state: State, candidates: Sequence[int]) -> Array:
        player = self.player(assembly)
        here = Situation(state.installed | player.problem.bare, state.held & ~player.problem.bare, player.problem.bare)
        held = [part for part in candidates if here.held >> part & 1]
        loose = [part for part in candidates if not here.held >> part & 1]
        taken = [here._replace(held=here.held | 1 << part) for part in loose]
        chances, _ = player.logits([here, *taken])
        scores = dict.fromkeys(candidates, IMPOSSIBLE)
        for part in held:
            scores[part] = float(chances[0, 2 * part + REMOVE])
        for row, part in zip(chances[1:], loose, strict=True):
            scores[part] = float(chances[0, 2 * part + HOLD] + row[2 * part + REMOVE])
        told: Array = np.maximum(np.array([scores[part] for part in candidates]), IMPOSSIBLE)
        return told


def policy_selector(path: str | os.PathLike[str]) -> Learned:
    """A selector for `falsework.plan`, from a policy file: likeliest first."""
    return Learned(Policy.read(path))
