"""How exact the corners of a surface are, by the digits that their numbers have.

Mesh files are text of six digits as often as numbers in single precision, and say neither. But numbers that were cut
off after six digits are whole multiples of the last one, which corners of curved surfaces are not by chance.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from falsework.geometry.shapes.solids import outer_surface
from falsework.geometry.shapes.tolerances import SINGLE
from falsework.model.arrays import Array
from falsework.model.shapes import Shape

FEWEST, MOST = 5, 7  # digits that are looked for; of eight what was cut off is less than in single precision
WHOLE = 1e-4  # how near a multiple is to a whole number
SHARE = 0.5  # of the distinct numbers: corners that were moved since, or put in, need not have so few digits
ENOUGH = 20  # distinct numbers: fewer may be round by design


def exact_m(vertices: Array) -> float:
    """How far corners (n, 3) may be from where they should be, m.

    >>> circle = np.array([[3 * np.cos(k), 3 * np.sin(k), 4.0] for k in range(50)])
    >>> round(exact_m(circle), 9), round(exact_m(np.round(circle, 5)), 9)
    (4e-07, 5e-06)
    """
    values = np.unique(np.abs(vertices))
    values = values[values > 0]
    longest = float(values.max(initial=0.0))
    if len(values) < ENOUGH:
        return SINGLE * longest
    leading = np.floor(np.log10(values) + 1e-12)  # that of 0.1 is −1, rounding aside
    for digits in range(FEWEST, MOST + 1):
        multiples = values * 10.0 ** (digits - 1 - leading)
        if float((np.abs(multiples - np.round(multiples)) <= WHOLE).mean()) >= SHARE:
            return float(max(SINGLE * longest, 0.5 * 10.0 ** (leading[-1] - digits + 1)))
    return SINGLE * longest


@lru_cache(maxsize=4096)
def corners_off_m(shape: Shape | None) -> float:
    """How far corners of a shape may be from where they should be, whichever way, m; of none, not at all."""
    return 0.0 if shape is None else float(np.sqrt(3)) * exact_m(outer_surface(shape).vertices)
