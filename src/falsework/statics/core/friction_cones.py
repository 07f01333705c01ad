"""Axes of contacts, and friction cones as generators: eight edges per point, or the normal where there is no friction.

A linear cone is inside the true one: what stands with it stands, what falls with it may not. It depends on where its
edges lie. Here the first lies along gravity as seen in the contact plane, else along the longest edge of the patch:
both turn with the assembly and do not depend on the order of parts.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from falsework.geometry.shapes.planes import plane_axes
from falsework.model.arrays import Array
from falsework.model.interfaces import Patches

Cone = Literal["8", "exact"]
EDGES = 8
ACROSS = 1e-4  # gravity closer than this to a patch's normal does not tell a direction in its plane


def contact_axes(patches: Patches) -> Array:
    """(p, 3, 3) normal and two tangents at every contact point; zero tangents where there is no friction."""
    normals = patches.normals[patches.owner]
    helper = np.where(np.abs(normals[:, :1]) < 0.7, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    first = np.cross(normals, helper)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    axes = np.stack([normals, first, np.cross(normals, first)], axis=1)
    axes[patches.friction[patches.owner] == 0.0, 1:] = 0.0
    return axes


def first_edges(patches: Patches, gravity: Array) -> Array:
    """(k, 3) unit tangents along which each patch's first cone edge lies."""
    strength = float(np.linalg.norm(gravity))
    along = patches.normals @ gravity
    tangents: Array = gravity - along[:, None] * patches.normals
    lengths = np.linalg.norm(tangents, axis=1)
    flat = lengths <= ACROSS * strength
    tangents[~flat] /= lengths[~flat, None]
    for k in np.flatnonzero(flat):
        tangents[k] = _longest_edge(patches.points[patches.starts[k] : patches.starts[k + 1]], patches.normals[k])
    return tangents


def _longest_edge(outline: Array, normal: Array) -> Array:
    """Unit direction of the longest edge; of several as long, one on which all agree up to eighths of a turn."""
    edges = np.roll(outline, -1, axis=0) - outline
    edges -= (edges @ normal)[:, None] * normal
    lengths = np.linalg.norm(edges, axis=1)
    if not lengths.any():  # one point: any direction will do
        return np.asarray(plane_axes(normal[None])[0][0])
    longest = edges[lengths >= (1 - 1e-6) * lengths.max()]
    along = longest[0] / np.linalg.norm(longest[0])
    across = np.cross(normal, along)
    angles = np.arctan2(longest @ across, longest @ along)
    agreed = np.exp(1j * EDGES * angles).sum()
    turn = float(np.angle(agreed)) / EDGES if abs(agreed) > 0.1 else 0.0
    direction: Array = np.cos(turn) * along + np.sin(turn) * across
    return direction


def cone_generators(patches: Patches, gravity: Array, edges: int = EDGES) -> Array:
    """(p, edges, 3) forces on the second body: n + μ t_k at every point; without friction n, then zeros."""
    first = first_edges(patches, gravity)
    second = np.cross(patches.normals, first)
    angles = np.arange(edges) * (2 * np.pi / edges)
    around = np.cos(angles)[None, :, None] * first[:, None, :] + np.sin(angles)[None, :, None] * second[:, None, :]
    generators = patches.normals[:, None, :] + patches.friction[:, None, None] * around
    generators[patches.friction == 0.0, 1:] = 0.0
    spread: Array = generators[patches.owner]
    return spread
