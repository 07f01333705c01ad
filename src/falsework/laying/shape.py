"""What is to be built, as cells one stud wide and one brick high."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import binary_erosion

from falsework.geometry.shapes.voxels import voxels
from falsework.model.arrays import Bools
from falsework.model.assembly import Assembly
from falsework.model.catalogue import systems
from falsework.model.errors import BadInput, shown
from falsework.model.shapes import corners

MAX_STUDS = 200  # along the longest side
MAX_CELLS = 400_000


def cells_of(shape: Assembly | Bools, studs: int) -> Bools:
    """(nx, ny, layers) the shape at `studs` along its longest side; cells given as they are stay so."""
    if not isinstance(shape, Assembly):
        return trimmed(np.asarray(shape))
    if not 1 <= studs <= MAX_STUDS:
        raise BadInput(f"studs: found {shown(studs)}, expected a whole number from 1 to {MAX_STUDS}")
    points = np.concatenate(
        [corners(part.shape) @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3] for part in shape.parts]
    )
    stud = float((points.max(axis=0) - points.min(axis=0)).max()) / studs
    measures = systems()["system"]
    found = voxels(shape, (stud, stud, stud * measures.brick_m / measures.pitch_m))
    if not found.any():
        raise BadInput(f"at {studs} studs no cell is at least half full; use more studs")
    return trimmed(found)


def trimmed(cells: Bools) -> Bools:
    """Without empty layers and rows around; anything but a (nx, ny, nz) array of cells is bad input."""
    if cells.ndim != 3 or cells.dtype.kind not in "biu":
        found = f"{cells.ndim} dimensions of {cells.dtype}"
        raise BadInput(f"voxels: found {found}, expected 3 dimensions (x, y, z up) of booleans or whole numbers")
    full: Bools = cells != 0
    if not full.any():
        raise BadInput("voxels: found no full cell, expected at least one")
    if full.sum() > MAX_CELLS:
        raise BadInput(f"voxels: found {int(full.sum()):,} full cells, the limit is {MAX_CELLS:,}")
    for axis in range(3):
        there = np.flatnonzero(full.any(axis=tuple(other for other in range(3) if other != axis)))
        full = full.take(np.arange(there[0], there[-1] + 1), axis=axis)
    return full


def hollowed(cells: Bools, thickness: int) -> Bools:
    """Only the cells within `thickness` of the outside, in all directions, the corners too."""
    if thickness < 1:
        raise BadInput(f"hollow: found {shown(thickness)}, expected a thickness of 1 cell or more")
    inside = binary_erosion(np.pad(cells, thickness), np.ones((3, 3, 3), dtype=bool), iterations=thickness)
    middle = inside[thickness:-thickness, thickness:-thickness, thickness:-thickness]
    kept: Bools = cells & ~middle
    return kept
