"""Whether solids enter each other, as they are and along a way, by the volume that they share."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from falsework.gallery.cad.declared import Made
from falsework.gallery.cad.workpieces import Solid, common, solid_of

NOTHING = 1e-8  # of the smaller solid: what rounding to the grid of corners can make of a common face
ON_THE_WAY = 1e-7


def solids_of(made: Made) -> dict[str, Solid]:
    """Every part's solid in the world."""
    return {part.name: solid_of(part.shape, part.T_world_part) for part in made.assembly.parts}  # type: ignore[arg-type]


def overlaps(made: Made) -> list[tuple[str, str, float]]:
    """Pairs that share more volume than rounding explains."""
    found = []
    for (a, one), (b, other) in combinations(solids_of(made).items(), 2):
        share = common(one, other).volume() / min(one.volume(), other.volume())
        if share > NOTHING:
            found.append((a, b, share))
    return found


def struck_on_the_way(made: Made, samples: int = 8) -> list[tuple[str, str]]:
    """Parts that leave as declared, and what they enter on the way or are not clear of at its end."""
    left, struck = solids_of(made), []
    for leaving in made.declared.order:
        moving, before = left.pop(leaving.part), np.eye(4)
        for motion in leaving.way:
            poses = [motion.pose(k / samples) @ before for k in range(1, samples + 1)]
            for moved in (moving.transform(pose[:3]) for pose in poses):
                volume = moved.volume()
                struck += [
                    (leaving.part, n) for n, one in left.items() if common(moved, one).volume() > ON_THE_WAY * volume
                ]
            before = poses[-1]
        struck += [(leaving.part, name) for name, one in left.items() if not _clear(moving.transform(before[:3]), one)]
    return struck


def _clear(one: Solid, other: Solid) -> bool:
    a, b = np.array(one.bounding_box()), np.array(other.bounding_box())
    return bool((a[3:] < b[:3]).any() or (b[3:] < a[:3]).any())
