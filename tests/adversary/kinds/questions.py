"""The same things asked about otherwise: with parts held or gone, on a table with its own friction, at their limit."""

from __future__ import annotations

import numpy as np

from tests.adversary.judge import judged
from tests.adversary.kinds import bricks, corners, cuts, masonry
from tests.adversary.kinds.dressing import block, near
from tests.adversary.kinds.expected import Expected
from tests.adversary.problem import problem_of
from tests.adversary.scene import Load, Scene, Unclear
from tests.adversary.solids import box

_HANDLED = (masonry.walls, masonry.arches, bricks.bricks, cuts.cuts, corners.spikes)
_LIMITED = (bricks.bricks, masonry.arches, cuts.cuts, masonry.walls, bricks.mixed)


def _drawn(rng: np.random.Generator, kinds: tuple[object, ...]) -> Scene:
    drawn = kinds[int(rng.integers(len(kinds)))](rng)  # type: ignore[operator]
    return drawn.scene if isinstance(drawn, Expected) else drawn


def handled(rng: np.random.Generator) -> Scene:
    """Some parts held, some left out."""
    scene = _drawn(rng, _HANDLED)
    free = [part.name for part in scene.parts if not part.fixed]
    fates = rng.choice(3, len(free), p=[0.75, 0.13, 0.12])
    held = tuple(name for name, fate in zip(free, fates, strict=True) if fate == 1)
    absent = tuple(name for name, fate in zip(free, fates, strict=True) if fate == 2)
    if len(held) + len(absent) == len(free):
        raise Unclear("nothing is left to judge")
    loads = tuple(load for load in scene.loads if load.part not in absent)
    return scene.changed(held=held, absent=absent, loads=loads)


def tables(rng: np.random.Generator) -> Scene:
    """Towers on a table that is smoother or rougher than they are among themselves, pushed at."""
    parts, loads = [], []
    table, friction = rng.uniform(0.02, 1.0, 2)
    for k in range(int(rng.integers(1, 6))):
        sides, level = rng.uniform(0.5, 1.2, 3) * (1, 1, 0.3), 0.0
        for n in range(int(rng.integers(1, 4))):
            parts.append(block(f"box {k} {n}", box((2.0 * k, 0, level), sides), density=10 ** rng.uniform(2, 4)))
            level += sides[2]
        low = [part for part in parts if part.name.startswith(f"box {k} ")]
        above = int(rng.integers(len(low)))
        weight = 9.81 * sum(part.weight_and_centre[0] for part in low[above:])
        slides = weight * (table if above == 0 else friction)
        angle = rng.uniform(0, 2 * np.pi)
        force = slides * near(rng, -3.5) * np.array([np.cos(angle), np.sin(angle), 0])
        centre = low[above].weight_and_centre[1]
        loads.append(Load(low[above].name, force, np.array([centre[0], centre[1], above * sides[2]])))
    scene = Scene(
        tuple(parts), friction=float(friction), loads=tuple(loads), ground="table", table_friction=float(table)
    )
    return scene.in_order(rng.permutation(len(parts)))


def limits(rng: np.random.Generator) -> Scene:
    """Loaded to within a thousandth of what it bears: the limit is found by halving, with the judge's help."""
    scene = _drawn(rng, _LIMITED)
    if len(scene.parts) > 10 or judged(problem_of(scene)).answer != "stands":
        raise Unclear("it takes long, or falls before it is loaded")
    free = [part for part in scene.parts if not part.fixed]
    weight = 9.81 * sum(part.weight_and_centre[0] for part in free) / len(free)
    push = weight * rng.normal(size=3) * (1, 1, 1.5)
    part = free[int(rng.integers(len(free)))].name

    def loaded(factor: float) -> Scene:
        return scene.changed(loads=(*scene.loads, Load(part, factor * push)))

    low, high = 0.0, 64.0
    while high - low > 1e-3 * high and high > 1e-2:
        middle = 0.5 * (low + high) if low else 0.25 * high
        answer = judged(problem_of(loaded(middle))).answer
        if answer == "cannot tell":
            break
        low, high = (middle, high) if answer == "stands" else (low, middle)
    return loaded(low if rng.random() < 0.5 else high)
