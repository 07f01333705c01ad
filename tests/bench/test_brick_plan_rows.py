"""The bench of brick plans: what counts as a plan, a proof, or neither, who is right, and going on with a journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from falsework.bench import brick_tries
from falsework.bench.brick_models import Model, random_models
from falsework.bench.brick_plans import _judged, _named, _one_hand_or_two, _settled
from falsework.bench.brick_presses import Pressed
from falsework.bench.brick_tries import Journal, Tried, attempt
from tests.conftest import brick, on_baseplate


def tower() -> Model:
    return Model("tower", on_baseplate(brick("low", "brick_2x2", 0, 0, 0), brick("high", "brick_2x2", 0, 0, 3)))


def floating() -> Model:
    return Model("floating", on_baseplate(brick("low", "brick_2x2", 0, 0, 0), brick("high", "brick_2x2", 9, 9, 9)))


def arm() -> Model:
    """Inside no polygon but its foot's, and strong enough for a press all the same."""
    bricks = (
        brick("foot", "brick_2x4", 0, 0, 0),
        brick("arm", "brick_4x4", 0, 0, 3),
        brick("end", "brick_2x4", 2, 0, 6),
    )
    return Model("arm", on_baseplate(*bricks))


def test_plans_are_counted_and_models_that_fall_are_not_asked_for_one() -> None:
    row = _named("some", [_one_hand_or_two(Journal(), model) for model in (tower(), floating())], 1.0)
    assert row.notes == {"plan": 1, "falls": 1}
    assert row.figure == "1 of 1 that stand"


def test_a_plan_and_a_proof_settle_a_model_and_what_is_open_is_named() -> None:
    proof, left = Tried("proved", 1, "proof", 9, 5, 0.1), Tried("left", 1, "open", 9, 5, 0.1)
    assert _settled(1, [attempt(tower(), 1, 60.0), proof]).figure == "1 plans, 1 proofs: 100.0%"
    row = _settled(1, [proof, left])
    assert row.figure == "0 plans, 1 proofs: 50.0%" and row.notes["left"] == "left"


def test_every_press_is_judged_three_times() -> None:
    tried = attempt(arm(), 1, 60.0)
    assert [press.part for press in tried.presses] == ["foot", "arm", "end"]
    assert [press.forces for press in tried.presses] == [True, True, True]
    assert [press.world for press in tried.presses] == [True, True, True]
    assert not all(press.polygon for press in tried.presses)
    assert tried.is_built


def test_whoever_the_world_agrees_with_is_right() -> None:
    outside, breaks = Pressed("a", True, False, True, True), Pressed("b", False, True, False, False)
    wrong = Pressed("c", True, True, True, False)
    differ, right, built = _judged([Tried("model", 2, "plan", 3, 3, 0.1, presses=(outside, breaks, wrong))])
    assert differ.figure == "2 of 3 differ (67%)"
    assert right.figure == "forces 2, polygon 0 of 2 where they differ"
    assert right.notes["against the forces"] == "model, c"
    assert built.figure == "0 of 1 whole" and built.notes["steps"] == "1 of 2"


def test_a_journal_goes_on_where_it_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "tries.jsonl"
    first = Journal(file).attempt(arm(), 1, 60.0)
    monkeypatch.setattr(brick_tries, "attempt", lambda *_: pytest.fail("it was done already"))
    assert Journal(file).attempt(arm(), 1, 60.0) == first


def test_random_models_are_the_same_every_time() -> None:
    names = [model.name for model in random_models(3)]
    assert names == [model.name for model in random_models(3)] and names[0].startswith("random-bricks")
