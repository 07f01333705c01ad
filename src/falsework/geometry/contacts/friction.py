"""How rough contacts are: the assembly's friction, a table's own, and none at the sides of bricks."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly

BESIDE = 0.5  # cosine: normals further than this from the studs of both bricks are those of their sides


def friction_of(assembly: Assembly, bodies: Ints, normals: Array) -> Array:
    """(k,) friction of contacts between bodies (k, 2) along normals (k, 3)."""
    friction = np.full(len(bodies), assembly.friction)
    if assembly.ground_part is not None and assembly.ground.friction is not None:
        friction[(bodies == len(assembly.parts)).any(axis=1)] = assembly.ground.friction
    return np.where(beside(assembly, bodies, normals), 0.0, friction)


def beside(assembly: Assembly, bodies: Ints, normals: Array) -> Bools:
    """(k,) whether two bricks touch with their sides."""
    is_brick = np.array([body.is_brick for body in assembly.bodies])
    if not is_brick.any():
        return np.zeros(len(bodies), dtype=bool)
    up = assembly.poses[:, :3, 2]
    level = np.abs(np.einsum("kai,ki->ka", up[bodies], normals)).max(axis=1) < BESIDE
    sides: Bools = is_brick[bodies].all(axis=1) & level
    return sides
