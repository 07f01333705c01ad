"""What a solver proposes to the referee."""

from __future__ import annotations

from dataclasses import dataclass

from falsework.model.verdict import Forces, Motion


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Forces, or a motion, or both; and how the solver ended."""

    forces: Forces | None
    motion: Motion | None  # the program's are accelerations, m/s² and rad/s²
    status: str
