"""Straight out from a place: the first way that is proved free, by the shadows of surfaces."""

from __future__ import annotations

import numpy as np

from falsework.geometry.ways.surfaces.scenes import Scene, placing
from falsework.model.arrays import Array, Bools


def free_ways(scene: Scene, pose: Array, ways: Array) -> Bools:
    """(k,) along which of the unit ways (k, 3), in the world, the group leaves everything without end."""
    from falsework.geometry.ways.surfaces.shadows import runs_into  # needs numba

    free = np.ones(len(ways), dtype=bool)
    for one in scene.moving:
        turn = (pose @ one.T_first_body)[:3, :3]
        for k, other in enumerate(scene.still):
            left = np.flatnonzero(free)
            if not len(left):
                return free
            T = placing(one, other, pose)
            toward = np.ascontiguousarray(ways[left] @ turn)
            met = runs_into(one.shrunk[k].tree, other.surface.tree, T[:3, :3].copy(), T[:3, 3].copy(), toward)
            free[left[met]] = False
    return free


def way_out(scene: Scene, pose: Array, ways: Array, clear_m: float) -> Array | None:
    """A clear pose to which the group can be shifted along the first of the ways that is free; None where none is."""
    for k in np.flatnonzero(free_ways(scene, pose, ways))[:1]:
        end = pose.copy()
        end[:3, 3] += ways[k] * distance_out(scene, pose, ways[k], clear_m)
        return end
    return None


def distance_out(scene: Scene, pose: Array, way: Array, clear_m: float) -> float:
    """How far along a way the group goes until its box has left that of the others."""
    low, high = scene.box(pose)
    own = scene.box(scene.final) if scene.out_of is None else scene.out_of
    gaps = np.where(way > 0, own[1] - low, high - own[0]) + clear_m
    moving = np.abs(way) > 1e-9
    return max(float((gaps[moving] / np.abs(way[moving])).min()), clear_m)
