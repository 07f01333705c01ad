"""Every kind of assembly that the gallery can make, by name."""

from __future__ import annotations

from functools import cache

import numpy as np

from falsework.gallery import (
    arches,
    duplo,
    furniture,
    houses,
    joinery,
    overhangs,
    packings,
    puzzles,
    random_bricks,
    shells,
    spans,
    towers,
    vaults,
    walls,
    wedged_bars,
)
from falsework.gallery.cad.kinds import cad_shapes, drawn_by_seed
from falsework.gallery.kind import Kind, Truth
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown

_ROOMS = (
    towers, walls, arches, vaults, shells, wedged_bars, houses, joinery, puzzles, packings, furniture, spans,
    random_bricks, overhangs, duplo,
)  # fmt: skip


@cache
def kinds() -> dict[str, Kind]:
    """The gallery of blocks and bricks, in the order it is shown.

    >>> "semicircular-arch" in kinds()
    True
    """
    return {kind.name: kind for room in _ROOMS for kind in room.KINDS}


@cache
def cad_kinds() -> dict[str, Kind]:
    """CAD parts, whose contacts may be curved or loose: what is true of them is how they come apart.

    >>> "nut-and-bolt" in cad_kinds()
    True
    """
    drawn = drawn_by_seed()
    return {**{name: entry.kind for name, entry in cad_shapes().items()}, drawn.name: drawn}


def kind_named(name: str) -> Kind:
    """The kind of this name; `BadInput` with the nearest one where there is none.

    >>> kind_named("brick-guitar").name
    'brick-guitar'
    """
    known = {**kinds(), **cad_kinds()}
    if name not in known:
        raise BadInput(f"unknown kind {shown(name)}; {did_you_mean(name, known)}")
    return known[name]


def make(kind: str, seed: int | np.random.Generator = 0, **parameters: object) -> Assembly:
    """An assembly of the gallery; parameters that are not given have their defaults.

    The seed is of what is random; parameters are those that `falsework new KIND --list` names.

    >>> make("diamond-tower", widest=3)
    Assembly of 9 parts, 10.8 kg, on a table
    """
    entry = kind_named(kind)
    values = entry.values(parameters)
    if not entry.seeded:
        return entry.build(**values)
    return entry.build(np.random.default_rng(seed), **values)


def truth(kind: str, **parameters: object) -> Truth:
    """What is declared of an assembly of the gallery.

    >>> truth("semicircular-arch").stands
    True
    """
    entry = kind_named(kind)
    return entry.truth(**entry.values(parameters))
