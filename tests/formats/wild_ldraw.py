"""LDraw files of the kinds that people have: how many parts each comes to, how many kinds are not there whole."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

STILL = "1 0 0 0 1 0 0 0 1"
MIRROR = "-1 0 0 0 1 0 0 0 1"
OVER = "1 0 0 0 -1 0 0 0 -1"  # upside down
FORWARD = "1 0 0 0 0 -1 0 1 0"  # lies on its back: its underside looks along −z's opposite, studs along −z
FOOT = f"1 4 0 -24 0 {STILL} 3001.dat\n"  # a brick 2 x 4 on the ground


@dataclass(frozen=True)
class Wild:
    """One file, and what reading it must come to."""

    name: str
    data: bytes
    parts: int
    partial: int = 0
    stands: bool = True
    library: bool = False


def line(file: str, at: str = "0 -48 0", rows: str = STILL, color: str = "14") -> str:
    return f"1 {color} {at} {rows} {file}\n"


def _text(body: str, head: str = "0 A model\n0 Name: model.ldr\n0 Author: Somebody\n") -> bytes:
    return (head + body).encode()


def _written() -> dict[str, Wild]:
    """Line ends, encodings, endings, zips."""
    model = "0 Größe\n" + FOOT + line("3001.dat")
    studio = io.BytesIO()
    with zipfile.ZipFile(studio, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.ldr", _text(FOOT + line("3003.dat")))
        archive.writestr("thumbnail.png", b"\x89PNG")
        archive.writestr(".INFO", "{}")
    second = io.BytesIO()
    with zipfile.ZipFile(second, "w") as archive:
        archive.writestr("Model2.LDR", _text(FOOT).replace(b"\n", b"\r\n"))
    return {
        "unix lines": Wild("a.ldr", model.encode(), 2),
        "windows lines": Wild("a.ldr", model.replace("\n", "\r\n").encode(), 2),
        "old mac lines": Wild("a.ldr", model.replace("\n", "\r").encode(), 2),
        "byte order mark": Wild("a.ldr", model.encode("utf-8-sig"), 2),
        "utf-16": Wild("a.ldr", model.encode("utf-16"), 2),
        "western encoding": Wild("a.ldr", model.encode("cp1252"), 2),
        "dat": Wild("a.dat", model.encode(), 2),
        "l3b": Wild("a.l3b", model.encode(), 2),
        "studio": Wild("a.io", studio.getvalue(), 2),
        "studio, other name": Wild("b.io", second.getvalue(), 1),
        "tabs and spaces": Wild("a.ldr", b"0 x\n  1\t4 0   -24 0\t1 0 0 0 1 0 0 0 1   3001.DAT  \n", 1),
        "no title": Wild("a.ldr", FOOT.encode(), 1),
    }


def _variants() -> dict[str, Wild]:
    places = {
        "3001p90": "0 -48 0", "3001pb012": "0 -48 0", "3001b": "0 -48 0", "3001old": "0 -48 0", "3001d01": "0 -48 0",
        "3010p04": "0 -48 10", "3005pt1": "10 -48 10", "3069bp01": "20 -32 10", "3068bpb0052": "20 -32 0",
        "3070bp07": "10 -32 10", "2412b": "20 -32 10",
    }  # fmt: skip
    return {
        f"variant {number}": Wild("a.ldr", _text(FOOT + line(f"{number}.dat", at)), 2) for number, at in places.items()
    }


def _colours() -> dict[str, Wild]:
    words = {
        "transparent": "47",
        "smoke": "40",
        "direct": "0x2FF8000",
        "direct transparent": "0x3FF8000",
        "decimal": "33587200",
    }
    return {
        f"colour {word}": Wild("a.ldr", _text(FOOT + line("3001.dat", color=code)), 2) for word, code in words.items()
    }


def _submodels() -> dict[str, Wild]:
    wheel = f"0 FILE Wheel Pair.ldr\n0 a pair\n{line('3003.dat', '-20 0 0')}0 STEP\n{line('3003.dat', '20 0 0')}"
    part = "0 FILE own part.dat\n0 Plate of my own\n0 !LDRAW_ORG Unofficial_Part\n0 BFC CERTIFY CCW\n"
    part += line("3024.dat", "0 0 0", color="16")
    box = "4 16 -10 0 -10 10 0 -10 10 0 10 -10 0 10\n4 16 -10 8 -10 -10 8 10 10 8 10 10 8 -10\n"
    return {
        "submodel": Wild("a.mpd", _text(f"{FOOT}{line('WHEEL PAIR.LDR')}{wheel}", "0 FILE main.ldr\n0 Main\n"), 3),
        "submodel in submodel": Wild(
            "a.mpd",
            _text(f"{FOOT}{line('two.ldr', '0 0 0')}0 FILE two.ldr\n{line('wheel pair.ldr')}{wheel}", "0 FILE m.ldr\n"),
            3,
        ),
        "submodel by backslash": Wild(
            "a.mpd",
            _text(FOOT + line("sub\\Two.ldr") + f"0 FILE sub/two.ldr\n{line('3001.dat', '0 0 0')}", "0 FILE m.ldr\n"),
            2,
        ),
        "submodel ended": Wild("a.mpd", _text(f"{FOOT}0 NOFILE\nnot a line of LDraw\n", "0 FILE m.ldr\n"), 1),
        "submodel mirrored part": Wild("a.ldr", _text(FOOT + line("3001.dat", rows=MIRROR)), 2),
        "submodel that is a part": Wild(
            "a.mpd",
            _text(f"{FOOT}{line('own part.dat', '0 -32 0')}{part}{box}", "0 FILE m.ldr\n"),
            1,
            partial=1,  # a slab without studs or holes that anybody could tell
        ),
        "submodel with data": Wild("a.mpd", _text(f"{FOOT}0 !DATA a.png\n0 !: iVBORw0KGgo=\n", "0 FILE m.ldr\n"), 1),
    }


def _remarks() -> dict[str, Wild]:
    step = "0 STEP\n"
    remarks = {
        "steps": step,
        "turns": "0 ROTSTEP 0 180 0 REL\n",
        "turn ends": "0 ROTSTEP 10 20 30 ABS\n0 ROTSTEP END\n",
        "leocad": "0 !LEOCAD GROUP BEGIN Group 1\n0 !LEOCAD GROUP END\n",
        "lpub": "0 !LPUB INSERT PAGE\n0 !LPUB PLI BEGIN IGN\n0 !LPUB PLI END\n",
        "mlcad": "0 MLCAD BTG group\n0 GHOST 1 4 0 0 0 1 0 0 0 1 0 0 0 1 3001.dat\n",
        "buffer": f"0 BUFEXCHG A STORE\n{line('3001.dat', '200 -24 0')}{step}0 BUFEXCHG A RETRIEVE\n",
    }
    found = {
        f"remark {name}": Wild("a.ldr", _text(f"{FOOT}{text}{line('3001.dat')}"), 2) for name, text in remarks.items()
    }
    found["lines of types 2 to 5"] = Wild(
        "a.ldr",
        _text(
            FOOT
            + "2 24 0 0 0 1 0 0\n3 16 0 0 0 1 0 0 0 1 0\n4 16 0 0 0 1 0 0 1 1 0 0 1 0\n5 24 0 0 0 1 0 0 0 1 0 1 1 0\n"
        ),
        1,
        partial=0,
    )
    return found


def _unknown() -> dict[str, Wild]:
    return {
        "minifig": Wild("a.ldr", _text(FOOT + line("3626bp01.dat") + line("973p1k.dat")), 1, partial=2),
        "missing submodel": Wild("a.mpd", _text(FOOT + line("wing.ldr"), "0 FILE m.ldr\n"), 1, partial=1),
        "stretched": Wild("a.ldr", _text(FOOT + line("3001.dat", rows="3 0 0 0 1 0 0 0 1")), 1, partial=1),
        "hair": Wild("a.ldr", _text(FOOT + line("99hair.dat")), 1, partial=1, library=True),
        "sticker": Wild("a.ldr", _text(FOOT + line("99sticker.dat")), 1, partial=1, library=True),
        "box by its title": Wild("a.ldr", _text(FOOT + line("99nothing.dat", "0 -96 -10")), 2, partial=1, library=True),
    }


def _careless() -> dict[str, Wild]:
    """What nobody should write, and people's programs do."""
    wing = f"0 FILE wing.ldr\n{line('3003.dat', '60 0 0')}"
    both = line("wing.ldr") + line("wing.ldr", rows=MIRROR)
    bent = "0.71 0 0.71 0 1 0 -0.71 0 0.71"
    lines = {
        "no line of LDraw": ("// a remark\n", 1),
        "a line too short": ("1 4 0 0 0 1 0 0\n", 1),
        "a type that is none": ("6 4 0 0 0\n", 1),
        "no numbers": (line("3001.dat", "nan 0,5 0"), 1),
        "beyond all bounds": (line("3001.dat", "1e30 0 0"), 1),
        "no colour": (line("3001.dat", color="red"), 0),
        "a colour as the web has them": (line("3001.dat", color="#2FF8000"), 0),
        "a colour with a point": (line("3001.dat", color="4.0"), 0),
        "a path of another machine": (line("C:\\LDraw\\PARTS\\3001.DAT"), 0),
        "a name in quotes": (line('"3001.dat"'), 0),
        "end of a text": ("\x1a\n", 0),
        "the same brick twice": (FOOT, 1),
    }
    found = {
        f"careless: {name}": Wild("a.ldr", _text(FOOT + text), 1 + (text[0] == "1" and not partial), partial)
        for name, (text, partial) in lines.items()
    }
    return {
        **found,
        "two decimals": Wild(
            "a.ldr", _text(FOOT + line("3794b.dat", "-20 -32 -10") + line("3024.dat", "-20 -40 -10", bent)), 3
        ),
        "submodel mirrored": Wild("a.mpd", _text(line("3006.dat", "0 -24 0") + both + wing, "0 FILE m.ldr\n"), 3),
        "submodel stretched": Wild(
            "a.mpd", _text(FOOT + line("wing.ldr", rows="2 0 0 0 2 0 0 0 2") + wing, "0 FILE m.ldr\n"), 1, partial=1
        ),
        "submodel there twice": Wild(
            "a.mpd", _text(FOOT + line("wing.ldr", "-60 -48 0") + wing + wing, "0 FILE m.ldr\n"), 2
        ),
    }


def _sideways() -> dict[str, Wild]:
    """Studs that look anywhere but up."""
    plate = line("3024.dat", "-30 -38 -28", FORWARD)
    return {
        "headlight": Wild(
            "a.ldr", _text(FOOT + line("4070.dat", "-30 -48 -10") + line("3024.dat", "-30 -38 -24", FORWARD)), 3
        ),
        "stud on a side": Wild("a.ldr", _text(FOOT + line("87087.dat", "-30 -48 -10") + plate), 3),
        "studs on two sides": Wild("a.ldr", _text(FOOT + line("47905.dat", "-30 -48 -10") + plate), 3),
        "bracket down": Wild(
            "a.ldr", _text(FOOT + line("99781.dat", "-20 -32 -10") + line("3023.dat", "-20 -22 -32", FORWARD)), 3
        ),
        "bracket up": Wild(
            "a.ldr", _text(FOOT + line("99780.dat", "-20 -32 -10") + line("3023.dat", "-20 -34 -32", FORWARD)), 3
        ),
        "jumper": Wild("a.ldr", _text(FOOT + line("3794b.dat", "-20 -32 -10") + line("3024.dat", "-20 -40 -10")), 3),
        "stud in a tube": Wild(
            "a.ldr", _text(FOOT + line("87580.dat", "-20 -32 0") + line("3003.dat", "-20 -56 0")), 3
        ),
        "upside down on sides": Wild(
            "a.ldr",
            _text(
                FOOT + line("4733.dat", "-30 -48 -10") + plate + line("3024.dat", "-48 -38 -10", "0 1 0 -1 0 0 0 0 1")
            ),
            4,
        ),
        "turned by any angle": Wild(
            "a.ldr",
            _text(
                FOOT
                + line("3794b.dat", "-20 -32 -10")
                + line("3024.dat", "-20 -40 -10", "0.866 0 0.5 0 1 0 -0.5 0 0.866")
            ),
            3,
        ),
        "corner plate": Wild("a.ldr", _text(FOOT + line("2420.dat", "-30 -32 -10")), 2),
        "arch on two feet": Wild(
            "a.ldr",
            _text(line("3005.dat", "-30 -24 0") + line("3005.dat", "30 -24 0") + line("3659.dat", "0 -48 0")),
            3,
        ),
    }


def _technic() -> dict[str, Wild]:
    two = line("3700.dat", "0 -24 -10") + line("3700.dat", "0 -24 10")
    pinned = line("3701.dat", "0 -24 0") + line("2780.dat", "0 -14 -10", "0 0 1 0 1 0 -1 0 0")
    beam = "0 0 -1 1 0 0 0 -1 0"  # its bores along z, its length along x
    return {
        "technic bricks with a pin between": Wild(
            "a.ldr", _text(two + line("2780.dat", "0 -14 0", "0 0 1 0 1 0 -1 0 0")), 3
        ),
        "technic beam on a pin": Wild("a.ldr", _text(pinned + line("32523.dat", "0 -14 -20", beam)), 3),
        "technic axle": Wild(
            "a.ldr", _text(line("3700.dat", "0 -24 0") + line("4519.dat", "0 -14 0", "0 0 1 0 1 0 -1 0 0")), 2
        ),
    }


def _drawn() -> dict[str, Wild]:
    """Parts that only a library knows."""
    above = {
        "993001": "0 -48 0", "993003": "20 -48 0", "993010": "0 -48 10", "993020": "0 -32 0", "993024": "10 -32 10",
        "993068": "20 -32 0", "9987087": "10 -48 10", "9999781": "20 -32 -10", "993062": "10 -48 10",
        "993700": "20 -48 10", "993039": "20 -48 10", "993001old": "0 -48 0", "99alias": "0 -48 0",
        "993001p01": "0 -48 0",
    }  # fmt: skip
    found = {
        f"drawn {number}": Wild("a.ldr", _text(FOOT + line(f"{number}.dat", at)), 2, library=True)
        for number, at in above.items()
    }
    arch = line("3005.dat", "-30 -24 0") + line("3005.dat", "30 -24 0") + line("993659.dat", "0 -48 0")
    found["drawn 993659"] = Wild("a.ldr", _text(arch), 3, library=True)
    pin = line("993700.dat", "0 -24 -10") + line("993700.dat", "0 -24 10")
    found["drawn pin"] = Wild(
        "a.ldr", _text(pin + line("992780.dat", "0 -14 0", "0 0 1 0 1 0 -1 0 0")), 3, library=True
    )
    found["drawn, nothing but the part"] = Wild("a.ldr", _text(line("993001.dat", "0 -24 0")), 1, library=True)
    return found


FILES: dict[str, Wild] = {
    **_written(), **_variants(), **_colours(), **_submodels(), **_remarks(), **_unknown(), **_careless(),
    **_sideways(), **_technic(), **_drawn(),
}  # fmt: skip
