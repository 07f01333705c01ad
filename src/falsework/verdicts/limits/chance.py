"""The probability that a snap-fit structure stands, when the strength of its clutches is spread.

Every clutch draws its strength by itself: the nominal one times a lognormal factor of mean 1, whose relative standard
deviation is the spread that `capacities.toml` states. Samples are decided with proof, but few are solved:

- forces that need a share u_k of each clutch prove every sample whose factors s_k reach them all, s_k ≥ u_k;
- a motion proves every sample in which the loads gain more than Σ s_k p_k, p_k what clutch k takes up at full
  strength.

So whatever is found for one sample is held against all others, and only what is left is solved, one linear program
each: the least common factor t on that sample's strengths gives forces if t ≤ 1 and a motion if t > 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.errors import BadInput, shown
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, MOTION_POWER, Forces, Motion
from falsework.statics.clutches.capacities import capacities
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.program import Program
from falsework.statics.proofs.checked_clutches import Strengths
from falsework.statics.proofs.referee import Referee
from falsework.verdicts.limits.strength import shares

SAMPLES = 10_000
MOST_SOLVES = 500
CONFIDENCE = 0.95
ROOM = 1e-9  # relative: shares are rounded up by this before the referee sees them


@dataclass(frozen=True, slots=True)
class Chance:
    """How many samples stood; the interval holds the probability with CONFIDENCE (Clopper and Pearson)."""

    samples: int
    standing: int
    undecided: int
    solves: int
    low: float
    high: float

    @property
    def probability(self) -> float | None:
        """The share that stood; None where some samples were undecided."""
        return None if self.undecided else self.standing / self.samples


def chance_of_standing(
    equilibrium: Equilibrium,
    state: State,
    rng: np.random.Generator,
    samples: int = SAMPLES,
    spread: float | None = None,
    most_solves: int = MOST_SOLVES,
) -> Chance:
    """The probability of standing; `spread` replaces the relative standard deviations of `capacities.toml`."""
    if not len(equilibrium.joints.clutches):
        raise BadInput("a probability of standing needs clutches: their strength is what is spread")
    if samples < 1 or (spread is not None and not 0 <= spread < 10):
        raise BadInput(f"found {shown(samples)} samples, spread {shown(spread)}; expected at least 1, and 0 to 10")
    factors = strength_factors(equilibrium.joints, rng, samples, spread)
    screen = _Screen(equilibrium, state)
    stands, falls = np.zeros(samples, dtype=bool), np.zeros(samples, dtype=bool)
    skipped = np.zeros(samples, dtype=bool)
    solves = 0
    while solves < most_solves and (left := np.flatnonzero(~(stands | falls | skipped))).size:
        solves += 1
        proof = screen.solved(factors[left[0]])
        if isinstance(proof, _Enough):
            stands[left] |= (factors[left] >= proof.needed).all(axis=1)
        elif isinstance(proof, _TooLittle):
            falls[left] |= proof.gained - factors[left] @ proof.paid >= MOTION_POWER
        skipped[left[0]] = not (stands[left[0]] or falls[left[0]])
    standing, undecided = int(stands.sum()), samples - int((stands | falls).sum())
    low, high = interval(standing, standing + undecided, samples)
    return Chance(samples, standing, undecided, solves, low, high)


def strength_factors(joints: Interfaces, rng: np.random.Generator, samples: int, spread: float | None) -> Array:
    """(samples, clutches) lognormal factors of mean 1."""
    kinds = [
        capacities()[kind.system, kind.narrow].spread if spread is None else spread for kind in joints.clutches.kinds
    ]
    sigma = np.sqrt(np.log1p(np.square(np.array(kinds))))[joints.clutches.kind]
    factors: Array = np.exp(sigma * rng.standard_normal((samples, len(sigma))) - sigma**2 / 2)
    return factors


def interval(least: int, most: int, samples: int) -> tuple[float, float]:
    """Clopper and Pearson's bounds on a probability, where between `least` and `most` of the samples succeeded."""
    from scipy.stats import beta

    tail = (1 - CONFIDENCE) / 2
    low = float(beta.ppf(tail, least, samples - least + 1)) if least > 0 else 0.0
    high = float(beta.ppf(1 - tail, most + 1, samples - most)) if most < samples else 1.0
    return low, high


@dataclass(frozen=True, slots=True, eq=False)
class _Enough:
    needed: Array  # (clutches,) factors from which on the forces suffice


@dataclass(frozen=True, slots=True, eq=False)
class _TooLittle:
    gained: float  # power of the loads, of load × speed
    paid: Array  # (clutches,) what each clutch takes up of it at full strength


class _Screen:
    """Solves one sample at a time and makes proofs of the answers that hold for others too."""

    def __init__(self, equilibrium: Equilibrium, state: State) -> None:
        self._equilibrium, self._state = equilibrium, state
        assembly, joints = equilibrium.assembly, equilibrium.joints
        clutches = joints.clutches
        one_each = replace(
            clutches, kinds=tuple(clutches.kinds[n] for n in clutches.kind), kind=np.arange(len(clutches))
        )
        self._joints = replace(joints, clutches=one_each)
        self._referee = Referee(assembly, self._joints)
        usual = equilibrium.strengths()
        self._usual = replace(usual, point_n=usual.point_n[clutches.kind], friction=usual.friction[clutches.kind])
        self._rows = [equilibrium.clutch_rows[n] for n in clutches.kind]

    def solved(self, factors: Array) -> _Enough | _TooLittle | None:
        """A proof for these strengths; None where the referee accepts neither forces nor motion."""
        rows = tuple(replace(kind, limits=s * kind.limits) for kind, s in zip(self._rows, factors, strict=True))
        program = Program(self._equilibrium.assembly, self._joints, self._state, rows)
        factor, outcome = program.least_strength()
        if factor is None:  # no strength suffices: the plain program has the motion
            outcome = program.solve()
        enough = None if outcome.forces is None else self._enough(outcome.forces, factors)
        return enough or (None if outcome.motion is None else self._too_little(outcome.motion, factors))

    def _strengths(self, factors: Array) -> Strengths:
        return replace(self._usual, point_n=self._usual.point_n * factors)

    def _enough(self, forces: Forces, factors: Array) -> _Enough | None:
        every = np.arange(len(factors))
        needed = (1 + ROOM) * shares(self._equilibrium, every, -forces.clutch_wrenches)
        residual = self._referee.forces_residual(self._state, forces, self._strengths(needed))
        return _Enough(needed) if residual <= FORCES_RESIDUAL and (needed <= factors).all() else None

    def _too_little(self, motion: Motion, factors: Array) -> _TooLittle | None:
        """The referee's power is affine in the factors: what it is at these tells what it is at all."""
        fall = self._referee.fall(self._state, motion, self._strengths(factors))
        if fall.power < MOTION_POWER:
            return None
        touched = fall.moving[self._joints.clutches.bodies].any(axis=1)
        paid = np.where(touched, self._usual.point_n * self._slipped(motion), 0.0) / fall.scale_w
        return _TooLittle(fall.power + float(paid @ factors), paid)

    def _slipped(self, motion: Motion) -> Array:
        """(clutches,) summed rates of the rows that cost strength, for clutches that are there."""
        ends = np.cumsum([len(rows.limits) for rows in self._rows])
        costs: Bools = np.concatenate([rows.limits > 0 for rows in self._rows])
        running = np.concatenate([[0.0], np.cumsum(np.where(costs, motion.clutch_slips, 0.0))])
        slipped = running[ends] - running[np.concatenate([[0], ends[:-1]])]
        bodies = self._joints.clutches.bodies
        there = [(self._state.installed >> int(a)) & (self._state.installed >> int(b)) & 1 for a, b in bodies]
        rates: Array = slipped * np.array(there, dtype=float)
        return rates
