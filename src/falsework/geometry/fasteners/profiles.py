"""What a part looks like along its axis: a pin, a screw with its head, a nut, a washer, or something else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from falsework.geometry.fasteners.slices import RAYS, Slices, evenly, sliced
from falsework.geometry.shapes.solids import Bulk, bulk
from falsework.model.arrays import Array
from falsework.model.shapes import Mesh

FastenerKind = Literal["screw", "nut", "pin", "washer"]

HEIGHTS, GLANCES = 32, 4  # sections of what may be a fastener, and of what may be round
ROUND = 1.32  # outer radii of one section: a hexagon has 1.15, the thread of an M3 screw 1.26, a square 1.41
EVEN = 0.06  # of a radius: sections as wide as each other
SOCKET = 0.4  # of a screw's length may be hollow at one end, for the key
BEVEL = 0.15  # of a length may be bevelled at an end
HEAD = 1.25  # a head by its shank, at least
TALL_HEAD = 1.6  # a head's height by the shank's diameter, at most
PIN, LONG = 0.8, 1.0  # of a pin's length is as wide as the pin; its length by its diameter, at least
NUT_WIDTH, NUT_HEIGHT = (1.3, 2.6), (0.3, 1.6)  # by the diameter of its hole
WASHER_WIDTH, FLAT = (1.25, 4.0), 0.2  # by the diameter of its hole; its thickness by its own diameter
SIX_SIDED = 0.05  # of the outer radius: the sixth harmonic of a hexagon's is 0.06


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """A part that could be a fastener, about its axis; a screw's points from its head to its tip."""

    kind: FastenerKind
    point: Array  # (3,) world, on the axis
    axis: Array  # (3,) unit, world
    radius: float  # of the shank, or of the hole
    low: float  # where the shank, or the whole, begins and ends along the axis
    high: float
    volume: float


def profile_of(mesh: Mesh) -> Profile | None:
    """What a part in the world could be by its shape alone."""
    solid = bulk(mesh)
    for axis in _axes(mesh, solid):
        if not _is_round(sliced(mesh, solid.centre_m, axis, evenly(mesh, solid.centre_m, axis, GLANCES))):
            continue
        found = _kind(sliced(mesh, solid.centre_m, axis, evenly(mesh, solid.centre_m, axis, HEIGHTS)))
        if found is not None:
            kind, radius, low, high, turned = found
            return Profile(kind, solid.centre_m, turned * axis, radius, low, high, solid.volume_m3)
    return None


def _axes(mesh: Mesh, solid: Bulk) -> list[Array]:
    """Directions about which a part may be round: its principal axes and the normals of its broadest faces."""
    values, vectors = np.linalg.eigh(solid.inertia_m5)
    apart = [abs(values[k] - np.delete(values, k)).min() for k in range(3)]  # the odd one first
    axes = [vectors[:, k] for k in np.argsort(apart)[::-1]]
    corners = mesh.vertices[mesh.triangles]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(area, axis=1)
    facing = np.round(area / np.where(size > 0, size, 1.0)[:, None], 3)
    facing *= np.sign(facing[np.arange(len(facing)), np.argmax(np.abs(facing), axis=1)])[:, None]
    ways, which = np.unique(facing, axis=0, return_inverse=True)
    sums = np.bincount(which.ravel(), weights=size)
    broad = [ways[k] / np.linalg.norm(ways[k]) for k in np.argsort(sums)[::-1][:3] if ways[k].any()]
    chosen: list[Array] = []
    for axis in (*axes, *broad):
        if all(abs(axis @ other) < 1 - 1e-6 for other in chosen):
            chosen.append(axis)
    return chosen


def _kind(slices: Slices) -> tuple[FastenerKind, float, float, float, int] | None:
    """Kind, radius, where it begins and ends, and whether the axis must be turned round."""
    if not _is_round(slices):
        return None
    wide = slices.outer.max(axis=1)
    if not slices.solid.any():
        return _ring(slices, wide)
    hollow = np.flatnonzero(~slices.solid)
    if len(hollow) > SOCKET * HEIGHTS or (len(hollow) and not _at_an_end(hollow)):
        return None
    return _rod(slices, wide)


def _is_round(slices: Slices) -> bool:
    """Whether every section reaches about as far from the axis in every direction."""
    wide, narrow = slices.outer.max(axis=1), slices.outer.min(axis=1)
    return bool((wide <= ROUND * narrow).all())  # NaN, where a ray meets nothing, is not


def _at_an_end(hollow: npt.NDArray[np.intp]) -> bool:
    together = hollow[-1] - hollow[0] + 1 == len(hollow)
    return bool(together and (hollow[0] == 0 or hollow[-1] == HEIGHTS - 1))


def _rod(slices: Slices, wide: Array) -> tuple[FastenerKind, float, float, float, int] | None:
    length = slices.length_m
    step = length / HEIGHTS
    for first, last in _runs(wide):
        radius = float(wide[first:last].max())
        if last - first >= PIN * HEIGHTS and wide.max() <= (1 + EVEN) * radius:
            pin = length >= LONG * 2 * radius and slices.solid.all()
            return ("pin", radius, _low(slices), _low(slices) + length, 1) if pin else None
        below, above = wide[:first], wide[last:]
        for head, tip, turned in ((below, above, 1), (above, below, -1)):
            is_head = len(head) and head.min() > radius and head.max() >= HEAD * radius
            is_short = len(head) * step <= TALL_HEAD * 2 * radius and len(head) < HEIGHTS - len(head) - len(tip) + 4
            is_tip = len(tip) <= BEVEL * HEIGHTS and (not len(tip) or tip.max() <= (1 + EVEN) * radius)
            if is_head and is_short and is_tip:
                start = _low(slices) + first * step if turned > 0 else -(_low(slices) + last * step)
                return "screw", radius, start, start + (HEIGHTS - len(head)) * step, turned
    return None


def _ring(slices: Slices, wide: Array) -> tuple[FastenerKind, float, float, float, int] | None:
    hole = float(np.median(slices.inner.min(axis=1)))
    length, outer = slices.length_m, float(wide.max())
    narrow = float(np.median(slices.outer.min(axis=1)))
    even = np.ptp(wide) <= EVEN * outer and np.ptp(slices.inner, axis=0).max() <= EVEN * hole
    low = _low(slices)
    if even and length <= FLAT * 2 * outer and WASHER_WIDTH[0] <= outer / hole <= WASHER_WIDTH[1]:
        return "washer", hole, low, low + length, 1
    fits = NUT_WIDTH[0] <= narrow / hole <= NUT_WIDTH[1] and NUT_HEIGHT[0] <= length / (2 * hole) <= NUT_HEIGHT[1]
    if fits and _is_six_sided(slices.outer[HEIGHTS // 2]):
        return "nut", hole, low, low + length, 1
    return None


def _is_six_sided(outer: Array) -> bool:
    """By harmonics of the outer radius: the sixth is the greatest, and as strong as a hexagon's."""
    harmonics = np.abs(np.fft.rfft(outer))[1:13] * 2 / (RAYS * outer.mean())
    return bool(np.argmax(harmonics) == 5 and harmonics[5] >= SIX_SIDED)


def _runs(wide: Array) -> list[tuple[int, int]]:
    """Stretches of sections as wide as each other, the narrowest first; short ones do not count."""
    runs, first = [], 0
    for here in range(1, len(wide) + 1):
        together = wide[first:here] if here == len(wide) else wide[first : here + 1]
        if here == len(wide) or np.ptp(together) > EVEN * together.max():
            runs.append((first, here))
            first = here
    long = [run for run in runs if run[1] - run[0] >= 0.2 * len(wide)]
    return sorted(long, key=lambda run: float(wide[run[0] : run[1]].max()))


def _low(slices: Slices) -> float:
    return float(slices.heights[0] - slices.length_m / HEIGHTS / 2)
