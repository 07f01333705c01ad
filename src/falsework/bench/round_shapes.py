"""Round shapes cut into as many facets as wanted: turned profiles, balls, logs and threads, as meshes."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.model.shapes import Mesh

Profile = list[tuple[float, float]]  # radius, height


def turned(profile: Profile, facets: int, ring: bool = False, phase: float = 0.0) -> Mesh:
    """A profile turned about z, from bottom to top with the material on its left; a ring's profile is closed.

    >>> len(turned([(0, 0), (1, 0), (1, 2), (0, 2)], 16).triangles)
    64
    """
    turns = phase + 2 * np.pi * np.arange(facets) / facets
    rows: list[Ints] = []
    vertices: list[tuple[float, float, float]] = []
    for radius, height in profile:
        on_axis = radius == 0
        rows.append(len(vertices) + (np.zeros(facets, dtype=np.int64) if on_axis else np.arange(facets)))
        around = turns[:1] if on_axis else turns
        vertices += [(radius * np.cos(turn), radius * np.sin(turn), height) for turn in around]
    last = len(profile) if ring else len(profile) - 1
    quads = [(rows[k], rows[(k + 1) % len(profile)]) for k in range(last)]
    triangles = np.concatenate([_band(low, high) for low, high in quads])
    return Mesh(np.array(vertices), triangles)


def _band(low: Ints, high: Ints) -> Ints:
    """Triangles between two circles, either of which may be a point."""
    ahead, above = np.roll(low, -1), np.roll(high, -1)
    both = np.concatenate([np.stack([low, ahead, above], axis=1), np.stack([low, above, high], axis=1)])
    distinct = (both[:, 0] != both[:, 1]) & (both[:, 1] != both[:, 2]) & (both[:, 2] != both[:, 0])
    solid: Ints = both[distinct]
    return solid


def rod(radius: float, length: float, facets: int, phase: float = 0.0) -> Mesh:
    """A cylinder about z, its middle at the origin."""
    half = 0.5 * length
    return turned([(0, -half), (radius, -half), (radius, half), (0, half)], facets, phase=phase)


def ball(radius: float, facets: int) -> Mesh:
    """A ball about the origin with so many facets around, half as many from pole to pole."""
    polar = np.pi * np.arange(facets // 2 + 1) / (facets // 2)
    profile = [(radius * np.sin(angle), -radius * np.cos(angle)) for angle in polar]
    profile[0], profile[-1] = (0.0, -radius), (0.0, radius)
    return turned(profile, facets)


def thread(inner: float, outer: float, low: float, high: float, pitch: float, turns: float, facets: int) -> Mesh:
    """A rectangle from one radius to another and one height to another, screwed about z over so many turns."""
    count = round(turns * facets)
    steps = 2 * np.pi * np.arange(count + 1) / facets
    corners = [(inner, low), (outer, low), (outer, high), (inner, high)]
    vertices = np.array(
        [(r * np.cos(t), r * np.sin(t), z + pitch * t / (2 * np.pi)) for t in steps for r, z in corners]
    )
    at = 4 * np.arange(count)[:, None] + np.arange(4)
    ahead, beside = at + 4, np.roll(at, -1, axis=1)
    sides = [np.stack([at, beside, beside + 4], axis=2), np.stack([at, beside + 4, ahead], axis=2)]
    end = 4 * count
    caps = np.array([(0, 2, 1), (0, 3, 2), (end, end + 1, end + 2), (end, end + 2, end + 3)])
    triangles = np.concatenate([*(side.reshape(-1, 3)[:, ::-1] for side in sides), caps[:, ::-1]])
    return _outward(Mesh(vertices, triangles))


def _outward(mesh: Mesh) -> Mesh:
    """The same with its triangles turned so that it has a volume."""
    corners = mesh.vertices[mesh.triangles]
    volume = float(np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum())
    return mesh if volume > 0 else Mesh(mesh.vertices, mesh.triangles[:, ::-1])


def placed(x: float = 0.0, y: float = 0.0, z: float = 0.0, turn: Array | None = None) -> Array:
    """(4, 4) a pose."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    if turn is not None:
        pose[:3, :3] = turn
    return pose


def about(axis: str, angle: float) -> Array:
    """(3, 3) a turn about "x", "y" or "z", rad."""
    k = "xyz".index(axis)
    i, j = (k + 1) % 3, (k + 2) % 3
    turn = np.eye(3)
    turn[[i, j], [i, j]] = np.cos(angle)
    turn[i, j], turn[j, i] = -np.sin(angle), np.sin(angle)
    return turn
