"""Scenes of bricks that `bench brickworld` measures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.brickworld.pushes import Ramp
from falsework.brickworld.world import World
from falsework.gallery import make
from falsework.gallery.bricklaying import Layout
from falsework.geometry.contacts.ground import grounded
from falsework.model.assembly import Assembly, Ground
from falsework.model.part import Part


def block(count: int) -> Assembly:
    """About so many 4x2 bricks on a baseplate, every layer shifted by half a brick both ways: all hang together."""
    side = max(1, round((count / 4) ** (1 / 3)))
    layout, layer = Layout(), 0
    while len(layout.parts) < count:
        for x, y in np.ndindex(side, 2 * side):
            layout.brick(4, 2, 4 * x + 2 * (layer % 2), 2 * y + layer % 2, layer)
        layer += 1
    return layout.on_baseplate()


def on_table(assembly: Assembly, up_m: float) -> Assembly:
    """Without its baseplate, above a table."""
    bare = grounded(assembly.changed(ground=Ground(), ground_part=None), Ground("table"))
    lift = np.eye(4)
    lift[2, 3] = up_m
    parts = tuple(replace(part, T_world_part=lift @ part.T_world_part) for part in bare.parts)
    return bare.changed(parts=parts)


def corner_pulled(assembly: Assembly) -> tuple[World, list[object]]:
    """A world in which a corner brick is pulled off, ready for its first frame, and where breaks will be told."""
    world = World(assembly)
    world.prepare()
    top = max(range(len(assembly.parts)), key=lambda n: float(assembly.coms_m[n] @ (1e-3, 1e-3, 1.0)))
    force = np.array([0.0, 0.0, 40.0])
    world.pushes.append(Ramp(top, np.array([0.004, 0.004, 0.0096]), force, np.zeros(3), 0.5, until_off=True))
    broken: list[object] = []
    world.on_break.append(broken.append)
    return world, broken


def heap(count: int, rng: np.random.Generator) -> Assembly:
    """Random components of ten bricks in two or three layers over a table."""
    parts: list[Part] = []
    side = max(1, round((count / 25) ** 0.5))
    for number in range(max(1, count // 10)):
        model = make("random-bricks", int(rng.integers(2**31)), bricks=10, spread=4)
        shift = np.eye(4)
        column, level = number % side**2, number // side**2
        shift[:3, 3] = (0.1634 * (column % side), 0.1634 * (column // side), 0.1111 * level)
        parts += [
            replace(part, name=f"{number}:{part.name}", T_world_part=shift @ part.T_world_part) for part in model.parts
        ]
    return grounded(Assembly(tuple(parts)), Ground("table"))
