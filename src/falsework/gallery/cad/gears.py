"""Spur gears with involute teeth (20°, full depth), and how they mesh."""

from __future__ import annotations

import math

import numpy as np

from falsework.gallery.cad.workpieces import Solid, circle, prism
from falsework.model.arrays import Array

PRESSURE_RAD = math.radians(20.0)
FEWEST_TEETH = 17  # below, teeth of this depth are undercut
DEDENDUM = 1.25  # modules


def involute(angle: float) -> float:
    """The angle that an involute has turned by, where its pressure angle is `angle`."""
    return math.tan(angle) - angle


def gear_outline(module: float, teeth: int, per_flank: int, backlash: float, turned_rad: float = 0.0) -> Array:
    """(n, 2) corners, counter-clockwise; the middle of the first tooth lies along x, then turned.

    `backlash`: how much thinner than half a pitch each tooth is, along the pitch circle, m; two gears have twice that.
    """
    pitch, base = module * teeth / 2, module * teeth / 2 * math.cos(PRESSURE_RAD)
    root, tip = pitch - DEDENDUM * module, pitch + module
    half = (math.pi * module / 2 - backlash) / (2 * pitch)  # of a tooth at the pitch circle, rad
    foot = half + involute(PRESSURE_RAD)  # where its flanks would reach the base circle
    lowest = max(base, root)
    radii = [lowest + (tip - lowest) * k / per_flank for k in range(per_flank + 1)]
    flank = [(r, foot - involute(math.acos(min(1.0, base / r)))) for r in radii]  # radius, half the tooth's angle there
    if root < base:
        flank.insert(0, (root, foot))
    tooth = [(r, -half_angle) for r, half_angle in flank] + [(r, half_angle) for r, half_angle in reversed(flank)]
    corners = []
    for number in range(teeth):
        middle = turned_rad + 2 * math.pi * number / teeth
        corners += [(r * math.cos(middle + a), r * math.sin(middle + a)) for r, a in tooth]
    return np.array(corners)


def gear_area(module: float, teeth: int, backlash: float) -> float:
    """The area inside the true outline, whose feet are straight between two teeth: in closed form.

    The area between an involute and its base circle, seen from the centre, is base² tan³α / 6.
    """
    pitch, base = module * teeth / 2, module * teeth / 2 * math.cos(PRESSURE_RAD)
    root, tip = pitch - DEDENDUM * module, pitch + module
    half = (math.pi * module / 2 - backlash) / (2 * pitch)
    foot = half + involute(PRESSURE_RAD)
    lowest = max(base, root)
    steep, low = math.tan(math.acos(base / tip)), math.tan(math.acos(base / lowest))
    flank = base**2 * (steep**3 - low**3) / 6
    at_tip = foot - involute(math.acos(base / tip))
    at_foot = foot - involute(math.acos(base / lowest))
    between = math.pi / teeth - at_foot
    crown = 0.5 * tip**2 * math.sin(2 * at_tip) / 2  # the chord of the tip
    valley = 0.5 * root**2 * math.sin(2 * between) / 2
    return 2 * teeth * (flank + crown + valley)


def gear(
    module: float, teeth: int, low: float, high: float, bore: float, facets: int, backlash: float, phase: float = 0.0
) -> Solid:
    """From z = `low` to `high` about the z axis, with a round bore of `facets` chords (none where it is 0)."""
    outline = gear_outline(module, teeth, max(2, facets // 8), backlash, phase)
    return prism(outline, low, high, [circle(bore, facets)] if bore else [])


def meshing_phase(driver: int, driven: int, driver_phase: float, towards_rad: float) -> float:
    """How a gear must be turned so that it meshes with another, whose centre it lies from in a direction.

    A tooth of the driver that points to the driven meets a gap of the driven.
    """
    behind = (towards_rad - driver_phase) * driver  # teeth of the driver that have passed, in 2π a tooth
    return towards_rad + math.pi - math.pi / driven + behind / driven
