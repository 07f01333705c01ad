"""What is wrong with a plan, step by step, and what that makes of the whole."""

from __future__ import annotations

from dataclasses import dataclass

from falsework.model.answers import NotTrueOrFalse
from falsework.model.assembly import Assembly
from falsework.model.errors import shown
from falsework.model.verdict import Motion, Verdict
from falsework.statics.core.speeds import part_radii, part_speeds


@dataclass(frozen=True, slots=True)
class Failure:
    """What is wrong with one step; `undecided` where that could not be settled.

    >>> Failure(3, "the keystone falls").undecided
    False
    """

    step: int
    why: str
    undecided: bool = False


@dataclass(frozen=True, slots=True)
class Verification(NotTrueOrFalse):
    """What was found: every failure in order, and how many states were judged.

    >>> Verification((), states=4).valid
    True
    >>> Verification((Failure(3, "time ran out", undecided=True),), states=4).valid is None
    True
    """

    ASK_INSTEAD = "verification.valid, which is True, False, or None where it is undecided"

    failures: tuple[Failure, ...]
    states: int

    @property
    def valid(self) -> bool | None:
        """None where nothing is wrong but something could not be settled."""
        if any(not failure.undecided for failure in self.failures):
            return False
        return None if self.failures else True


def outcome(assembly: Assembly, verdict: Verdict) -> str:
    """What a verdict that is not stable says."""
    if verdict.answer == "undecided":
        return f"may or may not stand: {verdict.why}"
    if isinstance(verdict.certificate, Motion):
        twists = verdict.certificate.twists[: len(assembly.bodies)]  # a table comes last
        speeds = part_speeds(twists, part_radii(assembly)[: len(twists)])
        moving = [part.name for part, speed in zip(assembly.parts, speeds, strict=False) if speed > 1e-3 * speeds.max()]
        return f"falls: {listed(tuple(moving))} would move"
    return "falls"


def listed(names: tuple[str, ...], most: int = 5) -> str:
    text = ", ".join(shown(name) for name in names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"
