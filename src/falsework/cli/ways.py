"""Directions at the command line: by name or in figures, in and out."""

from __future__ import annotations

import argparse
import math

from falsework.model.errors import shown
from falsework.model.figures import signed

WAYS = {"+x": (1.0, 0.0, 0.0), "-x": (-1.0, 0.0, 0.0), "+y": (0.0, 1.0, 0.0), "-y": (0.0, -1.0, 0.0)}
WAYS |= {"+z": (0.0, 0.0, 1.0), "-z": (0.0, 0.0, -1.0), "up": (0.0, 0.0, 1.0), "down": (0.0, 0.0, -1.0)}


def vector(text: str) -> tuple[float, float, float]:
    """Three numbers with commas between them, no larger than files may have."""
    from falsework.formats.basics.limits import MAX_COORDINATE

    try:
        x, y, z = (float(number) for number in text.split(","))
    except ValueError:
        x = y = z = math.nan
    if not all(abs(number) <= MAX_COORDINATE for number in (x, y, z)):  # rejects NaN too
        limit = f"each from {-MAX_COORDINATE:g} to {MAX_COORDINATE:g}"
        raise argparse.ArgumentTypeError(f"found {shown(text)}, expected three numbers like 0,0,-9.81, {limit}")
    return x, y, z


def way(text: str) -> tuple[float, float, float]:
    """A direction by name, or three numbers."""
    named = WAYS.get(text if text[:1] not in "xyz" else f"+{text}")
    return vector(text) if named is None else named


def way_in_words(direction: list[float]) -> str:
    """A direction in words where it is an axis, in figures elsewhere."""
    named = {numbers: name for name, numbers in WAYS.items()} | {WAYS["+z"]: "up", WAYS["-z"]: "down"}
    x, y, z = (one + 0.0 for one in direction)
    return named.get((x, y, z), signed((x, y, z)))
