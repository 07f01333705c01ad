"""Other plans, and how different they are."""

from __future__ import annotations

import pytest

from falsework import gallery, plan
from falsework.model.plan import Plan, Rules, Step
from falsework.planning.plans.alternatives import difference, diversity
from falsework.planning.verification.verify import verify


def in_order(*names: str) -> Plan:
    return Plan(Rules(), "complete", tuple(Step("place", (name,), (name,)) for name in names))


def test_a_plan_does_not_differ_from_itself() -> None:
    assert difference(in_order("a", "b", "c"), in_order("a", "b", "c")) == 0.0


def test_the_reverse_order_differs_in_every_pair() -> None:
    assert difference(in_order("a", "b", "c"), in_order("c", "b", "a")) == pytest.approx(0.5)


def test_one_swap_of_four_is_one_pair_of_six() -> None:
    assert difference(in_order("a", "b", "c", "d"), in_order("b", "a", "c", "d")) == pytest.approx(1 / 12)


def test_other_holds_count_as_much_as_another_order() -> None:
    held = Plan(Rules(), "complete", (Step("place", ("a",), ("a",)), Step("place", ("b",), ("a", "b"))))
    assert difference(held, in_order("a", "b")) == pytest.approx(0.25)
    assert difference(held, in_order("a", "b")) == difference(in_order("a", "b"), held)


def test_alternatives_are_plans_and_differ() -> None:
    packing = gallery.make("tetromino-packing", seed=1, columns=4, rows=5)
    planned = plan(packing, alternatives=3)
    assert 1 <= len(planned.alternatives) <= 3
    assert all(verify(other, packing).valid for other in planned.alternatives)
    several = (planned.plan, *planned.alternatives)
    assert min(difference(one, other) for n, one in enumerate(several) for other in several[:n]) > 0
    assert diversity(several) > 0.1


def test_same_seed_same_alternatives() -> None:
    packing = gallery.make("tetromino-packing", seed=1, columns=4, rows=5)
    first, second = (plan(packing, alternatives=2, seed=3).alternatives for _ in range(2))
    assert [[step.parts for step in one.steps] for one in first] == [
        [step.parts for step in one.steps] for one in second
    ]
