"""From an assembly to a file or folder of any format that we write; whole or not at all, and nothing lost unsaid."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from falsework.formats.basics.atomic import beside, write_whole
from falsework.formats.bricks import (
    bricksim,
    bricksim_writing,
    bricktext,
    bricktext_writing,
    ldraw,
    ldraw_writing,
    product,
    product_writing,
    stablelego,
    stablelego_writing,
)
from falsework.formats.meshes import assemblies as meshes
from falsework.formats.meshes import compas, compas_dem, compas_writing, glb_writing, mjcf_writing
from falsework.formats.meshes import writing as mesh_writing
from falsework.formats.native import reading as native
from falsework.formats.native import writing as native_writing
from falsework.formats.opening import READING, HasPlan, Reading, Source, opened
from falsework.formats.plans.writing import write_plan
from falsework.model.assembly import Assembly
from falsework.model.errors import BadFile, BadInput, did_you_mean, shown
from falsework.model.plan import PLAN_FORMAT, Plan
from falsework.model.verbs import verb


@dataclass(frozen=True, slots=True)
class _Writer:
    """How a format is written: `files` gives one text or the files of a folder, `losses` what would be lost."""

    files: Callable[[Assembly, Path], str | bytes | dict[str, str]]
    losses: Callable[[Assembly, Path], list[str]]


def _nothing(assembly: Assembly, path: Path) -> list[str]:
    del assembly, path
    return []


_WRITERS: dict[str, _Writer] = {
    native.FORMAT: _Writer(
        lambda a, p: native_writing.dumps(a, native_writing.NOTATIONS.get(p.suffix.lower(), "yaml")), _nothing
    ),
    product.FORMAT: _Writer(lambda a, _: product_writing.dumps(a), lambda a, _: product_writing.losses(a)),
    bricktext.FORMAT: _Writer(lambda a, _: bricktext_writing.dumps(a), lambda a, _: bricktext_writing.losses(a)),
    stablelego.FORMAT: _Writer(stablelego_writing.dumps, stablelego_writing.losses),
    bricksim.FORMAT: _Writer(lambda a, _: bricksim_writing.dumps(a), lambda a, _: bricksim_writing.losses(a)),
    ldraw.FORMAT: _Writer(lambda a, p: ldraw_writing.dumps(a, p.stem), lambda a, _: ldraw_writing.losses(a)),
    meshes.FOLDER_FORMAT: _Writer(lambda a, _: mesh_writing.files(a), lambda a, _: mesh_writing.losses(a)),
    compas.FORMAT: _Writer(
        lambda a, _: compas_writing.assembly_text(a), lambda a, _: compas_writing.losses(a, densities=False)
    ),
    compas_dem.FORMAT: _Writer(
        lambda a, _: compas_writing.model_text(a), lambda a, _: compas_writing.losses(a, densities=True)
    ),
    glb_writing.FORMAT: _Writer(lambda a, _: glb_writing.dumps(a), _nothing),  # a picture
    mjcf_writing.FORMAT: _Writer(lambda a, _: mjcf_writing.dumps(a), lambda a, _: mjcf_writing.losses(a)),
}
WRITABLE = tuple(_WRITERS)
ENDINGS = {
    **dict.fromkeys((".yaml", ".yml", ".json"), native.FORMAT),
    ".txt": bricktext.FORMAT,
    ".ldr": ldraw.FORMAT,
    ".mpd": ldraw.FORMAT,
    ".glb": glb_writing.FORMAT,
    ".xml": mjcf_writing.FORMAT,
    "": meshes.FOLDER_FORMAT,
}


@verb(*READING)
def convert(
    source: Source,
    target: str | os.PathLike[str],
    to: str | None = None,
    *,
    lossy: bool = False,
    **reading: Unpack[Reading],
) -> Assembly:
    """The assembly in one file, written to another: what it was, as it was read.

    to     the format; else the one that the ending of the path means
    lossy  whether what the format cannot hold may be lost

    The other options are those of `load`. Bricks in the shape of anything: `falsework.lay`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     convert("examples/bridge.txt", f"{folder}/bridge.ldr")
    Assembly of 15 parts, 0.03421 kg, on a baseplate
    """
    assembly = opened(source, reading)
    save(assembly, target, to, lossy=lossy)
    return assembly


@verb()
def save(
    thing: Assembly | Plan | HasPlan, path: str | os.PathLike[str], to: str | None = None, *, lossy: bool = False
) -> str:
    """Write an assembly or a plan, whole or not at all, and say in which format.

    to     the format; else the one that the ending of the path means. Plans have one only
    lossy  whether what the format cannot hold may be lost

    BadInput when the format cannot hold such parts at all, or when something would be lost and `lossy` is not set.

    >>> import tempfile
    >>> from falsework import load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(load("examples/bridge.txt"), f"{folder}/bridge.yaml")
    'falsework-assembly/1'
    """
    if not isinstance(thing, Assembly):
        return _save_plan(thing, path)
    assembly, target = thing, Path(path)
    name = writable_format(target, to)
    writer = _WRITERS[name]
    try:
        content = writer.files(assembly, target)
        losing = [] if lossy else writer.losses(assembly, target)
        if losing:
            hint = "accept it with --lossy, or write .yaml, which holds everything"
            raise BadInput(f"{name} cannot hold {'; '.join(losing)}: that would be lost; {hint}")
    except BadFile:
        raise
    except BadInput as why:
        raise BadFile(target, "", str(why)) from why
    if isinstance(content, dict):
        _write_folder(target, content)
    else:
        write_whole(target, content)
    return name


def _save_plan(thing: Plan | HasPlan, path: str | os.PathLike[str]) -> str:
    plan = getattr(thing, "plan", thing)
    if not isinstance(plan, Plan):
        raise TypeError(f"found {shown(thing)}, expected an Assembly or a Plan")
    write_plan(plan, Path(path))
    return PLAN_FORMAT


def writable_format(path: str | os.PathLike[str], format: str | None = None) -> str:
    """The format to write a path in: the one that is named, or the one that its ending means.

    >>> writable_format("bridge.ldr")
    'ldraw'
    """
    name = _format_of(Path(path)) if format is None else format
    if name not in _WRITERS:
        raise BadInput(f"format {shown(name)}: {did_you_mean(name, WRITABLE)}")
    return name


def _format_of(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        known = ", ".join(one for one in ENDINGS if one)
        raise BadFile(path, "", f"found the ending {shown(ending)}, expected one of {known}, a folder, or --to FORMAT")
    return ENDINGS[ending]


def _write_folder(target: Path, files: dict[str, str]) -> None:
    """Fill a folder beside the target, then rename it; a folder that holds something is left alone."""
    temporary = beside(target)
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise BadFile(target, "", "is there already, expected a new or empty folder")
        temporary.mkdir(parents=True)
        for name, text in files.items():
            (temporary / name).write_text(text, encoding="utf-8")
        temporary.replace(target)
    except (OSError, ValueError) as why:  # ValueError: a NUL in the path itself
        raise BadFile(target, "", f"cannot be written: {getattr(why, 'strerror', None) or why}") from why
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
