"""The generalist as a guide: the weights that ship, or others, evaluated by numpy for any assembly; needs no torch."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from falsework.geometry.contacts.interfaces import interfaces
from falsework.learning.generalist.course_costs import holds_of
from falsework.learning.generalist.numpy_net import Floats, NumpyNet, weight_shapes
from falsework.learning.graphs.contact_graph import contact_graph
from falsework.learning.graphs.imagining import IMAGINED_FEATURES, Imagined
from falsework.learning.nets.policy_file import PolicyFile, fits, read_policy
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.bits import bits, flags_of
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.state import State

WEIGHTS = Path(__file__).parent / "generalist.safetensors"
HOLD, REMOVE = 0, 1
AT_ONCE = 256  # states of one pass
READS_ANY = {"compact": 0, "foreseeing": len(IMAGINED_FEATURES)}  # kinds of nets, with how many features more


class Generalist:
    """A `Guide` for one assembly.

    >>> import falsework
    >>> arch = falsework.load("examples/arch.yaml")
    >>> falsework.plan(arch, guide=generalist(arch)).status
    'complete'
    """

    def __init__(self, assembly: Assembly, joints: Interfaces, policy: PolicyFile) -> None:
        if policy.shape.kind not in READS_ANY:
            kinds = " or ".join(READS_ANY)
            raise BadInput(f"a guide is a net of kind {kinds}, which reads any assembly; found {policy.shape.kind}")
        self.assembly = assembly
        imagined = Imagined(assembly, joints) if policy.shape.kind == "foreseeing" else None
        self._net = NumpyNet(policy.weights, contact_graph(assembly, joints), imagined)
        self._fixed, self._bodies = assembly.fixed_mask(), len(assembly.bodies)
        self._known: dict[tuple[int, int], Floats] = {}

    def logits(self, states: Sequence[State]) -> tuple[Floats, Floats]:
        """(states, bodies, 2) of holding and removing, and (states,) how much they are worth."""
        found = [self._asked(states[begin : begin + AT_ONCE]) for begin in range(0, len(states), AT_ONCE)]
        return np.concatenate([one for one, _ in found]), np.concatenate([one for _, one in found])

    def _asked(self, states: Sequence[State]) -> tuple[Floats, Floats]:
        installed = flags_of([state.installed | self._fixed for state in states], self._bodies)
        held = flags_of([state.held & ~self._fixed for state in states], self._bodies)
        target = flags_of([self._fixed] * len(states), self._bodies)
        return self._net(installed, held, target)

    def scores(self, state: State, moves: Sequence[tuple[int, State]]) -> Array:
        """The higher the likelier: by taking hold of the part, or removing it where it is held already."""
        key = state.installed, state.held
        if key not in self._known:
            if len(self._known) > 10_000:
                self._known.clear()
            self._known[key] = self.logits([state])[0][0]
        logits = self._known[key]
        return np.array([self._score(logits, state, parts, after) for parts, after in moves])

    def _score(self, logits: Floats, state: State, parts: int, after: State) -> float:
        removed = [logits[part, REMOVE if state.held >> part & 1 else HOLD] for part in bits(parts)]
        taken = [logits[part, HOLD] for part in bits(after.held & ~state.held)]
        return float(sum(removed) + sum(taken)) / max(len(removed) + len(taken), 1)

    def cost_to_go(self, states: Sequence[State]) -> Array:
        """About how many holds are still to be paid for."""
        return holds_of(self.logits(states)[1].astype(float)) if states else np.zeros(0)


def generalist(
    assembly: Assembly, joints: Interfaces | None = None, policy: str | os.PathLike[str] | None = None
) -> Generalist:
    """The one that ships, or that of a policy file, for an assembly."""
    found = interfaces(assembly) if joints is None else joints
    return Generalist(assembly, found, _read(str(WEIGHTS if policy is None else policy)))


@cache
def _read(path: str) -> PolicyFile:
    policy = read_policy(path)
    if policy.shape.kind in READS_ANY:
        fits(policy, weight_shapes(policy.shape.layers, policy.shape.width, READS_ANY[policy.shape.kind]), path)
    return policy
