"""Colours of parts: what a file says where it can be read as a colour, else a calm one of ours."""

from __future__ import annotations

import re

from falsework.formats.basics.colors import TABLE
from falsework.model.part import Part

GROUND_COLOR = "#b9bcbd"
STONES = ("#d2cabb", "#c7beae", "#dad3c6", "#bfb7a9", "#cdc4b2")
BRICKS = ("#6d94b8", "#d9a05b", "#86ad84", "#cc7a63", "#9a8fbd", "#d9c06a", "#74b0ad", "#bd8aa0")
NAMED = {
    "black": "#2b2d31", "blue": "#2f6db5", "brown": "#7a5236", "cyan": "#3fb3c4", "gray": "#8e9296",
    "green": "#3c8d4b", "grey": "#8e9296", "lime": "#9fc63b", "magenta": "#b7478f", "navy": "#27406b",
    "olive": "#7d7f3a", "orange": "#e38a2e", "pink": "#e0a0b4", "purple": "#7c5ba6", "red": "#c4392f",
    "tan": "#d3bd92", "teal": "#2f8c87", "white": "#f2f1ec", "yellow": "#eec43a",
}  # fmt: skip
_LDRAW = dict(TABLE.values())  # by name; where both know a word, ours is the calmer shade
_HEX = re.compile(r"#?([0-9a-fA-F]{6}|[0-9a-fA-F]{3})")


def part_color(part: Part, number: int) -> str:
    """#rrggbb of a part; `number` is its place among the parts of the same look."""
    read = color_of(part.color)
    if read is not None:
        return read
    choices = BRICKS if part.is_brick else STONES
    return choices[number % len(choices)]


def color_of(text: str | None) -> str | None:
    """#rrggbb, where the text is a colour we know."""
    if text is None:
        return None
    word = text.strip().lower()
    if word in NAMED or word in _LDRAW:
        return NAMED.get(word) or _LDRAW[word]
    found = _HEX.fullmatch(word)
    if found is None:
        return None
    digits = found[1]
    return "#" + (digits if len(digits) == 6 else "".join(2 * digit for digit in digits))
