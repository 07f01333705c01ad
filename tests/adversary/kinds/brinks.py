"""What bears on a hair's breadth: ledges, tips and ridges close to the border of a face, feet as narrow as blades.

Every scene needs what is narrow. Widths are 1e-6 to 1e-2 of the part that lies there.
"""

from __future__ import annotations

import numpy as np

from tests.adversary.kinds.corners import pyramid
from tests.adversary.kinds.dressing import block, dressed
from tests.adversary.scene import Block, Scene
from tests.adversary.solids import Solid, box, prism


def hair(rng: np.random.Generator) -> float:
    return float(10 ** rng.uniform(-6, -2))


def slivers(rng: np.random.Generator) -> Scene:
    """A beam whose one end lies on a ledge."""
    length, wide = rng.uniform(1, 3), hair(rng)
    other = rng.uniform(0.02, 0.3) * length
    deep = rng.uniform(0.2, 1.0)
    parts = [
        block("left", box((-0.5, 0, -1), (0.5 + wide * length, deep, 1)), fixed=True),
        block("right", box((length - other, 0, -1), (1.0, deep, 1)), fixed=True),
        block("beam", box((0, 0, 0), (length, deep, rng.uniform(0.05, 0.3)))),
    ]
    top = parts[-1].solids[0].corners[:, 2].max()
    if rng.random() < 0.5:
        parts.append(block("weight", box((0.3 * length, 0.05, top), (0.2 * length, deep - 0.1, 0.2)), density=3000))
    return _narrow(parts, rng)


def brinks(rng: np.random.Generator) -> Scene:
    """A plate or a plank that needs a tip, a ridge or a rail just under its border, or its own foot."""
    return (_on_tips, _on_ridges, _on_rails, _on_blades)[int(rng.integers(4))](rng)


def _on_tips(rng: np.random.Generator) -> Scene:
    """A plate on three tips, one of which is just inside one border or two."""
    size, thick, height = rng.uniform(1, 3), rng.uniform(0.05, 0.2), rng.uniform(0.3, 0.8)
    inside = size * hair(rng)
    along = inside if rng.random() < 0.3 else rng.uniform(0.2, 0.5) * size
    tips = np.array([(inside, along), (0.8 * size, 0.1 * size), (0.7 * size, 0.9 * size)])
    parts = [block("plate", box((0, 0, 0), (size, size, thick)))]
    for k, (x, y) in enumerate(tips):
        tip = pyramid(np.array([x, y, 0.0]), rng.uniform(0.05, 0.12), height, rng.uniform(0, 7))
        parts.append(block(f"tip {k}", tip, fixed=True))
    return _narrow(parts, rng)


def _ridge(name: str, x: float, low: float, high: float, half: float) -> Block:
    """A fixed ridge along y, its edge on z = 0."""
    return block(name, prism([(x - half, -0.5), (x + half, -0.5), (x, 0.0)], low, high), fixed=True)


def _on_ridges(rng: np.random.Generator) -> Scene:
    """A plank on two ridges, one of which runs along just inside its end; ridges may end under it or go beyond."""
    length, deep, wide = rng.uniform(1, 3), rng.uniform(0.2, 1.0), hair(rng)
    half = rng.uniform(0.05, 0.3)
    reach = rng.choice([-0.2, 0.2]) * deep
    parts = [
        _ridge("near", wide * length, -reach, deep + reach, half),
        _ridge("far", rng.uniform(0.6, 0.95) * length, -0.1, deep + 0.1, half),
        block("plank", box((0, 0, 0), (length, deep, rng.uniform(0.05, 0.3)))),
    ]
    return _narrow(parts, rng)


def _on_rails(rng: np.random.Generator) -> Scene:
    """A sledge with two sharp skids across two rails, one of which is just inside the ends of the skids."""
    length, apart = rng.uniform(1, 3), rng.uniform(0.3, 0.9)
    thin, height = rng.uniform(0.05, 0.12), rng.uniform(0.2, 0.5)
    skids = [prism([(s, 0.0), (s + thin, height), (s - thin, height)], 0.0, length) for s in (0.0, apart)]
    plate = box((-thin, 0.0, height), (apart + 2 * thin, length, rng.uniform(0.05, 0.3)))
    parts = [block("sledge", *skids, plate)]
    for name, y in (("near", length * hair(rng)), ("far", rng.uniform(0.6, 0.95) * length)):
        rail = _ridge(name, 0.0, -1.0, 2.0, rng.uniform(0.1, 0.3)).solids[0]
        turned = Solid(rail.corners[:, [1, 0, 2]] * (1, -1, 1) + (0, y, 0), rail.faces)
        parts.append(block(name, turned, fixed=True))
    return _narrow(parts, rng)


def _on_blades(rng: np.random.Generator) -> Scene:
    """A wall on a foot as narrow as a blade, above it or a little beside it."""
    high, wide, deep = rng.uniform(0.5, 2), rng.uniform(0.2, 0.6), rng.uniform(0.2, 1.0)
    foot = 0.5 * hair(rng) * high
    shift = foot * rng.choice([rng.uniform(-0.9, 0.9), rng.uniform(-3, 3)])
    outline = [(-foot, 0.0), (foot, 0.0), (wide + shift, high), (-wide + shift, high)]
    floor = block("floor", box((-1, -1, -0.5), (2, deep + 2, 0.5)), fixed=True)
    return _narrow([floor, block("wall", prism(outline, 0.0, deep))], rng)


def _narrow(parts: list[Block], rng: np.random.Generator) -> Scene:
    return dressed(Scene(tuple(parts), friction=rng.uniform(0.1, 0.8), slivers=True), rng, 1.0)
