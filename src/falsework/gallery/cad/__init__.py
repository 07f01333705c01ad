"""CAD parts of triangles with stated facet counts, and assemblies of them, each with the way its parts leave."""

from falsework.gallery.cad.declared import Declared, Leaving, Made, Motion
from falsework.gallery.cad.kinds import cad_shape, cad_shapes

__all__ = ["Declared", "Leaving", "Made", "Motion", "cad_shape", "cad_shapes"]
