"""Which part a number means: of the catalogue, of the file itself, of the library, of those that are built in.

Variants fall back to their mould: `3001p90` (printed), `3001d01` (with a sticker), `3001pb12`, `3001b` and `3001old`
are 3001 for all that matters here, unless the variant itself is known. `~Moved to` and `=` files lead to another part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from falsework.formats.bricks.ldraw_models import rotation
from falsework.formats.bricks.ldraw_parts import T_ldraw_part, known_parts
from falsework.formats.bricks.library.built_in import built_in
from falsework.formats.bricks.library.folder import Library
from falsework.formats.bricks.library.lines import Drawing
from falsework.formats.bricks.library.moulds import LDU_M, UPRIGHT, Moulded, moulded
from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput
from falsework.model.shapes import ConvexPieces, box

_PATTERN = re.compile(r"(?P<mould>[a-z]*[0-9]+[a-z]?)(?:p[0-9a-z]{1,8}|ps[0-9a-z]{1,4}|d[0-9][0-9a-z]?|pr[0-9a-z]+)")
_LETTER = re.compile(r"(?P<mould>[a-z]?[0-9]{3,})(?:[a-z]|old|new|special|special2|stk[0-9]*)")
_ASSEMBLED = re.compile(r"(?P<mould>[a-z]?[0-9]{3,}[a-z]?)c[0-9]{1,3}[a-z]?")
_MOVED = re.compile(r"[~=]?(?:moved to\b|alias\b).*|=.*", re.IGNORECASE)
# What a title says of a part's size: `Brick  2 x  4`, `Plate 1 x 2 with Handle`, `Panel 1 x 4 x 3`.
_SIZES = re.compile(r"(?<![0-9.])([0-9]{1,2})\s*x\s*([0-9]{1,2})(?:\s*x\s*([0-9]{1,2}(?:\.[0-9]+)?))?")
_LOW = ("plate", "tile", "bracket", "wing", "hinge plate")
_BOXY = (
    *_LOW,
    "brick",
    "slope",
    "panel",
    "window",
    "door",
    "arch",
    "wedge",
    "cylinder",
    "cone",
    "fence",
    "technic brick",
)


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A part that is known: of the catalogue or a mould; and where its frame is in the file's."""

    kind: BrickType | Moulded
    T_file_part: Array  # (4, 4) z up, metres
    is_box: bool = False  # nothing but its size is known


class Lookup:
    """Finds parts by the names of their files; each is made once."""

    def __init__(self, library: Library | None, inside: dict[str, Drawing]) -> None:
        self._library, self._inside = library, inside
        self._found: dict[tuple[str, bool], Known | None] = {}

    def part(self, name: str, mirrored: bool = False) -> Known | None:
        """The part of this name, None where nobody knows it; `mirrored`: across x."""
        if (name, mirrored) not in self._found:
            known = self._looked_up(name, 0)
            self._found[name, mirrored] = mirrored_part(known) if mirrored and known is not None else known
        return self._found[name, mirrored]

    def _looked_up(self, name: str, depth: int) -> Known | None:
        number = number_of(name)
        catalogue = _catalogued(number)
        if catalogue is not None:
            return catalogue
        for variant in variants(number):
            known = (
                self._own_or_built_in(f"{variant}.dat", depth)
                if variant != number
                else self._own_or_built_in(name, depth)
            )
            if known is not None:
                return known
        title = self._drawing(name)
        return None if title is None else _sized(number, title.title)

    def _own_or_built_in(self, name: str, depth: int) -> Known | None:
        number = number_of(name)
        drawing = self._drawing(name)
        if drawing is not None:
            moved = self._moved(drawing, depth)
            made = moved if moved is not None else _moulded(number, self._drawing, drawing)
            if made is not None:
                return made
        kind = known_parts().get(number)
        if kind is not None:
            return Known(kind, T_ldraw_part(kind))
        return Known(built_in()[number], np.eye(4)) if number in built_in() else None

    def _moved(self, drawing: Drawing, depth: int) -> Known | None:
        """The part that a file only leads to."""
        if len(drawing.references) != 1 or len(drawing.triangles) or depth > 8:
            return None
        (reference,) = drawing.references
        is_moved = bool(_MOVED.fullmatch(drawing.title)) or number_of(reference.file) in known_parts()
        turn, mirrored, stretched = rotation(reference.matrix[:3, :3])
        if not is_moved or mirrored or stretched:
            return None
        known = self._looked_up(reference.file, depth + 1)
        if known is None:
            return None
        T = np.eye(4)
        T[:3, :3] = UPRIGHT @ turn @ UPRIGHT.T
        T[:3, 3] = UPRIGHT @ reference.matrix[:3, 3] * LDU_M
        return Known(known.kind, T @ known.T_file_part, known.is_box)

    def _drawing(self, name: str) -> Drawing | None:
        if name in self._inside:
            return self._inside[name]
        return None if self._library is None else self._library.drawing(name)


def number_of(file: str) -> str:
    """A part's number, from the name of its file."""
    return file.rpartition("/parts/")[2].removeprefix("parts/").removesuffix(".dat").removesuffix(".ldr")


def variants(number: str) -> Iterator[str]:
    """A number and those of its moulds, nearest first.

    >>> list(variants("3069bp01"))
    ['3069bp01', '3069b', '3069']
    """
    yield number
    seen = {number}
    left = number
    for pattern in (_PATTERN, _ASSEMBLED, _LETTER):
        match = pattern.fullmatch(left)
        if match and match["mould"] not in seen:
            left = match["mould"]
            seen.add(left)
            yield left
    for letter in "ba":
        if (
            left.isdigit()
            and left + letter not in seen
            and (left + letter in known_parts() or left + letter in built_in())
        ):
            yield left + letter


def _catalogued(number: str) -> Known | None:
    """A part of the catalogue: the number itself, or a printed or stickered one of it."""
    match = _PATTERN.fullmatch(number)
    kind = known_parts().get(number) or (known_parts().get(match["mould"]) if match else None)
    return None if kind is None else Known(kind, T_ldraw_part(kind))


def _moulded(number: str, find: object, drawing: Drawing) -> Known | None:
    try:
        made = moulded(number, find, drawing)  # type: ignore[arg-type]
    except (BadInput, ValueError):
        return None
    return None if made is None else Known(made, np.eye(4))


def _sized(number: str, title: str) -> Known | None:
    """A box as large as a title says; None where it says nothing."""
    from falsework.geometry.shapes.solids import bulk, surface
    from falsework.model.mould import Mould
    from falsework.model.shapes import Polyhedron

    match = _SIZES.search(title)
    if match is None or not title.lower().startswith(_BOXY):
        return None
    across, along = int(match[1]), int(match[2])
    low = title.lower().startswith(_LOW)
    height = 24 * float(match[3]) if match[3] else 8.0 if low else 24.0
    sides = np.array([20.0 * along, 20.0 * across, height]) * LDU_M
    unit = box((1.0, 1.0, 1.0))
    solid = ConvexPieces((Polyhedron((unit.vertices - (0.5, 0.5, 1.0)) * sides, unit.faces),))
    mass = 1050.0 * 0.55 * bulk(surface(solid)).volume_m3
    cells = [(20.0 * i - 10 * (along - 1), 20.0 * j - 10 * (across - 1)) for i in range(along) for j in range(across)]
    holes = np.array([(x * LDU_M, z * LDU_M, -sides[2], 0, 0, -1) for x, z in cells])
    studded = title.lower().startswith(("brick", "plate", "technic brick"))
    studs = np.array([(x * LDU_M, z * LDU_M, 0, 0, 0, 1) for x, z in cells]) if studded else np.zeros((0, 6))
    return Known(Moulded(Mould(number, title, studs=studs, holes=holes), solid, mass), np.eye(4), is_box=True)


def mirrored_part(known: Known) -> Known:
    """The same part on the other side of x = 0 of its file's frame."""
    flip = np.diag([-1.0, 1.0, 1.0, 1.0])
    if isinstance(known.kind, BrickType):
        if known.kind.family == "slope":
            own = np.diag([1.0, -1.0, 1.0, 1.0])
            own[1, 3] = known.kind.size_m[1]
        else:
            own = flip.copy()
            own[0, 3] = known.kind.size_m[0]
        return Known(known.kind, flip @ known.T_file_part @ own, known.is_box)
    return Known(_mirrored_mould(known.kind), flip @ known.T_file_part @ flip, known.is_box)


def _mirrored_mould(one: Moulded) -> Moulded:
    from dataclasses import replace

    from falsework.model.mould import FITTINGS
    from falsework.model.shapes import Mesh, Polyhedron

    across, both = np.array([-1.0, 1.0, 1.0]), np.array([-1.0, 1.0, 1.0] * 2)
    mould = one.mould
    looks = None if mould.looks is None else Mesh(mould.looks.vertices * across, mould.looks.triangles[:, ::-1])
    rows = {sort: getattr(mould, sort) * both for sort in FITTINGS}
    pieces = [
        Polyhedron(piece.vertices * across, tuple(face[::-1] for face in piece.faces)) for piece in one.solid.pieces
    ]
    return Moulded(replace(mould, looks=looks, **rows), ConvexPieces(tuple(pieces)), one.mass_kg)
