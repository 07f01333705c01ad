"""Walls in bond, stacks that overhang, arches of voussoirs: faces on faces, up to forty parts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tests.adversary.kinds.dressing import block, dressed, near
from tests.adversary.kinds.expected import Expected
from tests.adversary.scene import Load, Scene
from tests.adversary.solids import box, prism


def walls(rng: np.random.Generator) -> Scene:
    """Courses of stones of any length, some missing; the ground leans now and then."""
    courses, length = int(rng.integers(1, 7)), rng.uniform(1.5, 4)
    high, deep = rng.uniform(0.2, 0.5), rng.uniform(0.2, 0.6)
    parts = [block("floor", box((-3, -3, -0.5), (length + 6, 6 + deep, 0.5)), fixed=True)]
    for course in range(courses):
        x, shift = rng.uniform(0, 0.3), rng.normal(0, 0.02) * deep
        while x < length and len(parts) <= 40:
            long = rng.uniform(0.3, 0.9)
            if rng.random() > 0.06 or course == 0:
                solid = box((x, shift, course * high), (long, deep, high))
                parts.append(block(f"stone {len(parts)}", solid, density=10 ** rng.uniform(2.7, 3.5)))
            x += long if rng.random() < 0.8 else long + rng.uniform(0.05, 0.2)
    down = np.array([0.0, 0.0, -1.0])
    if rng.random() < 0.4:
        lean, way = rng.uniform(0, 0.35), rng.uniform(0, 2 * np.pi)
        down = np.array([np.sin(lean) * np.cos(way), np.sin(lean) * np.sin(way), -np.cos(lean)])
    loads = []
    if rng.random() < 0.3 and len(parts) > 2:
        stone = parts[int(rng.integers(1, len(parts)))]
        loads.append(Load(stone.name, stone.weight_and_centre[0] * 9.81 * rng.normal(0, 0.4, 3)))
    scene = Scene(tuple(parts), friction=rng.uniform(0.15, 0.9), gravity=9.81 * down, loads=tuple(loads))
    return dressed(scene, rng, 1.0)


def stacks(rng: np.random.Generator) -> Expected:
    """Towers of boxes; in one, what lies above some joint hangs over its edge by nearly the limit, or past it."""
    parts = [block("floor", box((-3, -3, -0.5), (24, 8, 0.5)), fixed=True)]
    towers = int(rng.integers(1, 5))
    worst = int(rng.integers(towers))
    for tower in range(towers):
        count = int(rng.integers(1, 11))
        sides = rng.uniform(0.5, 1.5, 3) * (1, 1, 0.4)
        masses = 10 ** rng.uniform(1, 3, count)
        # From the top down: the common centre of all above lies near the end of the next one below.
        offsets, centre, above = np.zeros(count), 0.0, 0.0
        critical = int(rng.integers(count))
        for k in range(count - 2, -1, -1):
            centre = (above * centre + masses[k + 1] * offsets[k + 1]) / (above + masses[k + 1])
            above += masses[k + 1]
            reach = near(rng) if k == critical and tower == worst else rng.uniform(-0.9, 0.9)
            offsets[k] = centre - 0.5 * sides[0] * reach
        y = rng.normal(0, 0.05, count)
        for k in range(count):
            low = (6.0 * tower + offsets[k] - offsets[0], y[k], k * sides[2])
            parts.append(block(f"box {tower} {k}", box(low, sides), mass=float(masses[k])))
    scene = Scene(tuple(parts), friction=rng.uniform(0.2, 0.8))
    return Expected(dressed(scene, rng, 1.0), coulomb="stable")


def arches(rng: np.random.Generator) -> Scene:
    """Half rings of stones; thin ones fall (Couplet: thinner than 0.1075 of the radius), slippery ones too."""
    count, span = int(rng.integers(3, 25)), rng.uniform(0.9, 1.0) * np.pi
    thick = rng.uniform(0.06, 0.35)
    angles = np.linspace((np.pi - span) / 2, (np.pi + span) / 2, count + 1)
    inner, outer = 1 - thick / 2, 1 + thick / 2
    deep = rng.uniform(0.2, 1)
    parts = []
    for k, (a, b) in enumerate(pairwise(angles)):
        ring = [(r * np.cos(t), r * np.sin(t)) for r, t in ((inner, a), (outer, a), (outer, b), (inner, b))]
        parts.append(block(f"stone {k}", prism(ring, 0, deep), density=10 ** rng.uniform(3.0, 3.3)))
    for name, angle, way in (("right", angles[0], -1.0), ("left", angles[-1], 1.0)):
        near_end, far_end = (
            np.array([np.cos(angle), np.sin(angle)]),
            np.array([-np.sin(angle), np.cos(angle)]) * way * 0.4,
        )
        ends = [0.6 * near_end, 1.4 * near_end]
        ring = [ends[0], ends[0] + far_end, ends[1] + far_end, ends[1]]
        turned = ring if _counter_clockwise(ring) else ring[::-1]
        parts.append(block(name, prism(turned, -0.1, deep + 0.1), fixed=True))
    if rng.random() < 0.3:
        del parts[int(rng.integers(count))]
    loads = []
    if rng.random() < 0.4:
        stone = parts[int(rng.integers(len(parts) - 2))]
        loads.append(Load(stone.name, stone.weight_and_centre[0] * 9.81 * rng.normal(0, 2, 3)))
    return dressed(Scene(tuple(parts), friction=rng.uniform(0.15, 1.0), loads=tuple(loads)), rng, 2.0)


def _counter_clockwise(ring: list[np.ndarray]) -> bool:
    x, z = np.array(ring).T
    return float(x @ np.roll(z, -1) - z @ np.roll(x, -1)) > 0
