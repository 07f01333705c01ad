"""Bars on pins: chains that swing, four bars that are pushed over, trusses that stand, bars that lean on a stop.

A pin carries any force and any moment but one about its axis. Bars of a pair that is pinned have no other contact. Bars
lie in layers along the axis, so that only what is meant to touch does; in some cases they share one plane, as drawn.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tests.adversary.kinds.dressing import block, dressed
from tests.adversary.scene import Block, Hinge, Load, Scene
from tests.adversary.solids import box, prism

_Y = np.array([0.0, 1.0, 0.0])


def bar(name: str, start: np.ndarray, end: np.ndarray, layer: int, thick: float, density: float = 1000.0) -> Block:
    """A bar in the x–z plane from pin to pin, a little longer than that."""
    way = (end - start) / np.linalg.norm(end - start)
    across = 0.5 * thick * np.array([-way[1], way[0]])
    a, b = start - 0.5 * thick * way, end + 0.5 * thick * way
    outline = [a - across, b - across, b + across, a + across]
    y = 2.0 * thick * layer
    return block(name, prism(outline, y - 0.4 * thick, y + 0.4 * thick), density=density)


def pin(first: str, second: str, at: np.ndarray, y: float = 0.0) -> Hinge:
    return Hinge(first, second, np.array([at[0], y, at[1]]), _Y)


def anchor(thick: float) -> Block:
    """Something fixed, out of the way."""
    return block("anchor", box((-1, 40 * thick, -1), (2, 4 * thick, 1)), fixed=True)


def linkages(rng: np.random.Generator) -> Scene:
    """Four bars, or a chain: stands only where it is balanced, as upright or hanging, or where bars triangulate it."""
    thick = 0.04
    friction = rng.choice([0.0, rng.uniform(0, 1)])
    if rng.random() < 0.5:
        return dressed(_four_bars(rng, thick).changed(friction=float(friction)), rng, 2.0)
    count = int(rng.integers(1, 9))
    upright = rng.random() < 0.4
    at, parts, hinges = np.zeros(2), [anchor(thick)], []
    up = rng.choice([-1.0, 1.0])
    last = "anchor"
    for k in range(count):
        lean = 0.0 if upright else rng.normal(0, 0.5)
        end = at + rng.uniform(0.5, 1.0) * np.array([np.sin(lean), up * np.cos(lean)])
        parts.append(bar(f"bar {k}", at, end, k, thick, 10 ** rng.uniform(2, 4)))
        hinges.append(pin(last, f"bar {k}", at, 2 * thick * k))
        at, last = end, f"bar {k}"
    loads = []
    if rng.random() < 0.4:
        force = np.array([0.0, 0.0, rng.normal()]) if upright and rng.random() < 0.5 else rng.normal(size=3) * (1, 0, 1)
        loads.append(Load(last, 100 * force, np.array([at[0], 2 * thick * (count - 1), at[1]])))
    scene = Scene(tuple(parts), friction=float(friction), hinges=tuple(hinges), loads=tuple(loads))
    return dressed(scene, rng, 2.0)


def _four_bars(rng: np.random.Generator, thick: float) -> Scene:
    lean = 0.0 if rng.random() < 0.4 else rng.uniform(-0.6, 0.6)
    high, wide = rng.uniform(0.5, 1.5), rng.uniform(0.5, 2)
    top = high * np.array([np.sin(lean), np.cos(lean)])
    feet = np.array([[0.0, 0.0], [wide, 0.0]])
    flat = rng.random() < 0.3
    layers = (0, 0, 0) if flat else (0, 1, 2)
    parts = [
        anchor(thick),
        bar("left", feet[0], feet[0] + top, layers[0], thick),
        bar("over", feet[0] + top, feet[1] + top, layers[1], thick),
        bar("right", feet[1] + top, feet[1], layers[2], thick),
    ]
    hinges = [
        pin("anchor", "left", feet[0]),
        pin("left", "over", feet[0] + top),
        pin("over", "right", feet[1] + top),
        pin("right", "anchor", feet[1]),
    ]
    if rng.random() < 0.3:
        parts.append(bar("brace", feet[0], feet[1] + top, 3, thick))
        hinges += [pin("anchor", "brace", feet[0]), pin("brace", "right", feet[1] + top)]
    loads = []
    if rng.random() < 0.6:
        loads.append(Load("over", np.array([rng.choice([0.0, rng.normal()]), 0, rng.normal()]) * 10))
    overlap = 1.5 * thick if flat else 0.0
    return Scene(tuple(parts), hinges=tuple(hinges), loads=tuple(loads), allow_overlap=overlap)


def trusses(rng: np.random.Generator) -> Scene:
    """A strip of triangles, pinned at two of its joints; without one of its bars it mostly moves."""
    bays, thick = int(rng.integers(1, 7)), 0.04
    joints = [np.array([0.0, 0.0]), np.array([rng.uniform(-0.3, 0.3), rng.uniform(0.6, 1.2)])]
    pairs = [(0, 1)]
    for k in range(2, bays + 2):
        joints.append(np.array([0.5 * k + rng.uniform(-0.15, 0.15), (k % 2) * 1.0 + rng.uniform(-0.2, 0.2)]))
        pairs += [(k - 2, k), (k - 1, k)]
    gone = int(rng.integers(len(pairs))) if rng.random() < 0.35 else -1
    parts, hinges, meeting = [anchor(thick)], [], {k: [] for k in range(len(joints))}
    for number, (a, b) in enumerate(pairs):
        if number == gone:
            continue
        parts.append(bar(f"bar {a}-{b}", joints[a], joints[b], number, thick, 10 ** rng.uniform(2, 3.5)))
        meeting[a].append(parts[-1].name)
        meeting[b].append(parts[-1].name)
    for k, names in meeting.items():
        chain = ["anchor", *names] if k < 2 else names
        hinges += [pin(first, second, joints[k]) for first, second in pairwise(chain)]
    loads = [Load(part.name, 100 * rng.normal(size=3) * (1, 0.1, 1)) for part in parts[1:] if rng.random() < 0.3]
    return dressed(Scene(tuple(parts), friction=0.3, hinges=tuple(hinges), loads=tuple(loads)), rng, 2.0)


def stops(rng: np.random.Generator) -> Scene:
    """Bars on a pin that lean with a corner on a fixed block, or with something lying on them; or past it, and fall."""
    thick, parts, hinges = 0.05, [anchor(0.05)], []
    for k in range(int(rng.integers(1, 5))):
        lean, long, y = rng.uniform(0.1, 1.2), rng.uniform(0.8, 2), 3 * k
        start, end = np.array([0.0, 0.0]), long * np.array([np.cos(lean), np.sin(lean)])
        outline = bar("", start, end, 0, thick).solids[0].corners[:4, [0, 2]]
        parts.append(block(f"bar {k}", prism(outline, y, y + rng.uniform(0.2, 1.0)), density=10 ** rng.uniform(2, 4)))
        hinges.append(Hinge("anchor", f"bar {k}", np.array([0.0, y + 0.1, 0.0]), _Y))
        if rng.random() < 0.75:  # under the lower side: the corner of a block below its face
            share = rng.uniform(0.3, 0.9)
            down = np.array([np.sin(lean), -np.cos(lean)])
            under = share * end + 0.5 * thick * down
            half = rng.uniform(0.05, 0.2)
            ridge = prism([under, under - np.array([half, 0.6]), under - np.array([-half, 0.6])], y - 0.2, y + 1.2)
            parts.append(block(f"stop {k}", ridge, fixed=True))
    return dressed(Scene(tuple(parts), friction=rng.uniform(0, 0.8), hinges=tuple(hinges)), rng, 2.0)
