"""A scene: bricks and things that are no bricks on a table, a plate with studs perhaps, and the light on them.

Everything is in the frame of the base, which is the cell's world: metres, z up.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from falsework.model.arrays import Array, freeze
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput, shown
from falsework.model.perception.palette import reflectance
from falsework.model.poses import is_rigid
from falsework.model.travel import MadeAnew

Rgb = tuple[float, float, float]
ThingKind = Literal["box", "cylinder", "ball"]
THING_KINDS: tuple[ThingKind, ...] = ("box", "cylinder", "ball")


@dataclass(frozen=True, slots=True, eq=False)
class SceneBrick(MadeAnew):
    """A brick of the catalogue where it lies. Its frame is the catalogue's: minimum corner, studs along z.

    >>> from falsework.model.catalogue import brick_type
    >>> SceneBrick("a", brick_type("duplo:brick_2x2"), "red", np.eye(4)).upright
    True
    """

    name: str
    kind: BrickType
    color: str
    T_base_brick: Array  # (4, 4)

    def __post_init__(self) -> None:
        freeze(self, T_base_brick=(4, 4))
        reflectance(self.color)
        if not is_rigid(self.T_base_brick):
            raise BadInput(f"brick {shown(self.name)}: its pose is not a rotation and a translation of finite numbers")

    @property
    def upright(self) -> bool:
        return bool(self.T_base_brick[2, 2] > math.cos(math.radians(1.0)))

    @property
    def middle_m(self) -> Array:
        """(3,) the middle of its body."""
        middle: Array = self.T_base_brick[:3, :3] @ (0.5 * np.array(self.kind.size_m)) + self.T_base_brick[:3, 3]
        return middle


@dataclass(frozen=True, slots=True, eq=False)
class Thing(MadeAnew):
    """Something that is no brick: a box (minimum corner at its origin), a cylinder along z, a ball about its origin.

    >>> Thing("cup", "cylinder", (0.03, 0.08), (0.9, 0.9, 0.9), np.eye(4)).kind
    'cylinder'
    """

    name: str
    kind: ThingKind
    size_m: tuple[float, ...]  # box: three sides; cylinder: radius, height; ball: radius
    rgb: Rgb
    T_base_thing: Array  # (4, 4)

    def __post_init__(self) -> None:
        freeze(self, T_base_thing=(4, 4))
        needed = {"box": 3, "cylinder": 2, "ball": 1}.get(self.kind)
        if needed is None:
            raise BadInput(f"thing {shown(self.name)}: found {shown(self.kind)}, expected one of {THING_KINDS}")
        if len(self.size_m) != needed or not all(0 < one < math.inf for one in self.size_m):
            raise BadInput(f"thing {shown(self.name)}: found {self.size_m}, a {self.kind} has {needed} sizes above 0")
        if not is_rigid(self.T_base_thing):
            raise BadInput(f"thing {shown(self.name)}: its pose is not a rotation and a translation")


@dataclass(frozen=True, slots=True, eq=False)
class Light(MadeAnew):
    """A sun, whose disc makes soft edges of shadows, and an even light from all around; 1 shows white as full white.

    >>> Light().toward[2]
    np.float64(1.0)
    """

    toward: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))  # (3,) where the sun is
    sun: Rgb = (0.55, 0.55, 0.55)
    sky: Rgb = (0.4, 0.4, 0.4)
    disc_deg: float = 2.0  # its radius, seen from the table
    beams: int = 5  # over the disc
    gloss: float = 0.0  # of bricks: 0 matt; 1 shows the sun itself
    shine: float = 60.0

    def __post_init__(self) -> None:
        freeze(self, toward=(3,))
        length = float(np.linalg.norm(self.toward))
        if not 1e-9 < length < math.inf:
            raise BadInput(f"light: found the direction {self.toward.tolist()}, expected one that is not zero")
        unit = self.toward / length
        unit.setflags(write=False)
        object.__setattr__(self, "toward", unit)
        if self.beams < 1 or not 0 <= self.disc_deg < 45 or not 0 <= self.gloss <= 1:
            raise BadInput("light: expected a beam or more, a disc below 45 degrees, a gloss from 0 to 1")

    def rays(self) -> Array:
        """(beams, 3) unit directions to the middle and around the rim of the sun's disc."""
        across = np.linalg.svd(self.toward[None])[2][1:]  # two directions square to it
        if across[0] @ np.array([1.0, 0.2, 0.1]) < 0:
            across = -across
        turns = np.arange(self.beams - 1) * 2 * math.pi / max(self.beams - 1, 1)
        rim = np.column_stack([np.cos(turns), np.sin(turns)]) @ across * (0.8 * math.tan(math.radians(self.disc_deg)))
        rays: Array = np.vstack([self.toward, self.toward + rim])
        unit: Array = rays / np.linalg.norm(rays, axis=1, keepdims=True)
        return unit


@dataclass(frozen=True, slots=True, eq=False)
class Surface(MadeAnew):
    """The table: a level slab, its upper face in the plane z = `top_m`.

    >>> Surface().size_m
    (2.0, 2.0)
    """

    top_m: float = 0.0
    size_m: tuple[float, float] = (2.0, 2.0)
    middle_m: tuple[float, float] = (0.0, 0.0)
    rgb: Rgb = (0.62, 0.58, 0.53)
    grain: float = 0.04  # how mottled: share of its colour


@dataclass(frozen=True, slots=True, eq=False)
class Scene(MadeAnew):
    """All there is to see. `plate`, if there is one, is a baseplate whose place is known.

    >>> len(Scene(()).bricks)
    0
    """

    bricks: tuple[SceneBrick, ...]
    things: tuple[Thing, ...] = ()
    plate: SceneBrick | None = None
    table: Surface | None = field(default_factory=Surface)
    light: Light = field(default_factory=Light)
    name: str = "scene"

    def __post_init__(self) -> None:
        object.__setattr__(self, "bricks", tuple(self.bricks))
        object.__setattr__(self, "things", tuple(self.things))
        names = [*(one.name for one in self.bricks), *(one.name for one in self.things)]
        for name, times in Counter(names).items():
            if times > 1:
                raise BadInput(f"scene {shown(self.name)}: the name {shown(name)} is given to {times} things")

    def without(self, name: str) -> Scene:
        """The scene after a brick or a thing was taken away."""
        return replace(
            self,
            bricks=tuple(one for one in self.bricks if one.name != name),
            things=tuple(one for one in self.things if one.name != name),
        )

    def moved(self, T_base_scene: Array) -> Scene:
        """Bricks, things and plate of the scene, all moved together; the table and the light stay."""
        return replace(
            self,
            bricks=tuple(replace(one, T_base_brick=T_base_scene @ one.T_base_brick) for one in self.bricks),
            things=tuple(replace(one, T_base_thing=T_base_scene @ one.T_base_thing) for one in self.things),
            plate=None
            if self.plate is None
            else replace(self.plate, T_base_brick=T_base_scene @ self.plate.T_base_brick),
        )
