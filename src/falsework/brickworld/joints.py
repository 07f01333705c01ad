"""The clutches and inner contacts of all groups as tables, in the groups' frames."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.interfaces import Clutches, ClutchKind, Interfaces, Patches
from falsework.statics.clutches.capacities import ClutchRows, clutch_rows


@dataclass(slots=True, eq=False)
class Kinds:
    """Kinds of clutch seen so far, each with what it can carry; shared by all groups."""

    clutch: float = 1.0  # what clutches hold, as a share of what their kinds do
    known: dict[tuple[object, ...], int] = field(default_factory=dict)
    seen: list[ClutchKind] = field(default_factory=list)
    rows: list[ClutchRows] = field(default_factory=list)
    halves: list[Array] = field(default_factory=list)

    def number(self, kind: ClutchKind) -> int:
        """Of a kind; equal grips are one kind."""
        key = (kind.system, kind.narrow, kind.studs, kind.points.tobytes(), kind.half.tobytes())
        if key not in self.known:
            self.known[key] = len(self.rows)
            self.seen.append(kind)
            rows = clutch_rows(kind)
            self.rows.append(replace(rows, limits=self.clutch * rows.limits))
            self.halves.append(kind.half)
        return self.known[key]


@dataclass(frozen=True, slots=True, eq=False)
class Joints:
    """Clutches by their numbers in the topology, and contact patches, between parts of one group each."""

    numbers: Ints  # (k,)
    bodies: Ints  # (k, 2) stud brick, hole brick
    frames: Array  # (k, 4, 4) T_group_clutch
    kind: Ints  # (k,) in `Kinds`
    patches: Patches

    @staticmethod
    def of(joints: Interfaces, kinds: Kinds, parts: Ints, numbers: Ints) -> Joints:
        """From interfaces of an assembly whose bodies are `parts`."""
        clutches: Clutches = joints.clutches
        kind = np.array([kinds.number(one) for one in clutches.kinds], dtype=np.int64)
        patches = joints.patches
        moved = Patches(parts[patches.bodies], patches.normals, patches.friction, patches.starts, patches.points)
        chosen = kind[clutches.kind] if len(clutches) else np.zeros(0, dtype=np.int64)
        return Joints(numbers, parts[clutches.bodies], np.array(clutches.T_world_clutch), chosen, moved)

    def kept(self, rows: Bools, patches: Bools) -> Joints:
        """Only some of the clutches and patches."""
        return Joints(
            self.numbers[rows],
            self.bodies[rows],
            self.frames[rows],
            self.kind[rows],
            chosen_patches(self.patches, patches),
        )

    def inside(self, group_of: Ints) -> Joints:
        """Without the patches between different groups: those are the engine's business."""
        pairs = group_of[self.patches.bodies]
        return self.kept(np.ones(len(self.numbers), dtype=bool), pairs[:, 0] == pairs[:, 1])

    def together(self, other: Joints) -> Joints:
        """Both."""
        return Joints(
            np.concatenate([self.numbers, other.numbers]),
            np.concatenate([self.bodies, other.bodies]),
            np.concatenate([self.frames, other.frames]),
            np.concatenate([self.kind, other.kind]),
            Patches.joined([self.patches, other.patches]),
        )


def chosen_patches(patches: Patches, rows: Bools) -> Patches:
    """Some of the patches, in order."""
    if rows.all():
        return patches
    points = patches.points[rows[patches.owner]]
    starts = np.concatenate([[0], np.cumsum(np.diff(patches.starts)[rows])])
    return Patches(patches.bodies[rows], patches.normals[rows], patches.friction[rows], starts, points)
