"""Where parts touch: contact patches, clutches and hinges, as arrays over the whole assembly.

Body numbers are those of `Assembly.bodies`. A force is always the one on the *second* body of a pair; the
first feels its opposite.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from falsework.model.arrays import Array, Bools, Ints, freeze, freeze_ints, frozen
from falsework.model.travel import MadeAnew


def _runs(starts: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Where the chosen runs begin once they are laid end to end, and which elements they take along."""
    counts = np.diff(starts)[rows]
    begins = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return begins, np.arange(begins[-1]) - np.repeat(begins[:-1] - starts[rows], counts)


@dataclass(frozen=True, slots=True, eq=False)
class Patches(MadeAnew):
    """Contact patches: where two bodies touch in a plane.

    Three points or more are the corners of a convex polygon, in which faces touch. Two are the ends of an edge that
    lies on a face, one is a corner on a face or the crossing of two edges.

    Points and normals are in world axes, points in m.

    >>> import falsework
    >>> tower = falsework.Assembly.from_boxes([1, 1, 1], [[0, 0, 0], [0, 0, 1]], fixed="box-1")
    >>> patches = falsework.interfaces(tower).patches
    >>> patches.bodies.tolist(), patches.normals.tolist(), patches.sizes.tolist()
    ([[0, 1]], [[0.0, 0.0, 1.0]], [4])
    """

    bodies: Ints  # (k, 2)
    normals: Array  # (k, 3) unit, from the first body into the second
    friction: Array  # (k,)
    starts: Ints  # (k + 1,) patch i has points[starts[i]:starts[i + 1]]
    points: Array  # (p, 3) world, counter-clockwise about the normal
    gaps_m: Array | None = None  # (k,) how far fits with play have to go, along the normal, until they touch; None: 0

    def __post_init__(self) -> None:
        freeze_ints(self, bodies=(None, 2), starts=(None,))
        freeze(self, normals=(None, 3), friction=(None,), points=(None, 3))
        count = len(self.bodies)
        if not (len(self.normals) == len(self.friction) == count and len(self.starts) == count + 1):
            raise ValueError("patch arrays of unequal length")
        if self.gaps_m is not None:
            object.__setattr__(self, "gaps_m", frozen(self.gaps_m, (count,)) if self.gaps_m.any() else None)

    def __len__(self) -> int:
        return len(self.bodies)

    @property
    def owner(self) -> Ints:
        """(p,) the patch that each point belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @property
    def sizes(self) -> Ints:
        """(k,) how many points each patch has: 1 a corner, 2 an edge, more a face."""
        return np.diff(self.starts)

    def chosen(self, which: Ints | Bools) -> Patches:
        """Some of the patches, by number and in that order, or by a mask."""
        rows = np.arange(len(self))[which]
        starts, points = _runs(self.starts, rows)
        gaps = None if self.gaps_m is None else self.gaps_m[rows]
        return Patches(self.bodies[rows], self.normals[rows], self.friction[rows], starts, self.points[points], gaps)

    @property
    def has_play(self) -> bool:
        """Whether some of them are of fits with play."""
        return self.gaps_m is not None

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
            np.concatenate([np.zeros(len(table)) if table.gaps_m is None else table.gaps_m for table in several]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class AmbiguousContacts(MadeAnew):
    """Contacts whose normal is not determined: a corner on a corner or an edge, an edge along an edge.

    Every direction that keeps the two bodies apart is possible: the convex cone of its outermost normals. Two bodies
    that touch so may or may not be able to push each other along any one of them.

    Points and normals are in world axes, points in m.

    >>> len(AmbiguousContacts.none())
    0
    """

    bodies: Ints  # (k, 2)
    friction: Array  # (k,)
    starts: Ints  # (k + 1,) contact i has points[starts[i]:starts[i + 1]], one or two
    points: Array  # (p, 3) world
    normal_starts: Ints  # (k + 1,) contact i has normals[normal_starts[i]:normal_starts[i + 1]], two or more
    normals: Array  # (m, 3) unit, from the first body into the second
    between: Bools | None = None  # (k,) what lies between the points that stand for a curved contact; None: nothing

    def __post_init__(self) -> None:
        freeze_ints(self, bodies=(None, 2), starts=(None,), normal_starts=(None,))
        object.__setattr__(self, "between", frozen(self.is_between, (len(self.bodies),), np.bool_))
        freeze(self, normals=(None, 3), friction=(None,), points=(None, 3))
        if not len(self.bodies) + 1 == len(self.friction) + 1 == len(self.starts) == len(self.normal_starts):
            raise ValueError("arrays of ambiguous contacts of unequal length")

    def __len__(self) -> int:
        return len(self.bodies)

    @property
    def is_between(self) -> Bools:
        """(k,) `between`, whether it was given or not."""
        return np.zeros(len(self.bodies), dtype=bool) if self.between is None else self.between

    @property
    def cornered(self) -> AmbiguousContacts:
        """Those of corners and edges."""
        return self.chosen(~self.is_between)

    @staticmethod
    def none() -> AmbiguousContacts:
        pairs, start = np.zeros((0, 2), dtype=np.int64), np.zeros(1, dtype=np.int64)
        return AmbiguousContacts(pairs, np.zeros(0), start, np.zeros((0, 3)), start, np.zeros((0, 3)))

    @staticmethod
    def joined(several: list[AmbiguousContacts]) -> AmbiguousContacts:
        """All contacts of several tables, in order."""
        if not several:
            return AmbiguousContacts.none()
        points = np.cumsum([0] + [len(table.points) for table in several])
        normals = np.cumsum([0] + [len(table.normals) for table in several])
        starts = [table.starts[:-1] + end for table, end in zip(several, points[:-1], strict=True)]
        normal_starts = [table.normal_starts[:-1] + end for table, end in zip(several, normals[:-1], strict=True)]
        return AmbiguousContacts(
            np.concatenate([table.bodies for table in several]),
            np.concatenate([table.friction for table in several]),
            np.concatenate([*starts, points[-1:]]),
            np.concatenate([table.points for table in several]),
            np.concatenate([*normal_starts, normals[-1:]]),
            np.concatenate([table.normals for table in several]),
            np.concatenate([table.is_between for table in several]),
        )

    def chosen(self, which: Ints | Bools) -> AmbiguousContacts:
        """Some of the contacts, by number and in that order, or by a mask."""
        rows = np.arange(len(self))[which]
        starts, points = _runs(self.starts, rows)
        normal_starts, normals = _runs(self.normal_starts, rows)
        bodies, friction, between = self.bodies[rows], self.friction[rows], self.is_between[rows]
        outermost = self.normals[normals]
        return AmbiguousContacts(bodies, friction, starts, self.points[points], normal_starts, outermost, between)


@dataclass(frozen=True, slots=True, eq=False)
class ClutchKind(MadeAnew):
    """All clutches of one kind are gripped at the same points, in the frame of the joint.

    The frame has u and v along the upper brick's x and y, n up the studs, and its origin at the centre of the
    rectangle in which the two faces press on each other.

    Lengths are in m.

    >>> import falsework
    >>> falsework.interfaces(falsework.load("examples/bridge.txt")).clutches.kinds[0].system
    'system'
    """

    system: str
    narrow: bool  # the upper brick is one stud wide: four points per stud
    studs: int
    points: Array  # (m, 2) u, v of the contact points
    inward: Array  # (m, 2) unit radial normals, into the stud
    half: Array  # (2,) half extents of the pressed rectangle

    def __post_init__(self) -> None:
        freeze(self, points=(None, 2), inward=(None, 2), half=(2,))


@dataclass(frozen=True, slots=True, eq=False)
class Clutches(MadeAnew):
    """Snap-fit joints: one for each stud grid that enters a hole grid.

    Frames are T_world_clutch, in m.

    >>> import falsework
    >>> len(falsework.interfaces(falsework.load("examples/bridge.txt")).clutches)
    16
    """

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
class Hinges(MadeAnew):
    """Joints at a point about an axis.

    Points and axes are in world axes, points in m.

    >>> len(Interfaces.none().hinges)
    0
    """

    bodies: Ints  # (k, 2)
    points: Array  # (k, 3) world
    axes: Array  # (k, 3) world, unit

    def __post_init__(self) -> None:
        freeze_ints(self, bodies=(None, 2))
        freeze(self, points=(None, 3), axes=(None, 3))

    def __len__(self) -> int:
        return len(self.bodies)


@dataclass(frozen=True, slots=True)
class CurvedContact(MadeAnew):
    """A curved surface on something: what both were taken for, and by how many patches it stands among `Patches`.

    `kinds` are "cylinder", "cone", "sphere", "thread", "plane", "edge" or "corner". `play_m`, of what lies in a hole,
    is by how much the hole's diameter is larger, of cones and threads how far they are apart: 0 a nominal fit, negative
    a press fit; None elsewhere. In m.

    >>> CurvedContact((0, 1), ("sphere", "plane"), points=1, lines=0).play_m is None
    True
    """

    bodies: tuple[int, int]
    kinds: tuple[str, str]  # of the first body and of the second
    points: int  # patches of one point
    lines: int  # patches of two points
    play_m: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Interfaces(MadeAnew):
    """Every place where parts of one assembly can act on each other.

    What stands by `patches`, `clutches` and `hinges` stands whatever ambiguous contacts do; what falls may still be
    borne by these (`statics/core/ambiguity.py`).

    >>> import falsework
    >>> falsework.interfaces(falsework.load("examples/arch.yaml")).counts()["contacts"]
    12
    """

    patches: Patches
    clutches: Clutches
    hinges: Hinges
    ambiguous: AmbiguousContacts = field(default_factory=AmbiguousContacts.none)
    curved: tuple[CurvedContact, ...] = ()  # of the patches, those of curved surfaces

    @staticmethod
    def none() -> Interfaces:
        none = np.zeros((0, 3))
        return Interfaces(Patches.none(), Clutches.none(), Hinges(np.zeros((0, 2), dtype=np.int64), none, none))

    def joined(self, more: Interfaces) -> Interfaces:
        """These and more; the hinges are an assembly's own and stay."""
        return Interfaces(
            Patches.joined([self.patches, more.patches]),
            Clutches.joined([table for table in (self.clutches, more.clutches) if len(table)]),
            self.hinges,
            AmbiguousContacts.joined([self.ambiguous, more.ambiguous]),
            (*self.curved, *more.curved),
        )

    def neighbours(self, bodies: int) -> tuple[int, ...]:
        """For each of so many bodies, the bit mask of those that it has an interface with."""
        masks = [0] * bodies
        for pairs in (self.patches.bodies, self.clutches.bodies, self.hinges.bodies):
            for first, second in pairs.tolist():
                masks[first] |= 1 << second
                masks[second] |= 1 << first
        return tuple(masks)

    def counts(self) -> dict[str, int]:
        """How many there are of each kind, as `info` and `check` print them: `contacts` are those of faces."""
        sizes = self.patches.sizes
        return {
            "contacts": int((sizes > 2).sum()),
            "clutches": len(self.clutches),
            "hinges": len(self.hinges),
            "corners": int((sizes == 1).sum()) - sum(contact.points for contact in self.curved),
            "edges": int((sizes == 2).sum()) - sum(contact.lines for contact in self.curved),
            "curved": len(self.curved),
            "ambiguous": int((~self.ambiguous.is_between).sum()),
        }
