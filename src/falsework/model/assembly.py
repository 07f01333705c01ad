"""An assembly: ordered parts, which of them are fixed, what they stand on and what loads them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal, cast, get_args

import numpy as np

from falsework.model.arrays import Array, freeze, frozen
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.part import Part

STANDARD_GRAVITY = (0.0, 0.0, -9.81)
DEFAULT_FRICTION = 0.55
GROUND_NAME = "ground"

GroundKind = Literal["baseplate", "table", "none"]
GROUND_KINDS: tuple[GroundKind, ...] = get_args(GroundKind)


@dataclass(frozen=True, slots=True)
class Ground:
    """What the assembly stands on; `friction` is a table's own, None for the assembly's."""

    kind: GroundKind = "none"
    friction: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in GROUND_KINDS:
            raise BadInput(f"found {shown(self.kind)}, expected baseplate, table, table:MU or none")
        if self.friction is None:
            return
        if self.kind != "table":
            raise BadInput(f"found a friction for {self.kind}, but only a table has one of its own")
        if not 0 <= self.friction < math.inf:  # rejects NaN too
            raise BadInput(f"table: found {shown(self.friction)}, expected a number that is 0 or more")

    def __str__(self) -> str:
        return self.kind if self.friction is None else f"{self.kind}:{self.friction}"

    @staticmethod
    def parsed(text: str) -> Ground:
        """What `str` wrote: `baseplate`, `table`, `table:0.4` or `none`."""
        kind, colon, friction = text.partition(":")
        try:
            own = float(friction) if colon else None
        except ValueError as why:
            raise BadInput(f"{kind}: found {shown(friction)}, expected a number that is 0 or more") from why
        return Ground(cast(GroundKind, kind), own)


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """A force on a part, in world axes; at its centre of mass unless `point_m` says where."""

    part: str
    force_n: Array  # (3,)
    point_m: Array | None = None  # (3,) world

    def __post_init__(self) -> None:
        freeze(self, force_n=(3,))
        if self.point_m is not None:
            freeze(self, point_m=(3,))
        numbers = self.force_n if self.point_m is None else np.concatenate([self.force_n, self.point_m])
        if not np.isfinite(numbers).all():
            raise BadInput(f"load on {shown(self.part)}: expected finite numbers")


@dataclass(frozen=True, slots=True, eq=False)
class Hinge:
    """A frictionless joint at a point, about an axis (seed 003's frameworks: about y)."""

    first: str
    second: str
    point_m: Array  # (3,) world
    axis: Array  # (3,) world, unit

    def __post_init__(self) -> None:
        freeze(self, point_m=(3,), axis=(3,))
        if not np.isfinite(self.point_m).all() or not abs(float(self.axis @ self.axis) - 1.0) < 1e-9:
            raise BadInput(f"hinge {shown(self.first)}-{shown(self.second)}: expected a finite point and a unit axis")


@dataclass(frozen=True, slots=True, eq=False)
class Assembly:
    """Parts in order; `fixed` parts never move; `ground_part`, where there is one, is body number len(parts).

    The stacked arrays run over `bodies`: all parts, then the ground.
    """

    parts: tuple[Part, ...]
    fixed: frozenset[str] = frozenset()
    ground: Ground = Ground()
    ground_part: Part | None = None
    friction: float = DEFAULT_FRICTION
    gravity: Array = field(default_factory=lambda: np.array(STANDARD_GRAVITY))  # (3,) m/s²
    loads: tuple[Load, ...] = ()
    hinges: tuple[Hinge, ...] = ()
    source: str = "python"  # the format it was read from
    allow_overlap_m: float = 0.0
    index: dict[str, int] = field(init=False, repr=False)  # part name -> body number
    poses: Array = field(init=False, repr=False)  # (bodies, 4, 4) T_world_part
    masses_kg: Array = field(init=False, repr=False)  # (bodies,)
    coms_m: Array = field(init=False, repr=False)  # (bodies, 3) world
    _fixed: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        object.__setattr__(self, "fixed", frozenset(self.fixed))
        if not self.parts:
            raise BadInput("an assembly needs at least one part, found none")
        self._check_names()
        if not 0 <= self.friction < np.inf:
            raise BadInput(f"friction: found {shown(self.friction)}, expected a number that is 0 or more")
        freeze(self, gravity=(3,))
        if not np.isfinite(self.gravity).all():
            raise BadInput("gravity: expected three finite numbers")
        bodies = self.bodies
        set_once = object.__setattr__
        set_once(self, "index", {part.name: number for number, part in enumerate(bodies)})
        set_once(self, "_fixed", self.mask(self.fixed) | (0 if self.ground_part is None else 1 << len(self.parts)))
        poses = frozen([body.T_world_part for body in bodies])
        local = np.array([body.com_part_m for body in bodies])
        set_once(self, "poses", poses)
        set_once(self, "masses_kg", frozen([body.mass_kg for body in bodies]))
        set_once(self, "coms_m", frozen(np.einsum("nij,nj->ni", poses[:, :3, :3], local) + poses[:, :3, 3]))

    def _check_names(self) -> None:
        names = [body.name for body in self.bodies]
        if len(set(names)) < len(names):
            name, count = Counter(names).most_common(1)[0]
            raise BadInput(f"part name {shown(name)} is used {count} times; names must be unique")
        known = set(names)
        named = [(name, "fixed") for name in sorted(self.fixed)]
        named += [(load.part, "load") for load in self.loads]
        named += [(name, "hinge") for hinge in self.hinges for name in (hinge.first, hinge.second)]
        for name, role in named:
            if name not in known:
                raise BadInput(f"{role}: there is no part {shown(name)}; {did_you_mean(name, known)}")

    @property
    def bodies(self) -> tuple[Part, ...]:
        return self.parts if self.ground_part is None else (*self.parts, self.ground_part)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts)

    @property
    def is_grounded(self) -> bool:
        """Something in it never moves."""
        return bool(self.fixed) or self.ground_part is not None

    def require_ground(self) -> None:
        """Refuse what cannot be asked of parts that stand on nothing."""
        if not self.is_grounded:
            raise BadInput("nothing is fixed and there is no ground; name parts with --fixed, or use --ground")

    @property
    def mass_kg(self) -> float:
        """Of the parts; the ground does not count."""
        return float(self.masses_kg[: len(self.parts)].sum())

    def fixed_mask(self) -> int:
        """Bit mask of the fixed parts, the ground included."""
        return self._fixed

    def mask(self, names: Iterable[str]) -> int:
        """Bit mask of the named parts; unknown names are bad input."""
        bits = 0
        for name in names:
            if name not in self.index:
                raise BadInput(f"there is no part {shown(name)}; {did_you_mean(name, self.index)}")
            bits |= 1 << self.index[name]
        return bits

    def named(self, bits: int) -> tuple[str, ...]:
        """Names of the bodies in a bit mask, in part order."""
        return tuple(body.name for number, body in enumerate(self.bodies) if bits >> number & 1)

    def changed(self, **fields: object) -> Assembly:
        """A copy with some fields replaced, validated anew."""
        return replace(self, **fields)  # type: ignore[arg-type]
