"""`lay`: bricks for a shape, in one piece and standing; or what stands in the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.gallery.bond import Bond
from falsework.gallery.joining import Progress, joined
from falsework.gallery.tiling import laid
from falsework.geometry.contacts.interfaces import interfaces
from falsework.laying.obstacles import obstacles
from falsework.laying.shape import cells_of, hollowed
from falsework.laying.strengthening import strengthened
from falsework.model.arrays import Bools
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.model.verdict import Verdict
from falsework.verdicts.check import check

JOINING_TRIES = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """Bricks that fill a shape, what the check says of them, and how they came about."""

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


def lay(
    shape: Assembly | Bools,
    *,
    studs: int = 16,
    hollow: int | None = None,
    target: float = 1.0,
    tries: int = 300,
    rng: np.random.Generator | int = 0,
    progress: Progress | None = None,
) -> Laid:
    """Bricks in the shape of an assembly's solids, or of cells (nx, ny, layers), on a baseplate.

    An assembly is scaled to `studs` along its longest side. `hollow` keeps a wall of so many cells. Bricks are laid
    layer by layer across the seams of the layer below, then laid anew around seams until all hang together, then
    around the joints that would fail until `target` of the clutches' strength suffices, `tries` times at most, or
    until many in a row were in vain.

    >>> lay(load("vase.obj"), studs=20).stands
    True
    """
    if not (isinstance(tries, int) and tries >= 0):
        raise BadInput(f"tries: found {shown(tries)}, expected a whole number that is 0 or more")
    generator = np.random.default_rng(rng)
    cells = cells_of(shape, studs)
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
    verdict = check(assembly, found=interfaces(assembly))
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
    needed = f"{100 * verdict.utilization:.0f}% of the clutch strength is needed in the best of {tries + 1} layouts"
    parting = ", ".join(f"{lower} - {upper}" for lower, upper in verdict.breaking[:4])
    return (f"{needed}; it parts at joints {parting}" if parting else needed,)
