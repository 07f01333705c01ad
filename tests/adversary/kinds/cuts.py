"""A block cut by random planes into convex pieces that touch in faces; some are gone, some are fixed."""

from __future__ import annotations

import numpy as np

from tests.adversary.kinds.dressing import block, dressed
from tests.adversary.scene import Load, Scene
from tests.adversary.solids import Solid, box, clipped


def cut(rng: np.random.Generator, sides: np.ndarray, count: int) -> list[Solid]:
    """Pieces of a box: the largest is cut each time, by a plane near its middle."""
    pieces = [box((0, 0, 0), sides)]
    while len(pieces) < count:
        pieces.sort(key=lambda piece: -piece.volume_and_centre[0])
        whole = pieces.pop(0)
        flat = rng.random() < 0.5
        normal = rng.normal(size=3) * ((0.25, 0.25, 1.0) if flat else (1, 1, 0.3))
        normal /= np.linalg.norm(normal)
        middle = whole.volume_and_centre[1] + rng.normal(0, 0.05, 3) * whole.size
        halves = [clipped(whole, sign * normal, sign * float(normal @ middle)) for sign in (1.0, -1.0)]
        pieces += [half for half in halves if half is not None]
    return pieces


def cuts(rng: np.random.Generator) -> Scene:
    """On a floor, piece by piece; pulled at, leaned, with holes where pieces are gone."""
    count = int(rng.integers(2, 9)) if rng.random() < 0.8 else int(rng.integers(9, 30))
    sides = rng.uniform(0.8, 2.5, 3)
    solids = cut(rng, sides, count)
    kept = [solid for solid in solids if rng.random() > (0.2 if len(solids) > 3 else 0.0)] or solids
    parts = [block("floor", box((-2, -2, -0.5), (7, 7, 0.5)), fixed=True)]
    for k, solid in enumerate(kept):
        parts.append(block(f"piece {k}", solid, density=10 ** rng.uniform(2.5, 3.5), fixed=rng.random() < 0.1))
    lean, way = rng.choice([0.0, rng.uniform(0, 0.4)]), rng.uniform(0, 2 * np.pi)
    down = np.array([np.sin(lean) * np.cos(way), np.sin(lean) * np.sin(way), -np.cos(lean)])
    free = [part for part in parts if not part.fixed]
    loads = []
    if free and rng.random() < 0.3:
        part = free[int(rng.integers(len(free)))]
        loads.append(Load(part.name, part.weight_and_centre[0] * 9.81 * rng.normal(0, 1, 3)))
    if not free:
        parts.append(block("loose", box((-1, -1, 0), (0.5, 0.5, 0.5))))
    scene = Scene(tuple(parts), friction=rng.uniform(0.05, 1.2), gravity=9.81 * down, loads=tuple(loads))
    return dressed(scene, rng, 2.0)
