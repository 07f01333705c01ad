"""The smallest friction with which a state stands.

Not one convex program: the friction multiplies unknown forces. But wider cones never do harm, so a bracket closes in
on it, and both of its ends carry a certificate.
"""

from __future__ import annotations

from dataclasses import replace

from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Answer
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.limits.bracket import Bracket, narrowed

RELATIVE = 1e-5  # width of the bracket
SMALL = (1e-6, 1e-4, 1e-2, 0.5)  # of the friction given: where to look for a fall if none at all is undecided
LARGEST = 1e3  # beyond this friction nothing slides any more


def least_friction(equilibrium: Equilibrium, state: State) -> Bracket:
    """Friction coefficient: `stands` with it, `falls` with less; where contacts differ, they keep their proportions.

    stands = 0: it needs no friction. stands = None: no friction suffices. falls = None: no smaller one certainly falls.
    """
    assembly, joints = equilibrium.assembly, equilibrium.joints
    unit = float(joints.patches.friction.max(initial=0.0)) or assembly.friction

    def answer(friction: float) -> Answer:
        return rougher(assembly, joints, friction / unit, equilibrium).assess(state).answer

    if answer(0.0) == "stable":
        return Bracket(0.0, None)
    falls = next(
        (friction for friction in (0.0, *(share * unit for share in SMALL)) if answer(friction) == "unstable"), None
    )
    stands = unit
    while (told := answer(stands)) != "stable":
        falls = stands if told == "unstable" else falls
        stands *= 2.0
        if stands > LARGEST:
            return Bracket(None, falls)
    return Bracket(stands, None) if falls is None else narrowed(answer, stands, falls, RELATIVE)


def rougher(assembly: Assembly, joints: Interfaces, factor: float, like: Equilibrium) -> Equilibrium:
    """The same oracle with all friction coefficients times a factor; where they were 0 they stay 0."""
    patches = replace(joints.patches, friction=factor * joints.patches.friction)
    ambiguous = replace(joints.ambiguous, friction=factor * joints.ambiguous.friction)
    return Equilibrium(assembly, replace(joints, patches=patches, ambiguous=ambiguous), compiled=like.is_compiled)
