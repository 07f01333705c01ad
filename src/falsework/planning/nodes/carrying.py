"""Groups of parts in one hand: what stays together in the air when one part of it is held.

Which groups a part carries is a question about exponentially many sets, but most of them are ruled out at once. Let v
prove that everything falls that is not held, and let part p alone gain more in it than all parts lose that rise, and
than v would have to pay for the contacts it enters. Leave out any other parts: what is left of v still gains, so every
group with p in it falls.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property

import numpy as np

from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Ground
from falsework.model.checkpoints import checkpoint
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Motion, Verdict
from falsework.planning.nodes.moves import bits
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.oracle import Oracle
from falsework.verdicts.searching import SearchOracle

LEAST = 1e-6  # of what all parts gain: less is rounding


class InTheAir:
    """The parts of one assembly where nothing is fixed and there is no ground, under the same gravity."""

    def __init__(self, assembly: Assembly, make: Callable[[Assembly, Interfaces], SearchOracle] = Oracle) -> None:
        """`make`: their oracle."""
        self._assembly, self._make = assembly, make
        self.carrier = cache(self._carrier)
        self.may_carry = cache(self._may_carry)

    def stays_together(self, group: int, held: int) -> bool:
        """Whether a group keeps together when so much of it is held."""
        return self._oracle.answers([State(group, held)]) == ["stable"]

    def surely_falls(self, group: int, held: int) -> bool:
        """Whether it is proved that it does not."""
        return self._oracle.answers([State(group, held)]) == ["unstable"]

    def grasped(self, group: int, kept: int) -> int:
        """The parts that hands are on while a group is brought of which `kept` is still held afterwards, as a mask.

        One that carries all the others, and that is kept if any is: the hand stays where it is. Else every part.
        """
        if not kept:
            carrier = self.carrier(group)
            return group if carrier is None else 1 << carrier
        return kept if kept & (kept - 1) == 0 and self.stays_together(group, kept) else group

    def _carrier(self, group: int) -> int | None:
        """The first part by which a hand can carry the whole group."""
        parts = list(bits(group))
        answers = self._oracle.answers([State(group, 1 << part) for part in parts])
        return next((part for part, answer in zip(parts, answers, strict=True) if answer == "stable"), None)

    def _may_carry(self, part: int) -> int:
        """All parts of all groups that can be carried by this one, and perhaps some more; itself included."""
        held, group = 1 << part, (1 << len(self._assembly.parts)) - 1 & ~self._assembly.fixed_mask()
        while group != held and self._oracle.convex:  # else nothing is concluded from one group about others
            checkpoint()
            state = State(group, held)
            falling = _fall_in_any_group(self._equilibrium, self._oracle.assess(state), state)
            if not falling:
                break
            group &= ~falling
        return group

    @cached_property
    def _loose(self) -> Assembly:
        return self._assembly.changed(fixed=frozenset(), ground=Ground(), ground_part=None, loads=())

    @cached_property
    def _equilibrium(self) -> Equilibrium:
        """Judges motions; solves nothing."""
        return Equilibrium(self._loose, self._oracle.joints)

    @cached_property
    def _oracle(self) -> SearchOracle:
        return self._make(self._loose, interfaces(self._loose))


def _fall_in_any_group(equilibrium: Equilibrium, verdict: Verdict, state: State) -> int:
    """Which of the free parts of a state fall, whatever others of them are left out."""
    assembly = equilibrium.assembly
    if verdict.answer != "unstable" or not isinstance(verdict.certificate, Motion):
        return 0
    fall = equilibrium.fall(state, verdict.certificate)
    parts = [part for part in bits(state.free(assembly)) if fall.moving[part]]
    gains = assembly.masses_kg[parts] * (verdict.certificate.twists[parts, :3] @ assembly.gravity)
    charged = max(float(gains.sum()) - fall.power * fall.scale_w, 0.0)
    lost = charged - float(gains[gains < 0].sum())
    return sum(1 << parts[n] for n in np.flatnonzero(gains > lost + LEAST * float(np.abs(gains).sum())))
