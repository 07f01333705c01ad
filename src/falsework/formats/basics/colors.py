"""Colours by LDraw's numbers, names and red-green-blue values, for the part of them that models use most."""

from __future__ import annotations

import re
from functools import cache

_GRAY = 71
MAIN = 16  # LDraw: the colour of whoever uses the part; ours: no colour

# number: (name, red-green-blue), as LDConfig.ldr has them
TABLE: dict[int, tuple[str, str]] = {
    0: ("black", "#1b2a34"),
    1: ("blue", "#1e5aa8"),
    2: ("green", "#00852b"),
    3: ("dark turquoise", "#069d9f"),
    4: ("red", "#b40000"),
    5: ("dark pink", "#d3359d"),
    6: ("brown", "#543324"),
    7: ("light gray", "#8a928d"),
    8: ("dark gray", "#545955"),
    9: ("light blue", "#97cbd9"),
    10: ("bright green", "#58ab41"),
    11: ("light turquoise", "#00aaa4"),
    12: ("salmon", "#f06d61"),
    13: ("pink", "#f6a9bb"),
    14: ("yellow", "#fac80a"),
    15: ("white", "#f4f4f4"),
    17: ("light green", "#add9a8"),
    18: ("light yellow", "#ffd67f"),
    19: ("tan", "#d7ba8c"),
    20: ("light violet", "#afbed6"),
    22: ("purple", "#671f81"),
    23: ("dark blue violet", "#0e3e9a"),
    25: ("orange", "#d67923"),
    26: ("magenta", "#901f76"),
    27: ("lime", "#a5ca18"),
    28: ("dark tan", "#897d62"),
    29: ("bright pink", "#ff9ecd"),
    47: ("transparent clear", "#fcfcfc"),
    70: ("reddish brown", "#5f3109"),
    71: ("light bluish gray", "#969696"),
    72: ("dark bluish gray", "#646464"),
    73: ("medium blue", "#7396c8"),
    84: ("medium dark flesh", "#aa7d55"),
    85: ("dark purple", "#441a91"),
    191: ("bright light orange", "#fcac00"),
    226: ("bright light yellow", "#ffec6c"),
    272: ("dark blue", "#19325a"),
    288: ("dark green", "#00451a"),
    308: ("dark brown", "#352100"),
    320: ("dark red", "#720012"),
    378: ("sand green", "#708e7c"),
    379: ("sand blue", "#70819a"),
    484: ("dark orange", "#91501c"),
}
_HEX = re.compile(r"#[0-9a-f]{6}")
_DIRECT = re.compile(r"0x2([0-9A-Fa-f]{6})")
_NUMBERED = re.compile(r"ldraw ([0-9]{1,6})")


def from_ldraw(word: str) -> str | None:
    """The colour that a number or a direct colour of an LDraw line means; None for the main colour.

    Numbers beyond the table stay numbers: `ldraw 334`. ValueError if the word is neither.
    """
    direct = _DIRECT.fullmatch(word)
    if direct:
        return f"#{direct[1].lower()}"
    if not re.fullmatch(r"[0-9]{1,6}", word):
        raise ValueError(f"found the colour {word[:40]!r}, expected a number or 0x2RRGGBB")
    number = int(word)
    if number == MAIN:
        return None
    return TABLE[number][0] if number in TABLE else f"ldraw {number}"


def to_ldraw(color: str | None) -> str | None:
    """The word of an LDraw line for a colour, None if LDraw has none that comes back as the same."""
    if color is None:
        return str(MAIN)
    if _HEX.fullmatch(color):
        return f"0x2{color[1:].upper()}"
    numbered = _NUMBERED.fullmatch(color)
    word = numbered[1] if numbered else str(_numbers().get(color, ""))
    return word if word and from_ldraw(word) == color else None


def rgb(color: str | None) -> tuple[float, float, float]:
    """Red, green and blue from 0 to 1 for pictures; unknown colours are gray."""
    text = color or ""
    if not _HEX.fullmatch(text):
        text = TABLE[_numbers().get(text, _GRAY)][1]
    return int(text[1:3], 16) / 255, int(text[3:5], 16) / 255, int(text[5:7], 16) / 255


@cache
def _numbers() -> dict[str, int]:
    return {name: number for number, (name, _) in TABLE.items()}
