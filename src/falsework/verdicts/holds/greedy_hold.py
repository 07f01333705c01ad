"""Seed 001's greedy rule for which parts to hold (IV-C, Algorithm 2), with equilibrium in place of simulation.

Nothing held at first; while it falls, hold what falls and start again; give up beyond `most` parts. What falls first
is told by the accelerations of seed 002, eq. 14: from rest, the part that accelerates most is the first to have moved
by any distance. The paper holds that part (`first`); its public code holds the heaviest part of each group of fallen
parts that touch (`heaviest`). Neither need find a set where there is one: `hands` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Motion
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.outcome import Wanted
from falsework.verdicts.holds.fewest_hands import MOST_HANDS

Rule = Literal["first", "heaviest"]
TIE = 1e-6  # parts whose accelerations differ by less move at the same time: the first in part order counts
FALLEN = 1e-3  # of the largest acceleration


@dataclass(frozen=True, slots=True)
class GreedyHolding:
    """What the rule ended with."""

    held: int | None  # mask of the parts it holds; None: it gave up
    checks: int
    undecided: bool = False  # it gave up because a check was


def greedy_held(equilibrium: Equilibrium, state: State, most: int = MOST_HANDS, rule: Rule = "first") -> GreedyHolding:
    """The parts that Algorithm 2 holds so that a state stands."""
    held, checks = 0, 0
    while held.bit_count() <= most:
        now = State(state.installed, state.held | held, state.gravity, state.loads)
        ruling = equilibrium.rule(now, Wanted(accelerations=True))
        checks += 1
        if ruling.answer == "stable":
            return GreedyHolding(held, checks)
        if not isinstance(ruling.certificate, Motion):
            return GreedyHolding(None, checks, undecided=True)
        speeds = np.linalg.norm(ruling.certificate.twists[:, :3], axis=1)
        held |= _first(speeds) if rule == "first" else _heaviest(equilibrium, speeds)
    return GreedyHolding(None, checks)


def _first(speeds: Array) -> int:
    """The part that has moved farthest from rest, as a mask."""
    return 1 << int(np.flatnonzero(speeds >= (1 - TIE) * speeds.max())[0])


def _heaviest(equilibrium: Equilibrium, speeds: Array) -> int:
    """The heaviest part of each group of fallen parts that touch, as a mask."""
    fallen = speeds > FALLEN * speeds.max()
    masses = equilibrium.assembly.masses_kg
    groups = _groups(equilibrium.joints, fallen)
    chosen = [max(np.flatnonzero(groups == group), key=lambda body: masses[body]) for group in set(groups[fallen])]
    return sum(1 << int(body) for body in chosen)


def _groups(joints: Interfaces, fallen: Bools) -> Ints:
    """(bodies,) the lowest number among the fallen bodies that each touches, directly or through others."""
    pairs = np.concatenate([joints.patches.bodies, joints.clutches.bodies, joints.hinges.bodies])
    pairs = pairs[fallen[pairs].all(axis=1)]
    labels = np.arange(len(fallen))
    while len(pairs):
        lowest = labels[pairs].min(axis=1)
        if (labels[pairs] == lowest[:, None]).all():
            break
        np.minimum.at(labels, pairs.ravel(), np.repeat(lowest, 2))
    return labels
