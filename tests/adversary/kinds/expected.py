"""What is known of a case beside what the judge finds."""

from __future__ import annotations

from dataclasses import dataclass

from tests.adversary.scene import Scene


@dataclass(frozen=True, eq=False)
class Expected:
    scene: Scene
    refused: bool = False  # parts are inside each other: bad input
    coulomb: str | None = None  # stable or unstable where Coulomb's law at rest is known to say so
