"""Which narrow regions are ledges, and which are edges that a file has displaced.

No file says how exact it is, but it shows it: faces that were meant to lie on each other are apart, or sunk into each
other, or warped, by as much as it is inexact. So a region is a contact if it is well wider than its own faces are amiss
there, and than both its bodies are anywhere else. A narrower one is left to `corners`, where edges meet edges.
The more amiss of the two bodies is not asked: a floor may bear exact things and others. Corners and edges close to the
border of a face are told from such as lie on the border in the same way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.geometry.contacts.flat.clip import Regions
from falsework.geometry.shapes.placed_solids import Scene
from falsework.model.arrays import Array, Bools, Ints

WELL = 30.0  # times as wide: where faces meet at a slant, edges are displaced by several times as much as faces


def resolved(placed: Scene, touching: Regions) -> Bools:
    """(r,) whether regions are contacts."""
    return _wide(placed, touching, np.maximum(touching.misfits, misfits(placed, touching)[touching.pair]))


def _wide(placed: Scene, touching: Regions, amiss_m: Array) -> Bools:
    """(r,) whether regions are well wider than so much (r,)."""
    pair = touching.pair
    wide: Bools = touching.widths > np.clip(WELL * amiss_m, placed.roundings_m[pair], placed.blurs_m[pair])
    return wide


def sharpened(placed: Scene, touching: Regions) -> Scene:
    """A scene whose blurs are as small as its faces show that they may be; for corners they may be as wide as a gap."""
    amiss = misfits(placed, touching)
    return replace(placed, blurs_m=np.clip(WELL * amiss, placed.roundings_m, placed.nears_m))


def misfits(placed: Scene, touching: Regions) -> Array:
    """(pairs,) by how much faces of the less inexact body of each pair are amiss, at most, in metres.

    Where one body is sunk into another at a ledge, its side seems to touch in a strip as narrow as it is sunk, amiss by
    all the ledge's width. Such a strip says nothing.
    """
    touching = touching.chosen(_wide(placed, touching, touching.misfits))
    bodies = placed.body[placed.pairs]
    amiss = np.zeros(int(placed.body.max(initial=-1)) + 1)
    for side in (0, 1):
        np.maximum.at(amiss, bodies[touching.pair, side], touching.misfits)
    least: Array = amiss[bodies].min(axis=1)
    return least


def border(sharp: Scene, pair: Ints, amiss_m: Array) -> Array:
    """(k,) how near to an edge a corner or a crossing is on it, in pairs (k,) of a sharpened scene.

    `amiss_m` (k,): how far from touching it is.
    """
    near: Array = np.clip(WELL * np.abs(amiss_m), sharp.blurs_m[pair], sharp.nears_m[pair])
    return near
