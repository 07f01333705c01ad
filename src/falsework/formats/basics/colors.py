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
    30: ("medium lavender", "#a06eb9"),
    31: ("lavender", "#cda4de"),
    33: ("transparent dark blue", "#0020a0"),
    34: ("transparent green", "#237841"),
    35: ("transparent bright green", "#56e646"),
    36: ("transparent red", "#c91a09"),
    37: ("transparent dark pink", "#df6695"),
    38: ("transparent neon orange", "#ff800d"),
    39: ("transparent very light blue", "#c1dff0"),
    40: ("transparent black", "#635f52"),
    41: ("transparent medium blue", "#559ab7"),
    42: ("transparent neon green", "#c0ff00"),
    43: ("transparent light blue", "#aee9ef"),
    44: ("transparent light purple", "#96709f"),
    45: ("transparent pink", "#fc97ac"),
    46: ("transparent yellow", "#f5cd2f"),
    47: ("transparent clear", "#fcfcfc"),
    52: ("transparent purple", "#a5a5cb"),
    54: ("transparent neon yellow", "#dab000"),
    57: ("transparent orange", "#f08f1c"),
    68: ("very light orange", "#f3cf9b"),
    69: ("light purple", "#cd6298"),
    70: ("reddish brown", "#5f3109"),
    71: ("light bluish gray", "#969696"),
    72: ("dark bluish gray", "#646464"),
    73: ("medium blue", "#7396c8"),
    74: ("medium green", "#7fc475"),
    77: ("light pink", "#fecccf"),
    78: ("light flesh", "#ffc995"),
    80: ("metallic silver", "#767676"),
    82: ("metallic gold", "#dbac34"),
    84: ("medium dark flesh", "#aa7d55"),
    85: ("dark purple", "#441a91"),
    92: ("flesh", "#bb805a"),
    110: ("violet", "#26469a"),
    115: ("medium lime", "#b7d425"),
    118: ("aqua", "#9cd6cc"),
    120: ("light lime", "#deea92"),
    135: ("pearl light gray", "#a0a0a0"),
    148: ("pearl dark gray", "#484d48"),
    151: ("very light bluish gray", "#c8c8c8"),
    179: ("flat silver", "#898788"),
    191: ("bright light orange", "#fcac00"),
    212: ("bright light blue", "#9dc3f7"),
    216: ("rust", "#872b17"),
    226: ("bright light yellow", "#ffec6c"),
    272: ("dark blue", "#19325a"),
    288: ("dark green", "#00451a"),
    297: ("pearl gold", "#aa7f2e"),
    308: ("dark brown", "#352100"),
    313: ("maersk blue", "#3592c3"),
    320: ("dark red", "#720012"),
    321: ("dark azure", "#469bc3"),
    322: ("medium azure", "#68c3e2"),
    323: ("light aqua", "#d3f2ea"),
    326: ("yellowish green", "#e2f99a"),
    330: ("olive green", "#77774e"),
    335: ("sand red", "#88605e"),
    353: ("coral", "#ff6d77"),
    373: ("sand purple", "#75657d"),
    378: ("sand green", "#708e7c"),
    379: ("sand blue", "#70819a"),
    383: ("chrome silver", "#cecece"),
    462: ("medium orange", "#f58624"),
    484: ("dark orange", "#91501c"),
    503: ("very light gray", "#bcb4a5"),
}
_HEX = re.compile(r"#[0-9a-f]{6}")
_DIRECT = re.compile(r"0x([23])([0-9A-Fa-f]{6})")
_FIRST_DIRECT, _LAST_DIRECT = 0x2000000, 0x3FFFFFF  # direct colours that were written as decimal numbers
_SEE_THROUGH = "transparent"
_MIXED = re.compile(rf"{_SEE_THROUGH} (#[0-9a-f]{{6}})")
_NUMBERED = re.compile(r"ldraw ([0-9]{1,6})")


def from_ldraw(word: str) -> str | None:
    """The colour that a number or a direct colour of an LDraw line means; None for the main colour.

    Numbers beyond the table stay numbers: `ldraw 334`. ValueError if the word is neither.
    """
    if re.fullmatch(r"[0-9]{8}", word) and _FIRST_DIRECT <= int(word) <= _LAST_DIRECT:
        word = f"0x{int(word):X}"
    direct = _DIRECT.fullmatch(word)
    if direct:
        return f"{'' if direct[1] == '2' else _SEE_THROUGH + ' '}#{direct[2].lower()}"
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
    if mixed := _MIXED.fullmatch(color):
        return f"0x3{mixed[1][1:].upper()}"
    numbered = _NUMBERED.fullmatch(color)
    word = numbered[1] if numbered else str(_numbers().get(color, ""))
    return word if word and from_ldraw(word) == color else None


def rgb(color: str | None) -> tuple[float, float, float]:
    """Red, green and blue from 0 to 1 for pictures; unknown colours are gray."""
    text = color or ""
    if mixed := _MIXED.fullmatch(text):
        text = mixed[1]
    if not _HEX.fullmatch(text):
        text = TABLE[_numbers().get(text, _GRAY)][1]
    return int(text[1:3], 16) / 255, int(text[3:5], 16) / 255, int(text[5:7], 16) / 255


def is_transparent(color: str | None) -> bool:
    """Whether light goes through parts of this colour."""
    return color is not None and color.startswith(_SEE_THROUGH)


@cache
def _numbers() -> dict[str, int]:
    return {name: number for number, (name, _) in TABLE.items()}
