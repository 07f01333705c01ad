"""LDraw models, .ldr, .mpd and Studio's .io: parts by number, colours, submodels, and the order of their steps.

A line of type 1 is `1 colour x y z a b c d e f g h i file`, in units of 0.4 mm with y down, the nine numbers the
rows of a rotation. `0 FILE name` begins a model of its own; the first is the one that is built. Parts are named by
running numbers, those inside submodels `submodel/n`. Baseplates are fixed; without one the model stands on ours, or on
a table where its lowest part is not a brick that stands upright.

Parts of the catalogue are bricks; others are moulds (`ldraw_lookup`), drawn in the file itself or in a parts library.
What nobody knows is left out, or a box where its title tells the size, and listed: the model is partial then. Parts
and submodels that are stretched, parts that have neither studs nor holes, second copies in one place, and lines that
make no sense are left out too. Mirrored submodels are built of mirrored parts.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

import numpy as np

from falsework.formats.basics.brick_parts import BrickMaker
from falsework.formats.basics.content import NO_GROUND, Content
from falsework.formats.basics.lenient import decoded_leniently
from falsework.formats.basics.limits import MAX_DEPTH, MAX_PARTS, MAX_TEXT_BYTES, within
from falsework.formats.bricks.ldraw_lookup import Known, Lookup, mirrored_part, number_of
from falsework.formats.bricks.ldraw_models import NOTHING, STARTS_LIKE_LDRAW, Model, ModelFile, Reference, parsed
from falsework.formats.bricks.ldraw_neighbours import add_neighbours
from falsework.formats.bricks.library.folder import Library
from falsework.formats.bricks.library.lines import drawing
from falsework.formats.bricks.library.moulds import Moulded
from falsework.geometry.contacts.ground import lowest_mouth
from falsework.geometry.shapes.fittings import SEATED_M
from falsework.geometry.shapes.solids import make_part
from falsework.geometry.shapes.studs import reach_in_world
from falsework.model.arrays import Array
from falsework.model.as_filed import Became, FileStep, Shortfall
from falsework.model.assembly import Assembly, Ground
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadFile, shown
from falsework.model.part import Part

__all__ = ["FORMAT", "STARTS_LIKE_LDRAW", "read", "studio_text"]

FORMAT = "ldraw"
ZIP = b"PK\x03\x04"
MIRROR: Array = np.diag([-1.0, 1.0, 1.0, 1.0])
SHOWN_PARTS = 12  # unknown part numbers that a message names


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    """A part in the world; its name is that of the submodel it is in, without a number yet."""

    submodel: str
    instance: tuple[int, ...]  # the references by which it was reached
    color: str | None
    T_world_ldraw: Array
    known: Known


@dataclass(slots=True)
class _Walk:
    """What a walk over the models needs and finds."""

    file: ModelFile
    lookup: Lookup
    counts: dict[str, int] = field(default_factory=dict)  # parts that each model comes to
    short: dict[tuple[str, Became, str], int] = field(default_factory=dict)

    def is_submodel(self, name: str) -> bool:
        model = self.file.models.get(name)
        return model is not None and model.composed is None and not model.draws

    def known(self, reference: Reference, mirrored: bool) -> Known | None:
        """The part of a reference, None where it is left out; `mirrored`: across x, by all that it is in."""
        model = self.file.models.get(reference.file)
        if model is not None and model.composed is not None:
            from falsework.formats.bricks.ldraw_parts import T_ldraw_part

            own = Known(model.composed, T_ldraw_part(model.composed))
            return mirrored_part(own) if mirrored else own
        number = number_of(reference.file)
        found = None if reference.stretched else self.lookup.part(reference.file, mirrored)
        if found is None:
            self.note(number, "left out", "stretched" if reference.stretched else "unknown part")
            return None
        if isinstance(found.kind, Moulded) and not found.kind.mould.has_fittings:
            self.note(number, "left out", "no studs or holes found")
            return None
        if found.is_box:
            self.note(number, "box", "only its size is known")
        return found

    def note(self, number: str, became: Became, why: str, count: int = 1) -> None:
        self.short[number, became, why] = self.short.get((number, became, why), 0) + count


@dataclass(frozen=True, slots=True, eq=False)
class _Inside:
    """Where a walk is: in which submodel, reached how, and how that lies."""

    submodel: str = ""
    instance: tuple[int, ...] = ()
    pose: Array = field(default_factory=lambda: np.eye(4))
    mirrored: bool = False  # across x, before the pose
    color: str | None = None

    def of(self, number: int, reference: Reference) -> _Inside:
        """Where one of its references is: a mirror that comes before the child's pose is moved past it."""
        child = MIRROR @ reference.T_model_child @ MIRROR if self.mirrored else reference.T_model_child
        color = self.color if reference.color is None else reference.color
        mirrored = self.mirrored != reference.mirrored
        return _Inside(self.submodel, (*self.instance, number), self.pose @ child, mirrored, color)


def read(path: Path, text: str, library: Library | None = None) -> Content:
    """The parts of a model in their poses."""
    file = parsed(path, text)
    add_neighbours(file, library)
    first = next(iter(file.models))
    inside = {name: drawing("\n".join(model.lines)) for name, model in file.models.items() if model.draws}
    walk = _Walk(file, Lookup(library, inside))
    within(path, "", "parts", _count(walk, first, (first,)), MAX_PARTS)
    placed = list(_once(walk, _walked(walk, first, _Inside())))
    if not placed:
        raise file.senseless[0] if file.senseless else BadFile(path, "", _why_nothing(file, walk))
    if file.senseless:
        walk.note("lines", "left out", _senseless(file.senseless), len(file.senseless))
    parts = _named(placed)
    plates = frozenset(
        part.name
        for part, one in zip(parts, placed, strict=True)
        if isinstance(one.known.kind, BrickType) and one.known.kind.family == "baseplate"
    )
    return Content(
        parts,
        fixed=plates,
        ground=NO_GROUND if plates else _usual_ground(parts),
        as_drawn=True,
        steps=_steps(file.models[first], placed, parts),
        partial=tuple(Shortfall(number, count, *told) for (number, *told), count in walk.short.items()),  # type: ignore[arg-type]
    )


def studio_text(path: Path, data: bytes) -> str:
    """The model inside a file of Studio, which is a zip."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = {entry.filename.lower(): entry for entry in archive.infolist()}
            found = next((names[name] for name in ("model.ldr", "model2.ldr", "modelv2.ldr") if name in names), None)
            found = found or next(
                (entry for name, entry in sorted(names.items()) if name.endswith((".ldr", ".mpd"))), None
            )
            if found is None:
                raise BadFile(path, "", "is a zip without a model in it, expected model.ldr as Studio writes it")
            if found.flag_bits & 1:
                raise BadFile(path, "", "is encrypted by Studio; export the model from Studio as LDraw, .ldr or .mpd")
            within(path, found.filename, "bytes", found.file_size, MAX_TEXT_BYTES)
            return decoded_leniently(archive.read(found))
    except (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        NotImplementedError,
        EOFError,
        OSError,
        ValueError,
        RuntimeError,
    ) as why:
        raise BadFile(path, "", f"cannot be unpacked: {why}") from why


def _senseless(lines: list[BadFile]) -> str:
    """What was wrong with lines that were passed over, the first of them named."""
    first = lines[0]
    return f"{first.place}: {first.problem}"


def _why_nothing(file: ModelFile, walk: _Walk) -> str:
    left = [number for number, became, _ in walk.short if became == "left out"]
    if not left:
        return NOTHING
    names = ", ".join(shown(name) for name in left[:SHOWN_PARTS])
    more = "" if len(left) <= SHOWN_PARTS else f" and {len(left) - SHOWN_PARTS} more"
    return f"unknown parts or submodels: {names}{more}, and no others; give LDraw's parts library with --ldraw FOLDER"


def _count(walk: _Walk, model: str, trail: tuple[str, ...]) -> int:
    """How many parts a model comes to at most, each model counted once; a model inside itself is refused."""
    path = walk.file.path
    within(path, "", "submodels inside one another", len(trail), MAX_DEPTH)
    if model not in walk.counts:
        total = 0
        for reference in walk.file.models[model].references:
            if reference.file in trail:
                raise BadFile(path, f"line {reference.line}", f"model {shown(reference.file)} contains itself")
            inside = walk.is_submodel(reference.file)
            total += _count(walk, reference.file, (*trail, reference.file)) if inside else 1
        walk.counts[model] = total
    return walk.counts[model]


def _walked(walk: _Walk, model: str, within: _Inside) -> Iterator[_Placed]:
    """Parts of a model and of the models in it, in the file's order; models without parts are not entered."""
    for number, reference in enumerate(walk.file.models[model].references):
        there = within.of(number, reference)
        if walk.is_submodel(reference.file):
            if reference.stretched and walk.counts[reference.file]:
                walk.note(reference.file, "left out", "stretched")
            elif walk.counts[reference.file]:
                name = PurePosixPath(reference.file).with_suffix("").name
                yield from _walked(walk, reference.file, replace(there, submodel=name))
            continue
        known = walk.known(reference, there.mirrored)
        if known is not None:
            yield _Placed(within.submodel, there.instance, there.color, there.pose, known)


def _once(walk: _Walk, placed: Iterable[_Placed]) -> Iterator[_Placed]:
    """Each part in one place once: models have second copies that nobody sees."""
    seen = set()
    for one in placed:
        key = one.known.kind, (one.T_world_ldraw @ one.known.T_file_part).round(7).tobytes()
        if key in seen:
            title = one.known.kind.mould.number if isinstance(one.known.kind, Moulded) else str(one.known.kind)
            walk.note(title, "left out", "a second one in the same place")
        else:
            seen.add(key)
            yield one


def _named(placed: list[_Placed]) -> list[Part]:
    maker = BrickMaker()
    models: dict[Moulded, Part] = {}
    counts: dict[str, int] = {}
    parts = []
    for one in placed:
        counts[one.submodel] = counts.get(one.submodel, 0) + 1
        name = f"{one.submodel}/{counts[one.submodel]}" if one.submodel else str(counts[""])
        pose, kind = one.T_world_ldraw @ one.known.T_file_part, one.known.kind
        if isinstance(kind, BrickType):
            parts.append(maker.part(name, kind, pose, color=one.color))
            continue
        if kind not in models:
            models[kind] = make_part("model", kind.solid, np.eye(4), mass_kg=kind.mass_kg)
        same = models[kind]
        parts.append(
            Part(
                name,
                same.shape,
                pose,
                same.mass_kg,
                same.com_part_m,
                same.inertia_part_kgm2,
                color=one.color,
                mould=kind.mould,
            )
        )
    return parts


def _usual_ground(parts: list[Part]) -> Ground:
    """A baseplate where an upright brick, or a hole that opens below, is at the lowest place of all; else a table."""
    lowest = min(float(reach_in_world(part)[:, 2].min()) for part in parts)
    mouth = lowest_mouth(Assembly(tuple(parts)))
    feet = [] if mouth is None else [float(mouth[2, 3])]
    feet += [float(part.T_world_part[2, 3]) for part in parts if part.is_brick and part.T_world_part[2, 2] > 0.999999]
    return Ground("baseplate" if feet and min(feet) < lowest + SEATED_M else "table")


def _steps(model: Model, placed: list[_Placed], parts: list[Part]) -> tuple[FileStep, ...]:
    """The parts of each step of the first model, those of a submodel in the step that it comes in."""
    if not model.turns:
        return ()
    members: dict[int, list[int]] = {}
    for number, one in enumerate(placed):
        members.setdefault(model.references[one.instance[0]].step, []).append(number)
    steps = []
    for step in sorted(members):
        together: dict[int, list[int]] = {}
        for number in members[step]:
            if len(placed[number].instance) > 1:
                together.setdefault(placed[number].instance[0], []).append(number)
        submodels = tuple(
            (_submodel_name(model, reference), tuple(parts[number].name for number in rows))
            for reference, rows in together.items()
        )
        turn = model.turns[step] if step < len(model.turns) else ""
        steps.append(FileStep(tuple(parts[number].name for number in members[step]), turn, submodels))
    return tuple(steps)


def _submodel_name(model: Model, reference: int) -> str:
    return PurePosixPath(model.references[reference].file).with_suffix("").name
