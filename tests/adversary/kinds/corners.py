"""Corners and edges that bear: leaning planks, prisms in grooves, roofs, plates on spikes, crossed rails."""

from __future__ import annotations

import numpy as np

from tests.adversary.kinds.dressing import block, dressed, near
from tests.adversary.scene import Block, Load, Scene
from tests.adversary.solids import Solid, box, prism


def planks(rng: np.random.Generator) -> Scene:
    """Planks against a wall. With friction μ at both ends one stands from μ² x_g + μ z_w = x_f − x_g on."""
    count = int(rng.integers(1, 9))
    angle, length, thick = rng.uniform(0.35, 1.45), rng.uniform(1, 3), rng.uniform(0.04, 0.3)
    outline = plank_outline(angle, length, thick)
    foot, top, middle = outline[0, 0], outline[3, 1], outline.mean(axis=0)[0]
    limit = (-top + np.sqrt(top**2 + 4 * middle * (foot - middle))) / (2 * middle)
    wall = block("wall", box((-0.5, -0.5, 0), (0.5, count + 1.0, 4)), fixed=True)
    ground = block("floor", box((-0.5, -0.5, -0.5), (5, count + 1.0, 0.5)), fixed=True)
    parts = [wall, ground]
    loads = []
    for k in range(count):
        wide = rng.uniform(0.2, 0.8)
        parts.append(block(f"plank {k}", prism(outline, k, k + wide), density=10 ** rng.uniform(1, 4)))
        if rng.random() < 0.1:
            force = parts[-1].weight_and_centre[0] * 9.81 * rng.normal(0, 0.1, 3)
            loads.append(Load(parts[-1].name, force))
    scene = Scene(tuple(parts), friction=float(max(limit, 0.05) * near(rng)), loads=tuple(loads))
    return dressed(scene, rng, 1.0)


def plank_outline(angle: float, length: float, thick: float) -> np.ndarray:
    """Foot on z = 0, upper back corner on x = 0: foot, right, top, left, counter-clockwise."""
    along, across = np.array([-np.cos(angle), np.sin(angle)]), np.array([np.sin(angle), np.cos(angle)])
    foot = np.array([length * np.cos(angle), 0.0])
    top = foot + length * along
    return np.array([foot, foot + thick * across, top + thick * across, top])


def grooves(rng: np.random.Generator) -> Scene:
    """Prisms with any outline between two slopes: corners bear on faces."""
    parts, loads = [], []
    for k in range(int(rng.integers(1, 7))):
        corners = int(rng.integers(3, 9))
        around = (
            np.sort(rng.uniform(0, 2 * np.pi, corners))
            if rng.random() < 0.5
            else (np.arange(corners) * 2 * np.pi / corners + rng.uniform(0, 7))
        )
        around = np.sort(around % (2 * np.pi))
        outline = np.column_stack([rng.uniform(0.5, 1.5) * np.cos(around), np.sin(around)])
        if np.diff(np.append(around, around[0] + 2 * np.pi)).max() > 2.6:
            outline = np.column_stack([np.cos([0.3, 2.4, 4.5]), np.sin([0.3, 2.4, 4.5])])
        y = 3.0 * k
        parts.append(block(f"prism {k}", prism(outline, y, y + rng.uniform(0.5, 2))))
        for side, lean in ((-1, rng.uniform(0.15, 1.3)), (1, rng.uniform(0.15, 1.3))):
            parts.append(_slope(f"slope {k} {side}", outline, side, lean, y))
        if rng.random() < 0.3:
            weight = parts[-3].weight_and_centre[0] * 9.81
            loads.append(Load(parts[-3].name, weight * rng.normal(0, 0.4, 3) * (1, 0, 1)))
    return dressed(Scene(tuple(parts), friction=rng.uniform(0, 1.5), loads=tuple(loads)), rng, 2.0)


def _slope(name: str, outline: np.ndarray, side: int, lean: float, y: float) -> Block:
    """A fixed slab whose face, leaning by an angle from level, carries the outline on its lowest corner that way."""
    normal = np.array([-side * np.sin(lean), np.cos(lean)])
    along = np.array([normal[1], -normal[0]])
    touches = outline[np.argmin(outline @ normal)]
    reach = 0.12
    corners = [touches - reach * along, touches + reach * along]
    loop = np.array([corners[0], corners[0] - 0.4 * normal, corners[1] - 0.4 * normal, corners[1]])
    return block(name, prism(loop, y - 0.3, y + 2.3), fixed=True)


def roofs(rng: np.random.Generator) -> Scene:
    """Two planks that lean on each other, edge on face."""
    parts = [block("floor", box((-6, -1, -0.5), (12, 12, 0.5)), fixed=True)]
    for k in range(int(rng.integers(1, 4))):
        steep, other = rng.uniform(0.9, 1.4), rng.uniform(0.9, 1.4)
        long, thick = rng.uniform(1.5, 3.0), rng.uniform(0.05, 0.2)
        way, up = np.array([np.cos(steep), np.sin(steep)]), np.array([-np.sin(steep), np.cos(steep)])
        first = np.array([np.zeros(2), long * way, long * way + thick * up, thick * up])
        second = plank_outline(other, rng.uniform(0.6, 1.2), rng.uniform(0.05, 0.2))
        second = second + np.array([(second @ up).max() / np.sin(steep), 0.0])
        y, deep = 2.0 * k, rng.uniform(0.3, 1.5)
        parts.append(block(f"over {k}", prism(first, y, y + deep), density=10 ** rng.uniform(2, 3.5)))
        parts.append(block(f"under {k}", prism(second, y + 0.1, y + deep - 0.1), density=10 ** rng.uniform(2, 3.5)))
    return dressed(Scene(tuple(parts), friction=rng.uniform(0.3, 1.6)), rng, 1.0)


def pyramid(apex: np.ndarray, half: float, height: float, turn: float) -> Solid:
    """Four-sided, tip up."""
    around = turn + np.pi / 2 * np.arange(4)
    base = apex + np.column_stack([half * np.cos(around), half * np.sin(around), np.full(4, -height)])
    faces = ((3, 2, 1, 0), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4))
    return Solid(np.concatenate([base, apex[None]]), faces)


def spikes(rng: np.random.Generator) -> Scene:
    """Plates on the tips of pyramids, in storeys: a corner on a face each."""
    parts: list[Block] = []
    loads: list[Load] = []
    level, half = 0.0, 2.0
    for storey in range(int(rng.integers(1, 5))):
        height = rng.uniform(0.3, 0.8)
        first, count = rng.uniform(0, 7), int(rng.integers(3, 6))
        for k in range(count):
            around = first + 2 * np.pi * (k + rng.uniform(-0.3, 0.3)) / count
            flat = rng.uniform(0.4, 0.8) * half * np.array([np.cos(around), np.sin(around)])
            apex = np.array([*flat, level + height])
            tip = pyramid(apex, rng.uniform(0.05, 0.12), height, rng.uniform(0, 7))
            parts.append(block(f"tip {storey} {k}", tip, density=10 ** rng.uniform(2, 4), fixed=storey == 0))
        level += height
        half *= rng.uniform(0.5, 0.8)
        thick, shift = rng.uniform(0.05, 0.3), rng.normal(0, 0.12, 2) * half
        half_plate = half * 1.6
        solid = box((shift[0] - half_plate, shift[1] - half_plate, level), (2 * half_plate, 2 * half_plate, thick))
        parts.append(block(f"plate {storey}", solid, density=10 ** rng.uniform(2, 3.5)))
        level += thick
        if rng.random() < 0.4:
            weight = parts[-1].weight_and_centre[0] * 9.81
            place = np.array([*rng.uniform(-0.9, 0.9, 2) * half_plate + shift, level])
            loads.append(Load(parts[-1].name, weight * np.array([*rng.normal(0, 0.1, 2), -rng.uniform(0, 1)]), place))
    return dressed(Scene(tuple(parts), friction=rng.uniform(0.02, 1.0), loads=tuple(loads)), rng, 2.0)


def rails(rng: np.random.Generator) -> Scene:
    """Skids with a sharp edge below across rails with a sharp edge above: edge on edge."""
    parts: list[Block] = []
    places = np.sort(rng.uniform(-2, 2, int(rng.integers(2, 4))))
    half = rng.uniform(0.1, 0.3)
    for k, y in enumerate(places):
        ridge = prism([(-half, -0.5), (half, -0.5), (0.0, 0.0)], -3, 3)
        turned = Solid(ridge.corners[:, [1, 0, 2]] * (1, -1, 1) + (0, y, 0), ridge.faces)
        parts.append(block(f"rail {k}", turned, fixed=True))
    for k in range(int(rng.integers(1, 4))):
        x, apart, height = 1.6 * k - 1.6, rng.uniform(0.3, 0.9), rng.uniform(0.2, 0.5)
        low, high = rng.uniform(-3, -0.2), rng.uniform(0.2, 3)
        thin = rng.uniform(0.05, 0.12)
        skids = [prism([(s, 0.0), (s + thin, height), (s - thin, height)], low, high) for s in (x, x + apart)]
        plate = box((x - thin, low, height), (apart + 2 * thin, high - low, rng.uniform(0.05, 0.4)))
        parts.append(block(f"sledge {k}", *skids, plate, density=10 ** rng.uniform(2, 3.5)))
    tilt = rng.normal(0, 0.08, 2)
    scene = Scene(tuple(parts), friction=rng.uniform(0.02, 0.8), gravity=9.81 * np.array([*tilt, -1.0]))
    return dressed(scene, rng, 2.0)
