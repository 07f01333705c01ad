"""Where an answer came from, as the foot of a page."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from falsework.formats.loading import split_source
from falsework.model.provenance import Provenance


def provenance_rows(provenance: Provenance | None) -> tuple[tuple[str, str], ...]:
    """Label and value of everything that is known."""
    known = Provenance() if provenance is None else provenance
    rows = [("falsework", known.version)]
    if known.input_sha256 is not None:
        rows.append(("input sha256", known.input_sha256))
    rows += [(name, value if isinstance(value, str) else json.dumps(value)) for name, value in known.settings.items()]
    if known.seed is not None:
        rows.append(("seed", str(known.seed)))
    if known.wall_s is not None:
        rows.append(("wall time", f"{known.wall_s:.3g} s"))
    return tuple(rows)


def input_sha256(source: str | Path) -> str | None:
    """Of a file's bytes, or of a folder's sorted names and bytes; None where that cannot be read."""
    path, _ = split_source(source)
    digest = hashlib.sha256()
    try:
        if path.is_dir():
            for file in sorted(one for one in path.iterdir() if one.is_file()):
                digest.update(file.name.encode("utf-8", "surrogateescape") + b"\0" + file.read_bytes() + b"\0")
        else:
            digest.update(path.read_bytes())
    except OSError:
        return None
    return digest.hexdigest()
