"""What was seen: bricks with their poses, or why nothing is said; never a guess."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from falsework.model.arrays import Array, Bools, freeze, frozen
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput
from falsework.model.poses import is_rigid
from falsework.model.travel import MadeAnew


@dataclass(frozen=True, slots=True, eq=False)
class Plate(MadeAnew):
    """A baseplate that lies where the cell says: what cameras are registered on.

    >>> from falsework.model.catalogue import brick_type
    >>> Plate(brick_type("duplo:baseplate_12x12"), np.eye(4)).kind.length
    12
    """

    kind: BrickType
    T_base_plate: Array  # (4, 4) of the catalogue's frame: its minimum corner, z up
    color: str | None = None

    def __post_init__(self) -> None:
        freeze(self, T_base_plate=(4, 4))
        if not is_rigid(self.T_base_plate) or self.T_base_plate[2, 2] < 0.999:
            raise BadInput("T_base_plate: found a plate that does not lie flat, expected one with its z axis up")


@dataclass(frozen=True, slots=True, eq=False)
class Workplace(MadeAnew):
    """What bricks lie on, in the base's frame: a table, and baseplates on it.

    >>> Workplace(table_m=0.0).plates
    ()
    """

    table_m: float | None = 0.0  # height of the table's top; None: there are only plates
    plates: tuple[Plate, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "plates", tuple(self.plates))
        if self.table_m is None and not self.plates:
            raise BadInput("a workplace needs a table or a baseplate, found neither")


@dataclass(frozen=True, slots=True, eq=False)
class Brick(MadeAnew):
    """A kind, a colour and a pose: what somebody supposes to lie there.

    >>> from falsework.model.catalogue import brick_type
    >>> Brick(brick_type("duplo:brick_2x2"), "red", np.eye(4)).middle_m.tolist()
    [0.016, 0.016, 0.0]
    """

    kind: BrickType
    color: str
    T_base_brick: Array  # (4, 4) of the catalogue's frame: minimum corner, z up

    def __post_init__(self) -> None:
        freeze(self, T_base_brick=(4, 4))

    def at(self, T_base_brick: Array) -> Brick:
        """The same elsewhere."""
        return Brick(self.kind, self.color, T_base_brick)

    @property
    def size_m(self) -> tuple[float, float, float]:
        """Of its body, along its own axes."""
        return self.kind.size_m

    @property
    def middle_m(self) -> Array:
        """(3,) the middle of its underside, in the base's frame."""
        length, width, _ = self.kind.size_m
        middle: Array = self.T_base_brick[:3, :3] @ np.array([length / 2, width / 2, 0.0]) + self.T_base_brick[:3, 3]
        return middle

    @property
    def yaw(self) -> float:
        """About z, in rad."""
        return float(np.arctan2(self.T_base_brick[1, 0], self.T_base_brick[0, 0]))


@dataclass(frozen=True, slots=True, eq=False)
class Located(Brick):
    """A brick that was found. Its yaw is that of the least turn among those that look alike: −90° to 90°, for
    square kinds −45° to 45°.
    """

    covariance: Array = field(default_factory=lambda: np.zeros((3, 3)))  # of x, y (m) of its middle and yaw (rad)
    seen: float = 1.0  # pixels that show it, as a share of those that would if nothing stood before it
    identity: int = -1  # of the same brick in later frames, where it is tracked
    resting: Array = field(default_factory=lambda: np.zeros((3, 3)))  # of z (m) and tilt about x and y (rad), by depth

    def __post_init__(self) -> None:
        Brick.__post_init__(self)
        freeze(self, covariance=(3, 3), resting=(3, 3))


@dataclass(frozen=True, slots=True, eq=False)
class LocatedPart(MadeAnew):
    """A part that is no brick, found by its mesh.

    Where depth does not tell a pose from others that fill the same room but for holes and notches, one of them is
    told, and the others too: a hand that grips its outside need not know.

    >>> LocatedPart("beam", np.eye(4), np.zeros((3, 3)), 0.97).name
    'beam'
    """

    name: str
    T_base_part: Array  # (4, 4)
    covariance: Array  # (3, 3) of x, y (m) of its middle and yaw (rad)
    agrees: float  # share of its pixels whose depth is the part's
    alike: tuple[Array, ...] = ()  # (4, 4) each: it may as well be turned so, its outside is the same

    def __post_init__(self) -> None:
        freeze(self, T_base_part=(4, 4), covariance=(3, 3))
        object.__setattr__(self, "alike", tuple(frozen(one) for one in self.alike))


@dataclass(frozen=True, slots=True, eq=False)
class Extent(MadeAnew):
    """The room that something takes up, as far as it is seen: an upright box from the floor up.

    >>> Extent(np.eye(4), (0.04, 0.02, 0.01)).middle_m.tolist()
    [0.02, 0.01, 0.0]
    """

    T_base_extent: Array  # (4, 4) of its minimum corner, z up
    size_m: tuple[float, float, float]

    def __post_init__(self) -> None:
        freeze(self, T_base_extent=(4, 4))

    def at(self, T_base_extent: Array) -> Extent:
        """The same elsewhere."""
        return Extent(T_base_extent, self.size_m)

    @property
    def middle_m(self) -> Array:
        """(3,) the middle of its underside, in the base's frame."""
        middle: Array = (self.T_base_extent @ (self.size_m[0] / 2, self.size_m[1] / 2, 0.0, 1.0))[:3]
        return middle


@dataclass(frozen=True, slots=True, eq=False)
class Refused(MadeAnew):
    """Something lies there of which nothing is said: why, what it might be, and what would decide it."""

    why: str
    where_m: Array  # (3,) about its middle, in the base's frame
    rivals: tuple[tuple[Brick, ...], ...] = ()  # each a set of bricks that explains the picture as well
    decide: str = ""  # a view or a nudge that would tell them apart
    extent: Extent | None = None  # None: nobody saw where it ends

    def __post_init__(self) -> None:
        freeze(self, where_m=(3,))
        object.__setattr__(self, "rivals", tuple(tuple(one) for one in self.rivals))


@dataclass(frozen=True, slots=True, eq=False)
class Sight(MadeAnew):
    """All that was made of frames of one moment."""

    found: tuple[Located, ...]
    refused: tuple[Refused, ...]
    T_base_cam: Array  # (n, 4, 4) where the cameras are, by what they see
    registered: tuple[bool, ...]  # whether a plate told so; otherwise only the table levelled it

    def __post_init__(self) -> None:
        freeze(self, T_base_cam=(None, 4, 4))
        object.__setattr__(self, "found", tuple(self.found))
        object.__setattr__(self, "refused", tuple(self.refused))


State = Literal["in place", "missing", "wrong", "off", "not seen"]


@dataclass(frozen=True, slots=True, eq=False)
class BrickState(MadeAnew):
    """What became of a brick that should be somewhere.

    `wrong`: of another colour or kind, or something else stands there; `off`: it is there, but not where it should be,
    by `offset_m`; `not seen`: too little of it is seen to say more, and `why` says what would help.
    """

    name: str
    state: State
    why: str = ""
    offset_m: Array = field(default_factory=lambda: np.zeros(3))  # (3,) found less expected, in the base's frame
    instead: Brick | None = None  # what is there, where that is known
    seen: float = 0.0  # share of its pixels that should be visible, in the best view

    def __post_init__(self) -> None:
        freeze(self, offset_m=(3,))


@dataclass(frozen=True, slots=True, eq=False)
class StructureSight(MadeAnew):
    """How a structure looks against what it should be by now."""

    bricks: tuple[BrickState, ...]
    T_base_cam: Array  # (n, 4, 4)
    registered: tuple[bool, ...]

    def __post_init__(self) -> None:
        freeze(self, T_base_cam=(None, 4, 4))
        object.__setattr__(self, "bricks", tuple(self.bricks))

    @property
    def as_expected(self) -> bool | None:
        """True: all are in place; False: one is not; None: some were not seen."""
        states = {one.state for one in self.bricks}
        if states <= {"in place"}:
            return True
        return None if states <= {"in place", "not seen"} else False


@dataclass(frozen=True, slots=True, eq=False)
class Held(Brick):
    """A brick in a hand, where a camera sees it to be."""

    T_expected_brick: Array = field(default_factory=lambda: np.eye(4))  # (4, 4) from where it should be to where it is
    covariance: Array = field(default_factory=lambda: np.zeros((6, 6)))  # of a shift (m) and a turn (rad), base's axes

    def __post_init__(self) -> None:
        Brick.__post_init__(self)
        freeze(self, T_expected_brick=(4, 4), covariance=(6, 6))


@dataclass(frozen=True, slots=True, eq=False)
class Detection(MadeAnew):
    """Pixels that may show one thing: what a detector gives, and an estimator of poses takes."""

    name: str  # what it is taken for: a kind of brick, or the words of a prompt
    mask: Bools  # (h, w)
    score: float = 1.0  # 0 to 1
    color: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "mask", frozen(self.mask, (None, None), np.bool_))
        if not 0.0 <= self.score <= 1.0:
            raise BadInput(f"detection {self.name}: score {self.score:g}, expected 0 to 1")
