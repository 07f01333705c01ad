"""The planning benchmark: named assemblies of 3 to 50 parts with flat faces, the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from falsework.gallery.kind import Truth
from falsework.gallery.registry import make, truth
from falsework.model.assembly import Assembly


@dataclass(frozen=True, slots=True)
class Specimen:
    """One assembly of the set: a kind of the gallery with its seed and parameters.

    >>> Specimen("arch-1", "semicircular-arch").make().source
    'python'
    """

    name: str
    kind: str
    seed: int = 0
    parameters: dict[str, int | float] = field(default_factory=dict)

    def make(self) -> Assembly:
        return make(self.kind, self.seed, **self.parameters)

    @property
    def truth(self) -> Truth:
        return truth(self.kind, **self.parameters)


# Kind: the parameters that vary, one specimen per row.
_ROWS: dict[str, tuple[dict[str, int | float], ...]] = {
    "harmonic-tower": ({"bricks": 5}, {"bricks": 12}, {"bricks": 30}),
    "leaning-tower": ({"bricks": 6}, {"bricks": 20, "lean": 0.04}),
    "diamond-tower": ({"widest": 2}, {"widest": 3}, {"widest": 4}),
    "running-bond-wall": ({"columns": 3, "courses": 3}, {"columns": 5, "courses": 6}, {"columns": 8, "courses": 5}),
    "semicircular-arch": ({"stones": 5}, {"stones": 7}, {"stones": 11}, {"stones": 15}, {"stones": 25}, {"stones": 45}),
    "pointed-arch": ({"stones": 3}, {"stones": 5}, {"stones": 9}, {"stones": 15, "sharpness": 1.0}),
    "flat-arch": ({"stones": 3}, {"stones": 7}, {"stones": 11}, {"stones": 21}),
    "barrel-vault": (
        {"stones": 5, "rows": 2},
        {"stones": 7, "rows": 3},
        {"stones": 9, "rows": 4},
        {"stones": 13, "rows": 3},
    ),
    "dome": (
        {"rings": 2, "segments": 6},
        {"rings": 3, "segments": 8},
        {"rings": 4, "segments": 9},
        {"rings": 5, "segments": 10},
    ),
    "hexagonal-shell": ({"rings": 1}, {"rings": 2}, {"rings": 3}, {"rings": 3, "angle": 50.0}),
    "h-shape": ({},),
    "a-shape": ({}, {"angle": 2.0}),
    "bird-house": ({}, {"pitch": 10.0}),
    "mortise-frame": ({"bays": 1}, {"bays": 2}, {"bays": 5}, {"bays": 12}, {"bays": 1, "closed": 1}),
    "locked-bookshelf": ({},),
    "burr-puzzle": ({}, {"stub": 3}),
}
# Seeded packings: columns, depth, rows of cells, and how many seeds of each.
_TRAYS = (((6, 8), 3), ((8, 8), 4), ((10, 10), 3), ((12, 12), 3))
_BOXES = (((4, 3, 4), 3), ((5, 4, 4), 3), ((6, 5, 5), 3))


@cache
def planning_set() -> tuple[Specimen, ...]:
    """The set, in a fixed order; names are kind and number, as `dome-3`.

    >>> planning_set()[0].make().names[0] in planning_set()[0].make().index
    True
    """
    rows: list[tuple[str, int, dict[str, int | float]]] = []
    rows += [(kind, 0, row) for kind, several in _ROWS.items() for row in several]
    for (columns, height), seeds in _TRAYS:
        rows += [("tetromino-packing", seed, {"columns": columns, "rows": height}) for seed in range(seeds)]
    for (columns, depth, height), seeds in _BOXES:
        sizes: dict[str, int | float] = {"columns": columns, "depth": depth, "rows": height}
        rows += [("polycube-packing", seed, sizes) for seed in range(seeds)]
    counts: dict[str, int] = {}
    specimens = []
    for kind, seed, parameters in rows:
        counts[kind] = counts.get(kind, 0) + 1
        specimens.append(Specimen(f"{kind}-{counts[kind]}", kind, seed, parameters))
    return tuple(specimens)
