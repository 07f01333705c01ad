"""Whether an assembly's ways are looked for by surfaces, or by tables of convex pieces."""

from __future__ import annotations

import numpy as np

from falsework.geometry.distance.surface import compiles
from falsework.geometry.shapes.planes import cross
from falsework.geometry.shapes.solids import outer_surface
from falsework.model.assembly import Assembly
from falsework.model.shapes import BrickShape, Mesh

MANY = 250  # faces of a part: cutting it into convex pieces takes longer than all that follows
WAYS = 32  # in which faces look: what looks in fewer, as blocks of cells do, is cut into few pieces however many faces


def goes_by_surfaces(assembly: Assembly) -> bool:
    """Whether a part has so many different faces that surfaces are quicker than convex pieces, if they are compiled.

    Bricks go by their grid, and so does whatever stands among them.

    >>> from falsework.gallery import make
    >>> goes_by_surfaces(make("mortise-frame")), goes_by_surfaces(make("nut-and-bolt", facets=16))
    (False, True)
    """
    if any(isinstance(part.shape, BrickShape) for part in assembly.parts) or not compiles():
        return False
    return any(_is_curved(outer_surface(part.shape)) for part in assembly.parts)


def _is_curved(mesh: Mesh) -> bool:
    """Whether faces are many and look in many ways."""
    if len(mesh.triangles) <= MANY:
        return False
    corners = mesh.vertices[mesh.triangles]
    normals = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1)
    looks = normals[sizes > 0.0] / sizes[sizes > 0.0, None]
    return len(np.unique(np.round(looks, 6), axis=0)) > WAYS
