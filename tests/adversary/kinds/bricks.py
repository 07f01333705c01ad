"""Snap-fit buildings near the strength of their joints, and bricks with blocks on and beside them."""

from __future__ import annotations

import numpy as np

from tests.adversary.brick_grid import PITCH, PLATE, STUD_HEIGHT, STUD_RADIUS, Brick
from tests.adversary.kinds.dressing import block
from tests.adversary.scene import Load, Scene
from tests.adversary.solids import box

_PLANS = ((1, 1), (1, 2), (1, 4), (1, 6), (1, 8), (2, 2), (2, 3), (2, 4), (2, 6), (4, 4))


def grown(rng: np.random.Generator, count: int, mass: float, tiles: float = 0.1) -> list[Brick]:
    """Bricks put one onto or under another that is there already, as they come."""
    placed: list[Brick] = []
    tries = 0
    while len(placed) < count and tries < 40 * count:
        tries += 1
        small, large = _PLANS[int(rng.integers(len(_PLANS)))]
        family = rng.choice(["brick", "plate", "tile"], p=[0.7, 0.3 - tiles, tiles])
        turned = bool(rng.integers(2))
        fresh = Brick(
            str(len(placed)), f"{family}_{large}x{small}", (0, 0, 0), turned, mass * 10 ** rng.uniform(-0.5, 0.5)
        )
        if placed:
            host = placed[int(rng.integers(len(placed)))]
            above = host.has_studs and rng.random() < 0.8
            low, high = host.low[:2] - fresh.sides[:2] + 1, host.high[:2] - 1
            x, y = (int(rng.integers(a, b + 1)) for a, b in zip(low, high, strict=True))
            z = int(host.high[2]) if above else int(host.low[2]) - fresh.sides[2]
            if z < 0 or (not above and not fresh.has_studs):
                continue
            fresh = Brick(fresh.name, fresh.kind, (x, y, z), turned, fresh.mass)
        if not any(_share(fresh, other) for other in placed):
            placed.append(fresh)
    return placed


def _share(one: Brick, other: Brick) -> bool:
    return bool((np.maximum(one.low, other.low) < np.minimum(one.high, other.high)).all())


def bricks(rng: np.random.Generator) -> Scene:
    """A building on a baseplate; some bricks float, some are pulled, pushed and pressed by newtons."""
    count = int(rng.integers(1, 7)) if rng.random() < 0.8 else int(rng.integers(7, 41))
    built = grown(rng, count, 10 ** rng.uniform(-3.2, -0.3))
    if rng.random() < 0.1:
        far = max(int(brick.high[0]) for brick in built) + 5
        built.append(Brick("afloat", "brick_2x4", (far, 0, 6), False, 2e-3))
    loads = []
    for brick in built:
        if rng.random() < 1.2 / len(built):
            force = rng.normal(size=3) * 10 ** rng.uniform(-2, 1.3)
            place = brick.solids[0].corners[int(rng.integers(8))] if rng.random() < 0.6 else None
            loads.append(Load(brick.name, force, place))
    order = rng.permutation(len(built))
    return Scene(tuple(built[k] for k in order), friction=rng.uniform(0.1, 0.8), loads=tuple(loads), ground="baseplate")


def _holds_studs(low: np.ndarray, sides: np.ndarray, brick: Brick) -> bool:
    """Whether a cuboid shares space with studs of a brick, or may: those of a brick beside what it lies on."""
    tops = brick.studs()
    if not len(tops) or low[2] >= tops[0, 2] - 0.5 * STUD_HEIGHT or low[2] + sides[2] <= tops[0, 2] - STUD_HEIGHT:
        return False
    beyond = np.maximum(low[:2] - tops[:, :2], tops[:, :2] - (low + sides)[:2])
    return bool((beyond < STUD_RADIUS).all(axis=1).any())


def mixed(rng: np.random.Generator) -> Scene:
    """Bricks that hold each other, on a table or a baseplate; blocks lie on their studs, on tiles and beside them."""
    ground = str(rng.choice(["table", "baseplate"]))
    built = list(grown(rng, int(rng.integers(1, 12)), 10 ** rng.uniform(-3, -2), tiles=0.25))
    blocks = []
    for k in range(int(rng.integers(1, 4))):
        host = built[int(rng.integers(len(built)))]
        extent = np.array(host.sides[:2]) * PITCH
        level = host.high[2] * PLATE + (STUD_HEIGHT if host.has_studs else 0.0)
        sides = np.array([*rng.uniform(0.4, 1.2, 2) * extent, rng.uniform(0.003, 0.02)])
        low = host.low[:2] * PITCH + 0.5 * (extent - sides[:2]) + rng.normal(0, 0.15, 2) * extent
        if ground == "table" and rng.random() < 0.3:  # beside a brick that stands on the table, flush with its side
            lowest = [brick for brick in built if brick.at[2] == 0]
            host = lowest[int(rng.integers(len(lowest)))]
            low, level = np.array([host.high[0] * PITCH, host.low[1] * PITCH + rng.uniform(-0.004, 0.004)]), 0.0
        mass = 10 ** rng.uniform(-3.5, 0.3)
        if not any(_holds_studs(np.array([*low, level]), sides, brick) for brick in built):  # no sound case
            blocks.append(block(f"block {k}", box((*low, level), sides), mass=mass))
    parts = [*built, *blocks]
    loads = []
    if rng.random() < 0.3:
        part = parts[int(rng.integers(len(parts)))]
        loads.append(Load(part.name, rng.normal(size=3) * 10 ** rng.uniform(-2, 0.5)))
    order = rng.permutation(len(parts))
    return Scene(tuple(parts[k] for k in order), friction=rng.uniform(0.1, 0.8), loads=tuple(loads), ground=ground)
