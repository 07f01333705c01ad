"""Whether parts of any shape can be carried along a path: proved for every instant, by their surfaces.

What a part may reach into another is 1e-4 of its size; where they are drawn into each other (a press fit, a file that
is a little off), twice what that takes (`geometry/distance/drawn_overlaps.py`, which those who find paths keep to too).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from falsework.geometry.distance.drawn_overlaps import DEEPEST, DEPTH, VERIFIED, drawn_depth
from falsework.geometry.distance.free_motion import Sweep, free_motion
from falsework.geometry.distance.surface import Surface, surface_of
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import shown
from falsework.model.part import Part


class SurfaceJudge:
    """Sweeps the surfaces of carried bodies past those that stand still."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._corners: dict[int, Array] = {}  # of a body's faces, each once

    def box(self, body: int, pose: Array) -> tuple[Array, Array]:
        """(3,), (3,) lowest and highest corner of a body whose frame is at a pose."""
        surface = surface_of(self._assembly.bodies[body].shape)
        if body not in self._corners:
            self._corners[body] = surface.vertices[np.unique(surface.faces)]
        placed = self._corners[body] @ pose[:3, :3].T + pose[:3, 3]
        return placed.min(axis=0), placed.max(axis=0)

    def collisions(self, moved: list[int], installed: list[int], path: Array) -> Iterator[str]:
        """What each of the moved bodies runs into; they move with the first."""
        for other in installed:
            still, T_world_still = surface_of(self._assembly.bodies[other].shape), self._assembly.poses[other]
            for body in moved:
                found = self._swept(body, moved[0], still, T_world_still, path)
                if found.answer != "free":
                    where = "" if len(path) == 2 else f" (segment {found.segment + 1})"
                    verb = "runs" if found.answer == "meets" else "could not be shown not to run"
                    names = (shown(self._assembly.bodies[number].name) for number in (body, other))
                    yield f"its path {verb} {' into '.join(names)}{where}{self._beyond_drawn(body, found)}"
                    break

    def enters_table(self, moved: list[int], table: Part, path: Array) -> bool:
        """Whether a carried body gets into a table on its way or in its place."""
        slab = surface_of(table.shape)
        swept = (self._swept(body, moved[0], slab, table.T_world_part, path) for body in moved)
        return any(found.answer != "free" for found in swept)

    def _beyond_drawn(self, body: int, found: Sweep) -> str:
        """That more was allowed than where parts only touch, because they are drawn into each other."""
        usual = VERIFIED * DEPTH * surface_of(self._assembly.bodies[body].shape).size_m
        if found.allowance_m <= usual:
            return ""
        return f", deeper than the {found.allowance_m:.2g} m allowed as they are drawn into each other"

    def _swept(self, body: int, first: int, still: Surface, T_world_still: Array, path: Array) -> Sweep:
        """The sweep of a body past another."""
        poses = self._assembly.poses
        surface = surface_of(self._assembly.bodies[body].shape)
        carried = np.linalg.inv(T_world_still) @ path @ (np.linalg.inv(poses[first]) @ poses[body])
        depth = drawn_depth(surface, still, np.linalg.inv(carried[-1]))
        if depth is None:
            return Sweep("meets", VERIFIED * DEEPEST * surface.size_m, len(path) - 2)
        return free_motion(surface, still, carried, VERIFIED * depth)
