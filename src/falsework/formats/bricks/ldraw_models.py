"""The models of an LDraw file: references in order, steps, and which of them draw a part rather than build one.

`0 FILE name` begins a model and `0 NOFILE` ends it; the first is the one that is built. `0 STEP` and `0 ROTSTEP` end a
step. What stands between `0 BUFEXCHG x STORE` and its RETRIEVE was shown and taken away again. Lines of types 2 to 5
draw: a model with polygons of its own is a part. All other remarks are passed over. Lines that make no sense are passed
over and told, unless there are no others; of two models with one name the first counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from falsework.formats.basics.colors import MAIN, from_ldraw
from falsework.formats.basics.limits import MAX_COORDINATE, MAX_PARTS, within
from falsework.formats.bricks.ldraw_composing import REMARK
from falsework.formats.bricks.library.lines import plain
from falsework.formats.bricks.library.moulds import LDU_M, UPRIGHT
from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType, brick_type
from falsework.model.errors import BadFile, BadInput, shown

STARTS_LIKE_LDRAW = re.compile(r"\s*(?:[01](?:[ \t\r\n]|$)|[2-5][ \t]+(?:0x[0-9A-Fa-f]+|[0-9]+)[ \t]+[-+.0-9])")
ROUNDED = 8e-3  # how far the written rows of a rotation may be from one: some write two decimals
MOST_LINES = 20 * MAX_PARTS
MOST_SENSELESS = 1000  # lines; what has more is something else
END_OF_TEXT = "\x1a"  # as programs of the eighties ended a file
NOTHING = "has no parts, expected lines like: 1 4 0 0 0 1 0 0 0 1 0 0 0 1 3001.dat"


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A line of type 1: what stands where; `stretch` where its matrix is no rotation."""

    line: int
    color: str | None
    T_model_child: Array  # (4, 4) with z up, metres; a rotation, whatever the matrix is
    file: str  # lower case, forward slashes
    mirrored: bool = False
    stretched: bool = False
    step: int = 0


@dataclass(slots=True)
class Model:
    """One model of a file."""

    references: list[Reference] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)  # what ended each step: "" for STEP, else the words of ROTSTEP
    draws: int = 0  # polygons
    lines: list[str] = field(default_factory=list)  # of a part: its text
    composed: BrickType | None = None  # the part of ours that it stands for
    stored: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """The models of one file, by name, the first one first.

    `turned` are the rotations met so far, by the words they were written in: few, even in large files.
    """

    path: Path
    models: dict[str, Model] = field(default_factory=dict)
    turned: dict[tuple[str, ...], tuple[Array, bool, bool]] = field(default_factory=dict)
    senseless: list[BadFile] = field(default_factory=list)  # what was wrong with lines that were passed over


def parsed(path: Path, text: str) -> ModelFile:
    """All models of a text."""
    file = ModelFile(path)
    lines = text.splitlines()
    within(path, "", "lines", len(lines), MOST_LINES)
    model: Model | None = None
    outside = False  # after NOFILE
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words or words[0].startswith(END_OF_TEXT):
            continue
        if words[0] == "0" and len(words) > 2 and words[1].upper() == "FILE":
            model, outside = _begun(file, plain(line.split(maxsplit=2)[2])), False
            continue
        if words[0] == "0" and len(words) == 2 and words[1].upper() == "NOFILE":
            outside = True
        if outside:
            continue
        if words[0] == "0":
            if model is not None:
                _remark(file, model, number, words)
            continue
        if model is None:
            model = file.models.setdefault("", Model())
        try:
            _drawn(file, model, number, line, words[0])
        except BadFile as why:
            file.senseless.append(why)
            if len(file.senseless) > MOST_SENSELESS:
                raise file.senseless[0] from None
        within(path, f"line {number}", "parts", len(model.references), MAX_PARTS)
    if file.senseless and not any(model.references for model in file.models.values()):
        raise file.senseless[0]
    if not file.models:
        raise BadFile(path, "", NOTHING)
    return file


def _drawn(file: ModelFile, model: Model, number: int, line: str, sort: str) -> None:
    """A line that is no remark."""
    path, place = file.path, f"line {number}"
    if sort not in "12345" or len(sort) > 1:
        raise BadFile(path, place, f"found {shown(line[:40])}, expected a line that begins with 0 to 5")
    if sort == "1":
        model.references.append(_reference(file, model, number, line))
    elif sort in "34":
        model.draws += 1
    model.lines.append(line)


def _begun(file: ModelFile, name: str) -> Model:
    """The model that begins; of two that have one name, the first counts."""
    model = Model()
    file.models.setdefault(name, model)
    return model


def _remark(file: ModelFile, model: Model, number: int, words: list[str]) -> None:
    said = [word.upper() for word in words[1:]]
    match said:
        case ["STEP", *_]:
            model.turns.append("")
        case ["ROTSTEP", *_]:
            model.turns.append(" ".join(said[1:]))
        case ["BUFEXCHG", store, "STORE"]:
            model.stored[store] = len(model.references)
        case ["BUFEXCHG", store, "RETRIEVE"] if store in model.stored:
            del model.references[model.stored[store] :]
        case ["BFC", *_]:
            model.lines.append(" ".join(words))
        case _ if tuple(words[1:3]) == REMARK and len(words) == 4 and "" not in file.models:
            model.composed = _composed(file.path, number, words[3])
        case _ if not model.lines:
            model.lines.append(" ".join(words))  # the title


def _composed(path: Path, number: int, name: str) -> BrickType:
    """The part that a model stands for, as `ldraw_composing` writes it."""
    try:
        return brick_type(name)
    except BadInput as why:
        raise BadFile(path, f"line {number}", str(why)) from why


def _reference(file: ModelFile, model: Model, number: int, line: str) -> Reference:
    path, place = file.path, f"line {number}"
    words = line.split(maxsplit=14)
    if len(words) < 15:
        raise BadFile(path, place, f"found {len(words)} words, expected 15: 1 colour x y z, nine of a matrix, a file")
    try:
        color = _color(words[1])
        numbers = [float(word) for word in words[2:14]]
    except ValueError as why:
        raise BadFile(path, place, str(why)) from why
    if not all(abs(number) <= MAX_COORDINATE for number in numbers):  # rejects NaN too
        raise BadFile(path, place, f"found a number beyond {MAX_COORDINATE:g}, expected finite coordinates")
    name = plain(words[14])
    if not name.isprintable():
        raise BadFile(path, place, f"found the file name {shown(name)}, expected one that can be printed")
    written = tuple(words[5:14])
    if written not in file.turned:
        turn, mirrored, stretched = rotation(np.array(numbers[3:]).reshape(3, 3))
        file.turned[written] = UPRIGHT @ turn @ UPRIGHT.T, mirrored, stretched
    turn, mirrored, stretched = file.turned[written]
    pose = np.eye(4)
    pose[:3, :3] = turn
    x, y, z = numbers[:3]
    pose[:3, 3] = x * LDU_M, z * LDU_M, -y * LDU_M  # as UPRIGHT turns it
    own = None if words[1] == str(MAIN) else color
    return Reference(number, own, pose, name, mirrored, stretched, len(model.turns))


def _color(word: str) -> str | None:
    """The colour of a line; none where nobody knows what is meant."""
    try:
        return from_ldraw(f"0x{word[1:]}" if word.startswith("#") else word.removesuffix(".0"))
    except ValueError:
        return None


def rotation(rows: Array) -> tuple[Array, bool, bool]:
    """The rotation nearest to the written rows, whether they mirror, and whether they stretch or shear.

    Rows are rounded in files; quarter turns come out exact. A mirror is taken as one across x, before the rotation:
    bricks are the same on both sides of it.
    """
    whole = np.rint(rows)
    if np.abs(rows - whole).max() <= 1e-6 and np.linalg.det(whole) == 1.0 and (whole @ whole.T == np.eye(3)).all():
        return whole, False, False
    if not np.isfinite(rows).all():
        return np.eye(3), False, True
    left, _, right = np.linalg.svd(rows)
    nearest: Array = left @ right
    stretched = bool(np.abs(rows - nearest).max() > ROUNDED)
    mirrored = bool(np.linalg.det(nearest) < 0)
    if mirrored:
        nearest = nearest @ np.diag([-1.0, 1.0, 1.0])
    exact = np.rint(nearest)
    if np.abs(nearest - exact).max() < 1e-12:
        nearest = exact
    return nearest, mirrored, stretched
