"""Asks falsework about a case and compares its verdict with the judge's.

wrong      the judge proves the opposite, or a refusal that is due does not come, or comes where none is due
undecided  no verdict where the judge is clear
near       the judge proves that it stands, but not with a margin
open       the judge cannot tell
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
        return self.margin <= 1e-6 and not self.open

    @property
    def open(self) -> bool:
        return self.judge == "cannot tell"

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
    known = case.coulomb is not None  # the other law takes half of the time, and only these know what it should say
    return compared(case, said_of(case.document(), also=known, **case.scene.options()))


def compared(case: Case, verdict: Any) -> Outcome:
    """What a verdict is worth."""
    refusal = isinstance(verdict, Exception)
    said = f"refused: {verdict}" if refusal else verdict.answer
    if case.refused:
        wrong = "" if refusal else "parts inside each other were not refused"
        return Outcome(case.kind, case.number, said, "refused", 1.0, wrong)
    finding = judged(case.problem)
    wrong = _wrong(case, verdict, finding)
    return Outcome(case.kind, case.number, said, finding.answer, float(finding.margin), wrong)


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
