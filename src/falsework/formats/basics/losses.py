"""What a format cannot say about an assembly, in words, so that nothing is lost in silence."""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import DEFAULT_FRICTION, STANDARD_GRAVITY, Assembly, Ground
from falsework.model.part import Material, Part
from falsework.model.shapes import Mesh

SAME = 1e-9  # of a mass, a length, a moment: nearer than this is only rounding
BASEPLATE, NO_GROUND = Ground("baseplate"), Ground("none")


def lost(
    assembly: Assembly,
    *,
    ground: Ground,
    names: tuple[str, ...] | None = None,
    fixed: frozenset[str] = frozenset(),
    colors: bool = False,
    masses: bool = False,
    moulds: bool = False,
) -> list[str]:
    """What reading back would not give again: the arguments are what it would give.

    `names` None: names are kept. `colors`, `masses`, `moulds`: whether the format keeps them.
    """
    found = []
    if names is not None and assembly.names != names:
        found.append("part names")
    if not colors and any(part.color is not None for part in assembly.parts):
        found.append("colors")
    if not moulds and any(part.mould is not None for part in assembly.parts):
        found.append("studs and holes of parts that are no plain bricks")
    if not masses and not all(part.mould is not None or _is_plain(part) for part in assembly.parts):
        found.append("masses and materials")
    if assembly.fixed != fixed:
        found.append("which parts are fixed")
    if assembly.ground != ground:
        found.append(f"the ground {str(assembly.ground)!r} (reading gives {str(ground)!r})")
    if any(isinstance(part.shape, Mesh) and part.shape.primitives for part in assembly.parts):
        found.append("which surfaces triangles stand for")
    return found + _circumstances(assembly)


def _circumstances(assembly: Assembly) -> list[str]:
    """What only our own format says."""
    stated = {
        f"friction {assembly.friction:g}": assembly.friction != DEFAULT_FRICTION,
        "gravity": not np.array_equal(assembly.gravity, STANDARD_GRAVITY),
        "loads": bool(assembly.loads),
        "hinges": bool(assembly.hinges),
        "the overlap allowed": assembly.allow_overlap_m != 0.0,
        "the gap up to which parts touch": assembly.gap_m is not None,
    }
    return [words for words, is_stated in stated.items() if is_stated]


def _is_plain(part: Part) -> bool:
    """Whether mass, centre and inertia follow from the shape alone."""
    uniform = make_part(part.name, part.shape, part.T_world_part)
    if part.material != Material() or abs(part.mass_kg - uniform.mass_kg) > SAME * uniform.mass_kg:
        return False
    shifted = np.abs(part.com_part_m - uniform.com_part_m).max() > SAME * part.radius_m
    turned = np.abs(part.inertia_part_kgm2 - uniform.inertia_part_kgm2).max() > SAME * uniform.inertia_part_kgm2.max()
    return not (shifted or turned)
