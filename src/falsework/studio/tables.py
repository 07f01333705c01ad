"""Tables that several pages share, and how long a table may get."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.model.arrays import Array
from falsework.model.figures import NOISE
from falsework.studio.scene import Column, Parts, Scalar, Table

MAX_ROWS = 20_000


def parts_table(parts: Parts, scalars: Sequence[Scalar] = ()) -> Table:
    """Every part with what is known of it."""
    rows = range(min(len(parts), MAX_ROWS))
    columns = [
        Column("Part", "part", tuple(rows)),
        Column("Kind", "text", tuple(parts.labels[row] for row in rows)),
        Column("Role", "text", tuple("falls" if parts.falling[row] else parts.role[row] for row in rows)),
        Column("Mass (kg)", "number", tuple(known(float(parts.mass_kg[row])) for row in rows)),
    ]
    for scalar in scalars:
        share = scalar.unit == "%"
        label = scalar.label if share else f"{scalar.label} ({scalar.unit})"
        values = tuple(known(float(scalar.values[row])) for row in rows)
        columns.append(Column(label, "share" if share else "number", values))
    return Table("Parts", tuple(columns), shortened(len(parts)))


def known(value: float) -> float | None:
    """None for NaN and infinity, six digits for the rest: tables are read, certificates are checked."""
    return float(f"{value:.6g}") if abs(value) < 1e300 else None


def without_noise(values: Array, largest: float | None = None) -> Array:
    """The values, 0 where they are rounding beside the largest of them, or beside another of their kind."""
    beside = float(np.max(np.abs(values), initial=0.0)) if largest is None else largest
    return np.where(np.abs(values) > NOISE * beside, values, 0.0)


def shortened(total: int, order: str = "first") -> str:
    """What to say of a table that was cut."""
    return "" if total <= MAX_ROWS else f"The {order} {MAX_ROWS:,} of {total:,}."


def round_up(values: Array) -> float:
    """The end of a scale that has room for the largest value: 1, 1.5, 2, 3 or 5 times a power of ten."""
    largest = float(np.max(values, initial=0.0, where=np.isfinite(values)))
    if not largest > 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(largest))
    return float(next(step * power for step in (1, 1.5, 2, 3, 5, 10) if step * power >= largest * (1 - 1e-9)))
