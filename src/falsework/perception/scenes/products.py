"""Half-built products on a baseplate, each with no fault or one: what should be there is known, cameras see what is.

A brick is missing, shifted by a stud, of another colour, not pressed in, or of another kind.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType, brick_type
from falsework.model.errors import BadInput, shown
from falsework.model.perception.palette import SIX_COLORS
from falsework.perception.cameras.simulated import View
from falsework.perception.scenes.layouts import about_middle, clash, quarter_turned, shifted
from falsework.perception.scenes.packings import merges, rests
from falsework.perception.scenes.random_scenes import SceneSettings, random_light, random_view
from falsework.perception.scenes.scene import Scene, SceneBrick, Surface

FaultKind = Literal["missing", "shifted", "color", "raised", "kind"]
FAULTS: tuple[FaultKind, ...] = get_args(FaultKind)
TRIES = 200


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one brick of a product.

    >>> Fault("missing", "b3").brick
    'b3'
    """

    kind: FaultKind
    brick: str


@dataclass(frozen=True, slots=True)
class ProductSettings:
    """What products are like.

    >>> ProductSettings().raised_m
    0.001
    """

    bricks: tuple[int, int] = (6, 14)
    kinds: tuple[str, ...] = ("duplo:brick_2x2", "duplo:brick_2x4")
    colors: tuple[str, ...] = SIX_COLORS
    plate_studs: tuple[int, int] = (16, 16)
    plate_color: str = "gray"
    upward: float = 0.5  # share of bricks that are put on other bricks
    raised_m: float = 0.001  # how far what is not pressed in stands off
    table_rgb: tuple[float, float, float] = (0.62, 0.58, 0.53)
    view: SceneSettings = field(default_factory=SceneSettings)  # its height and tilt


@dataclass(frozen=True, slots=True, eq=False)
class BuiltScene:
    """A product as it should be at a step, and the scene as it is."""

    product: tuple[SceneBrick, ...]  # all of it, in the order of building
    step: int  # so many are placed
    scene: Scene
    view: View
    fault: Fault | None

    @property
    def expected(self) -> tuple[SceneBrick, ...]:
        """What should be there by now."""
        return self.product[: self.step]


def built_scene(seed: int, fault: FaultKind | None = None, settings: ProductSettings | None = None) -> BuiltScene:
    """A half-built product with a fault of that kind, or none; all of it follows from the seed.

    Where no brick of a product can have that fault without clashing or falling, another product is drawn.

    >>> built = built_scene(4, "missing")
    >>> len(built.scene.bricks) == built.step - 1, built.fault.kind
    (True, 'missing')
    """
    told = settings or ProductSettings()
    if fault is not None and fault not in FAULTS:
        raise BadInput(f"fault {shown(fault)}: expected one of {', '.join(FAULTS)}")
    rng = np.random.default_rng([seed, 22])
    for _ in range(TRIES):
        plate = _plate(told, rng)
        product = _product(told, rng, plate)
        step = int(rng.integers(max(1, len(product) // 2), len(product), endpoint=True))
        table = Surface(rgb=told.table_rgb, grain=float(rng.uniform(0, 0.06)))
        scene = Scene(product[:step], (), plate, table, random_light(rng), f"product {seed}")
        view = random_view(rng, told.view)
        if fault is None:
            return BuiltScene(product, step, scene, view, None)
        ways = list(_faulty(scene, fault, told))
        if ways:
            named, changed = ways[rng.integers(len(ways))]
            return BuiltScene(product, step, changed, view, Fault(fault, named))
    raise BadInput(f"no product in {TRIES} could have the fault {fault}; use more bricks or kinds")


def _plate(told: ProductSettings, rng: np.random.Generator) -> SceneBrick:
    kind = BrickType(brick_type(told.kinds[0]).system, "baseplate", *told.plate_studs, 1)
    middle = (float(rng.uniform(-0.02, 0.02)), float(rng.uniform(-0.02, 0.02)))
    return SceneBrick(
        "plate", kind, told.plate_color, about_middle(kind, middle, 0.0, math.radians(rng.uniform(-10, 10)))
    )


def _product(told: ProductSettings, rng: np.random.Generator, plate: SceneBrick) -> tuple[SceneBrick, ...]:
    """Bricks on the plate and on each other, layer by layer, that are one brick of the catalogue nowhere else."""
    kinds = [brick_type(name) for name in told.kinds]
    ground = Scene((), (), plate)
    bricks: list[SceneBrick] = []
    wanted = int(rng.integers(told.bricks[0], told.bricks[1], endpoint=True))
    for _ in range(20 * wanted):
        if len(bricks) == wanted:
            break
        kind = kinds[rng.integers(len(kinds))]
        T = _somewhere(kind, told, rng, plate, bricks)
        color = str(rng.choice(told.colors))
        one = SceneBrick(f"b{len(bricks)}", kind, color, T)
        clear = not any(clash(one, other) for other in (*bricks, plate))
        if clear and rests(one, ground, bricks) and not merges(one, bricks, kinds):
            bricks.append(one)
    ordered = sorted(bricks, key=lambda one: round(float(one.T_base_brick[2, 3]), 5))
    return tuple(replace(one, name=f"b{number}") for number, one in enumerate(ordered))


def _somewhere(
    kind: BrickType, told: ProductSettings, rng: np.random.Generator, plate: SceneBrick, bricks: list[SceneBrick]
) -> Array:
    """A place on the plate's grid: upon a brick that is there, or near the middle of the plate."""
    turned = bool(rng.random() < 0.5)
    if bricks and rng.random() < told.upward:
        below = bricks[rng.integers(len(bricks))]
        studs = (int(rng.integers(-1, below.kind.length)), int(rng.integers(-1, below.kind.width)))
        T = shifted(below.T_base_brick, studs, 1, below.kind)
    else:
        half = (told.plate_studs[0] // 2, told.plate_studs[1] // 2)
        studs = (int(rng.integers(half[0] - 5, half[0] + 3)), int(rng.integers(half[1] - 5, half[1] + 3)))
        T = shifted(plate.T_base_brick, studs, 1, plate.kind)
    return quarter_turned(T, kind) if turned else T


def _faulty(scene: Scene, fault: FaultKind, told: ProductSettings) -> Iterator[tuple[str, Scene]]:
    """Every way to have the fault: the brick that has it, and the scene. Only bricks that carry nothing have one."""
    kinds = [brick_type(name) for name in told.kinds]
    for number, brick in enumerate(scene.bricks):
        others = [one for one in scene.bricks if one is not brick]
        if any(not rests(one, scene, [two for two in others if two is not one]) for one in others):
            continue
        if fault == "missing":
            yield brick.name, scene.without(brick.name)
            continue
        for changed in _changes(brick, fault, told, kinds):
            clear = not any(clash(changed, one) for one in (*others, *([scene.plate] if scene.plate else [])))
            held = fault == "raised" or rests(changed, scene, others)
            if clear and held and not merges(changed, others, kinds):
                bricks = (*scene.bricks[:number], changed, *scene.bricks[number + 1 :])
                yield brick.name, replace(scene, bricks=bricks)


def _changes(
    brick: SceneBrick, fault: FaultKind, told: ProductSettings, kinds: list[BrickType]
) -> Iterator[SceneBrick]:
    if fault == "shifted":
        for studs in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            yield replace(brick, T_base_brick=shifted(brick.T_base_brick, studs, 0, brick.kind))
    elif fault == "color":
        yield from (replace(brick, color=color) for color in told.colors if color != brick.color)
    elif fault == "raised":
        T = np.array(brick.T_base_brick)
        T[2, 3] += told.raised_m
        yield replace(brick, T_base_brick=T)
    elif fault == "kind":
        for kind in kinds:
            if kind != brick.kind and kind.plates == brick.kind.plates:
                yield replace(brick, kind=kind)
                short = min(0, brick.kind.width - kind.width)  # the other way to keep a common end
                yield replace(brick, kind=kind, T_base_brick=shifted(brick.T_base_brick, (0, short), 0, kind))
