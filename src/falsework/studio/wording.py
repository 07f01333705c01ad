"""Numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence


def count(number: int, noun: str = "") -> str:
    """1,234 or 1,234 parts."""
    if not noun:
        return f"{number:,}"
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], most: int, last: str = " and ") -> str:
    """a, b and c; beyond `most` of them the rest is counted."""
    if len(names) > most:
        return f"{', '.join(names[:most])}{last}{len(names) - most:,} more"
    return last.join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else "".join(names)


def mass(kg: float) -> str:
    return _scaled(kg, ((1e3, "t"), (1.0, "kg"), (1e-3, "g"), (1e-6, "mg")))


def length(m: float) -> str:
    return _scaled(m, ((1e3, "km"), (1.0, "m"), (1e-3, "mm")))


def force(newtons: float) -> str:
    return _scaled(newtons, ((1e6, "MN"), (1e3, "kN"), (1.0, "N"), (1e-3, "mN")))


def percent(share: float) -> str:
    return f"{100 * share:.3g} %" if abs(share) < 10 else f"{100 * share:,.0f} %"


def milliseconds(ms: float) -> str:
    return f"{ms / 1e3:.2f} s" if ms >= 1e3 else f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms"


def _scaled(value: float, units: tuple[tuple[float, str], ...]) -> str:
    if not math.isfinite(value) or value == 0:
        return f"{value:g} {units[1][1]}"
    for scale, unit in units:
        if abs(value) >= scale:
            return f"{value / scale:,.0f} {unit}" if abs(value) >= 1000 * scale else f"{value / scale:.3g} {unit}"
    return f"{value / units[-1][0]:.3g} {units[-1][1]}"
