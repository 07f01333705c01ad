"""Why not: for a search without a plan, what stood against each part, with the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from falsework.model.assembly import Assembly
from falsework.model.verdict import Verdict
from falsework.planning.nodes.checks import Refusal
from falsework.planning.plans.jobs import Planned

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
    certificate: Verdict | None = None  # for a fall: the verdict with the motion that proves it

    @property
    def sentence(self) -> str:
        names = ", ".join(self.blockers[:MOST_NAMED]) + (", …" if len(self.blockers) > MOST_NAMED else "")
        often = "once" if self.refused == 1 else f"{self.refused} times"
        return f"{self.check}: {self.why}" + (f" ({names})" if names else "") + f", {often}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "part": self.part,
            "check": self.check,
            "why": self.why,
            "blockers": list(self.blockers),
            "in_place": self.in_place,
            "refused": self.refused,
            **({} if self.certificate is None else {"certificate": self._proof(self.certificate)}),
        }

    @staticmethod
    def _proof(verdict: Verdict) -> dict[str, Any]:
        kind = None if verdict.certificate is None else type(verdict.certificate).__name__.lower()
        return {"kind": kind, "residual": verdict.residual, "checked": verdict.certificate is not None}


def reasons(assembly: Assembly, planned: Planned) -> list[Reason]:
    """By part, in part order; for each the checks that refused it."""
    found = []
    for part in sorted(planned.blocked):
        blocked = planned.blocked[part]
        for check, (move, refusal) in blocked.nearest.items():
            names = assembly.named(refusal.blockers)
            there = move.later.installed.bit_count()
            name, count = assembly.bodies[part].name, blocked.counts[check]
            found.append(Reason(name, check, refusal.why, names, there, count, _certified(planned, refusal)))
    return found


def _certified(planned: Planned, refusal: Refusal) -> Verdict | None:
    """The proof of a fall."""
    if refusal.check != "stability" or refusal.node is None or planned.verdict_of is None:
        return None
    return planned.verdict_of(refusal.node)
