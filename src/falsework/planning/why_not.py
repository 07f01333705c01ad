"""Why not: for a search without a plan, what stood against each part, with the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from falsework.model.assembly import Assembly
from falsework.planning.solving import Planned

MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Reason:
    """What one check had against one part, where the fewest parts were left in place."""

    part: str
    check: str
    why: str
    blockers: tuple[str, ...]
    in_place: int  # parts in place then, this one included
    refused: int  # how often

    @property
    def sentence(self) -> str:
        names = ", ".join(self.blockers[:MOST_NAMED]) + (", …" if len(self.blockers) > MOST_NAMED else "")
        return f"{self.check}: {self.why}" + (f" ({names})" if names else "") + f", {self.refused} times"

    def as_dict(self) -> dict[str, Any]:
        return {
            "part": self.part,
            "check": self.check,
            "why": self.why,
            "blockers": list(self.blockers),
            "in_place": self.in_place,
            "refused": self.refused,
        }


def reasons(assembly: Assembly, planned: Planned) -> list[Reason]:
    """By part, in part order; for each the checks that refused it."""
    found = []
    for part in sorted(planned.blocked):
        blocked = planned.blocked[part]
        for check, (move, refusal) in blocked.nearest.items():
            names = assembly.named(refusal.blockers)
            there = move.later.installed.bit_count()
            found.append(Reason(assembly.bodies[part].name, check, refusal.why, names, there, blocked.counts[check]))
    return found
