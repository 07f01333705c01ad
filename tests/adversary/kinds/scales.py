"""Light beside heavy, weak and strong gravity, small and large: what stands alone stands so beside anything."""

from __future__ import annotations

import numpy as np

from tests.adversary.kinds import bricks, cones, corners, masonry
from tests.adversary.kinds.dressing import block, dressed
from tests.adversary.kinds.expected import Expected
from tests.adversary.scene import MOST, Block, Scene
from tests.adversary.solids import box, turn_about

_SMALL = (masonry.stacks, masonry.walls, corners.planks, cones.slopes, corners.spikes)


def _small(rng: np.random.Generator) -> Scene:
    drawn = _SMALL[int(rng.integers(len(_SMALL)))](rng)
    return drawn.scene if isinstance(drawn, Expected) else drawn


def feathers(rng: np.random.Generator) -> Scene:
    """Something small, or that floats, beside a stranger of 10³ to 10¹² times its weight."""
    if rng.random() < 0.4:
        parts = [block("under", box((0, 0, -0.1), (1, 1, 0.1)), fixed=True)]
        for k in range(int(rng.integers(1, 4))):
            high = 0.5 if rng.random() < 0.3 else 0.0
            sides = rng.uniform(0.05, 0.2, 3) * (1, 1, 0.2)
            parts.append(block(f"feather {k}", box((0.3 * k, 0.3, high), sides), density=10 ** rng.uniform(0, 3)))
        scene = Scene(tuple(parts), friction=rng.uniform(0.2, 0.8))
    else:
        scene = _small(rng)
    return dressed(beside_a_stranger(scene, rng), rng)


def beside_a_stranger(scene: Scene, rng: np.random.Generator, ratio: float | None = None) -> Scene:
    """The scene and, well away from it, a block on a plate of its own, pressed onto it by gravity."""
    size, (low, high) = scene.size(), scene.bounds()
    weight = sum(part.weight_and_centre[0] for part in scene.parts if not part.fixed)
    down = scene.gravity / np.linalg.norm(scene.gravity)
    edge = size * rng.uniform(0.5, 3.0)
    mass = weight * (10 ** rng.uniform(3, 12) if ratio is None else ratio)
    mass = min(mass, MOST) if scene.has_bricks else mass  # others are made lighter together
    solid = box((-edge / 2, -edge / 2, 0), (edge, edge, edge))
    plate = box((-edge, -edge, -edge / 4), (2 * edge, 2 * edge, edge / 4))
    axis = np.cross([0.0, 0, -1], down)
    if np.linalg.norm(axis) > 1e-12:
        turn = turn_about(axis, np.arccos(np.clip(-down[2], -1, 1)))
    else:
        turn = np.diag([1.0, -1.0, -1.0]) if down[2] > 0 else np.eye(3)
    away = rng.normal(size=3) * ((1, 1, 1) if scene.ground == "none" else (1, 1, 0))
    shift = (low + high) / 2 + away / np.linalg.norm(away) * (size + 4 * edge)
    if scene.ground != "none":  # which stays as low as it was
        shift[2] = low[2] + edge / 4
    strangers = [
        Block("stranger", (solid.moved(turn, shift),), mass=mass),
        Block("its plate", (plate.moved(turn, shift),), fixed=True),
    ]
    return scene.changed(parts=(*scene.parts, *strangers))


def gravity(rng: np.random.Generator) -> Scene:
    """On another planet: from 1e-6 to 1e3 g, anything from aerogel to osmium; loads go along, clutches hold as ever."""
    if rng.random() < 0.3:
        return bricks.bricks(rng).under(10 ** rng.uniform(-6, 2))
    scene = _small(rng)
    return scene.under(10 ** rng.uniform(-6, 3)).heavier(10 ** rng.uniform(-3, 3))


def sizes(rng: np.random.Generator) -> Scene:
    """From a grain of dust to a mountain: 1e-5 to 1e5."""
    scene = _small(rng)
    low, high = scene.bounds()
    scene = scene.scaled(1.0 / float(np.linalg.norm(high - low)))
    return scene.scaled(10 ** rng.uniform(-5, 5))


def pillows(rng: np.random.Generator) -> Scene:
    """Heavy on light on heavy, up to a million times: what a light part passes on dwarfs what it weighs."""
    parts, level, low, sides = [block("floor", box((-2, -2, -0.5), (5, 5, 0.5)), fixed=True)], 0.0, np.zeros(2), 1.0
    for k in range(int(rng.integers(2, 7))):
        thick = rng.uniform(0.05, 0.4)
        parts.append(block(f"slab {k}", box((*low, level), (sides, sides, thick)), mass=10 ** rng.uniform(-3, 3)))
        level, low = level + thick, low + rng.normal(0, 0.12, 2) * sides
        sides *= rng.uniform(0.7, 1.0)
    lean, way = rng.choice([0.0, rng.uniform(0, 0.3)]), rng.uniform(0, 2 * np.pi)
    down = np.array([np.sin(lean) * np.cos(way), np.sin(lean) * np.sin(way), -np.cos(lean)])
    return dressed(Scene(tuple(parts), friction=rng.uniform(0.1, 0.8), gravity=9.81 * down), rng, 2.0)


def away(rng: np.random.Generator) -> Scene:
    """Far from the origin, by up to a hundred thousand times its size."""
    scene = _small(rng)
    shift = rng.normal(size=3)
    shift *= min(scene.size() * 10 ** rng.uniform(0, 5), 5e5) / np.linalg.norm(shift)
    return scene.turned(np.eye(3), shift)
