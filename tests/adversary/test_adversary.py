"""Cases of every kind: no verdict that the judge refutes, none left open where the judge is clear.

`pytest tests/adversary -k planks` runs one kind; `make adversary` runs a hundred thousand cases.
"""

from __future__ import annotations

import dataclasses

import pytest

from tests.adversary.asking import compared, outcome_of, said_of
from tests.adversary.certificates import checked, complaints
from tests.adversary.invariance import VARIED, varied
from tests.adversary.judge import judged
from tests.adversary.kinds import KINDS, case_of
from tests.adversary.run import RARE

EACH, FEW = 10, 2
SEED = 2026
ONCE_OPEN = [("gravity", 53, 4711)]  # what longer hunts found undecided: clutches a million times as strong as loads


@pytest.mark.parametrize("kind", KINDS)
def test_no_verdict_is_refuted_and_none_is_left_open(kind: str) -> None:
    found = []
    for number in range(FEW if kind in RARE else EACH):
        outcome = outcome_of(case_of(kind, number, SEED))
        if outcome.wrong or outcome.undecided:
            found.append((number, outcome.wrong or outcome.said))
    assert found == []


@pytest.mark.parametrize(("kind", "number", "seed"), ONCE_OPEN)
def test_what_was_once_left_open_is_decided(kind: str, number: int, seed: int) -> None:
    outcome = outcome_of(case_of(kind, number, seed))
    assert not outcome.wrong and not outcome.undecided


@pytest.mark.parametrize("kind", KINDS)
def test_proofs_hold_when_others_compute_them(kind: str) -> None:
    found = []
    for number in range(3):
        case = case_of(kind, number, SEED + 1)
        found += [(number, why) for why in complaints(case, checked(case))]
    assert found == []


@pytest.mark.parametrize("kind", VARIED)
def test_nothing_flips_by_strangers_order_turns_units_gravity_or_density(kind: str) -> None:
    rows = varied(case_of(kind, 0, SEED + 2))
    assert [(row.change, row.before, row.after) for row in rows if row.flipped or row.lost] == []


@pytest.mark.parametrize("kind", ["pushes", "slopes", "walls", "jammed"])
def test_an_eight_sided_cone_does_not_prove_a_fall_that_does_not_happen(kind: str) -> None:
    """Inscribed edges prove that it stands; a fall under them alone is a criterion, no motion."""
    for number in range(6):
        case = case_of(kind, number, SEED)
        verdict = said_of(case.document(), cone="8")
        if verdict.answer == "unstable" and judged(case.problem).answer == "stands":
            assert type(verdict.certificate).__name__ == "Criterion"
        if verdict.answer == "stable":
            assert judged(case.problem).answer != "falls"


def test_the_comparison_sees_wrong_answers() -> None:
    """A verdict turned round is refuted; one left open is counted; a refusal that is due must come."""
    case = case_of("stacks", 0, SEED)
    verdict = said_of(case.document())
    flip = {"stable": "unstable", "unstable": "stable"}[verdict.answer]
    assert compared(case, verdict).wrong == ""
    assert "the judge proves" in compared(case, dataclasses.replace(verdict, answer=flip)).wrong
    assert compared(case, dataclasses.replace(verdict, answer="undecided")).undecided
    assert "was refused" in compared(case, ValueError("no")).wrong
    assert "not refused" in compared(case_of("sunk", 0, SEED), verdict).wrong
