"""One LDraw file as data: references to others, polygons, and which way these wind.

Colours and edge lines of parts are passed over. Polygons come out counter-clockwise seen from outside where the file
says how it winds (`0 BFC CERTIFY`); of others nobody can tell inside from outside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array

_POLYGONS = {"3": 3, "4": 4}


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A line of type 1, in LDraw's axes and units."""

    color: str
    matrix: Array  # (4, 4)
    file: str  # lower case, forward slashes
    inverted: bool  # the next-line remark INVERTNEXT stood before it


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """What one file draws."""

    title: str
    references: tuple[Reference, ...]
    triangles: Array  # (t, 3, 3)
    certified: bool


def plain(name: str) -> str:
    """A file's name as names are compared: case does not matter, nor which way slashes lean."""
    return name.strip().strip('"').lower().replace("\\", "/")


def drawing(text: str) -> Drawing:
    """The drawing in a text; lines that make no sense are passed over, since libraries are other people's.

    >>> drawing("0 Plate\\n1 16 0 0 0 1 0 0 0 1 0 0 0 1 S\\\\X.DAT\\n3 16 0 0 0 1 0 0 0 0 1").references[0].file
    's/x.dat'
    """
    title, certified, clockwise, inverted = "", False, False, False
    references: list[Reference] = []
    triangles: list[list[list[float]]] = []
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "0":
            if not title and len(words) > 1:
                title = " ".join(words[1:])
            if len(words) > 2 and words[1].upper() == "BFC":
                said = {word.upper() for word in words[2:]}
                certified = (
                    certified or "CERTIFY" in said or not said.isdisjoint(("CW", "CCW"))
                ) and "NOCERTIFY" not in said
                clockwise = "CW" in said if not said.isdisjoint(("CW", "CCW")) else clockwise
                inverted = "INVERTNEXT" in said
            continue
        try:
            if words[0] == "1" and len(words) >= 15:
                references.append(_reference(line, words, inverted))
            elif words[0] in _POLYGONS:
                triangles += _polygon(words, _POLYGONS[words[0]], clockwise)
        except ValueError:
            continue
        finally:
            inverted = False
    return Drawing(title, tuple(references), np.array(triangles, dtype=float).reshape(-1, 3, 3), certified)


def _reference(line: str, words: list[str], inverted: bool) -> Reference:
    x, y, z, *rows = (float(word) for word in words[2:14])
    matrix = np.eye(4)
    matrix[:3, :3] = np.array(rows).reshape(3, 3)
    matrix[:3, 3] = x, y, z
    return Reference(words[1], matrix, plain(line.split(maxsplit=14)[14]), inverted)


def _polygon(words: list[str], corners: int, clockwise: bool) -> list[list[list[float]]]:
    numbers = [float(word) for word in words[2 : 2 + 3 * corners]]
    if len(numbers) < 3 * corners:
        raise ValueError("too few numbers")
    points = [numbers[3 * k : 3 * k + 3] for k in range(corners)]
    if clockwise:
        points.reverse()
    return [[points[0], points[k], points[k + 1]] for k in range(1, corners - 1)]
