"""Files that do not say their unit: whether what they hold has the size of things, and if not, the likely scale."""

from __future__ import annotations

import math

import numpy as np

from falsework.geometry.contacts.ground import bounds_m
from falsework.model.assembly import Assembly
from falsework.model.lengths import length

UNITS = {0.001: "millimetres", 0.01: "centimetres", 0.0254: "inches", 1.0: "metres"}
HUGE_PART_KG = 1e6  # of the median part: a block of ten metres a side
HUGE_M = 1e3  # of all together
TINY_M = 1e-3
USUAL_M = (0.005, 500.0)  # what is asked about
MIDDLE_M = 0.2


def doubt_about_units(assembly: Assembly, scale: float) -> str:
    """One sentence with the likely scale where an assembly, read with this one, is odd; empty where it is not."""
    low, high = bounds_m(assembly)
    length_m = float((high - low).max())
    masses_kg = assembly.masses_kg[: len(assembly.parts)]
    if TINY_M <= length_m <= HUGE_M and float(np.median(masses_kg)) < HUGE_PART_KG:
        return ""
    found = f"as read it is {length(length_m)} long and weighs {assembly.mass_kg:.3g} kg"
    units = length_m / scale  # of the file
    for likely in sorted(UNITS, reverse=length_m < TINY_M):
        if USUAL_M[0] <= likely * units <= USUAL_M[1] and likely != scale:
            return f"{found}; if the file is in {UNITS[likely]}, set --scale {likely:g}"
    likely = 1000.0 ** round(math.log(MIDDLE_M / units, 1000.0))
    if likely == scale:
        return ""
    longer = length(likely * units)
    return f"{found}; --scale says how many metres a unit of the file is: with {likely:g} it is {longer} long"
