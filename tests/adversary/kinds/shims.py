"""Nearly flat, not quite: plates that lean by a hundredth on a shim, and parts that hook into each other."""

from __future__ import annotations

import numpy as np

from tests.adversary.kinds.dressing import block, dressed
from tests.adversary.scene import Load, Scene
from tests.adversary.solids import box, prism


def shims(rng: np.random.Generator) -> Scene:
    """Plates with one edge on the floor, the other end on a thin shim: edges bear, although faces nearly do."""
    parts = [block("floor", box((-4, -2, -0.5), (9, 16, 0.5)), fixed=True)]
    loads = []
    for k in range(int(rng.integers(1, 6))):
        lean = rng.uniform(0.006, 0.03)
        long, thick, y = rng.uniform(0.8, 2.0), rng.uniform(0.03, 0.15), 2.5 * k
        way, up = np.array([np.cos(lean), np.sin(lean)]), np.array([-np.sin(lean), np.cos(lean)])
        outline = np.array([np.zeros(2), long * way, long * way + thick * up, thick * up])
        parts.append(block(f"plate {k}", prism(outline, y, y + rng.uniform(0.5, 1.5)), density=10 ** rng.uniform(2, 4)))
        share = rng.uniform(0.4, 0.95)
        edge, high = share * long * np.cos(lean), share * long * np.sin(lean)
        shim = prism([(edge, high), (edge - 4 * high, 0), (edge + 4 * high, 0)], y - 0.2, y + 1.7)
        parts.append(block(f"shim {k}", shim, fixed=True))
        if rng.random() < 0.5:
            weight = parts[-2].weight_and_centre[0] * 9.81
            place = rng.uniform(0.05, 1.0) * long * way + thick * up
            force = weight * np.array([rng.normal(0, 0.05), 0, -rng.uniform(0, 3)])
            loads.append(Load(f"plate {k}", force, np.array([place[0], y + 0.25, place[1]])))
    return dressed(Scene(tuple(parts), friction=rng.uniform(0.02, 0.5), loads=tuple(loads)), rng, 2.0)


def hooks(rng: np.random.Generator) -> Scene:
    """Brackets over a beam, held by a lip above and a finger below it; boxes lie on their arms."""
    parts = [block("beam", box((0, -1, 0), (0.4, 12, 0.5)), fixed=True)]
    loads = []
    for k in range(int(rng.integers(1, 5))):
        y, deep = 2.0 * k, rng.uniform(0.3, 1.0)
        lip, thick, arm = rng.uniform(0.05, 0.4), rng.uniform(0.05, 0.2), rng.uniform(0.3, 2.0)
        finger = rng.uniform(0.05, 0.4) if rng.random() < 0.6 else 0.0
        solids = [
            box((0.4, y, 0), (thick, deep, 0.5)),  # beside the beam
            box((0.4 - lip, y, 0.5), (lip + thick, deep, thick)),  # over it
        ]
        if finger:
            solids.append(box((0.4 - finger, y, -thick), (finger + thick + arm, deep, thick)))
        else:
            solids.append(box((0.4, y, -thick), (thick + arm, deep, thick)))
        parts.append(block(f"hook {k}", *solids, density=10 ** rng.uniform(2, 4)))
        if rng.random() < 0.6:
            wide = rng.uniform(0.3, 0.8) * arm
            start = 0.4 + thick + rng.uniform(0.1, 0.9) * (arm - 0.5 * wide)
            load = box((start, y + 0.05, 0), (wide, deep - 0.1, rng.uniform(0.1, 0.4)))
            parts.append(block(f"box {k}", load, density=10 ** rng.uniform(2, 4)))
        if rng.random() < 0.3:
            weight = parts[-1].weight_and_centre[0] * 9.81
            loads.append(Load(parts[-1].name, weight * rng.normal(0, 0.5, 3)))
    return dressed(Scene(tuple(parts), friction=rng.uniform(0.02, 0.8), loads=tuple(loads)), rng, 2.0)
