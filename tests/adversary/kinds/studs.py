"""Studs are solid: boxes lie on their tops, and a box among them is inside the brick."""

from __future__ import annotations

import numpy as np

from tests.adversary.brick_grid import PITCH, PLATE, STUD_HEIGHT, STUD_RADIUS, Brick
from tests.adversary.kinds.dressing import block
from tests.adversary.kinds.expected import Expected
from tests.adversary.scene import Block, LooseBrick, Scene, Unclear
from tests.adversary.solids import box

SIZES = ((1, 1), (1, 2), (1, 4), (1, 6), (2, 2), (2, 3), (2, 4), (2, 6), (4, 4), (4, 6))


def _base(rng: np.random.Generator, name: str, at: tuple[int, int, int], fixed: bool) -> Brick:
    small, large = SIZES[int(rng.integers(len(SIZES)))]
    family = rng.choice(["brick", "plate"])
    return Brick(name, f"{family}_{large}x{small}", at, bool(rng.integers(2)), 10 ** rng.uniform(-3.5, -1), fixed)


def boxes_on_studs(rng: np.random.Generator) -> Scene:
    """Boxes on the studs of bricks that stand on a table, or are fixed: they stand where they are borne."""
    parts: list[Block | Brick] = []
    table = rng.random() < 0.6
    for k in range(int(rng.integers(1, 6))):
        brick = _base(rng, f"brick {k}", (20 * k, 0, 0), not table and rng.random() < 0.8)
        parts.append(brick)
        level = brick.high[2] * PLATE + STUD_HEIGHT
        extent = np.array(brick.sides[:2]) * PITCH
        for n in range(int(rng.integers(1, 3))):
            sides = np.array([*rng.uniform(0.5, 1.2, 2) * extent, rng.uniform(0.002, 0.03)])
            low = brick.low[:2] * PITCH + 0.5 * extent - 0.5 * sides[:2] + rng.normal(0, 0.2, 2) * extent
            parts.append(block(f"box {k} {n}", box((*low, level), sides), mass=10 ** rng.uniform(-4, 0)))
            level += sides[2]
            extent = sides[:2]
            if rng.random() < 0.6:
                break
    scene = Scene(tuple(parts), friction=rng.uniform(0.1, 0.8), ground="table" if table else "none")
    if not table and not any(part.fixed for part in scene.parts):
        raise Unclear("nothing is fixed")
    return scene


def loose(rng: np.random.Generator) -> Scene:
    """Bricks that lie on the studs of others, off their grid, pressed onto nothing."""
    parts: list[Block | Brick] = []
    for k in range(int(rng.integers(1, 6))):
        brick = _base(rng, f"brick {k}", (20 * k, 0, 0), False)
        parts.append(brick)
        length, width = (int(one) for one in rng.choice([1, 2, 3, 4, 6], 2))
        sides = np.array([length * PITCH, width * PITCH, 3 * PLATE])
        extent = np.array(brick.sides[:2]) * PITCH
        low = brick.low[:2] * PITCH + 0.5 * (extent - sides[:2]) + rng.normal(0, 0.1, 2) * np.maximum(extent, sides[:2])
        low = (np.floor(low / PITCH) + rng.uniform(0.35, 0.65, 2)) * PITCH  # walls over studs
        solid = box((*low, brick.high[2] * PLATE + STUD_HEIGHT), sides)
        parts.append(LooseBrick(f"loose {k}", (solid,), mass=10 ** rng.uniform(-4, -1), kind=f"brick_{length}x{width}"))
    return Scene(tuple(parts), friction=rng.uniform(0.1, 0.8), ground="table")


def sunk(rng: np.random.Generator) -> Expected:
    """A box lower than the tops of studs that it covers: bad input, whatever else is true."""
    brick = _base(rng, "brick", (0, 0, 0), False)
    top = brick.high[2] * PLATE
    extent = np.array(brick.sides[:2]) * PITCH
    sides = np.array([*rng.uniform(1.0, 3.0, 2) * PITCH + 2 * STUD_RADIUS, 0.01])
    low = rng.uniform(0, 1, 2) * np.maximum(extent - 2 * PITCH, 0.0)
    sinks = rng.uniform(0.3, 0.95) * STUD_HEIGHT
    parts = (brick, block("box", box((*low, top + STUD_HEIGHT - sinks), sides), mass=0.02))
    return Expected(Scene(parts, ground="table"), refused=True)
