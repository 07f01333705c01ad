"""Numbers as people read them, in terminals, reports and pages: one way to write each kind of quantity.

- Three significant digits, a unit that keeps them short, no more decimals than anybody can use.
- What is rounding is nothing: 8e-16 of a strength is "0 %", and what is small but there is "< 0.01 %".
- Rounding never changes sides: 99.96 % is not written "100 %", and the two ends of a bracket move apart, so that "bears
  550.3 N, falls at 550.4 N" is true as it is written.
- A *margin* is what is left (a share to spare, an angle, a load); what is used up is *needed*.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

NOISE = 1e-9  # of a whole: what solvers leave
LEAST_SHARE = 1e-4  # the least share that is written in figures
DIGITS, BRACKET_DIGITS = 3, 4
UNKNOWN = "–"
Units = tuple[tuple[float, str], ...]

MASSES: Units = ((1e3, "t"), (1.0, "kg"), (1e-3, "g"), (1e-6, "mg"))
LENGTHS: Units = ((1e3, "km"), (1.0, "m"), (1e-3, "mm"))
FORCES: Units = ((1e6, "MN"), (1e3, "kN"), (1.0, "N"), (1e-3, "mN"))


def count(number: int, noun: str = "") -> str:
    """1,234 or 1,234 parts."""
    if not noun:
        return f"{number:,}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def listed(names: Sequence[str], most: int, last: str = " and ") -> str:
    """a, b and c; beyond `most` of them the rest is counted."""
    if len(names) > most:
        return f"{', '.join(names[:most])}{last}{len(names) - most:,} more"
    return last.join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else "".join(names)


def left(moved: int, parts: int) -> str:
    """What a motion has done to the parts, as `geometry.displacement` tells it."""
    return (
        f"{count(moved) if moved else 'none'} of {count(parts, 'part')} left {'its' if moved == 1 else 'their'} place"
    )


def mass(kg: float) -> str:
    return _scaled(kg, MASSES)


def length(m: float) -> str:
    return _scaled(m, LENGTHS)


def size(sides_m: Sequence[float]) -> str:
    """2.2 × 0.3 × 1.39 m: all sides in the unit of the longest."""
    scale, unit = _unit(max(map(abs, sides_m), default=0.0), LENGTHS)
    return f"{' × '.join(figure(side / scale) for side in sides_m)} {unit}"


def force(newtons: float) -> str:
    return _scaled(newtons, FORCES)


def degrees(angle: float) -> str:
    """13.29°: to a hundredth, which is as far as tilts are followed."""
    return f"{_plain(round(angle, 2))}°"


def seconds(span_s: float) -> str:
    """Simulated time, or how long something took."""
    return f"{figure(span_s)} s" if span_s == 0 or span_s >= 0.01 else f"{figure(1e3 * span_s)} ms"


def milliseconds(ms: float) -> str:
    return f"{ms / 1e3:.2f} s" if ms >= 1e3 else f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms"


def acceleration(metres_per_s2: float) -> str:
    return f"{figure(metres_per_s2)} m/s²"


def percent(share: float) -> str:
    """1.3 %; never 100 % for what is not all of it."""
    value = 100 * share
    if math.isnan(share):
        return UNKNOWN
    if abs(share) < LEAST_SHARE:
        small = "< 0.01 %" if share > 0 else "> -0.01 %"
        return small if abs(share) >= NOISE else "0 %"
    decimals = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    text = f"{value:,.{decimals}f}"
    while float(text.replace(",", "")) == 100 and abs(share - 1) > NOISE:
        decimals += 1
        text = f"{value:,.{decimals}f}"
    return f"{_without_zeros(text)} %"


def spare(used: float) -> str:
    """The margin that a use of `used` of all strength leaves."""
    return "none" if used > 1 else f"{percent(1 - used) if used >= LEAST_SHARE else '100 %'} spare"


def needed(used: float) -> str:
    """Of clutches: what part of their strength it takes."""
    return f"{percent(used)} of the clutch strength"


def of_the_load(residual: float) -> str:
    """What a proof leaves over, or wins by: beside the load it is made about."""
    return f"{percent(residual) if residual >= 1e-3 else f'{residual:.1e}'} of the load"


def figure(value: float, digits: int = DIGITS) -> str:
    """A number without a unit: plain where that is short, in powers of ten elsewhere."""
    if value == 0 or not math.isfinite(value):
        return f"{abs(value):g}" if value == 0 else f"{value:g}"
    if 1e-4 <= abs(value) < 1e6:
        decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
        return _without_zeros(f"{value:,.{decimals}f}")
    return f"{value:.{digits - 1}e}"


def _padded(value: float) -> str:
    """With as many digits as brackets have, zeros too."""
    if value == 0 or not 1e-4 <= abs(value) < 1e6:
        return figure(value, BRACKET_DIGITS)
    return f"{value:,.{max(0, BRACKET_DIGITS - 1 - math.floor(math.log10(abs(value))))}f}"


def signed(vector: Sequence[float]) -> str:
    """-1.68, 0, -0.0675: with signs, and nothing where a number is rounding beside the largest."""
    largest = max(map(abs, vector), default=0.0)
    kept = [value if abs(value) > NOISE * largest else 0.0 for value in vector]
    return ", ".join("0" if value == 0 else f"{'+' if value > 0 else ''}{figure(value)}" for value in kept)


def direction(x: float, y: float, z: float) -> str:
    """A direction in words: down and -x; nothing for a vector of no length."""
    largest = max(abs(x), abs(y), abs(z))
    named = ((z, "up", "down"), (x, "+x", "-x"), (y, "+y", "-y"))
    return " and ".join(plus if value > 0 else minus for value, plus, minus in named if abs(value) > 0.3 * largest)


def below(value: float, decimals: int | None = None) -> float:
    """The lower end of a bracket, rounded down to four digits or so many decimals: nothing is promised too much."""
    return _cut(value, math.floor, decimals)


def above(value: float, decimals: int | None = None) -> float:
    """The upper end of a bracket, rounded up."""
    return _cut(value, math.ceil, decimals)


def lower(value: float) -> str:
    """The lower end of a bracket as it is written, all its digits shown."""
    return _padded(below(value))


def upper(value: float) -> str:
    """The upper end of a bracket as it is written."""
    return _padded(above(value))


def bearing(stands_n: float | None, falls_n: float | None) -> str:
    """How much load something bears, and at which it falls; in newtons from a thousandth to a hundred thousand."""
    if not stands_n and falls_n is None:
        return "how much it bears was not found"
    if stands_n is None:
        return "bears nothing more"
    largest = max(stands_n, falls_n or 0.0)
    scale, unit = (1.0, "N") if 1e-3 <= largest < 1e5 else _unit(largest, FORCES)
    borne = f"bears {lower(stands_n / scale)} {unit}"
    return f"{borne} and more" if falls_n is None else f"{borne}, falls at {upper(falls_n / scale)} {unit}"


def tilting(stands_deg: float | None, falls_deg: float | None) -> str:
    """How far something may be tilted, and where it falls."""
    if stands_deg is None:
        return "not found"
    if falls_deg is None:
        return f"stands up to {degrees(below(stands_deg, 2))}"
    return f"stands at {below(stands_deg, 2):.2f}°, falls at {above(falls_deg, 2):.2f}°"


def friction(stands: float | None, falls: float | None) -> str:
    """What friction something needs."""
    if stands is None:
        return "none suffices"
    if stands == 0:
        return "none is needed"
    return f"{upper(stands)} suffices, {'less is undecided' if falls is None else f'{lower(falls)} does not'}"


def thinner(stands: float | None, falls: float | None) -> str:
    """To which share of their thickness joints could be drawn together: the geometric factor of safety."""
    if stands is None:
        return "not found"
    factor = "points would do" if stands <= 1e-6 else f"{lower(1 / stands)} times thinner joints would do"
    return factor if falls is None else f"{factor}, {upper(1 / falls)} times would not"


def shaking(stands: float | None, falls: float | None) -> str:
    """By what share of their weight all parts may be pulled sideways."""
    if stands is None:
        return "not found"
    return f"stands at {lower(stands)} g" + (" and more" if falls is None else f", falls at {upper(falls)} g")


def probability(low: float, high: float) -> str:
    """Between which two it is."""
    return f"{below(low, 4):.4f} to {above(high, 4):.4f}"


def _cut(value: float, rounding: Callable[[float], int], decimals: int | None) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    places = BRACKET_DIGITS - 1 - math.floor(math.log10(abs(value))) if decimals is None else decimals
    return rounding(round(value * 10.0**places, 6)) / 10.0**places  # rounded first: 13.29 may be 13.289999…


def _scaled(value: float, units: Units) -> str:
    if value == 0 or not math.isfinite(value):
        return f"{abs(value) if value == 0 else value:g} {_unit(0.0, units)[1]}"
    scale, unit = _unit(abs(value), units)
    if abs(value) < NOISE * scale:
        return f"0 {_unit(0.0, units)[1]}"
    return f"{figure(value / scale)} {unit}"


def _unit(largest: float, units: Units) -> tuple[float, str]:
    """The largest unit that is no larger; 1 where there is nothing to go by."""
    if largest == 0 or not math.isfinite(largest):
        return next(one for one in units if one[0] == 1.0)
    return next((one for one in units if largest >= one[0] * (1 - 0.5 * 10.0**-DIGITS)), units[-1])


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _plain(value: float) -> str:
    return _without_zeros(f"{value + 0.0:,.2f}")
