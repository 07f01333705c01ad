"""Where a result came from, so that it can be had again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from falsework.version import __version__


@dataclass(frozen=True, slots=True)
class Provenance:
    """Version, input, settings, seed and wall time of one result.

    >>> Provenance(seed=3).seed
    3
    """

    version: str = __version__
    input_sha256: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    wall_s: float | None = None
