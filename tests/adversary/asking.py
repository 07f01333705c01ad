"""Asks falsework about a case and compares its verdict with the judge's.

wrong      the judge proves the opposite, or a refusal that is due does not come, or comes where none is due
undecided  no verdict where the judge is clear
near       the judge itself is nearer to the limit than its margin, or cannot tell
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.adversary.judge import Finding, judged
from tests.adversary.kinds import Case

OPPOSITE = {"stable": "falls", "unstable": "stands"}


@dataclass(frozen=True)
class Outcome:
    """What was said of a case, and what the judge says."""

    kind: str
    number: int
    said: str  # stable, unstable, undecided, or refused: and why
    judge: str
    margin: float
    wrong: str = ""  # in words, empty if it is not

    @property
    def undecided(self) -> bool:
        return self.said.startswith("undecided") and self.margin > 1e-6

    @property
    def near(self) -> bool:
        return self.margin <= 1e-6

    def as_json(self) -> str:
        return json.dumps(asdict(self))


def written(document: dict[str, Any]) -> Path:
    """A file of its own for a document, where files are quick."""
    memory = Path("/dev/shm")
    folder = memory if os.access(memory, os.W_OK) else None
    handle, name = tempfile.mkstemp(suffix=".json", prefix="adversary-", dir=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(document, stream)
    return Path(name)


def said_of(document: dict[str, Any], **options: Any) -> Any:
    """Falsework's verdict on a document, or its refusal."""
    import falsework
    from falsework.model.errors import BadInput

    path = written(document)
    try:
        return falsework.check(falsework.load(path), **options)
    except BadInput as why:
        return why
    finally:
        path.unlink()


def outcome_of(case: Case) -> Outcome:
    """One case, asked and judged."""
    return compared(case, said_of(case.document(), **case.scene.options()))


def compared(case: Case, verdict: Any) -> Outcome:
    """What a verdict is worth."""
    refusal = isinstance(verdict, Exception)
    said = f"refused: {verdict}" if refusal else verdict.answer
    if case.refused:
        wrong = "" if refusal else "parts inside each other were not refused"
        return Outcome(case.kind, case.number, said, "refused", 1.0, wrong)
    finding = judged(case.problem)
    margin = 0.0 if _names_a_sliver(case, verdict) else float(finding.margin)
    return Outcome(case.kind, case.number, said, finding.answer, margin, _wrong(case, verdict, finding))


def _names_a_sliver(case: Case, verdict: Any) -> bool:
    """Narrow contacts may be left out where the answer says which."""
    open_one = case.scene.slivers and getattr(verdict, "answer", "") == "undecided"
    return open_one and sum(part.name in verdict.why for part in case.scene.parts) >= 2


def _wrong(case: Case, verdict: Any, finding: Finding) -> str:
    if isinstance(verdict, Exception):
        return f"a sound case was refused: {verdict}"
    if OPPOSITE.get(verdict.answer) == finding.answer:
        return (
            f"falsework says {verdict.answer} (residual {verdict.residual}), the judge proves that it {finding.answer}"
            f" (residual {finding.residual:.1e}, power {finding.power:.1e})"
        )
    also = dict(getattr(verdict, "also", None) or {})
    if verdict.answer == "stable" and case.coulomb == "unstable" and also.get("cra") in (None, "stable"):
        return f"stands by forces that nothing presses, and does not say so: also is {also}"
    if verdict.answer == "stable" and case.coulomb == "stable" and also.get("cra") == "unstable":
        return f"rests without any friction, and is said to be unstable by another law: also is {also}"
    return ""
