"""Random scenes: bricks strewn over a table or a plate with studs, flush neighbours and stacks, random light and view.

One seed makes one scene: the same on any machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType, brick_type
from falsework.model.errors import BadInput, shown
from falsework.model.perception.palette import SIX_COLORS
from falsework.perception.cameras.simulated import View, looking_at
from falsework.perception.scenes.layouts import Footprint, about_middle, clash, lying, quarter_turned, shifted
from falsework.perception.scenes.packings import merges
from falsework.perception.scenes.scene import THING_KINDS, Light, Scene, SceneBrick, Surface, Thing

TRIES = 60  # to find room for one brick
GAP_M = 0.002  # between bricks that lie beside each other by chance
PLATES = ("none", "beside", "under")
TABLES = ((0.62, 0.58, 0.53), (0.42, 0.42, 0.44), (0.78, 0.77, 0.75), (0.50, 0.42, 0.33))


@dataclass(frozen=True, slots=True)
class SceneSettings:
    """What random scenes are like. Shares are of the bricks.

    >>> SceneSettings(bricks=(3, 5)).flush
    0.25
    """

    bricks: tuple[int, int] = (10, 20)
    kinds: tuple[str, ...] = ("duplo:brick_2x2", "duplo:brick_2x4")
    colors: tuple[str, ...] = SIX_COLORS
    flush: float = 0.25  # lie against another brick
    same_color: float = 0.5  # of those: have its colour
    stacked: float = 0.15  # sit on another brick
    toppled: float = 0.0  # lie on a side or upside down
    things: int = 0  # that are no bricks
    plate: str = "beside"  # a baseplate: none, beside the bricks, or under them
    plate_studs: tuple[int, int] = (8, 16)
    plate_color: str = "green"
    room_m: tuple[float, float] = (0.40, 0.30)  # in which bricks lie, about the origin
    table_rgb: tuple[float, float, float] | None = None  # None: one of four
    gloss: float = 0.0
    height_m: tuple[float, float] = (0.5, 0.6)  # of the camera
    tilt_deg: float = 15.0  # of the camera, at most

    def __post_init__(self) -> None:
        if self.plate not in PLATES:
            raise BadInput(f"scenes: plate: found {shown(self.plate)}, expected one of {', '.join(PLATES)}")
        if not 0 <= self.bricks[0] <= self.bricks[1]:
            raise BadInput(f"scenes: bricks: found {self.bricks}, expected the fewest and the most")
        for name in ("flush", "same_color", "stacked", "toppled", "gloss"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadInput(f"scenes: {name}: found {getattr(self, name)}, expected a share from 0 to 1")
        if not self.kinds or not self.colors:
            raise BadInput("scenes: expected a kind and a colour, or more")


def random_scene(seed: int, settings: SceneSettings | None = None) -> tuple[Scene, View]:
    """A scene and a view of it from above; all of it follows from the seed.

    >>> scene, view = random_scene(7)
    >>> 10 <= len(scene.bricks) <= 20 and bool(0.5 <= view.T_base_cam[2, 3] <= 0.6)
    True
    """
    told = settings or SceneSettings()
    rng = np.random.default_rng([seed, 21])
    plate = _plate(told, rng)
    strewing = _Strewing(told, rng, plate)
    for _ in range(int(rng.integers(told.bricks[0], told.bricks[1], endpoint=True))):
        strewing.add_brick()
    for _ in range(told.things):
        strewing.add_thing()
    table = Surface(rgb=told.table_rgb or TABLES[rng.integers(len(TABLES))], grain=float(rng.uniform(0.0, 0.06)))
    light = random_light(rng, told.gloss)
    scene = Scene(tuple(strewing.bricks), tuple(strewing.things), plate, table, light, f"scene {seed}")
    return scene, random_view(rng, told)


def random_light(rng: np.random.Generator, gloss: float = 0.0) -> Light:
    """A sun up to 50° from the vertical, a sky a third to two thirds as bright, both nearly white."""
    turn, lean = rng.uniform(0, 2 * math.pi), math.radians(rng.uniform(5, 50))
    toward = np.array([math.sin(lean) * math.cos(turn), math.sin(lean) * math.sin(turn), math.cos(lean)])
    bright, share = rng.uniform(0.75, 1.0), rng.uniform(0.35, 0.65)
    tint = rng.normal(1, 0.02, 3)
    sun, sky = bright * (1 - share) * tint, bright * share / tint
    rgb = [(float(one[0]), float(one[1]), float(one[2])) for one in (sun, sky)]
    return Light(toward, rgb[0], rgb[1], disc_deg=float(rng.uniform(0.5, 4)), gloss=gloss)


def random_view(rng: np.random.Generator, told: SceneSettings) -> View:
    """A camera over the middle of the room, tilted a little, turned any way."""
    height = rng.uniform(*told.height_m)
    lean, turn = math.radians(rng.uniform(0, told.tilt_deg)), rng.uniform(0, 2 * math.pi)
    away = height * math.tan(lean)
    eye = np.array([away * math.cos(turn), away * math.sin(turn), height])
    target = np.array([*rng.uniform(-0.02, 0.02, 2), 0.0])
    level = math.degrees(math.atan2(*(looking_at(eye, target)[1::-1, 0])))
    T = looking_at(eye, target, level + rng.uniform(-8, 8) + 180 * rng.integers(2))
    return View(T, np.array([[447.0, 0, 319.5], [0, 447.0, 239.5], [0, 0, 1]]))


def other_view(rng: np.random.Generator, told: SceneSettings) -> View:
    """A camera that looks from a side, 25° to 40° from the vertical: a second view of what the first one hides."""
    lean, turn = math.radians(rng.uniform(25, 40)), rng.uniform(0, 2 * math.pi)
    away = rng.uniform(*told.height_m)
    eye = away * np.array([math.sin(lean) * math.cos(turn), math.sin(lean) * math.sin(turn), math.cos(lean)])
    return View(looking_at(eye, np.zeros(3)), np.array([[447.0, 0, 319.5], [0, 447.0, 239.5], [0, 0, 1]]))


def _plate(told: SceneSettings, rng: np.random.Generator) -> SceneBrick | None:
    if told.plate == "none":
        return None
    system = brick_type(told.kinds[0]).system
    pitch = brick_type(told.kinds[0]).measures.pitch_m
    if told.plate == "under":
        studs = tuple(math.ceil(one / pitch) + 2 for one in told.room_m)
        kind, middle = BrickType(system, "baseplate", studs[0], studs[1], 1), (0.0, 0.0)
    else:
        kind = BrickType(system, "baseplate", *told.plate_studs, 1)
        middle = (told.room_m[0] / 2 + 0.5 * kind.size_m[0] + 0.01, float(rng.uniform(-0.02, 0.02)))
    T = about_middle(kind, middle, 0.0, math.radians(rng.uniform(-3, 3)))
    return SceneBrick("plate", kind, told.plate_color, T)


class _Strewing:
    """Bricks and things that have found room so far."""

    def __init__(self, told: SceneSettings, rng: np.random.Generator, plate: SceneBrick | None) -> None:
        self.told, self.rng = told, rng
        self.plate = plate
        self.under = plate if told.plate == "under" else None
        self.bricks: list[SceneBrick] = []
        self.things: list[Thing] = []
        self.high = np.array(told.room_m) / 2

    def add_brick(self) -> None:
        """One more, as the shares say; none if there is no room for it."""
        told, rng = self.told, self.rng
        kind = brick_type(str(rng.choice(told.kinds)))
        color = str(rng.choice(told.colors))
        how = rng.random()
        for _ in range(TRIES):
            T, shade = None, color
            if how < told.flush:
                mate = self._mate(lambda one: one.upright and one.T_base_brick[2, 3] <= self._floor() + 1e-6)
                if mate is not None:
                    T = self._against(kind, mate)
                    shade = mate.color if rng.random() < told.same_color else color
            elif how < told.flush + told.stacked:
                mate = self._mate(lambda one: one.upright)
                T = None if mate is None else self._upon(kind, mate)
            elif how > 1 - told.toppled:
                T = self._toppled(kind)
            one = SceneBrick(f"b{len(self.bricks)}", kind, shade, self._free(kind) if T is None else T)
            if self._fits(one):
                self.bricks.append(one)
                return

    def _mate(self, fit: Callable[[SceneBrick], bool]) -> SceneBrick | None:
        those = [one for one in self.bricks if fit(one)]
        return those[self.rng.integers(len(those))] if those else None

    def _fits(self, one: SceneBrick) -> bool:
        """It lies in the room and clashes with nothing; what is not on a grid with it keeps away a little."""
        mine = Footprint.of(one.kind, one.T_base_brick)
        others = self.bricks if self.plate is None else [*self.bricks, self.plate]
        return (
            mine.within(-self.high, self.high)
            and not any(clash(one, other, GAP_M) for other in others)
            and not any(mine.overlaps(_around(thing)) for thing in self.things)
            and not (one.upright and merges(one, self.bricks, [brick_type(kind) for kind in self.told.kinds]))
        )

    def add_thing(self) -> None:
        """A box, a cylinder or a ball that is no brick, with sizes of its own."""
        rng = self.rng
        rgb = (float(rng.uniform(0.05, 0.95)), float(rng.uniform(0.05, 0.95)), float(rng.uniform(0.05, 0.95)))
        for _ in range(TRIES):
            x, y = rng.uniform(-self.high, self.high)
            a, b, c = (float(one) for one in rng.uniform(0.012, 0.04, 3))
            kind = THING_KINDS[rng.integers(3)]
            size = {"box": (a, b, c), "cylinder": (a, 2 * c), "ball": (a,)}[kind]
            T = lying(x, y, self._floor() + (a if kind == "ball" else 0.0), rng.uniform(0, 2 * math.pi))
            one = Thing(f"t{len(self.things)}", kind, size, rgb, T)
            mine = _around(one)
            bodies = [*self.bricks, *([self.plate] if self.plate is not None and self.under is None else [])]
            taken = [Footprint.of(other.kind, other.T_base_brick) for other in bodies]
            if not any(mine.overlaps(other) for other in (*taken, *map(_around, self.things))):
                self.things.append(one)
                return

    def _floor(self) -> float:
        """How high bricks lie that are pressed onto nothing."""
        return 0.0 if self.under is None else self.under.kind.size_m[2] + self.under.kind.measures.stud_height_m

    def _free(self, kind: BrickType) -> Array:
        """Anywhere, turned any way; on a plate with studs every second one is pressed onto its grid."""
        rng = self.rng
        if self.under is not None and rng.random() < 0.5:
            studs = (int(rng.integers(self.under.kind.length)), int(rng.integers(self.under.kind.width)))
            T = shifted(self.under.T_base_brick, studs, 1, self.under.kind)
            return quarter_turned(T, kind) if rng.random() < 0.5 else T
        x, y = rng.uniform(-self.high, self.high)
        return about_middle(kind, (float(x), float(y)), self._floor(), float(rng.uniform(0, 2 * math.pi)))

    def _against(self, kind: BrickType, mate: SceneBrick) -> Array:
        """Flush to a side of another brick, moved along it by whole studs."""
        rng = self.rng
        turned = bool(rng.random() < 0.5)
        length, width = (kind.width, kind.length) if turned else (kind.length, kind.width)
        if rng.random() < 0.5:
            studs = (mate.kind.length if rng.random() < 0.5 else -length, int(rng.integers(1 - width, mate.kind.width)))
        else:
            studs = (int(rng.integers(1 - length, mate.kind.length)), mate.kind.width if rng.random() < 0.5 else -width)
        T = shifted(mate.T_base_brick, studs, 0, mate.kind)
        return quarter_turned(T, kind) if turned else T

    def _upon(self, kind: BrickType, mate: SceneBrick) -> Array:
        """Pressed onto another brick, its middle over it, so that it would stand without clutch too."""
        rng = self.rng
        turned = bool(rng.random() < 0.5)
        length, width = (kind.width, kind.length) if turned else (kind.length, kind.width)
        low = (-(length // 2), -(width // 2))
        studs = (
            int(rng.integers(low[0], mate.kind.length - length // 2, endpoint=True)),
            int(rng.integers(low[1], mate.kind.width - width // 2, endpoint=True)),
        )
        T = shifted(mate.T_base_brick, studs, 1, mate.kind)
        return quarter_turned(T, kind) if turned else T

    def _toppled(self, kind: BrickType) -> Array:
        """On a long or a short side, or upside down on its studs."""
        rng = self.rng
        turns = (
            np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),  # about x: onto the side at y = 0
            np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]),  # about y: onto the end at x = length
            np.diag([1.0, -1, -1]),
        )
        T = np.eye(4)
        T[:3, :3] = about_middle(kind, (0, 0), 0, float(rng.uniform(0, 2 * math.pi)))[:3, :3] @ turns[rng.integers(3)]
        print_ = Footprint.of(kind, T)
        x, y = rng.uniform(-self.high, self.high)
        T[:3, 3] = x, y, self._floor() - print_.low_m
        return T


def _around(thing: Thing) -> Footprint:
    """A square about a thing, however it is turned."""
    reach = math.hypot(*thing.size_m[:2]) if thing.kind == "box" else thing.size_m[0]
    x, y, z = thing.T_base_thing[:3, 3]
    square = np.array([(x - reach, y - reach), (x + reach, y - reach), (x + reach, y + reach), (x - reach, y + reach)])
    return Footprint(square, float(z) - max(thing.size_m), float(z) + max(thing.size_m))
