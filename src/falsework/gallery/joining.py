"""Makes one thing of a bond: bricks around a seam are laid anew until what is loose hangs on the rest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.ndimage import binary_dilation

from falsework.gallery.bond import BESIDE, Bond
from falsework.gallery.tiling import Taste, relaid
from falsework.model.arrays import Ints

SEARCHING = Taste(stud=0.5, joint=1.0, chance=4.0)
FARTHER = 12  # fruitless tries after which a wider neighbourhood is laid anew
WIDEST = 3

Progress = Callable[[int, int], None]


def joined(bond: Bond, rng: np.random.Generator, tries: int, progress: Progress | None = None) -> Bond:
    """The bond with as few loose components as `tries` attempts reach."""
    labels = bond.components()
    fruitless = 0
    for attempt in range(tries):
        loose = int(labels.max())
        if loose == 0:
            break
        if progress is not None:
            progress(attempt, tries)
        # Half of the neighbourhoods stay in their layer: a seam is crossed by one brick, wherever it lies.
        radius = min(WIDEST, 1 + fruitless // FARTHER)
        region = bond.around(_at_seam(bond, labels, rng), radius, layers=bool(rng.random() < 0.5))
        candidate = relaid(bond, region, rng, SEARCHING, labels)
        found = candidate.components()
        if found.max() <= loose:
            fruitless = 0 if found.max() < loose else fruitless + 1
            bond, labels = candidate, found
        else:
            fruitless += 1
    return bond


def _at_seam(bond: Bond, labels: Ints, rng: np.random.Generator) -> list[int]:
    """A brick of a loose component that has a brick of another component beside it, and that brick."""
    label = int(rng.integers(1, labels.max() + 1))
    members = np.flatnonzero(labels == label)
    mine = np.isin(bond.owner, members)
    beyond = np.unique(bond.owner[binary_dilation(mine, BESIDE) & ~mine & (bond.owner >= 0)])
    if not len(beyond):
        return [int(rng.choice(members))]
    other = int(rng.choice(beyond))
    touching = np.unique(bond.owner[binary_dilation(bond.owner == other, BESIDE) & mine])
    return [other, int(rng.choice(touching))]
