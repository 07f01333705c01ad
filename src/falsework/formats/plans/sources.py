"""The assembly that a plan file is about: named relative to it, with a hash of its bytes.

Of a folder the hash is of its meshes' names and bytes, sorted by name, so that a plan says for certain what it builds.
"""

from __future__ import annotations

import os
from pathlib import Path

from falsework.formats.basics.node import Node
from falsework.formats.fingerprint import input_sha256
from falsework.formats.loading import load
from falsework.model.assembly import Assembly, Ground
from falsework.model.errors import BadFile, BadInput
from falsework.model.plan import Plan, Source

_SOURCE_KEYS = ("path", "sha256", "fixed", "ground", "scale", "allow_overlap", "gap")


def source_of(
    source: str | os.PathLike[str], assembly: Assembly, scale: float = 1.0, sha256: str | None = None
) -> Source:
    """What a plan says of the assembly it was made for, read from `source` with this scale; its hash, where known."""
    return Source(
        os.fspath(source),
        input_sha256(source) if sha256 is None else sha256,
        tuple(name for name in assembly.names if name in assembly.fixed),
        assembly.ground,
        scale,
        assembly.allow_overlap_m,
        assembly.gap_m,
    )


def load_assembly(plan: Plan, gap: float | None = None) -> Assembly:
    """The assembly that a plan read from a file builds; BadFile if it is not the one it was made for.

    `gap`: up to which distance its parts touch, where not as in the plan.
    """
    source = plan.source
    if source is None:
        raise BadInput("the plan names no assembly")
    found = input_sha256(source.path)
    if found != source.sha256:
        raise BadFile(source.path, "", f"has changed since the plan was made: sha256 {found}, expected {source.sha256}")
    return load(
        source.path,
        fixed=source.fixed,
        ground=source.ground,
        mu=plan.rules.mu,
        scale=source.scale,
        allow_overlap_m=source.allow_overlap_m,
        gap=source.gap_m if gap is None else gap,
    )


def read_source(node: Node, folder: Path) -> Source:
    """What a plan file in `folder` says of its assembly; the path is as seen from here."""
    node.only(_SOURCE_KEYS)
    path = node["path"].text()
    if not path or not path.isprintable() or Path(path).is_absolute():
        raise node["path"].expected("the path of the assembly, relative to this file")
    digits = node["sha256"].text()
    if len(digits) != 64 or not set(digits) <= set("0123456789abcdef"):
        raise node["sha256"].expected("64 hexadecimal digits")
    fixed, scale, overlap, gap = (node.get(key) for key in ("fixed", "scale", "allow_overlap", "gap"))
    return Source(
        _seen_from(folder, path),
        digits,
        () if fixed is None else fixed.names(),
        _ground(node.get("ground")),
        1.0 if scale is None else scale.positive(),
        None if overlap is None else overlap.number(0),
        None if gap is None else gap.positive(),
    )


def _ground(node: Node | None) -> Ground:
    if node is None:
        return Ground()
    with node.blamed():
        return Ground.parsed(node.text())


def _seen_from(folder: Path, relative: str) -> str:
    path, mark, key = relative.rpartition("#")
    if mark and path and not (folder / relative).exists():
        return f"{folder / path}#{key}"
    return str(folder / relative)
