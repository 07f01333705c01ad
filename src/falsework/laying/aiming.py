"""Models of the gallery whose clutches work about as hard as is asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.gallery import Kind, Parameter, kind_named, kinds, make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, Undecided, shown
from falsework.model.state import State
from falsework.statics.core.equilibrium import Equilibrium

ATTEMPTS = 20  # generators of one seed that are tried


@dataclass(frozen=True, slots=True, eq=False)
class Aimed:
    """A model, the value of its kind's knob, and the least factor on all clutches with which it stands.

    >>> aimed("random-overhang", seed=7).knob > 0
    True
    """

    assembly: Assembly
    knob: int
    utilization: float


def aimed(kind: str, low: float = 0.8, high: float = 1.25, *, seed: int = 0) -> Aimed:
    """A model of a kind with a knob whose utilisation lies between `low` and `high`, at a place that chance picks.

    The utilisation grows with the knob, if not evenly: the knob is turned up by doubling, then halved in on the goal.
    A seed that jumps over the whole range is followed by the next generator that it spawns.

    `low` and `high` are shares of the clutch strength.

    >>> 0.8 <= aimed("random-overhang", 0.8, 1.25, seed=7).utilization <= 1.25
    True
    """
    entry = kind_named(kind)
    if not entry.knob:
        turnable = ", ".join(name for name, one in kinds().items() if one.knob)
        raise BadInput(f"{kind} has no parameter that its utilization grows with; those that do: {turnable}")
    if not 0 < low < high < np.inf:
        raise BadInput(f"utilization: found {shown((low, high))}, expected two numbers above 0, the smaller first")
    parameter = next(one for one in entry.parameters if one.name == entry.knob)
    for generator in np.random.default_rng(seed).spawn(ATTEMPTS if entry.seeded else 1):
        goal = float(generator.uniform(low, high))
        tried = _turned(entry, parameter, int(generator.integers(2**63)), goal)
        within = [one for one in tried if low <= one.utilization <= high]
        if within:
            return min(within, key=lambda one: abs(one.utilization - goal))
    raise Undecided(f"{kind}: no model with a utilization from {low:g} to {high:g} was found; widen the range")


def _turned(kind: Kind, parameter: Parameter, seed: int, goal: float) -> list[Aimed]:
    """The models met on the way to the goal."""
    tried: dict[int, Aimed] = {}

    def measured(knob: int) -> Aimed:
        if knob not in tried:
            assembly = make(kind.name, seed, **{kind.knob: knob})
            tried[knob] = Aimed(assembly, knob, utilization_of(assembly))
        return tried[knob]

    below, above = int(parameter.low), min(int(parameter.high), 4 * int(parameter.low))
    while measured(above).utilization < goal and above < parameter.high:
        below, above = above, min(int(parameter.high), 2 * above)
    while above - below > 1:
        middle = (below + above) // 2
        if measured(middle).utilization < goal:
            below = middle
        else:
            above = middle
    return list(tried.values())


def utilization_of(assembly: Assembly) -> float:
    """The least factor on all clutches with which the assembly stands; infinite if none suffices."""
    solver = Equilibrium(assembly, interfaces(assembly), compiled=True).compiled_clutches
    if solver is None:
        raise BadInput("utilization is about clutches, and this assembly has none")
    limit = solver.limit(State.complete(assembly))
    return float(limit.factor) if limit.status == "exact" else np.inf
