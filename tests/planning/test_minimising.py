"""Good plans: never worse than the first, as good as the table says where there is one, and verified."""

from __future__ import annotations

import numpy as np
import pytest

import falsework
from falsework.gallery.registry import make
from falsework.model.errors import BadInput
from falsework.planning.plans.qualities import Quality, counted
from falsework.planning.plans.truth import truth_of

ARCH = make("semicircular-arch", 0, stones=7)
VAULT = make("barrel-vault", 0, stones=7, rows=3)


def test_of_a_small_arch_the_fewest_holds_are_those_of_the_table() -> None:
    truth = truth_of(ARCH)
    planned = falsework.plan(ARCH, paths="none", minimise="holds")
    assert planned.quality == Quality("holds", int(truth.holds_to_go[truth.row(truth.whole)]), planned.quality.value)
    assert planned.quality.proved and falsework.verify(planned.plan, ARCH).valid


@pytest.mark.parametrize("paths", ["none", "straight"])
@pytest.mark.parametrize("seed", [0, 1])
def test_of_packings_too_the_plan_is_the_optimum_and_is_verified(paths: str, seed: int) -> None:
    tray = make("tetromino-packing", seed, columns=6, rows=6)
    planned = falsework.plan(tray, paths=paths, minimise="holds")  # type: ignore[arg-type]
    assert planned.quality.proved and falsework.verify(planned.plan, tray).valid
    assert counted(planned.plan, "holds") == planned.quality.value


def test_a_vault_is_built_with_far_fewer_holds_than_the_first_plan_has() -> None:
    first = falsework.plan(VAULT, paths="none")
    good = falsework.plan(VAULT, paths="none", minimise="holds")
    assert good.quality.value < counted(first.plan, "holds") / 2
    assert falsework.verify(good.plan, VAULT).valid
    again = falsework.plan(VAULT, paths="none", minimise="holds")
    assert [step.parts for step in again.plan.steps] == [step.parts for step in good.plan.steps]


def test_beams_find_what_the_table_knows_where_the_table_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    proved = falsework.plan(ARCH, paths="none", minimise="holds").quality
    monkeypatch.setattr("falsework.planning.plans.minimising.TABLED", 0)
    found = falsework.plan(ARCH, paths="none", minimise="holds").quality
    assert found.value == proved.value
    assert found.bound == 1  # one hand is proved too few
    assert found.gap == found.value - 1 and not found.proved


def test_what_needs_no_hold_is_proved_at_once() -> None:
    tower = make("harmonic-tower", 0, bricks=6)
    planned = falsework.plan(tower, minimise="holds")
    assert planned.quality.value == 0 and planned.quality.proved
    assert planned.evaluations == falsework.plan(tower).evaluations


def test_steps_and_regrasps_are_counted_as_the_plan_has_them() -> None:
    for measure in ("steps", "regrasps"):
        planned = falsework.plan(ARCH, paths="none", regrasp=True, minimise=measure)
        assert counted(planned.plan, measure) == planned.quality.value
        assert counted(planned.plan, measure) <= counted(falsework.plan(ARCH, paths="none", regrasp=True).plan, measure)
        assert falsework.verify(planned.plan, ARCH).valid


def test_bricks_by_two_hands_take_no_more_steps_than_in_the_first_plan() -> None:
    first = falsework.plan("examples/bridge.txt", robots=2)
    good = falsework.plan("examples/bridge.txt", robots=2, minimise="steps")
    assert good.status == first.status == "complete"
    assert counted(good.plan, "steps") <= counted(first.plan, "steps")
    assert falsework.verify(good.plan).valid


def test_least_risk_is_borne_by_every_state_and_bounded_by_the_whole() -> None:
    bridge = make("semicircular-arch", 0, stones=5)
    usual = falsework.plan(bridge, paths="none", margins=True)
    safe = falsework.plan(bridge, paths="none", minimise="risk", margins=True)
    borne = [step.margin_deg for step in safe.plan.steps if step.margin_deg is not None]
    assert min(borne) == pytest.approx(safe.quality.value)
    assert safe.quality.value >= min(step.margin_deg for step in usual.plan.steps if step.margin_deg is not None)
    assert safe.quality.value <= safe.quality.bound <= borne[-1]
    assert falsework.verify(safe.plan, bridge).valid


def test_a_timeout_leaves_the_best_so_far() -> None:
    planned = falsework.plan(VAULT, paths="none", minimise="holds", timeout_s=1e6, budget=1500)
    assert planned.status == "complete" and planned.evaluations <= 1500
    assert falsework.verify(planned.plan, VAULT).valid


def test_without_a_plan_there_is_the_same_proof() -> None:
    plain = falsework.plan("examples/arch.yaml", robots=1)
    asked = falsework.plan("examples/arch.yaml", robots=1, minimise="holds")
    assert (asked.status, asked.plan.proof, asked.quality) == (plain.status, plain.plan.proof, None)


def test_the_fewest_hands_then_the_fewest_holds() -> None:
    planned = falsework.plan(ARCH, paths="none", robots="fewest", minimise="holds")
    assert planned.plan.rules.robots == 2 and planned.quality.proved


def test_what_does_not_go_together_is_said() -> None:
    for options, message in (
        ({"minimise": "hold"}, "minimise 'hold'.*holds"),
        ({"minimise": "makespan"}, "depends on the arms; add a cell"),
        ({"minimise": "holds", "alternatives": 2}, "leave one of them out"),
        ({"minimise": "holds", "planner": "beam"}, "leave one of them out"),
    ):
        with pytest.raises(BadInput, match=message):
            falsework.plan(ARCH, **options)  # type: ignore[arg-type]
    assert np.isfinite(Quality("risk", 1.0).value) and Quality("risk", 2.0).beats(Quality("risk", 1.0))
