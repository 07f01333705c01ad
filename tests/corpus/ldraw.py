"""LDraw files that say something impossible."""

from __future__ import annotations

UPRIGHT = "1 0 0 0 1 0 0 0 1"


def _part(colour: str = "4", at: str = "0 0 0", matrix: str = UPRIGHT, file: str = "3001.dat") -> str:
    return f"1 {colour} {at} {matrix} {file}\n"


TEXTS: dict[str, tuple[str, str]] = {
    "ldraw of an unknown part": ("m.ldr", _part(file="99999999.dat")),
    "ldraw of a part without a name": ("m.ldr", f"1 4 0 0 0 {UPRIGHT}\n"),
    "ldraw with a word for a number": ("m.ldr", _part(at="0 high 0")),
    "ldraw with a coordinate that is not a number": ("m.ldr", _part(at="0 nan 0")),
    "ldraw with an infinite coordinate": ("m.ldr", _part(at="inf 0 0")),
    "ldraw far away": ("m.ldr", _part(at="1e300 0 0")),
    "ldraw scaled": ("m.ldr", _part(matrix="2 0 0 0 2 0 0 0 2")),
    "ldraw sheared": ("m.ldr", _part(matrix="1 0.5 0 0 1 0 0 0 1")),
    "ldraw with a matrix of nothing": ("m.ldr", _part(matrix="0 0 0 0 0 0 0 0 0")),
    "ldraw cut short": ("m.ldr", "1 4 0 0 0 1 0 0 0 1"),
    "ldraw with a control character": ("m.ldr", _part(file="30\x0101.dat")),
    "ldraw line of type 9": ("m.ldr", "0 Name\n9 nothing\n"),
    "ldraw of remarks only": ("m.ldr", "0 Untitled\n0 STEP\n0 // nothing\n"),
    "ldraw without parts": ("m.mpd", "0 FILE main.ldr\n0 STEP\n"),
    "ldraw model in itself": ("m.mpd", f"0 FILE a.ldr\n{_part(file='a.ldr')}"),
    "ldraw models in each other": ("m.mpd", f"0 FILE a.ldr\n{_part(file='b.ldr')}0 FILE b.ldr\n{_part(file='a.ldr')}"),
    "ldraw submodel that is missing": ("m.mpd", f"0 FILE a.ldr\n{_part(file='wheel.ldr')}"),
    "ldraw submodels without parts": ("m.mpd", f"0 FILE a.ldr\n{_part(file='b.ldr')}0 FILE b.ldr\n0 empty\n"),
    "ldraw doubled twenty times": (
        "m.mpd",
        "".join(f"0 FILE {n}.ldr\n{2 * _part(file=f'{n + 1}.ldr')}" for n in range(20)) + f"0 FILE 20.ldr\n{_part()}",
    ),
    "ldraw submodels a hundred deep": (
        "m.mpd",
        "".join(f"0 FILE {n}.ldr\n{_part(file=f'{n + 1}.ldr')}" for n in range(100)) + f"0 FILE 100.ldr\n{_part()}",
    ),
    "ldraw model for a part that cannot be": (
        "m.mpd",
        f"0 FILE a.ldr\n{_part()}0 FILE b.dat\n0 !FALSEWORK PART roof\n",
    ),
}
OVERLAPS: dict[str, tuple[str, str]] = {
    "ldraw bricks half inside one another": ("m.ldr", _part() + _part(at="40 0 0")),
}
