"""Tilting as a load: by θ it pulls sideways with tan θ of the weight, which is all that what stands can tell of it."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Load


def tilted(assembly: Assembly, free: list[int], degrees: float) -> list[tuple[Load, ...]]:
    """The loads of the assembly with the pull on these bodies, tilted four ways, level and square to each other."""
    shares = np.tan(np.radians(degrees)) * _ways(assembly.gravity)
    names = [body.name for body in assembly.bodies]
    given = tuple(load for load in assembly.loads if assembly.index[load.part] in free)
    return [(*given, *(Load(names[body], assembly.masses_kg[body] * share) for body in free)) for share in shares]


def _ways(gravity: Array) -> Array:
    """(4, 3) m/s²: as strong as gravity and square to it, along world axes where they are; none without gravity."""
    strength = float(np.linalg.norm(gravity))
    if strength == 0.0:
        return np.zeros((0, 3))
    up = -gravity / strength
    first = np.eye(3)[int(np.argmin(np.abs(up)))]
    first = first - (first @ up) * up
    first = first / np.linalg.norm(first)
    second = np.cross(up, first)
    return strength * np.array([first, second, -first, -second])
