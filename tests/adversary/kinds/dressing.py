"""What generators share: draws near a limit, floors, and scenes turned, scaled and put in another order."""

from __future__ import annotations

import numpy as np

from tests.adversary.scene import Block, Scene
from tests.adversary.solids import Solid, box, random_turn, turn_about


def near(rng: np.random.Generator, closest: float = -4.5) -> float:
    """A factor around one: from far off to 10^closest."""
    return float(1 + rng.choice([-1, 1]) * 10 ** rng.uniform(closest, -0.4))


def floor(half: float, thick: float = 0.5, name: str = "floor") -> Block:
    return Block(name, (box((-half, -half, -thick), (2 * half, 2 * half, thick)),), fixed=True)


def block(name: str, *solids: Solid, density: float = 1000.0, mass: float | None = None, fixed: bool = False) -> Block:
    return Block(name, solids, density, mass, fixed)


def dressed(scene: Scene, rng: np.random.Generator, sizes: float = 0.0) -> Scene:
    """Turned any way, where nothing hangs on the vertical; of another size by up to 10^±sizes; in another order."""
    if not scene.has_bricks:
        if scene.ground == "none" and rng.random() < 0.6:
            scene = scene.turned(random_turn(rng))
        elif rng.random() < 0.5:
            scene = scene.turned(turn_about(np.array([0.0, 0, 1]), rng.uniform(0, 2 * np.pi)))
        if sizes:
            scene = scene.scaled(10 ** rng.uniform(-sizes, sizes))
    return scene.in_order(rng.permutation(len(scene.parts)))
