"""Where parts touch: contact patches, clutches and hinges, as arrays over the whole assembly.

Body numbers are those of `Assembly.bodies`. A force is always the one on the *second* body of a pair; the
first feels its opposite.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Ints, freeze, freeze_ints


@dataclass(frozen=True, slots=True, eq=False)
class Patches:
    """Contact patches: convex polygons in which two bodies touch. A patch is a pair and a plane."""

    bodies: Ints  # (k, 2)
    normals: Array  # (k, 3) unit, from the first body into the second
    friction: Array  # (k,)
    starts: Ints  # (k + 1,) patch i has points[starts[i]:starts[i + 1]]
    points: Array  # (p, 3) world, counter-clockwise about the normal

    def __post_init__(self) -> None:
        freeze_ints(self, bodies=(None, 2), starts=(None,))
        freeze(self, normals=(None, 3), friction=(None,), points=(None, 3))
        count = len(self.bodies)
        if not (len(self.normals) == len(self.friction) == count and len(self.starts) == count + 1):
            raise ValueError("patch arrays of unequal length")

    def __len__(self) -> int:
        return len(self.bodies)

    @property
    def owner(self) -> Ints:
        """(p,) the patch that each point belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @staticmethod
    def none() -> Patches:
        return Patches(np.zeros((0, 2)), np.zeros((0, 3)), np.zeros(0), np.zeros(1), np.zeros((0, 3)))  # type: ignore[arg-type]

    @staticmethod
    def joined(several: list[Patches]) -> Patches:
        """All patches of several tables, in order."""
        if not several:
            return Patches.none()
        ends = np.cumsum([0] + [len(table.points) for table in several])
        starts = [table.starts[:-1] + end for table, end in zip(several, ends[:-1], strict=True)]
        return Patches(
            np.concatenate([table.bodies for table in several]),
            np.concatenate([table.normals for table in several]),
            np.concatenate([table.friction for table in several]),
            np.concatenate([*starts, ends[-1:]]),
            np.concatenate([table.points for table in several]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class ClutchKind:
    """All clutches of one kind are gripped at the same points, in the frame of the joint.

    The frame has u and v along the upper brick's x and y, n up the studs, and its origin at the centre of the
    rectangle in which the two faces press on each other.
    """

    system: str
    narrow: bool  # the upper brick is one stud wide: four points a stud
    studs: int
    points: Array  # (m, 2) u, v of the contact points
    inward: Array  # (m, 2) unit radial normals, into the stud
    half: Array  # (2,) half extents of the pressed rectangle

    def __post_init__(self) -> None:
        freeze(self, points=(None, 2), inward=(None, 2), half=(2,))


@dataclass(frozen=True, slots=True, eq=False)
class Clutches:
    """Snap-fit joints: one for each stud grid that enters a hole grid."""

    bodies: Ints  # (k, 2) the brick with the studs, the brick with the holes
    offsets: Ints  # (k, 2) of the hole grid's origin from the stud grid's, in studs along the stud brick's axes
    turns: Ints  # (k,) quarter turns of the hole brick about the stud brick's z
    T_world_clutch: Array  # (k, 4, 4) frame of the joint, see ClutchKind
    kinds: tuple[ClutchKind, ...]
    kind: Ints  # (k,) index into kinds

    def __post_init__(self) -> None:
        freeze_ints(self, bodies=(None, 2), offsets=(None, 2), turns=(None,), kind=(None,))
        freeze(self, T_world_clutch=(None, 4, 4))
        if not len(self.bodies) == len(self.offsets) == len(self.turns) == len(self.T_world_clutch) == len(self.kind):
            raise ValueError("clutch arrays of unequal length")

    def __len__(self) -> int:
        return len(self.bodies)

    @staticmethod
    def none() -> Clutches:
        none = np.zeros((0, 2), dtype=np.int64)
        return Clutches(none, none, none[:, 0], np.zeros((0, 4, 4)), (), none[:, 0])

    @staticmethod
    def joined(several: list[Clutches]) -> Clutches:
        """All clutches of several tables, in order."""
        if not several:
            return Clutches.none()
        before = np.cumsum([0] + [len(table.kinds) for table in several])
        return Clutches(
            np.concatenate([table.bodies for table in several]),
            np.concatenate([table.offsets for table in several]),
            np.concatenate([table.turns for table in several]),
            np.concatenate([table.T_world_clutch for table in several]),
            tuple(kind for table in several for kind in table.kinds),
            np.concatenate([table.kind + shift for table, shift in zip(several, before[:-1], strict=True)]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Hinges:
    """Joints at a point about an axis."""

    bodies: Ints  # (k, 2)
    points: Array  # (k, 3) world
    axes: Array  # (k, 3) world, unit

    def __post_init__(self) -> None:
        freeze_ints(self, bodies=(None, 2))
        freeze(self, points=(None, 3), axes=(None, 3))

    def __len__(self) -> int:
        return len(self.bodies)


@dataclass(frozen=True, slots=True, eq=False)
class Interfaces:
    """Every place where parts of one assembly can act on each other."""

    patches: Patches
    clutches: Clutches
    hinges: Hinges

    @staticmethod
    def none() -> Interfaces:
        none = np.zeros((0, 3))
        return Interfaces(Patches.none(), Clutches.none(), Hinges(np.zeros((0, 2), dtype=np.int64), none, none))
