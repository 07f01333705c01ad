"""Many states at a time: one call solves them, the referee judges them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from falsework.model.arrays import Array
from falsework.model.bits import masks_of
from falsework.model.state import State
from falsework.model.verdict import MOTION_POWER, Answer, Motion
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.outcome import Wanted
from falsework.statics.proofs.referee import STILL, Judgement


@dataclass(frozen=True, slots=True)
class Finding:
    """What was proved about one state; for `unstable` the bodies whose motion alone proves it."""

    answer: Answer
    moving: int = 0
    motion: Motion | None = field(default=None, compare=False, repr=False)  # of clutches, where it was solved now


STABLE = Finding("stable")


@lru_cache(maxsize=4096)
def falling(moving: int) -> Finding:
    """That bodies fall; the same few sets of them fall again and again."""
    return Finding("unstable", moving)


def findings(equilibrium: Equilibrium, states: Sequence[State]) -> list[Finding]:
    """What is proved about each state, as `Equilibrium.assess` would prove it one by one."""
    if not equilibrium.has_contacts_only:
        return [_alone(equilibrium, state) for state in states]
    found: dict[int, Finding] = {}
    by_gravity: dict[tuple[float, float, float] | None, list[int]] = {}
    for n, state in enumerate(states):
        by_gravity.setdefault(state.gravity, []).append(n)
    for members in by_gravity.values():
        alike = [states[n] for n in members]
        found.update(zip(members, proved(equilibrium, alike, equilibrium.prove(alike)), strict=True))
    return [found[n] for n in range(len(states))]


def proved(equilibrium: Equilibrium, states: list[State], judgement: Judgement) -> list[Finding]:
    """What first proposals prove of states; where they prove nothing, what others do."""
    stands, moving = judgement
    return [
        falling(mask) if mask else STABLE if stood else _alone(equilibrium, state)
        for mask, stood, state in zip(moving, stands.tolist(), states, strict=True)
    ]


def _alone(equilibrium: Equilibrium, state: State) -> Finding:
    ruling = equilibrium.rule(state, Wanted(any_motion=True))
    if not isinstance(ruling.certificate, Motion):
        return Finding(ruling.answer)
    motion = _cut(equilibrium, state, ruling.certificate)
    return Finding(ruling.answer, _moving(motion.twists) & state.free(equilibrium.assembly), motion)


def _cut(equilibrium: Equilibrium, state: State, motion: Motion) -> Motion:
    """The motion of the fewest bricks that proves a fall: those that hardly move rest, and joints slip the more."""
    clutches, referee, strengths = equilibrium.compiled_clutches, equilibrium.referee, equilibrium.strengths()
    if clutches is None:
        return motion
    moving = _moving(motion.twists)
    for share in reversed(STILL[1:]):
        twists = np.where(referee.faster(motion.twists, share)[:, None], motion.twists, 0.0)
        if _moving(twists) != moving:
            cut = clutches.slipping(state, twists)
            if cut is not None and referee.motion_power(state, cut, strengths) >= MOTION_POWER:
                return cut
    return motion


def _moving(twists: Array) -> int:
    """The bodies that move at all, as bits."""
    return masks_of((twists[None] != 0.0).any(axis=2))[0]
