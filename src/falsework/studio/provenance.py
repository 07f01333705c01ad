"""Where an answer came from, as the foot of a page."""

from __future__ import annotations

import json

from falsework.model.figures import seconds
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
        rows.append(("wall time", seconds(known.wall_s)))
    return tuple(rows)
