"""From surfaces as files have them to closed meshes, with one message for each kind of thing that had to be done."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from falsework.formats.basics.limits import MAX_COORDINATE, MAX_TRIANGLES, within
from falsework.formats.basics.surfaces import Surface
from falsework.model.arrays import Array
from falsework.model.errors import BadFile, shown
from falsework.model.shapes import Mesh

MOST_NAMES = 8  # that a message lists
SINGLE = 1e-7  # of the longest coordinate: what single precision leaves of a corner
WORTH = 500  # triangles from which on a surface is compared with others


class Mender:
    """Closes surfaces, and notes what had to be mended, with the parts' names."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._triangles = 0
        self._mended: dict[str, list[str]] = {}
        self._known: list[tuple[Array, Mesh, list[str]]] = []  # as read, and what became of it

    def mesh(self, path: Path, surface: Surface, scale: float = 1.0) -> Mesh:
        """The surface as a closed mesh in metres."""
        from falsework.geometry.mending.repair import closed  # brings scipy: only for those who read meshes

        self._triangles += len(surface.triangles)
        within(self.path, "", "triangles", self._triangles, MAX_TRIANGLES)
        vertices = surface.vertices * scale
        farthest = float(np.abs(vertices).max())
        if not farthest <= MAX_COORDINATE:
            raise BadFile(path, "", f"found a vertex {farthest:.3g} m away, the limit is {MAX_COORDINATE:g} m")
        again = self._shifted(vertices, surface)
        try:
            mesh, repairs = again or closed(vertices, surface.triangles, surface.primitives, apart=surface.apart)
        except ValueError as why:
            raise BadFile(path, "", f"part {shown(surface.name)} has no defined volume: {why}") from why
        if again is None and _is_worth_it(surface):
            self._known.append((vertices, mesh, repairs))
        for repair in repairs:
            self._mended.setdefault(repair, []).append(surface.name)
        return mesh

    def _shifted(self, vertices: Array, surface: Surface) -> tuple[Mesh, list[str]] | None:
        """What became of a surface that is this one, shifted, as near as single precision tells; None without any."""
        if not _is_worth_it(surface):
            return None
        exact = SINGLE * float(np.abs(vertices).max())
        for known, mesh, repairs in self._known:
            if known.shape == vertices.shape:
                apart = vertices - known
                shift = apart.mean(axis=0)
                if np.abs(apart - shift).max() <= exact:
                    return Mesh(mesh.vertices + shift, mesh.triangles), repairs
        return None

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be mended, one line for each kind of problem."""
        return tuple(
            f"{repair}: parts {', '.join(names[:MOST_NAMES])}"
            + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")
            for repair, names in self._mended.items()
        )


def _is_worth_it(surface: Surface) -> bool:
    """Whether to look for others like it: of formats in single precision, in which screws come by the dozen."""
    return surface.apart and not surface.primitives and len(surface.triangles) >= WORTH
