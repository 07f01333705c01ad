"""Motions that go on proving a fall where bodies have left.

A motion proves that a state cannot stand because the loads gain more on it than the interfaces take up. Both are sums,
over bodies and over interfaces. Where some bodies are gone, and their interfaces with them, what is left of the motion
breaks no contact that it did not break before, so the two sums over what is left decide:

    Σ_bodies load·v  −  Σ_joints taken up  −  what entering contacts cost at first   >   0

A tower that tips over a joint under a press does so with almost any brick of it taken away, by the same motion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.bits import flags
from falsework.model.state import State
from falsework.model.verdict import MOTION_POWER, Motion
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.loads import both, load_scale, load_wrenches
from falsework.statics.core.speeds import part_speeds


@dataclass(frozen=True, slots=True, eq=False)
class LastingMotion:
    """What a motion gains and pays, body by body and joint by joint; masks are over the assembly's bodies."""

    there: int  # what was there when it was proved
    moving: int
    gained_w: Array  # (n,) power of each body's loads
    paid_w: Array  # (k,) the most that each clutch takes up
    entered_w: float  # what is charged for entering contacts, at most
    speeds: Array  # (n,)
    weights_n: Array  # (n,)
    applied_n: float  # forces beside weight
    pairs: Ints  # (k, 2) the clutches' bodies

    def proves(self, free: int, there: int) -> bool:
        """Whether it proves the fall of bodies that are free with others there; the loads are those it was found for.

        Nothing may be there that was not there before, and nobody may hold what moves.
        """
        if there & ~self.there or self.moving & there & ~free:
            return False
        present, loose = flags(there, len(self.speeds)), flags(free, len(self.speeds))
        gained = float(self.gained_w[loose].sum()) - float(self.paid_w[both(present, self.pairs)].sum())
        return self._enough(gained, loose)

    def proves_all(self, least: int, most: int) -> bool:
        """Whether it does so of `most` that is there and free, and of every part of it that contains `least`.

        The bodies in between are counted where they are in its way, and every joint is.
        """
        if most & ~self.there:
            return False
        surely, perhaps = flags(least, len(self.speeds)), flags(most, len(self.speeds))
        bodies = np.where(surely, self.gained_w, np.minimum(self.gained_w, 0.0))[perhaps]
        gained = float(bodies.sum()) - float(self.paid_w[both(perhaps, self.pairs)].sum())
        return self._enough(gained, perhaps)

    def _enough(self, gained_w: float, loose: Bools) -> bool:
        """Twice what the referee asks for, relative to the loads and the fastest of the bodies that may move."""
        speed = float(self.speeds[loose].max(initial=0.0))
        load = float(self.weights_n[loose].sum()) + self.applied_n
        return speed > 0 and gained_w - self.entered_w >= 2 * MOTION_POWER * load * speed


def lasting(equilibrium: Equilibrium, state: State, motion: Motion) -> LastingMotion:
    """A motion that the referee accepted for a state, made ready to be tried on others."""
    assembly, clutches = equilibrium.assembly, equilibrium.joints.clutches
    strengths, free = equilibrium.strengths(), state.free(assembly)
    loose = flags(free, len(assembly.bodies))
    twists = np.where(loose[:, None], motion.twists, 0.0)
    speeds = part_speeds(twists, equilibrium.referee.radii_m)
    gained = (load_wrenches(assembly, state) * twists).sum(axis=1)
    present = both(flags(state.installed, len(loose)), clutches.bodies)
    paid = np.where(present, _slipping(equilibrium, motion.clutch_slips) * strengths.point_n[clutches.kind], 0.0)
    fall = equilibrium.fall(state, motion)
    speeds, gained = np.where(fall.moving, speeds, 0.0), np.where(fall.moving, gained, 0.0)
    paid = np.where(fall.moving[clutches.bodies].any(axis=1), paid, 0.0) if len(clutches) else paid
    load, power = load_scale(assembly, state), fall.power * fall.scale_w
    weights = assembly.masses_kg * float(np.linalg.norm(state.gravity_of(assembly)))
    return LastingMotion(
        there=state.installed,
        moving=free & _mask(speeds > 0),
        gained_w=gained,
        paid_w=paid,
        entered_w=max(0.0, float(gained.sum() - paid.sum()) - power),
        speeds=speeds,
        weights_n=weights,
        applied_n=load - float(weights[loose].sum()),
        pairs=clutches.bodies,
    )


def _slipping(equilibrium: Equilibrium, slips: Array) -> Array:
    """(k,) the slips of each clutch that cost strength: all rows but the first third, in which studs let go."""
    clutches = equilibrium.joints.clutches
    counts = np.array([len(kind.points) for kind in clutches.kinds], dtype=np.int64)[clutches.kind]
    ends = np.cumsum(3 * counts)
    sums = np.concatenate([[0.0], np.cumsum(slips)])
    costly: Array = sums[ends] - sums[ends - 2 * counts]
    return costly


def _mask(chosen: Bools) -> int:
    return int.from_bytes(np.packbits(chosen, bitorder="little").tobytes(), "little")
