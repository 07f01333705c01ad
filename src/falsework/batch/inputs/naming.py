"""From the words of a command to its jobs: lazily, so that there may be any number.

    FILE, FILE#key           that file
    FOLDER                   one assembly if meshes lie in it, else every file below it, by name
    'PATTERN'                every file that it matches; ** is any number of folders
    FILE#*                   every structure of a file that holds several
    new:KIND{n=3..40}        the gallery, swept
    @FILE                    a list: a path, or any of the above, a line
    FILE.jsonl               a list of objects: "input" and options by name, or "bricks", a brick text

A text file whose first line names a file that is there is taken for a list without @. Names in a list are as seen from
here or, if there is no such file, from where the list is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from falsework.batch.inputs.sources import FileSource, JobSource, Refused, TextSource, exists
from falsework.batch.inputs.sweeps import GALLERY, Options, gallery_sweep, plain
from falsework.formats.bricks import bricktext
from falsework.formats.detection import recognise
from falsework.formats.meshes.assemblies import is_mesh_folder
from falsework.model.errors import BadFile, BadInput, one_line, shown

ALL = "#*"
LISTS_OF_OBJECTS = (".jsonl", ".ndjson")
FIRST_BYTES = 4096  # of a file, to see whether it is a list
Named = tuple[JobSource, Options]  # with the options that it has of its own


def named(inputs: Iterable[str | os.PathLike[str]]) -> Iterator[Named]:
    """What the words of a command stand for, in order."""
    for word in inputs:
        yield from _of_word(os.fspath(word))


def _of_word(word: str) -> Iterator[Named]:
    if word == "-":
        raise BadInput("-: standard input holds one assembly; many are named by files, or one a line in a list: @FILE")
    if word.startswith("@") and not exists(word):
        yield from _listed(Path(word[1:]))
    elif _is_file(word) and Path(word).suffix.lower() in LISTS_OF_OBJECTS:
        yield from _objects(Path(word))
    elif _is_file(word) and _is_list(Path(word)):
        yield from _listed(Path(word))
    elif word.startswith(GALLERY) and not exists(word):
        for made in gallery_sweep(word):
            yield made, {}
    else:
        yield from _forgiving(word)


def _forgiving(word: str) -> Iterator[Named]:
    """One word that is no list; what is wrong with it is told by a row of its own."""
    try:
        for source in _sources(word):
            yield source, {}
    except BadFile as why:
        yield Refused(word, why.path, ": ".join(filter(None, (why.place, why.problem)))), {}
    except BadInput as why:
        yield Refused(word, word, one_line(why)), {}


def _sources(word: str) -> Iterator[JobSource]:
    if exists(word):
        yield from map(FileSource, below(word)) if Path(word).is_dir() else [FileSource(word)]
    elif word.startswith(GALLERY):
        yield from gallery_sweep(word)
    elif word.endswith(ALL):
        yield from structures(word.removesuffix(ALL))
    elif has_magic(word):
        found = sorted(glob(word, recursive=True))  # noqa: PTH207 - it may begin anywhere, as the shell's does
        if not found:
            raise BadFile(word, "", "no file matches this pattern")
        yield from (FileSource(path) for path in found if Path(path).is_file() or is_mesh_folder(Path(path)))
    else:
        yield FileSource(word)


def below(folder: str) -> Iterator[str]:
    """The files of a folder and of those in it, by name; a folder of meshes is one thing. Hidden ones are left out."""
    if is_mesh_folder(Path(folder)):
        yield folder
        return
    try:
        entries = sorted(os.listdir(folder))  # noqa: PTH208 - names only, of which there may be very many
    except OSError as why:
        raise BadFile(folder, "", f"cannot be read: {why.strerror}") from why
    for entry in entries:
        path = os.path.join(folder, entry)  # noqa: PTH118 - as it was written, ./ and all
        if entry.startswith("."):
            continue
        if os.path.isdir(path):  # noqa: PTH112
            yield from below(path)
        else:
            yield path


def structures(file: str) -> Iterator[JobSource]:
    """Every structure of a file; of one that holds a single one, the file itself."""
    found = recognise(Path(file))
    if found.format != bricktext.FORMAT or found.text is not None:
        yield FileSource(file)
        return
    for key, text in bricktext.texts(found.tree()):
        name = f"{file}#{key}"
        problem = f"found {shown(text)}, expected a text"
        yield TextSource(name, text) if isinstance(text, str) else Refused(name, name, problem)


def _is_list(path: Path) -> bool:
    """Whether the first line that says something names a file."""
    try:
        with path.open("rb") as stream:
            begin = stream.read(FIRST_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    first = next((line.strip() for line in begin.splitlines() if line.strip()), "")
    if not first or "\0" in first or bricktext.STARTS_LIKE_BRICK.match(first):
        return False
    return first.startswith(GALLERY) or exists(_seen(first, path.parent).partition("#")[0])


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # longer than a name can be, a NUL
        return False


def _seen(name: str, folder: Path) -> str:
    """A name in a list, as seen from here."""
    if name.startswith(GALLERY) or exists(name.partition("#")[0]):
        return name
    beside = str(folder / name)
    return beside if exists(beside.partition("#")[0]) else name


def _listed(path: Path) -> Iterator[Named]:
    for _, line in _lines(path):
        if word := line.strip():
            yield from _forgiving(_seen(word, path.parent))


def _objects(path: Path) -> Iterator[Named]:
    """A list of inputs with options of their own; a line that makes no sense is refused by itself."""
    for number, line in _lines(path):
        if not line.strip():
            continue
        place = f"{path}#{number}"
        try:
            yield from _of_object(path, place, json.loads(line))
        except (BadInput, ValueError, RecursionError) as why:
            problem = f"line {number}: {one_line(why)}" if isinstance(why, BadInput) else f"line {number}: is not JSON"
            yield Refused(place, str(path), problem), {}


def _of_object(path: Path, place: str, value: Any) -> Iterator[Named]:
    if not isinstance(value, dict):
        raise BadInput(f'found {shown(value)}, expected an object like {{"input": "a.txt", "mu": 0.3}}')
    text = next((value.pop(word) for word in bricktext.TEXT_KEYS if isinstance(value.get(word), str)), None)
    about = {word: value.pop(word) for word in bricktext.NAME_KEYS if word in value}
    word = value.pop("input", None)
    if text is not None:
        name = str(word or next(iter(about.values()), None) or place)
        yield TextSource(name, text), plain(value)
        return
    if not isinstance(word, str) or not word:
        raise BadInput(f'input: found {shown(word)}, expected the name of a file, or "bricks" with a brick text')
    own = plain(value)
    for source, _ in _forgiving(_seen(word, path.parent)):
        yield source, own


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8", errors="surrogateescape") as stream:
            yield from enumerate(stream, start=1)
    except (OSError, ValueError) as why:
        raise BadFile(path, "", f"cannot be read: {getattr(why, 'strerror', None) or why}") from why
