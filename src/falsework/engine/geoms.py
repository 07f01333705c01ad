"""The convex pieces of parts as shapes of the engine, placed on the groups that the parts belong to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from falsework.engine.colliders import Box, Collider, Cylinder
from falsework.engine.contact import ContactSettings
from falsework.engine.library import mujoco
from falsework.geometry.shapes.convex_pieces import Convex
from falsework.model.arrays import Array
from falsework.model.poses import to_quaternion


class Pieces:
    """Of every part: its pieces with their places (3,) and quaternions (4,) in its group's frame."""

    def __init__(self, pieces: Sequence[tuple[Collider, ...]]) -> None:
        self._own = pieces
        self.placed: list[list[tuple[Collider, Array, Array]]] = [[] for _ in pieces]
        self._at = np.full((len(pieces), 4, 4), np.nan)

    def place(self, T_group_part: Array) -> None:
        """Anew only where poses changed."""
        for part in np.flatnonzero((T_group_part != self._at).any(axis=(1, 2))).tolist():
            self.placed[part] = [(piece, *_on_group(piece, T_group_part[part])) for piece in self._own[part]]
        self._at = T_group_part.copy()


def write_shape(geom: Any, piece: Collider, spec: Any, name: str, settings: ContactSettings) -> None:
    """Looks are those of boxes; the others have no skin."""
    if isinstance(piece, Box):
        geom.size = piece.half_m + settings.skin_m
        return
    geom.margin, geom.gap = settings.margin_m, 0.0
    kinds = mujoco().mjtGeom
    if isinstance(piece, Cylinder):
        geom.type, geom.size = kinds.mjGEOM_CYLINDER, (piece.radius_m, piece.half_m, 0.0)
    else:
        spec.add_mesh(name=name, uservert=piece.vertices.ravel())
        geom.type, geom.meshname = kinds.mjGEOM_MESH, name


def _on_group(piece: Collider, pose: Array) -> tuple[Array, Array]:
    """Place (3,) and quaternion (4,) of a piece on a group where its part has a pose (4, 4)."""
    turn, shift = pose[:3, :3], pose[:3, 3]
    if isinstance(piece, Convex):
        return shift, to_quaternion(turn)
    own = piece.turn if isinstance(piece, Box) else np.eye(3)
    return turn @ piece.centre_m + shift, to_quaternion(turn @ own)
