"""An assembly: ordered parts, which of them are fixed, what they stand on and what loads them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast, get_args

import numpy as np
import numpy.typing as npt

from falsework.lazy import upstairs
from falsework.model.arrays import Array, freeze, frozen
from falsework.model.as_filed import FileStep, Shortfall
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.given import Names, names, three
from falsework.model.part import Part
from falsework.model.travel import MadeAnew

STANDARD_GRAVITY = (0.0, 0.0, -9.81)
DEFAULT_FRICTION = 0.55
GROUND_NAME = "ground"

GroundKind = Literal["baseplate", "table", "none"]
GROUND_KINDS: tuple[GroundKind, ...] = get_args(GroundKind)


@dataclass(frozen=True, slots=True)
class Ground:
    """What the assembly stands on; `friction` is a table's own, None for the assembly's.

    >>> Ground("table", 0.4), str(Ground("table", 0.4))
    (Ground(kind='table', friction=0.4), 'table:0.4')
    """

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


def as_ground(given: str | Ground) -> Ground:
    """A ground, or the text that says which.

    >>> as_ground("table:0.4")
    Ground(kind='table', friction=0.4)
    """
    return given if isinstance(given, Ground) else Ground.parsed(str(given))


@dataclass(frozen=True, slots=True, eq=False)
class Load(MadeAnew):
    """A force on a part, in world axes; at its centre of mass unless `point_m` says where.

    `force_n` and `point_m` are three numbers each, in any form: N and m.

    >>> Load("keystone", (0, 0, -10)).force_n.tolist()
    [0.0, 0.0, -10.0]
    """

    part: str
    force_n: Array  # (3,)
    point_m: Array | None = None  # (3,) world

    def __post_init__(self) -> None:
        object.__setattr__(self, "force_n", frozen(three(self.force_n, f"load on {shown(self.part)}: force")))
        if self.point_m is not None:
            object.__setattr__(self, "point_m", frozen(three(self.point_m, f"load on {shown(self.part)}: point")))


Force = Sequence[float] | Array  # (3,) N
LoadLike = Load | tuple[str, Force] | tuple[str, Force, Force]
Loads = LoadLike | Iterable[LoadLike] | Mapping[str, Force]


def as_loads(given: Loads) -> tuple[Load, ...]:
    """Loads however they come: one or several, as `Load`, as (part, force) or (part, force, point), or by part.

    Forces are in N, points in m, both in world axes.

    >>> [(load.part, load.force_n.tolist()) for load in as_loads(("keystone", (0, 0, -10)))]
    [('keystone', [0.0, 0.0, -10.0])]
    >>> len(as_loads({"keystone": (0, 0, -10), "stone-1": (5, 0, 0)}))
    2
    """
    if isinstance(given, Mapping):
        return tuple(Load(part, force) for part, force in given.items())  # type: ignore[arg-type]
    if isinstance(given, Load) or (isinstance(given, tuple) and given and isinstance(given[0], str)):
        return (_as_load(given),)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise BadInput(f"loads: found {shown(given)}, expected (part, (fx, fy, fz)) in N, or several of these")
    return tuple(_as_load(one) for one in given)


def _as_load(given: Any) -> Load:
    match given:
        case Load():
            return given
        case (str(part), force):
            return Load(part, force)
        case (str(part), force, point) if np.ndim(force) == 1:
            return Load(part, force, point)
        case (str(part), x, y, z) if np.ndim(x) == 0:
            return Load(part, np.array([x, y, z]))
    raise BadInput(f"load: found {shown(given)}, expected (part, (fx, fy, fz)) in N, a point (x, y, z) in m after it")


@dataclass(frozen=True, slots=True, eq=False)
class Hinge(MadeAnew):
    """A frictionless joint at a point, about an axis (seed 003's frameworks: about y).

    `point_m` is in world axes, m; `axis` a unit vector in world axes.

    >>> Hinge("a", "b", (0, 0, 1), (0, 1, 0)).axis.tolist()
    [0.0, 1.0, 0.0]
    """

    first: str
    second: str
    point_m: Array  # (3,) world
    axis: Array  # (3,) world, unit

    def __post_init__(self) -> None:
        freeze(self, point_m=(3,), axis=(3,))
        if not np.isfinite(self.point_m).all() or not abs(float(self.axis @ self.axis) - 1.0) < 1e-9:
            raise BadInput(f"hinge {shown(self.first)}-{shown(self.second)}: expected a finite point and a unit axis")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Assembly(MadeAnew):
    """Parts in order; `fixed` parts never move; `ground_part`, where there is one, is body number len(parts).

    The stacked arrays run over `bodies`: all parts, then the ground. Lengths are in m, masses in kg; z is up, and the
    world's axes are those in which the assembly stands. Made by `falsework.load`, `falsework.new`, `from_boxes`,
    `from_trimesh`, or from parts of your own.

    >>> tower = Assembly.from_boxes([0.1, 0.1, 0.1], [[0, 0, 0.05], [0, 0, 0.15]], ground="table")
    >>> tower
    Assembly of 2 parts, 2 kg, on a table
    >>> tower.names, tower.coms_m[1].tolist()
    (('box-1', 'box-2'), [0.0, 0.0, 0.15])
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
    gap_m: float | None = None  # up to which distance parts touch; None: a fraction of their sizes
    as_drawn: bool = False  # parts off a common grid that share space are taken as they are drawn, not refused
    steps: tuple[FileStep, ...] = ()  # in which order its file builds it; none: the file does not say
    partial: tuple[Shortfall, ...] = ()  # what of its file is not here as it is in reality
    index: dict[str, int] = field(init=False, repr=False)  # part name -> body number
    poses: Array = field(init=False, repr=False)  # (bodies, 4, 4) T_world_part
    masses_kg: Array = field(init=False, repr=False)  # (bodies,)
    coms_m: Array = field(init=False, repr=False)  # (bodies, 3) world
    _fixed: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name, made in (
            ("parts", tuple),
            ("loads", tuple),
            ("hinges", tuple),
            ("steps", tuple),
            ("fixed", _set_of_names),
        ):
            object.__setattr__(self, name, made(getattr(self, name)))
        if not self.parts:
            raise BadInput("an assembly needs at least one part, found none")
        for part in self.bodies:
            if not isinstance(part, Part):
                raise BadInput(f"parts: found {shown(part)}, expected a Part; see Assembly.from_boxes, from_trimesh")
        if not isinstance(self.ground, Ground):
            raise BadInput(
                f"ground: found {shown(self.ground)}; put the parts on it: Assembly(…).on({shown(self.ground)})"
            )
        self._check_names()
        if not 0 <= self.friction < np.inf:
            raise BadInput(f"friction: found {shown(self.friction)}, expected a number that is 0 or more")
        if self.gap_m is not None and not 0 < self.gap_m < np.inf:
            raise BadInput(f"gap: found {shown(self.gap_m)}, expected a number above 0, in metres")
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

    @staticmethod
    def from_boxes(
        sizes_m: npt.ArrayLike | Mapping[str, tuple[Force, Force]],
        centres_m: npt.ArrayLike | None = None,
        *,
        names: Names | None = None,
        masses_kg: float | Sequence[float] | Mapping[str, float] | None = None,
        density_kg_m3: float = 1000.0,
        fixed: Names = (),
        ground: str | Ground = "none",
        mu: float = DEFAULT_FRICTION,
    ) -> Assembly:
        """Boxes along the world's axes.

        `sizes_m` is (n, 3), or (3,) for boxes of one size; `centres_m` is (n, 3), world; or, instead of both, boxes by
        name: {name: (size, centre)}. `masses_kg` is one mass for all, one each, or some by name; else the density
        tells. `fixed`, `ground` and `mu` (friction) mean what they mean to `falsework.load`.

        >>> Assembly.from_boxes({"foot": ((1, 1, 1), (0, 0, 0)), "head": ((1, 1, 1), (0, 0, 1))}, fixed="foot").names
        ('foot', 'head')
        """
        made: Assembly = upstairs("from_boxes")(
            sizes_m,
            centres_m,
            names=names,
            masses_kg=masses_kg,
            density_kg_m3=density_kg_m3,
            fixed=fixed,
            ground=ground,
            mu=mu,
        )
        return made

    @staticmethod
    def from_trimesh(
        meshes: Any,
        *,
        names: Names | None = None,
        masses_kg: float | Sequence[float] | Mapping[str, float] | None = None,
        density_kg_m3: float = 1000.0,
        fixed: Names = (),
        ground: str | Ground = "none",
        mu: float = DEFAULT_FRICTION,
        scale: float = 1.0,
    ) -> Assembly:
        """Meshes as they stand in the world: a list of them, {name: mesh}, one mesh, or a scene with its poses.

        A mesh is anything with `vertices` (n, 3) and `faces` (m, 3), as trimesh's are; `scale` is metres per unit.
        Vertices are welded and planar holes capped, as when a file is read. The other options are those of
        `from_boxes`.

        >>> import trimesh
        >>> lower, upper = trimesh.creation.box((1, 1, 1)), trimesh.creation.box((1, 1, 1)).apply_translation((0, 0, 1))
        >>> Assembly.from_trimesh({"a": lower, "b": upper}, fixed="a", masses_kg={"b": 2.5}).masses_kg.tolist()
        [1000.0, 2.5]
        """
        made: Assembly = upstairs("from_trimesh")(
            meshes,
            names=names,
            masses_kg=masses_kg,
            density_kg_m3=density_kg_m3,
            fixed=fixed,
            ground=ground,
            mu=mu,
            scale=scale,
        )
        return made

    def on(self, ground: str | Ground) -> Assembly:
        """The assembly on another ground: "baseplate", "table", "table:0.4" (its friction) or "none"."""
        moved: Assembly = upstairs("grounded")(self, as_ground(ground))
        return moved

    def __repr__(self) -> str:
        count = f"{len(self.parts)} part{'s' if len(self.parts) > 1 else ''}, {self.mass_kg:.4g} kg"
        fixed = f", {len(self.fixed)} fixed" if self.fixed else ""
        return f"Assembly of {count}{fixed}{'' if self.ground.kind == 'none' else f', on a {self.ground}'}"

    def _repr_html_(self) -> str:
        """In a notebook."""
        return str(upstairs("notebook_html")(self))

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

    def mask(self, given: Names) -> int:
        """Bit mask of the named parts, one name or several; unknown names are bad input."""
        bits = 0
        for name in names(given):
            if name not in self.index:
                raise BadInput(f"there is no part {shown(name)}; {self._meant(name)}")
            bits |= 1 << self.index[name]
        return bits

    def _meant(self, name: object) -> str:
        several = [piece.strip() for piece in str(name).split(",")]
        if len(several) > 1 and all(piece in self.index for piece in several):
            return f"did you mean the {len(several)} parts {shown(several)}?"
        return did_you_mean(name, self.index)

    def named(self, bits: int) -> tuple[str, ...]:
        """Names of the bodies in a bit mask, in part order."""
        return tuple(body.name for number, body in enumerate(self.bodies) if bits >> number & 1)

    def changed(self, **fields: Any) -> Assembly:
        """A copy with some fields replaced, validated anew."""
        return replace(self, **fields)


def _set_of_names(given: Names) -> frozenset[str]:
    return frozenset(names(given))
