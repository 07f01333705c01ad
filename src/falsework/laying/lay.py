"""`lay`: bricks for a shape, in one piece and standing; or what stands in the way."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

import numpy as np

from falsework.formats.meshes.voxelfile import is_voxel_file, read_voxels
from falsework.formats.opening import READING, Reading, Source, opened
from falsework.gallery.bond import Bond
from falsework.gallery.joining import Progress, joined
from falsework.gallery.tiling import laid
from falsework.geometry.contacts.interfaces import interfaces
from falsework.laying.obstacles import obstacles
from falsework.laying.shape import cells_of, hollowed
from falsework.laying.strengthening import strengthened
from falsework.model.answers import NotTrueOrFalse
from falsework.model.arrays import Bools
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.model.figures import percent
from falsework.model.travel import MadeAnew
from falsework.model.verbs import verb
from falsework.model.verdict import Verdict
from falsework.verdicts.check import check

JOINING_TRIES = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Laid(MadeAnew, NotTrueOrFalse):
    """Bricks that fill a shape, what the check says of them, and how they came about.

    >>> import numpy as np
    >>> lay(np.ones((2, 2, 1), dtype=bool)).tries
    0
    """

    ASK_INSTEAD = "laid.stands"

    assembly: Assembly
    cells: Bools  # (nx, ny, layers)
    verdict: Verdict
    loose: int  # components that hang on nothing
    first_loose: int  # … in the first layout
    first_utilization: float | None  # of the first layout in one piece; None if there was none
    tries: int  # layouts tried to make it stronger
    why: tuple[str, ...] = ()  # what stands in the way, empty if it stands

    @property
    def stands(self) -> bool:
        return self.verdict.stands


@verb(*READING)
def lay(
    shape: Source | Bools,
    *,
    studs: int = 16,
    hollow: int | None = None,
    target: float = 1.0,
    tries: int = 300,
    seed: int | np.random.Generator = 0,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> Laid:
    """Bricks in the shape of an assembly's solids, of a file, or of cells (nx, ny, layers), on a baseplate.

    shape     an assembly, a file of one, a `.npy` file of voxels, or an array of them: True where there is something
    studs     to which an assembly is scaled along its longest side
    hollow    keeps a wall of so many cells
    target    the share of the clutches' strength that should suffice
    tries     layouts at most, to make it stronger
    seed      random seed
    progress  is told how many layouts were tried

    Bricks are laid layer by layer across the seams of the layer below, then laid anew around seams until all hang
    together, then around the joints that would fail until `target` suffices, or until many tries in a row were in vain.
    The other options are those of `load`.

    >>> import numpy as np
    >>> laid = lay(np.ones((4, 2, 3), dtype=bool))
    >>> laid.stands, laid.cells.shape
    (True, (4, 2, 3))
    """
    if not (isinstance(tries, int) and tries >= 0):
        raise BadInput(f"tries: found {shown(tries)}, expected a whole number that is 0 or more")
    generator = np.random.default_rng(seed)
    cells = cells_of(_shape_of(shape, reading), studs)
    if hollow is not None:
        cells = hollowed(cells, hollow)
    impossible = obstacles(cells)
    first = laid(cells, generator)
    bond = first if impossible else joined(first, generator, JOINING_TRIES, progress)
    loose = int(bond.components().max())
    first_factor, used = None, 0
    if loose == 0:
        bond, first_factor, used = strengthened(bond, generator, target, tries, progress)
    bond = bond.sorted()
    assembly = bond.assembly()
    verdict = check(assembly, joints=interfaces(assembly))
    return Laid(
        assembly,
        cells,
        verdict,
        loose,
        int(first.components().max()),
        first_factor,
        used,
        () if verdict.stands else impossible or _reasons(bond, verdict, loose, used),
    )


def _shape_of(given: Source | Bools, reading: Reading) -> Assembly | Bools:
    if isinstance(given, np.ndarray):
        return given
    if isinstance(given, str | os.PathLike) and is_voxel_file(Path(given)):
        return read_voxels(Path(given))
    return opened(given, reading)


def _reasons(bond: Bond, verdict: Verdict, loose: int, tries: int) -> tuple[str, ...]:
    """What the best layout that was found lacks; another might do better, which is not known."""
    if loose:
        labels = bond.components()
        members = [np.flatnonzero(labels == label) for label in range(1, loose + 1)]
        return tuple(
            f"{bond.brick_names(bricks)} {'hangs' if len(bricks) == 1 else 'hang'} on nothing"
            f" in the best of {JOINING_TRIES} layouts"
            for bricks in members
        )
    if verdict.utilization is None:
        return (f"the check did not decide: {verdict.why or 'numerics ran out'}",)
    needed = f"{percent(verdict.utilization)} of the clutch strength is needed in the best of {tries + 1} layouts"
    parting = ", ".join(f"{lower} - {upper}" for lower, upper in verdict.breaking[:4])
    return (f"{needed}; it parts at joints {parting}" if parting else needed,)
