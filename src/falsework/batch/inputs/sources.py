"""What one job is about. Each source is small, travels to workers, and knows its name, its hash and its assembly."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol, Unpack

from falsework.formats.basics.limits import MAX_MESH_BYTES
from falsework.formats.basics.text import read_bytes
from falsework.formats.bricks import bricktext
from falsework.formats.detection import Recognised
from falsework.formats.fingerprint import input_sha256
from falsework.formats.loading import assembled, load, split_source
from falsework.formats.opening import Reading, opened
from falsework.model.assembly import Assembly
from falsework.model.errors import BadFile, BadInput, one_line
from falsework.model.scratch import scratch_prefix


class JobSource(Protocol):
    """What a job is about.

    >>> FileSource("examples/arch.yaml").assembly()
    Assembly of 13 parts, 221.9 kg, 2 fixed
    """

    @property
    def name(self) -> str:
        """As rows and messages show it."""
        ...

    @property
    def is_file(self) -> bool:
        """Its name is that of a file or folder."""
        ...

    def sha256(self) -> str:
        """The hash of what it is, whatever its name; BadInput where it cannot be read."""
        ...

    def assembly(self, **reading: Unpack[Reading]) -> Assembly:
        """Read or made, with the options of `load`."""
        ...


@dataclass(frozen=True)  # without slots, as the others here: then pickle needs no help from Python
class FileSource:
    """A file, a folder of meshes, or `FILE#key`."""

    name: str
    is_file = True

    def sha256(self) -> str:
        path, key = split_source(self.name)
        found = input_sha256(path)
        return found if key is None else _hash(f"{found}#{key}")

    def assembly(self, **reading: Unpack[Reading]) -> Assembly:
        return load(self.name, **reading)


@dataclass(frozen=True)
class PlanSource(FileSource):
    """A plan file: what it says depends on the assembly that it names, too."""

    def sha256(self) -> str:
        from falsework.formats.plans.reading import read_plan

        own = input_sha256(self.name)
        about = read_plan(self.name).source
        return own if about is None else _hash(own + input_sha256(about.path))


@dataclass(frozen=True)
class TextSource:
    """The brick text of one structure of a file that holds several: the file is read once, not once a structure."""

    name: str
    text: str
    is_file = False

    def sha256(self) -> str:
        return _hash(self.text)

    def assembly(self, **reading: Unpack[Reading]) -> Assembly:
        if not bricktext.STARTS_LIKE_BRICK.match(self.text):
            raise BadFile(self.name, "line 1", "expected a brick like 2x4 (0,0,0)")
        return assembled(Recognised(Path(self.name), bricktext.FORMAT, text=self.text), None, **reading)


@dataclass(frozen=True)
class PackedSource:
    """A file or a folder with its bytes, for a machine that does not have it."""

    name: str
    key: str | None  # of `FILE#key`
    files: tuple[tuple[str, bytes], ...]  # one file, or those of a folder, by their names
    is_folder: bool
    digest: str
    is_file = False

    def sha256(self) -> str:
        return self.digest

    def assembly(self, **reading: Unpack[Reading]) -> Assembly:
        with tempfile.TemporaryDirectory(prefix=scratch_prefix()) as scratch:
            folder = Path(scratch) / Path(self.name).name if self.is_folder else Path(scratch)
            folder.mkdir(exist_ok=True)
            for file, data in self.files:
                (folder / file).write_bytes(data)
            place = folder if self.is_folder else folder / self.files[0][0]
            try:
                return load(str(place) if self.key is None else f"{place}#{self.key}", **reading)
            except BadFile as why:
                raise BadFile(
                    why.path.replace(str(place), str(split_source(self.name)[0])), why.place, why.problem
                ) from why


def packed(source: JobSource) -> JobSource:
    """A source that needs no file where it goes; what cannot be read stays as it is, and is refused there too."""
    if type(source) is not FileSource:
        return source
    path, key = split_source(source.name)
    try:
        inside = sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]
        files = tuple((file.name, read_bytes(file, MAX_MESH_BYTES)) for file in inside)
        return PackedSource(source.name, key, files, path.is_dir(), source.sha256())
    except (BadInput, OSError) as why:
        problem = ": ".join(filter(None, (why.place, why.problem))) if isinstance(why, BadFile) else one_line(why)
        return Refused(source.name, str(path), problem)


@dataclass(frozen=True)
class MadeSource:
    """An assembly of the gallery."""

    kind: str
    parameters: tuple[tuple[str, float], ...]  # as they were given, the random seed among them
    is_file = False

    @property
    def name(self) -> str:
        told = ",".join(f"{name}={value:g}" for name, value in self.parameters)
        return f"new:{self.kind}{{{told}}}" if told else f"new:{self.kind}"

    def sha256(self) -> str:
        return _hash(json.dumps([self.kind, sorted(self.parameters)]))

    def assembly(self, **reading: Unpack[Reading]) -> Assembly:
        from falsework import gallery

        given = dict(self.parameters)
        seed = int(given.pop("seed", 0))
        changes: Reading = {name: value for name, value in reading.items() if (name, value) != ("scale", 1.0)}  # type: ignore[assignment]
        return opened(gallery.make(self.kind, seed, **given), changes)


@dataclass(frozen=True)
class Refused:
    """What a list names that makes no sense: its job is refused, and all others are done."""

    name: str
    path: str
    problem: str
    is_file = False

    def sha256(self) -> str:
        return _hash(str(BadFile(self.path, "", self.problem)))  # as that of a file that cannot be read

    def assembly(self, **reading: Unpack[Reading]) -> Assembly:
        raise BadFile(self.path, "", self.problem)


def source_hash(source: JobSource) -> str:
    """The hash of a source; of one that cannot be read, that of why."""
    try:
        return source.sha256()
    except BadInput as why:
        return _hash(str(why))


def exists(name: str) -> bool:
    """Whether there is such a file or folder; what is no possible name is not there."""
    try:
        return os.path.lexists(name)
    except (OSError, ValueError):  # longer than a name can be, a NUL
        return False


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
