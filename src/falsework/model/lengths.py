"""Lengths in words."""

from __future__ import annotations

UNITS = ((1.0, "m"), (1e-3, "mm"), (1e-6, "µm"), (1e-9, "nm"))


def length(metres: float) -> str:
    """A length in the unit that shows it best, to two digits, without its sign.

    >>> length(-0.0001)
    '0.1 mm'
    """
    size = abs(metres)
    unit, name = next(((unit, name) for unit, name in UNITS if size >= 0.0999 * unit), UNITS[-1])
    return f"{float(f'{size / unit:.2g}'):g} {name}"
