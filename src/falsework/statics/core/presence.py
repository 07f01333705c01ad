"""The interfaces of a state: those whose two bodies are both there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.model.arrays import Bools
from falsework.model.interfaces import Hinges, Interfaces, Patches
from falsework.statics.core.loads import both


def present(joints: Interfaces, there: Bools) -> tuple[Interfaces, Bools]:
    """What is left of the interfaces, and which clutches those are, (k,) of the original ones."""
    patches, clutches, hinges = joints.patches, joints.clutches, joints.hinges
    faces, grips, pins = both(there, patches.bodies), both(there, clutches.bodies), both(there, hinges.bodies)
    counts = np.diff(patches.starts)[faces]
    kept = Patches(
        patches.bodies[faces],
        patches.normals[faces],
        patches.friction[faces],
        np.concatenate([[0], np.cumsum(counts)]),
        patches.points[faces[patches.owner]],
    )
    gripped = replace(
        clutches,
        bodies=clutches.bodies[grips],
        offsets=clutches.offsets[grips],
        turns=clutches.turns[grips],
        T_world_clutch=clutches.T_world_clutch[grips],
        kind=clutches.kind[grips],
    )
    return Interfaces(kept, gripped, Hinges(hinges.bodies[pins], hinges.points[pins], hinges.axes[pins])), grips
