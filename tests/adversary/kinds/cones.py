"""Friction between the edges of a pyramid: pushes and slopes in any direction, just below and above the limit."""

from __future__ import annotations

import numpy as np

from tests.adversary.kinds.dressing import block, dressed, near
from tests.adversary.scene import Load, Scene
from tests.adversary.solids import box


def pushes(rng: np.random.Generator) -> Scene:
    """Boxes on a table or a floor, pushed level at their feet: μ times the weight is the limit, whatever the way."""
    friction = rng.uniform(0.05, 1.2)
    parts, loads = [], []
    table = rng.random() < 0.5
    count = int(rng.integers(1, 12))
    if not table:
        parts.append(block("floor", box((-2, -2, -0.5), (2.0 * count + 4, 8, 0.5)), fixed=True))
    worst = int(rng.integers(count))
    for k in range(count):
        sides = rng.uniform(0.3, 1.2, 3)
        solid = box((2.0 * k, rng.uniform(0, 2), 0), sides)
        parts.append(block(f"box {k}", solid, density=10 ** rng.uniform(1, 4)))
        mass, centre = parts[-1].weight_and_centre
        share = near(rng) if k == worst else rng.uniform(0, 0.97)
        angle = rng.choice([np.pi / 8, 3 * np.pi / 8, rng.uniform(0, 2 * np.pi)])
        way = np.array([np.cos(angle), np.sin(angle), 0])
        off = rng.normal(0, 0.2, 2) * sides[:2] if rng.random() < 0.25 else np.zeros(2)
        loads.append(Load(f"box {k}", share * friction * mass * 9.81 * way, np.array([*(centre[:2] + off), 0.0])))
    scene = Scene(tuple(parts), friction=friction, loads=tuple(loads), ground="table" if table else "none")
    return dressed(scene, rng, 2.0)


def slopes(rng: np.random.Generator) -> Scene:
    """Low stacks on a floor that leans any way, by nearly the angle of friction."""
    friction = rng.uniform(0.05, 0.9)
    parts = [block("floor", box((-2, -2, -0.5), (16, 6, 0.5)), fixed=True)]
    for k in range(int(rng.integers(1, 7))):
        level, low, sides = 0.0, np.array([2.0 * k, 0.5]), np.array([1.5, 1.5])
        for n in range(int(rng.integers(1, 4))):
            thick = rng.uniform(0.03, 0.12)
            parts.append(block(f"slab {k} {n}", box((*low, level), (*sides, thick)), density=10 ** rng.uniform(2, 4)))
            level += thick
            low, sides = low + 0.1 * sides, 0.8 * sides
    way = rng.uniform(0, 2 * np.pi)
    lean = np.arctan(friction * near(rng))
    down = np.array([np.sin(lean) * np.cos(way), np.sin(lean) * np.sin(way), -np.cos(lean)])
    return dressed(Scene(tuple(parts), friction=friction, gravity=9.81 * down), rng, 2.0)
