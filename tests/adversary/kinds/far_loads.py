"""Forces whose line passes far outside the part they act on: levers of up to ten thousand times its size."""

from __future__ import annotations

import numpy as np

from tests.adversary.kinds.dressing import block, dressed, near
from tests.adversary.scene import Load, Scene
from tests.adversary.solids import box


def far(rng: np.random.Generator) -> Scene:
    """A box on a floor, weighed down or lifted on a long arm: it tips where the arm's moment exceeds its weight's."""
    parts = [block("floor", box((-2, -2, -0.5), (14, 6, 0.5)), fixed=True)]
    loads = []
    for k in range(int(rng.integers(1, 5))):
        sides = rng.uniform(0.4, 1.5, 3)
        parts.append(block(f"box {k}", box((3.0 * k, 0, 0), sides), density=10 ** rng.uniform(2, 4)))
        mass, centre = parts[-1].weight_and_centre
        arm = 10 ** rng.uniform(0, 4)
        push = mass * 9.81 * 0.5 * sides[0] / arm * near(rng)
        if rng.random() < 0.7:  # beyond the edge, downward: W·a/2 = F·arm about that edge
            place = np.array([3.0 * k + sides[0] + arm, centre[1], rng.uniform(-1, 1) * arm])
            loads.append(Load(f"box {k}", np.array([0.0, 0.0, -push]), place))
        else:  # level and high above
            place = np.array([centre[0], centre[1], arm])
            loads.append(Load(f"box {k}", np.array([push, 0.0, 0.0]), place))
        if rng.random() < 0.4:
            top = box((3.0 * k + 0.2 * sides[0], 0.2 * sides[1], sides[2]), 0.6 * sides)
            parts.append(block(f"top {k}", top, density=10 ** rng.uniform(2, 3)))
    return dressed(Scene(tuple(parts), friction=rng.uniform(0.2, 0.9), loads=tuple(loads)), rng, 2.0)
