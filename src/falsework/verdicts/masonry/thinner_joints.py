"""The geometric factor of safety: how much thinner all joints could be (Heyman 1966).

Every contact is drawn together about its middle; a smaller one bears only what a larger one bears too, so a bracket
closes in on the least share of the thickness with which there are forces, both ends certified. Its inverse is the
factor of safety. Weights stay what they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from falsework.model.interfaces import Interfaces, Patches
from falsework.model.state import State
from falsework.model.verdict import Answer
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.limits.bracket import Bracket, narrowed

RELATIVE = 1e-5  # width of the bracket
SMALLEST = 1e-6  # share of a joint that is as good as none


@dataclass(frozen=True, slots=True)
class Thinnest:
    """The least share of every joint's thickness with which a state stands.

    >>> import falsework
    >>> falsework.margins("examples/arch.yaml", only="thickness").thickness.factor > 1
    True
    """

    share: Bracket  # stands = SMALLEST: joints could be points; falls None: no smaller share certainly falls

    @property
    def factor(self) -> float | None:
        """The geometric factor of safety, as far as it is certain; None where it does not stand."""
        return None if self.share.stands is None else 1.0 / self.share.stands


def thinnest_joints(equilibrium: Equilibrium, state: State, relative: float = RELATIVE) -> Thinnest:
    """How thin all joints could be at once."""

    def answer(share: float) -> Answer:
        joints = thinner(equilibrium.joints, share)
        return Equilibrium(equilibrium.assembly, joints, compiled=equilibrium.is_compiled).assess(state).answer

    now = equilibrium.assess(state).answer
    if now != "stable":
        return Thinnest(Bracket(None, 1.0 if now == "unstable" else None))
    told = answer(SMALLEST)
    if told != "unstable":
        return Thinnest(Bracket(SMALLEST if told == "stable" else 1.0, None))
    return Thinnest(narrowed(answer, 1.0, SMALLEST, relative))


def thinner(joints: Interfaces, share: float) -> Interfaces:
    """Contacts drawn together about their middles; clutches and hinges are what they are."""
    return replace(joints, patches=_drawn_together(joints.patches, share))


def _drawn_together(patches: Patches, share: float) -> Patches:
    """The middle of a patch is that of its area: of the triangles between its first point and the others."""
    starts, points = patches.starts, patches.points
    if not len(points):
        return patches
    first = points[starts[:-1]][patches.owner]
    arms, next_arms = points - first, np.roll(points, -1, axis=0) - first
    last = np.zeros(len(points), dtype=bool)
    last[starts[1:] - 1] = True
    areas = np.where(last, 0.0, np.linalg.norm(np.cross(arms, next_arms), axis=1))
    sums = np.add.reduceat(areas, starts[:-1])
    moments = np.add.reduceat(areas[:, None] * (arms + next_arms) / 3, starts[:-1], axis=0)
    means = np.add.reduceat(arms, starts[:-1], axis=0) / np.diff(starts)[:, None]
    narrow = sums <= 1e-12 * np.maximum.reduceat((arms * arms).sum(axis=1), starts[:-1])
    offsets = np.where(narrow[:, None], means, moments / np.where(narrow, 1.0, sums)[:, None])
    middles = (points[starts[:-1]] + offsets)[patches.owner]
    return replace(patches, points=middles + share * (points - middles))
