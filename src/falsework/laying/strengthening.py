"""Makes a bond stronger: the bricks in the way it would fail are laid anew, and what needs less strength is kept.

The factor by which all clutches would have to be stronger comes with a motion: how the structure fails there
(`statics/clutches/solver.py`). Only joints that part in that motion hold it back, so only their bricks are changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.gallery.bond import Bond
from falsework.gallery.joining import Progress
from falsework.gallery.tiling import Taste, relaid
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.state import State
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.parting import breaking

WORSE = 0.03  # of the factor: how much worse a step may be at first, so that the search leaves dead ends
WIDEST = 2
PATIENCE = 60  # tries in a row that find nothing better: then it is given up


@dataclass(frozen=True, slots=True)
class Load:
    """How hard a bond works: the least factor on its clutches' strength, and the bricks that part if it fails."""

    factor: float
    weak: tuple[int, ...]


def strengthened(
    bond: Bond, rng: np.random.Generator, target: float, tries: int, progress: Progress | None = None
) -> tuple[Bond, float, int]:
    """A bond that needs at most `target` of its strength, or the best of `tries`; the first factor; tries taken."""
    load = load_of(bond)
    first = least = load.factor
    best, found_at = bond, 0
    for attempt in range(tries):
        if least <= target or attempt - found_at > PATIENCE:
            return best, first, attempt
        if progress is not None:
            progress(attempt, tries)
        radius = int(rng.integers(0, WIDEST + 1))
        start = rng.choice(load.weak, size=min(len(load.weak), 2), replace=False) if load.weak else [0]
        region = bond.around([int(number) for number in start], radius, layers=bool(rng.random() < 0.7))
        candidate = relaid(bond, region, rng, _any_taste(rng))
        if candidate.components().max() > 0:
            continue
        found = load_of(candidate)
        if found.factor <= load.factor * (1.0 + WORSE * (1.0 - attempt / tries)):
            bond, load = candidate, found
        if found.factor < least:
            best, least, found_at = candidate, found.factor, attempt
    return best, first, tries


def _any_taste(rng: np.random.Generator) -> Taste:
    """Wide bricks or long ones, along the layer or across: what helps depends on the shape."""
    stud, joint, direction, length, chance = rng.uniform((0.0, 1.0, -1.0, 0.0, 0.5), (1.2, 6.0, 1.0, 3.0, 6.0))
    return Taste(stud, joint, direction, length, chance)


def load_of(bond: Bond) -> Load:
    """The load of a bond that hangs together."""
    assembly = bond.assembly()
    joints = interfaces(assembly)
    solver = Equilibrium(assembly, joints, compiled=True).compiled_clutches
    assert solver is not None, "bricks on a baseplate have clutches"
    state = State.complete(assembly)
    limit = solver.limit(state)
    if limit.status != "exact" or limit.motion is None:
        return Load(np.inf, tuple(range(len(bond.bricks))))
    index = assembly.index
    parting = {index[name] for pair in breaking(assembly, joints, state, limit.motion.twists) for name in pair}
    return Load(limit.factor, tuple(sorted(number for number in parting if number < len(bond.bricks))))
