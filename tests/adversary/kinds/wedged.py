"""Where forces could hold something that Coulomb's law would let fall: things between walls, keystones, jams."""

from __future__ import annotations

import numpy as np

from tests.adversary.kinds.dressing import block, dressed, near
from tests.adversary.kinds.expected import Expected
from tests.adversary.scene import Load, Scene
from tests.adversary.solids import box, prism


def wedged(rng: np.random.Generator) -> Expected:
    """Boxes in a row between two upright walls, on nothing. Forces exist with any friction that a row of n needs:

    pressed together hard enough, each passes its share of the weight to its neighbours. Nothing presses a single box:
    to press on both walls it must turn, and then nothing balances the couple. So by Coulomb's law it falls. A row may
    press itself, as a flat arch does, so of a row only the forces are judged.
    """
    count = int(rng.integers(1, 6))
    friction = rng.uniform(0.05, 1.0) if rng.random() < 0.9 else 0.0
    parts, x = [], 0.0
    high = rng.uniform(0.5, 1.0)
    for k in range(count):
        wide = rng.uniform(0.2, 0.6)
        low = rng.uniform(-0.1, 0.1)
        parts.append(
            block(f"box {k}", box((x, 0, low), (wide, rng.uniform(0.6, 1), high)), density=10 ** rng.uniform(2, 3.5))
        )
        x += wide
    parts.append(block("left", box((-0.5, -0.5, -1), (0.5, 2, 3)), fixed=True))
    parts.append(block("right", box((x, -0.5, -1), (0.5, 2, 3)), fixed=True))
    return Expected(
        dressed(Scene(tuple(parts), friction=friction), rng, 1.0), coulomb="unstable" if count == 1 else None
    )


def jammed(rng: np.random.Generator) -> Scene:
    """Keystones between slopes, under loads: the angle of the slope against that of friction decides."""
    parts, loads = [], []
    friction = rng.uniform(0.1, 0.8)
    for k in range(int(rng.integers(1, 5))):
        y, high = 3.0 * k, rng.uniform(0.4, 1.0)
        lean = np.arctan(friction) * near(rng, -3.0)
        wide = rng.uniform(0.5, 1.0) + 2 * high * np.tan(lean)
        down = rng.random() < 0.6  # narrow end below, or above: then it is held by friction alone
        shift = high * np.tan(lean)
        outline = [(shift, 0), (wide - shift, 0), (wide, high), (0, high)] if down else [
            (0, 0), (wide, 0), (wide - shift, high), (shift, high)
        ]  # fmt: skip
        parts.append(block(f"key {k}", prism(outline, y, y + rng.uniform(0.5, 1.5))))
        (ax, az), (dx, dz) = outline[0], outline[3]
        (bx, bz), (cx, cz) = outline[1], outline[2]
        left = [(ax - 1.0, az), (ax, az), (dx, dz), (dx - 1.0, dz)]
        right = [(bx, bz), (bx + 1.0, bz), (cx + 1.0, cz), (cx, cz)]
        parts.append(block(f"left {k}", prism(left, y - 0.3, y + 1.8), fixed=True))
        parts.append(block(f"right {k}", prism(right, y - 0.3, y + 1.8), fixed=True))
        if rng.random() < 0.5:
            weight = parts[-3].weight_and_centre[0] * 9.81
            loads.append(Load(f"key {k}", weight * rng.normal(0, 1.5, 3)))
    return dressed(Scene(tuple(parts), friction=friction, loads=tuple(loads)), rng, 2.0)
