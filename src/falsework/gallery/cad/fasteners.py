"""Screws, nuts, washers and pins, along z, with true threads or, as most CAD files have them, smooth shanks."""

from __future__ import annotations

import math

import numpy as np

from falsework.gallery.cad.threads import Metric, tapped, threaded_rod
from falsework.gallery.cad.workpieces import (
    Solid,
    common,
    cut,
    cylinder,
    hexagon,
    prism,
    shifted,
    tube,
    turned,
    united,
)

BEVEL = math.tan(math.radians(30.0))  # of hexagon corners


def hexagon_screw(metric: Metric, length: float, facets: int, threaded: bool = True) -> Solid:
    """Its head from z = −head to 0, its shank up to `length` with a bevelled end."""
    return united([_hexagon_head(metric, facets), _shank(metric, length, facets, threaded)])


def cap_screw(metric: Metric, length: float, facets: int, threaded: bool = False) -> Solid:
    """A socket head from z = −size to 0, with a hexagonal socket half as deep."""
    high, radius = metric.size * 1e-3, metric.cap * 0.5e-3
    head = cut(cylinder(radius, -high, 0.0, facets), prism(hexagon(metric.socket * 1e-3), -2 * high, -0.5 * high))
    return united([head, _shank(metric, length, facets, threaded)])


def countersunk_screw(metric: Metric, length: float, facets: int) -> Solid:
    """A smooth one with a head of 90°, flush with z = 0; `length` is overall. Its slot is left out."""
    radius = metric.size * 0.5e-3
    profile = [(0.0, 0.0), (2 * radius, 0.0), (radius, radius), (radius, length), (0.0, length)]
    return turned(profile, facets)


def hexagon_nut(metric: Metric, low: float, facets: int, play_m: float, threaded: bool = True) -> Solid:
    """From z = `low` up, on the thread of a screw whose head ends at z = 0; its hole is countersunk at both ends."""
    high = low + metric.nut * 1e-3
    across, radius = metric.across * 1e-3, metric.size * 0.5e-3
    blank = common(prism(hexagon(across), low, high), _bevelled(across, low, high, facets, top=True, bottom=True))
    if not threaded:
        return cut(blank, cylinder(radius + play_m, low - radius, high + radius, facets))
    wide = 1.05 * radius + 2 * play_m
    cone = [(0.0, 0.0), (wide, 0.0), (0.0, wide * BEVEL)]
    upper = [(0.0, -wide * BEVEL), (wide, 0.0), (0.0, 0.0)]
    blank = tapped(blank, metric, low, high, facets, play_m)
    return cut(blank, shifted(turned(cone, facets), z=low), shifted(turned(upper, facets), z=high))


def washer(metric: Metric, low: float, facets: int, *, nominal: bool = False) -> Solid:
    """Flat, from z = `low` up; a nominal one is drawn as wide inside as the screw is, so that it cannot drop."""
    hole, outside, thick = (1e-3 * length for length in metric.washer)
    hole = metric.size * 1e-3 if nominal else hole
    return tube(outside / 2, hole / 2, low, low + thick, facets)


def dowel(radius: float, low: float, high: float, facets: int, bevel: float = 0.0) -> Solid:
    """A pin with bevelled ends."""
    if not bevel:
        return cylinder(radius, low, high, facets)
    near = radius - bevel
    profile = [(0.0, low), (near, low), (radius, low + bevel), (radius, high - bevel), (near, high), (0.0, high)]
    return turned(profile, facets)


def _hexagon_head(metric: Metric, facets: int) -> Solid:
    across, high = metric.across * 1e-3, metric.head * 1e-3
    return common(prism(hexagon(across), -high, 0.0), _bevelled(across, -high, 0.0, facets, top=False, bottom=True))


def _bevelled(across: float, low: float, high: float, facets: int, *, top: bool, bottom: bool) -> Solid:
    """The turned body that takes the corners off a hexagon."""
    wide, narrow = 1.2 * across / 2 * 2 / math.sqrt(3.0), 0.95 * across / 2
    drop = (wide - narrow) * BEVEL
    profile = [(0.0, low), (narrow, low), (wide, low + drop)] if bottom else [(0.0, low), (wide, low)]
    profile += [(wide, high - drop), (narrow, high), (0.0, high)] if top else [(wide, high), (0.0, high)]
    return turned(profile, facets)


def _shank(metric: Metric, length: float, facets: int, threaded: bool) -> Solid:
    radius, bevel = metric.size * 0.5e-3, 0.6 * metric.pitch * 1e-3
    low = -0.25 * metric.head * 1e-3  # a little way into the head
    profile = [(0.0, low), (radius, low), (radius, length - bevel), (radius - bevel, length), (0.0, length)]
    if not threaded:
        return turned(profile, facets)
    return threaded_rod(metric, np.array(profile), facets)
