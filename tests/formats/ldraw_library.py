"""A small parts library in LDraw's form, drawn for these tests: primitives, and parts that are made of them.

Numbers begin with 99 where a part is like one of the catalogue, so that what is found in the drawing can be compared.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterable
from pathlib import Path

STILL = "1 0 0 0 1 0 0 0 1"
CERTIFIED = "0 BFC CERTIFY CCW\n"


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".") or "0"


def quad(*corners: tuple[float, float, float]) -> str:
    return "4 16 " + " ".join(_number(value) for corner in corners for value in corner) + "\n"


def use(file: str, at: tuple[float, float, float] = (0, 0, 0), rows: str = STILL, inverted: bool = False) -> str:
    before = "0 BFC INVERTNEXT\n" if inverted else ""
    return f"{before}1 16 {' '.join(map(_number, at))} {rows} {file}\n"


def scaled(x: float, y: float, z: float) -> str:
    return f"{_number(x)} 0 0 0 {_number(y)} 0 0 0 {_number(z)}"


def _ring(sides: int) -> list[tuple[float, float]]:
    return [(math.cos(2 * math.pi * k / sides), math.sin(2 * math.pi * k / sides)) for k in range(sides)]


def _cylinder(sides: int) -> str:
    """Radius 1, from y = 0 to y = 1, seen from outside; without caps."""
    ring = _ring(sides)
    lines = [
        quad((x0, 0, z0), (x0, 1, z0), (x1, 1, z1), (x1, 0, z1))
        for (x0, z0), (x1, z1) in zip(ring, ring[1:] + ring[:1], strict=True)
    ]
    return CERTIFIED + "".join(lines)


def _disc(sides: int) -> str:
    """Radius 1 in y = 0, seen from above, where y is less."""
    ring = _ring(sides)
    lines = [
        f"3 16 0 0 0 {_number(x0)} 0 {_number(z0)} {_number(x1)} 0 {_number(z1)}\n"
        for (x0, z0), (x1, z1) in zip(ring, ring[1:] + ring[:1], strict=True)
    ]
    return CERTIFIED + "".join(lines)


def _annulus(sides: int, inner: float, outer: float) -> str:
    ring = _ring(sides)
    lines = [
        quad(
            (inner * x0, 0, inner * z0),
            (outer * x0, 0, outer * z0),
            (outer * x1, 0, outer * z1),
            (inner * x1, 0, inner * z1),
        )
        for (x0, z0), (x1, z1) in zip(ring, ring[1:] + ring[:1], strict=True)
    ]
    return CERTIFIED + "".join(lines)


# Five sides of a cube from −1 to 1 in x and z, 0 to 1 in y, open at y = 0, seen from outside; top at y = 1.
OPEN_BOX = CERTIFIED + "".join(
    [
        quad((-1, 1, -1), (-1, 1, 1), (1, 1, 1), (1, 1, -1)),
        quad((-1, 0, -1), (-1, 1, -1), (1, 1, -1), (1, 0, -1)),
        quad((1, 0, 1), (1, 1, 1), (-1, 1, 1), (-1, 0, 1)),
        quad((1, 0, -1), (1, 1, -1), (1, 1, 1), (1, 0, 1)),
        quad((-1, 0, 1), (-1, 1, 1), (-1, 1, -1), (-1, 0, -1)),
    ]
)


def primitives() -> dict[str, str]:
    """By their paths in a library."""
    return {
        "p/4-4cyli.dat": "0 Cylinder 1.0\n" + _cylinder(16),
        "p/4-4disc.dat": "0 Disc 1.0\n" + _disc(16),
        "p/48/4-4cyli.dat": "0 Cylinder 1.0 fine\n" + _cylinder(48),
        "p/8/4-4cyli.dat": "0 Cylinder 1.0 coarse\n" + _cylinder(8),
        "p/4-4ring3.dat": "0 Ring 3 to 4\n" + _annulus(16, 3, 4),
        "p/box5.dat": "0 Box with five faces\n" + OPEN_BOX,
        "p/stud.dat": "0 Stud\n"
        + CERTIFIED
        + use("4-4cyli.dat", (0, -4, 0), scaled(6, 4, 6))
        + use("4-4disc.dat", (0, -4, 0), scaled(6, 1, 6)),
        "p/stud3.dat": "0 Stud Tube Solid\n"
        + CERTIFIED
        + use("4-4cyli.dat", (0, -4, 0), scaled(4, 4, 4))
        + use("4-4disc.dat", (0, -4, 0), scaled(4, 1, 4)),
        "p/stud4.dat": "0 Stud Tube Open\n"
        + CERTIFIED
        + use("4-4cyli.dat", (0, -4, 0), scaled(6, 4, 6), inverted=True)
        + use("4-4cyli.dat", (0, -4, 0), scaled(8, 4, 8))
        + use("4-4ring3.dat", (0, -4, 0), scaled(2, 1, 2)),
        "p/stug-1x2.dat": "0 Stud Group 1 x 2\n"
        + CERTIFIED
        + use("stud.dat", (-10, 0, 0))
        + use("STUD.DAT", (10, 0, 0)),
        "p/peghole.dat": "0 Peg Hole End\n"
        + CERTIFIED
        + use("4-4cyli.dat", (0, 0, 0), scaled(8, 2, 8), inverted=True)
        + use("4-4ring3.dat", (0, 2, 0), scaled(2, 1, 2)),
        "p/confric5.dat": "0 Friction Pin\n"
        + CERTIFIED
        + use("4-4cyli.dat", (0, -20, 0), scaled(6, 20, 6))
        + use("4-4disc.dat", (0, -20, 0), scaled(6, 1, 6)),
        "p/axle.dat": "0 Axle\n" + CERTIFIED + use("box5.dat", (0, 0, 0), scaled(5, 1, 2)),
    }


def _shell(half_x: float, half_z: float, height: float) -> str:
    """Walls four units thick, open below; what is inside and the rim come with it."""
    outer = use("box5.dat", (0, height, 0), scaled(half_x, -height, half_z))
    inner = use("box5.dat", (0, height, 0), scaled(half_x - 4, 4 - height, half_z - 4), inverted=True)
    a, b, c, d, y = half_x, half_z, half_x - 4, half_z - 4, height
    rim = [
        quad((-a, y, -b), (a, y, -b), (c, y, -d), (-c, y, -d)),
        quad((a, y, b), (-a, y, b), (-c, y, d), (c, y, d)),
        quad((a, y, -b), (a, y, b), (c, y, d), (c, y, -d)),
        quad((-a, y, b), (-a, y, -b), (-c, y, -d), (-c, y, d)),
    ]
    return outer + inner + "".join(rim)


def brick(along: int, across: int, height: float, studs: bool = True) -> str:
    """A brick as libraries draw them: a shell, studs on top, tubes or bars below."""
    text = CERTIFIED + _shell(10.0 * along, 10.0 * across, height)
    cells = [(20.0 * i - 10 * (along - 1), 20.0 * j - 10 * (across - 1)) for i in range(along) for j in range(across)]
    if studs:
        text += "".join(use("stud.dat", (x, 0, z)) for x, z in cells)
    deep = (height - 4) / 4
    if along > 1 and across > 1:
        tubes = [(x + 10, z + 10) for x, z in cells if x + 10 < 10 * along - 5 and z + 10 < 10 * across - 5]
        text += "".join(use("stud4.dat", (x, 4, z), f"1 0 0 0 {_number(-deep)} 0 0 0 1") for x, z in tubes)
    elif along > 1:
        bars = [x + 10 for x, _ in cells[:-1]]
        text += "".join(use("stud3.dat", (x, 4, 0), f"1 0 0 0 {_number(-deep)} 0 0 0 1") for x in bars)
    return text


def _slab(x0: float, y0: float, z0: float, x1: float, y1: float, z1: float) -> str:
    """Six faces of a box."""
    return "".join(
        [
            quad((x0, y0, z0), (x0, y0, z1), (x1, y0, z1), (x1, y0, z0)),
            quad((x0, y1, z0), (x1, y1, z0), (x1, y1, z1), (x0, y1, z1)),
            quad((x0, y0, z0), (x1, y0, z0), (x1, y1, z0), (x0, y1, z0)),
            quad((x0, y0, z1), (x0, y1, z1), (x1, y1, z1), (x1, y0, z1)),
            quad((x0, y0, z0), (x0, y1, z0), (x0, y1, z1), (x0, y0, z1)),
            quad((x1, y0, z0), (x1, y0, z1), (x1, y1, z1), (x1, y1, z0)),
        ]
    )


def _bracket() -> str:
    """A plate 1 x 2 with a wall of 1 x 2 that hangs down before it."""
    text = brick(2, 1, 8) + _slab(-20, 0, -14, 20, 20, -10)
    return text + "".join(use("stud.dat", (x, 10, -14), "1 0 0 0 0 1 0 1 0") for x in (-10, 10))


def _side_stud_brick() -> str:
    return brick(1, 1, 24) + use("stud.dat", (0, 10, -10), "1 0 0 0 0 1 0 1 0")


def _arch() -> str:
    text = CERTIFIED + _slab(-40, 0, -10, 40, 8, 10)
    for x in (-30, 30):
        text += "0 // a post\n" + use("s\\99post.dat", (x, 8, 0))
    return text + "".join(use("stud.dat", (20.0 * k - 30, 0, 0)) for k in range(4))


def _technic_brick() -> str:
    text = brick(2, 1, 24)
    text += use("peghole.dat", (0, 10, 10), "1 0 0 0 0 1 0 -1 0") + use(
        "peghole.dat", (0, 10, -10), "1 0 0 0 0 1 0 1 0"
    )
    return text + use("4-4cyli.dat", (0, 10, 8), "6 0 0 0 0 6 0 -16 0", inverted=True)


def _slope() -> str:
    """A wedge with a row of studs, filled: 2 x 2, running down towards −z."""
    text = CERTIFIED + "0 a wedge\n"
    low, high = [(-20.0, 24.0, 10.0), (20.0, 24.0, 10.0)], [(-20.0, 0.0, 10.0), (20.0, 0.0, 10.0)]
    ridge, lip = [(-20.0, 0.0, -10.0), (20.0, 0.0, -10.0)], [(-20.0, 20.0, -30.0), (20.0, 20.0, -30.0)]
    foot = [(-20.0, 24.0, -30.0), (20.0, 24.0, -30.0)]
    text += quad(high[0], high[1], ridge[1], ridge[0]) + quad(ridge[0], ridge[1], lip[1], lip[0])
    text += quad(lip[0], lip[1], foot[1], foot[0]) + quad(low[1], low[0], high[0], high[1])
    for k in (0, 1):
        text += quad(high[k], ridge[k], foot[k], low[k]) + quad(ridge[k], lip[k], foot[k], ridge[k])
    text += _shell_below(20, -30, 10, 24)
    return text + "".join(use("stud.dat", (x, 0, 0)) for x in (-10, 10))


def _shell_below(half_x: float, z0: float, z1: float, y: float) -> str:
    """A rim and a shallow cavity with a tube, below a filled part."""
    middle, half = (z0 + z1) / 2, (z1 - z0) / 2
    text = use("box5.dat", (0, y, middle), scaled(half_x - 4, -4, half - 4), inverted=True)
    a, c = half_x, half_x - 4
    text += quad((-a, y, z0), (a, y, z0), (c, y, z0 + 4), (-c, y, z0 + 4))
    text += quad((a, y, z1), (-a, y, z1), (-c, y, z1 - 4), (c, y, z1 - 4))
    text += quad((a, y, z0), (a, y, z1), (c, y, z1 - 4), (c, y, z0 + 4))
    text += quad((-a, y, z1), (-a, y, z0), (-c, y, z0 + 4), (-c, y, z1 - 4))
    return text + use("stud4.dat", (0, y - 4, middle), "1 0 0 0 -1 0 0 0 1")


def parts() -> dict[str, str]:
    """By their paths in a library."""
    round_brick = (
        CERTIFIED
        + use("4-4cyli.dat", (0, 0, 0), scaled(10, 24, 10))
        + use("4-4disc.dat", (0, 0, 0), scaled(10, 1, 10))
        + use("4-4cyli.dat", (0, 4, 0), scaled(6, 20, 6), inverted=True)
        + use("4-4ring3.dat", (0, 24, 0), f"{_number(2.5)} 0 0 0 -1 0 0 0 {_number(2.5)}")
        + use("stud.dat")
    )
    drawings = {
        "993001.dat": ("Brick  2 x  4", brick(4, 2, 24)),
        "993003.dat": ("Brick  2 x  2", brick(2, 2, 24)),
        "993010.dat": ("Brick  1 x  4", brick(4, 1, 24)),
        "993020.dat": ("Plate  2 x  4", brick(4, 2, 8)),
        "993024.dat": ("Plate  1 x  1", brick(1, 1, 8)),
        "993068.dat": ("Tile  2 x  2", brick(2, 2, 8, studs=False)),
        "9987087.dat": ("Brick  1 x  1 with Stud on 1 Side", _side_stud_brick()),
        "9999781.dat": ("Bracket  1 x  2 -  1 x  2 Down", _bracket()),
        "993659.dat": ("Arch  1 x  4", _arch()),
        "993062.dat": ("Brick  1 x  1 Round", round_brick),
        "993700.dat": ("Technic Brick  1 x  2 with Hole", _technic_brick()),
        "992780.dat": (
            "Technic Pin with Friction",
            CERTIFIED + use("confric5.dat", rows="0 1 0 0 0 1 1 0 0") + use("confric5.dat", rows="0 -1 0 0 0 1 1 0 0"),
        ),
        "993039.dat": ("Slope Brick 45  2 x  2", _slope()),
        "993001old.dat": ("~Moved to 993001", use("993001.dat")),
        "99alias.dat": ("=Brick  2 x  2", use("993003.DAT", (20, 0, 0))),
        "99hair.dat": ("Minifig Hair", CERTIFIED + _slab(-8, -10, -8, 8, 0, 8)),
        "99sticker.dat": ("Sticker  1 x  2", CERTIFIED + quad((-18, 0, -8), (18, 0, -8), (18, 0, 8), (-18, 0, 8))),
        "99nothing.dat": ("Panel  1 x  4 x  3", use("nowhere.dat")),
        "s/99post.dat": ("~Arch Post", CERTIFIED + _shell(10, 10, 16)),
    }
    return {
        f"parts/{name}": f"0 {title}\n0 Name: {name}\n0 !LDRAW_ORG Unofficial_Part\n{text}"
        for name, (title, text) in drawings.items()
    }


def write_library(folder: Path, leave_out: Iterable[str] = ()) -> Path:
    """A folder as ldraw.org's; names in mixed case, lines ended as on Windows."""
    for path, text in (primitives() | parts()).items():
        if path not in set(leave_out):
            head, _, name = path.rpartition("/")
            there = (
                folder
                / ("P" + head[1:] if head[:2] in ("p", "p/") else head)
                / (name.upper() if len(name) % 2 else name)
            )
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_bytes(text.replace("\n", "\r\n").encode())
    return folder


def write_zip(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in (primitives() | parts()).items():
            archive.writestr(f"ldraw/{name}", text)
    return path
