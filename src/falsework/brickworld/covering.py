"""What of a brick nothing can touch, since bricks of its own group lie against all of it.

Faces of one group never overlap, so a face is covered when the areas that lie against it add up to its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.brickworld.joints import Joints, Kinds
from falsework.model.arrays import Array, Bools
from falsework.model.catalogue import BrickType
from falsework.model.interfaces import Patches

WHOLE = 1.0 - 1e-6  # of an area
BOXES = ("brick", "plate", "tile")


class Covering:
    """The faces of some bricks, to compare with what lies against them."""

    def __init__(self, kinds: Sequence[BrickType | None]) -> None:
        sizes = np.array([(0.0, 0.0, 0.0) if kind is None else kind.size_m for kind in kinds]).reshape(-1, 3)
        flats = [0.0 if kind is None else kind.flat * kind.measures.pitch_m for kind in kinds]
        self._boxes = np.array([kind is not None and kind.family in BOXES for kind in kinds], dtype=bool)
        self._top = np.array(flats) * sizes[:, 1]
        self._bottom = sizes[:, 0] * sizes[:, 1]
        self._sides = 2 * (sizes[:, 0] + sizes[:, 1]) * sizes[:, 2]

    def hidden(self, joints: Joints, kinds: Kinds, axes: Array) -> tuple[Bools, Bools]:
        """(n,) bricks whose body, and whose studs, nothing can touch; `axes` (n, 3) are their z in their groups."""
        count = len(axes)
        pressed = np.array([4.0 * half[0] * half[1] for half in kinds.halves])
        areas = pressed[joints.kind] if len(joints.kind) else np.zeros(0)
        top = np.bincount(joints.bodies[:, 0], areas, count)
        bottom = np.bincount(joints.bodies[:, 1], areas, count)
        beside = np.zeros(count)
        sizes = patch_areas(joints.patches)
        for side in (0, 1):
            bodies = joints.patches.bodies[:, side]
            level = np.abs((joints.patches.normals * axes[bodies]).sum(axis=1)) < 0.5
            beside += np.bincount(bodies[level], sizes[level], count)
        studs = (top > 0) & (top >= WHOLE * self._top)
        bodies = studs & self._boxes & (bottom >= WHOLE * self._bottom) & (beside >= WHOLE * self._sides)
        return bodies, studs


def patch_areas(patches: Patches) -> Array:
    """(k,) areas of convex polygons: half the sum of their corners' cross products."""
    if not len(patches):
        return np.zeros(0)
    after = np.arange(1, len(patches.points) + 1)
    after[patches.starts[1:] - 1] = patches.starts[:-1]
    base = patches.points[np.repeat(patches.starts[:-1], np.diff(patches.starts))]
    crosses = np.cross(patches.points - base, patches.points[after] - base)
    areas: Array = 0.5 * np.linalg.norm(np.add.reduceat(crosses, patches.starts[:-1]), axis=1)
    return areas
