"""LDraw models, .ldr and .mpd: parts by number, colours, submodels; steps and other remarks are passed over.

A line of type 1 is `1 colour x y z a b c d e f g h i file`, in units of 0.4 mm with y down, the nine numbers the
rows of a rotation. `0 FILE name` begins a model of its own; the first is the one that is built. Parts are named by
running numbers, those inside submodels `submodel/n`. Baseplates are fixed; without one the model stands on ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

from falsework.formats.basics.brick_parts import BrickMaker
from falsework.formats.basics.colors import MAIN, from_ldraw
from falsework.formats.basics.content import NO_GROUND, Content
from falsework.formats.basics.limits import MAX_COORDINATE, MAX_DEPTH, MAX_PARTS, within
from falsework.formats.bricks.ldraw_composing import REMARK
from falsework.formats.bricks.ldraw_parts import LDU_M, T_ldraw_part, known_parts
from falsework.model.arrays import Array
from falsework.model.assembly import Ground
from falsework.model.catalogue import BrickType, brick_type
from falsework.model.errors import BadFile, BadInput, did_you_mean, shown

FORMAT = "ldraw"
STARTS_LIKE_LDRAW = re.compile(r"\s*[01][ \t\r\n]")
# LDraw's axes x, y, z as x, −z, y of ours: y down becomes z up.
UPRIGHT: Array = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
ROUNDED = 2e-3  # how far the written rows of a rotation may be from one
SHOWN_PARTS = 12  # unknown part numbers that a message names


@dataclass(frozen=True, slots=True)
class _Reference:
    """A line of type 1."""

    line: int
    color: str | None
    T_model_child: Array  # (4, 4) with z up, metres
    file: str  # lower case, forward slashes


@dataclass(frozen=True, slots=True)
class _Placed:
    """A part in the world; its name is that of the submodel it is in, without a number yet."""

    submodel: str
    color: str | None
    T_world_ldraw: Array
    kind: BrickType


@dataclass(frozen=True, slots=True)
class _File:
    """The models of one file, by name, the first one first, and how many parts each comes to.

    `turns` are the rotations met so far, by the words they were written in: few, even in large files.
    """

    path: Path
    turns: dict[tuple[str, ...], Array] = field(default_factory=dict)
    models: dict[str, list[_Reference]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    composed: dict[str, BrickType] = field(default_factory=dict)  # models that stand for one part of ours

    def part(self, name: str) -> BrickType | None:
        """The catalogue's entry for the file of a reference, None for a submodel and what is not known."""
        if name in self.composed:
            return self.composed[name]
        return None if name in self.models else known_parts().get(_number(name))


def read(path: Path, text: str) -> Content:
    """The parts of a model in their poses."""
    file = _parsed(path, text)
    first = next(iter(file.models))
    _refuse_unknown(file)
    within(path, "", "parts", _count(file, first, (first,)), MAX_PARTS)
    placed = list(_walk(file, first, "", np.eye(4), None))
    if not placed:
        raise BadFile(path, "", "has no parts, expected lines like: 1 4 0 0 0 1 0 0 0 1 0 0 0 1 3001.dat")
    maker = BrickMaker()
    counts: dict[str, int] = {}
    parts, plates = [], []
    for one in placed:
        counts[one.submodel] = counts.get(one.submodel, 0) + 1
        name = f"{one.submodel}/{counts[one.submodel]}" if one.submodel else str(counts[""])
        pose = one.T_world_ldraw @ T_ldraw_part(one.kind)
        parts.append(maker.part(name, one.kind, pose, color=one.color))
        if one.kind.family == "baseplate":
            plates.append(name)
    return Content(parts, fixed=frozenset(plates), ground=NO_GROUND if plates else Ground("baseplate"))


def _parsed(path: Path, text: str) -> _File:
    file = _File(path)
    lines = text.splitlines()
    within(path, "", "lines", len(lines), 10 * MAX_PARTS)
    references: list[_Reference] | None = None
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words:
            continue
        if words[0] == "0":
            if len(words) > 2 and words[1].upper() == "FILE":
                name = _plain(line.split(maxsplit=2)[2])
                if name in file.models:
                    raise BadFile(path, f"line {number}", f"model {shown(name)} is there twice; names must be unique")
                references = file.models.setdefault(name, [])
            elif references is not None and tuple(words[1:3]) == REMARK and len(words) == 4:
                file.composed[next(reversed(file.models))] = _composed(path, number, words[3])
            continue
        if words[0] != "1":
            raise BadFile(path, f"line {number}", f"found {shown(line[:40])}, expected a line of type 0 or 1 (a part)")
        if references is None:
            references = file.models.setdefault("", [])
        references.append(_reference(file, number, line))
        within(path, f"line {number}", "parts", len(references), MAX_PARTS)
    if not file.models:
        raise BadFile(path, "", "has no parts, expected lines like: 1 4 0 0 0 1 0 0 0 1 0 0 0 1 3001.dat")
    return file


def _composed(path: Path, number: int, name: str) -> BrickType:
    """The part that a model stands for, as `ldraw_composing` writes it."""
    try:
        return brick_type(name)
    except BadInput as why:
        raise BadFile(path, f"line {number}", str(why)) from why


def _reference(file: _File, number: int, line: str) -> _Reference:
    path, place = file.path, f"line {number}"
    words = line.split(maxsplit=14)
    if len(words) < 15:
        raise BadFile(path, place, f"found {len(words)} words, expected 15: 1 colour x y z, nine of a matrix, a file")
    try:
        color = from_ldraw(words[1])
        numbers = [float(word) for word in words[2:14]]
    except ValueError as why:
        raise BadFile(path, place, str(why)) from why
    if not all(abs(number) <= MAX_COORDINATE for number in numbers):  # rejects NaN too
        raise BadFile(path, place, f"found a number beyond {MAX_COORDINATE:g}, expected finite coordinates")
    written = tuple(words[5:14])
    if written not in file.turns:
        turn = _rotation(path, place, np.array(numbers[3:]).reshape(3, 3))
        file.turns[written] = UPRIGHT @ turn @ UPRIGHT.T
    pose = np.eye(4)
    pose[:3, :3] = file.turns[written]
    x, y, z = numbers[:3]
    pose[:3, 3] = x * LDU_M, z * LDU_M, -y * LDU_M  # as UPRIGHT turns it
    return _Reference(number, None if words[1] == str(MAIN) else color, pose, _plain(words[14]))


def _rotation(path: Path, place: str, rows: Array) -> Array:
    """The rotation nearest to the written rows, which are rounded; quarter turns come out exact."""
    whole = np.rint(rows)
    if np.abs(rows - whole).max() <= 1e-6 and np.linalg.det(whole) == 1.0 and (whole @ whole.T == np.eye(3)).all():
        return whole
    left, _, right = np.linalg.svd(rows)
    nearest: Array = left @ right
    if np.linalg.det(nearest) < 0:
        raise BadFile(path, place, "the matrix mirrors the part, expected a rotation")
    if np.abs(rows - nearest).max() > ROUNDED:
        raise BadFile(path, place, "the matrix scales or shears the part, expected a rotation")
    return nearest


def _plain(name: str) -> str:
    return name.strip().lower().replace("\\", "/")


def _refuse_unknown(file: _File) -> None:
    """One complaint that names every part number that is not in the catalogue."""
    unknown: dict[str, int] = {}
    for references in file.models.values():
        for reference in references:
            if reference.file not in file.models and file.part(reference.file) is None:
                unknown.setdefault(_number(reference.file), reference.line)
    if unknown:
        names = ", ".join(shown(name) for name in list(unknown)[:SHOWN_PARTS])
        more = "" if len(unknown) <= SHOWN_PARTS else f" and {len(unknown) - SHOWN_PARTS} more"
        first, line = next(iter(unknown.items()))
        hint = did_you_mean(first, known_parts()) if len(unknown) == 1 and len(first) < 12 else ""
        hint = hint if hint.startswith("did") else "known are plain bricks, plates, tiles, slopes and baseplates"
        raise BadFile(file.path, f"line {line}", f"unknown parts or submodels: {names}{more}; {hint}")


def _number(file: str) -> str:
    return file.removesuffix(".dat").removesuffix(".ldr")


def _count(file: _File, model: str, trail: tuple[str, ...]) -> int:
    """How many parts a model comes to, each model counted once; a model inside itself is refused."""
    within(file.path, "", "submodels inside one another", len(trail), MAX_DEPTH)
    if model not in file.counts:
        total = 0
        for reference in file.models[model]:
            if reference.file in trail:
                raise BadFile(file.path, f"line {reference.line}", f"model {shown(reference.file)} contains itself")
            inside = file.part(reference.file) is None
            total += _count(file, reference.file, (*trail, reference.file)) if inside else 1
        file.counts[model] = total
    return file.counts[model]


def _walk(file: _File, model: str, submodel: str, pose: Array, color: str | None) -> Iterator[_Placed]:
    """Parts of a model and of the models in it, in the file's order; models without parts are not entered."""
    for reference in file.models[model]:
        T_world_child = pose @ reference.T_model_child
        own = color if reference.color is None else reference.color
        kind = file.part(reference.file)
        if kind is not None:
            yield _Placed(submodel, own, T_world_child, kind)
        elif file.counts[reference.file]:
            name = PurePosixPath(reference.file).with_suffix("").name
            yield from _walk(file, reference.file, name, T_world_child, own)
