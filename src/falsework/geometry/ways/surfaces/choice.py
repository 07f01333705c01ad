"""Whether an assembly's ways are looked for by surfaces, or by tables of convex pieces."""

from __future__ import annotations

from falsework.geometry.distance.surface import compiles
from falsework.geometry.shapes.solids import outer_surface
from falsework.model.assembly import Assembly
from falsework.model.shapes import BrickShape

MANY = 250  # faces of a part: cutting it into convex pieces takes longer than all that follows


def goes_by_surfaces(assembly: Assembly) -> bool:
    """Whether a part has so many faces that surfaces are quicker than convex pieces; machine code must be there.

    Bricks go by their grid, and so does whatever stands among them.

    >>> from falsework.gallery import make
    >>> goes_by_surfaces(make("mortise-frame")), goes_by_surfaces(make("nut-and-bolt", facets=16))
    (False, True)
    """
    if any(isinstance(part.shape, BrickShape) for part in assembly.parts) or not compiles():
        return False
    return any(len(outer_surface(part.shape).triangles) > MANY for part in assembly.parts)
