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
    """(k,) whether two parts with studs or holes touch with their sides, where neither has any."""
    is_fitted = np.array([body.is_fitted for body in assembly.bodies])
    if not is_fitted.any():
        return np.zeros(len(bodies), dtype=bool)
    up = assembly.poses[:, :3, 2]
    level = np.abs(np.einsum("kai,ki->ka", up[bodies], normals)).max(axis=1) < BESIDE
    sides: Bools = is_fitted[bodies].all(axis=1) & level
    for number in {*bodies[sides].ravel().tolist()}:
        mould = assembly.bodies[number].mould
        if mould is not None:
            ways = np.concatenate([mould.studs, mould.holes])[:, 3:] @ assembly.poses[number, :3, :3].T
            rows = np.flatnonzero(sides & (bodies == number).any(axis=1))
            sides[rows] &= (np.abs(normals[rows] @ ways.T) < BESIDE).all(axis=1)
    return sides
