"""A cup: places where the surface is level enough for its lip, and studs for a plate with holes."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array
from falsework.model.robots.tool import Tool
from falsework.model.shapes import BrickShape
from falsework.robots.grasps.skin import Skin

SPINS = 8  # ways to turn a cup about its axis: it is round, but the arm behind it is not
LIP = 0.05  # of the cup's width: by how much the surface may leave the plane of its lip


def cups(skin: Skin, tool: Tool) -> Array:
    """(k, 4, 4) poses of the cup's middle on the surface, z into it; the middles of large facets first.

    >>> from falsework import box, tool_named
    >>> from falsework.robots.grasps.skin import skin_of
    >>> found = cups(skin_of(box((0.1, 0.1, 0.01))), tool_named("suction"))
    >>> sorted({float(z) for z in found[:, 2, 2].round(9)})
    [-1.0, 1.0]
    """
    width = max(tool.pad_m)
    points, outward = skin.starts
    flat = skin.lie_flat(points, outward, 0.5 * width, LIP * width)
    return np.concatenate(
        [np.zeros((0, 4, 4)), *(_spun(p, -n) for p, n in zip(points[flat], outward[flat], strict=True))]
    )


def studs(shape: BrickShape, tool: Tool) -> tuple[Array, Array]:
    """(k, 4, 4) poses of a plate with holes on a brick's studs, z down, and (k,) the share of its holes that are full.

    The plate's middle stays over the brick; x runs along the brick and across it.

    >>> from falsework import tool_named
    >>> from falsework.model.catalogue import BrickType
    >>> poses, shares = studs(BrickShape(BrickType("system", "brick", 4, 2, 3)), tool_named("stud-tool"))
    >>> float(shares.max())
    1.0
    """
    kind = shape.kind
    if not kind.has_studs:
        return np.zeros((0, 4, 4)), np.zeros(0)
    pitch, top = kind.measures.pitch_m, kind.size_m[2]
    holes = np.round(np.array(tool.pad_m) / pitch).astype(int).clip(min=1)
    poses, shares = [], []
    for turn in range(4):
        along = holes if turn % 2 == 0 else holes[::-1]
        counts = np.array([kind.length, kind.width])
        for shift in _shifts(counts, along):
            middle = np.array([*(0.5 * counts + shift) * pitch, top])
            low = np.maximum(0.5 * (counts - along) + shift, 0.0)
            high = np.minimum(0.5 * (counts + along) + shift, counts)
            shares.append(float(np.prod(high - low) / np.prod(holes)))
            T = np.eye(4)
            angle = turn * np.pi / 2
            T[:3, 0] = np.round([np.cos(angle), np.sin(angle), 0.0])
            T[:3, 2] = [0.0, 0.0, -1.0]
            T[:3, 1] = np.cross(T[:3, 2], T[:3, 0])
            T[:3, 3] = middle
            poses.append(T)
    return np.array(poses), np.array(shares)


def _shifts(counts: Array, holes: Array) -> list[Array]:
    """Whole studs by which the plate may be off the brick's middle, the smallest first, so that studs meet holes."""
    ranges = []
    for studded, held in zip(counts, holes, strict=True):
        odd = 0.5 * ((studded - held) % 2)
        most = max(0.0, (studded - held) / 2)
        ranges.append(
            [s for s in np.arange(-np.ceil(most) - 1 + odd, np.ceil(most) + 2) if abs(s) <= most + odd + 1e-9]
        )
    found = [np.array([x, y]) for x in ranges[0] for y in ranges[1]]
    return sorted(found, key=lambda shift: float(np.abs(shift).sum()))


def _spun(point: Array, z: Array) -> Array:
    other = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x = np.cross(other, z)
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    found = np.zeros((SPINS, 4, 4))
    for spin in range(SPINS):
        angle = 2 * np.pi * spin / SPINS
        side = np.cos(angle) * x + np.sin(angle) * y
        found[spin, :3, :3] = np.column_stack([side, np.cross(z, side), z])
    found[:, :3, 3], found[:, 3, 3] = point, 1.0
    return found
