"""Metric screw threads with their true helix (ISO 68-1 profile, ISO 724 diameters).

A thread is a surface r(s) about the z axis with s = z − pitch · angle / 2π, the same in every turn: a cross-section
anywhere has the area π · mean(r²). Screws have the corners of their facets on the true surface and lie inside it;
nuts have the chords of theirs on it and lie outside: so the play between the two is what was asked for, or more,
however they are turned.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from falsework.gallery.cad.workpieces import Solid, around_circle, common, cut, solid_over, turned
from falsework.model.arrays import Array

FLANK_RAD = math.radians(30.0)  # of a flank against the plane across the axis
OVERRUN = 2  # pitches that a thread reaches beyond what is cut from it


@dataclass(frozen=True, slots=True)
class Metric:
    """A size of ISO metric coarse threads, and of what is made with it; lengths in mm, as the standards have them.

    Widths across flats and heights: ISO 4017 (hexagon screws), 4032 (nuts), 4762 (socket heads), 7089 (washers).
    """

    size: int
    pitch: float
    across: float
    head: float
    nut: float
    cap: float  # diameter of a socket head, which is as high as the thread is wide
    socket: float
    washer: tuple[float, float, float]  # hole, outside, thickness


SIZES = {
    one.size: one
    for one in (
        Metric(3, 0.5, 5.5, 2.0, 2.4, 5.5, 2.5, (3.2, 7.0, 0.5)),
        Metric(4, 0.7, 7.0, 2.8, 3.2, 7.0, 3.0, (4.3, 9.0, 0.8)),
        Metric(5, 0.8, 8.0, 3.5, 4.7, 8.5, 4.0, (5.3, 10.0, 1.0)),
        Metric(6, 1.0, 10.0, 4.0, 5.2, 10.0, 5.0, (6.4, 12.0, 1.6)),
        Metric(8, 1.25, 13.0, 5.3, 6.8, 13.0, 6.0, (8.4, 16.0, 1.6)),
        Metric(10, 1.5, 16.0, 6.4, 8.4, 16.0, 8.0, (10.5, 20.0, 2.0)),
        Metric(12, 1.75, 18.0, 7.5, 10.8, 18.0, 10.0, (13.0, 24.0, 2.5)),
        Metric(16, 2.0, 24.0, 10.0, 14.8, 24.0, 14.0, (17.0, 30.0, 3.0)),
        Metric(20, 2.5, 30.0, 12.5, 18.0, 30.0, 17.0, (21.0, 37.0, 3.0)),
    )
}


def nearest_size(wanted: float) -> Metric:
    """The largest size of the table that is no wider than `wanted`, mm; the smallest where all are."""
    return SIZES[max((size for size in SIZES if size <= wanted), default=min(SIZES))]


def external_profile(metric: Metric) -> Array:
    """(5, 2) s and r in m, over one pitch: root, flank, crest, flank, root; the root is that of ISO 68-1 at d₃."""
    pitch, radius = metric.pitch * 1e-3, metric.size * 0.5e-3
    return _profile(pitch, radius, radius - 0.61343 * pitch, crest=pitch / 8)


def internal_profile(metric: Metric, play_m: float) -> Array:
    """The same of a nut, `play_m` away from the nominal flanks: crest (towards the axis) at D₁, root at D."""
    pitch, radius = metric.pitch * 1e-3, metric.size * 0.5e-3
    back = play_m / math.sin(FLANK_RAD)  # a flank that moves so far from the axis is `play_m` off
    return _profile(pitch, radius + back, radius + back - 0.54127 * pitch, crest=pitch / 8)


def mean_square_radius(profile: Array) -> float:
    """mean(r²) over a pitch; π times it is the area of every cross-section."""
    s, r = profile[:, 0], profile[:, 1]
    thirds = (r[:-1] ** 2 + r[:-1] * r[1:] + r[1:] ** 2) / 3
    return float((thirds * np.diff(s)).sum() / (s[-1] - s[0]))


def threaded_rod(metric: Metric, blank: Array, facets: int) -> Solid:
    """What is left of a turned blank, (n, 2) radius and height, when the thread is cut into it."""
    low, high = blank[:, 1].min(), blank[:, 1].max()
    return common(_helix(external_profile(metric), low, high, facets), turned(blank, facets))


def tapped(solid: Solid, metric: Metric, low: float, high: float, facets: int, play_m: float) -> Solid:
    """A solid with a threaded hole along z through its heights `low` to `high`, which it does not exceed."""
    profile = internal_profile(metric, play_m)
    profile[:, 1] = around_circle(1.0, facets) * profile[:, 1]
    return cut(solid, _helix(profile, low, high, facets))


def _profile(pitch: float, outer: float, inner: float, crest: float) -> Array:
    run = (outer - inner) * math.tan(FLANK_RAD)
    root = pitch - crest - 2 * run
    s = np.cumsum([0.0, root / 2, run, crest, run, root / 2])
    return np.column_stack([s, [inner, inner, outer, outer, inner, inner]])


def _helix(profile: Array, low: float, high: float, facets: int) -> Solid:
    """A right-handed thread that reaches beyond two heights, closed at its ends anyhow.

    Columns of corners stand at equal angles, each a little higher than the one before; the last corner of a column's
    profile is the first one of the column a whole turn later.
    """
    pitch = float(profile[-1, 0])
    height, radius = profile[:-1, 0], profile[:-1, 1]
    each = len(height)
    first = (math.floor(low / pitch) - OVERRUN) * pitch  # whole pitches from z = 0, so that nuts find their screws
    turns = math.ceil((high - first) / pitch + OVERRUN)
    columns = np.arange(facets * turns + 1)
    angles = [2 * math.pi * (k % facets) / facets for k in columns]
    cosine, sine = np.array([math.cos(a) for a in angles]), np.array([math.sin(a) for a in angles])
    z = first + height + pitch * columns[:, None] / facets
    walls = np.stack([cosine[:, None] * radius, sine[:, None] * radius, z], axis=-1).reshape(-1, 3)
    corner = np.arange(len(walls)).reshape(-1, each)
    whole = np.concatenate([corner[:-facets], corner[facets:, :1]], axis=1)  # columns that have the next turn above
    here, after = whole[:-1], whole[1:]
    a, b, c, d = here[:, :-1], after[:, :-1], after[:, 1:], here[:, 1:]
    triangles = [np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)]
    below = [*corner[: facets + 1, 0], *corner[0, :0:-1]]  # once around, then down the profile of the first column
    above = [*corner[-facets - 1 :, 0], *corner[-facets - 1, :0:-1]]
    ends = [(below, len(walls), first + pitch / 2), (above[::-1], len(walls) + 1, float(z[-1, 0]) - pitch / 2)]
    for loop, axis, _ in ends:
        ring = np.array(loop)
        triangles.append(np.column_stack([np.full(len(ring), axis), np.roll(ring, -1), ring]))
    tips = np.array([(0.0, 0.0, end) for *_, end in ends])
    return solid_over(np.concatenate([walls, tips]), np.concatenate(triangles))
