"""Fewer hands, and plans that get better with time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falsework import gallery, plan
from falsework.model.plan import Plan, Rules, Step
from falsework.planning.plans.improving import Cost
from falsework.planning.search.tree_writing import write_tree
from falsework.planning.verification.verify import verify


@pytest.mark.parametrize(("kind", "parameters", "hands"), [("harmonic-tower", {"bricks": 4}, 1), ("flat-arch", {}, 2)])
def test_the_fewest_hands_are_found_and_proved(kind: str, parameters: dict[str, int], hands: int) -> None:
    assembly = gallery.make(kind, **parameters)
    planned = plan(assembly, robots="fewest")
    assert (planned.status, planned.plan.rules.robots, planned.fewest) == ("complete", hands, True)
    assert verify(planned.plan, assembly).valid


def test_the_fewest_hands_have_alternatives_too() -> None:
    arch = gallery.make("semicircular-arch", stones=7)
    planned = plan(arch, robots="fewest", alternatives=2)
    assert planned.fewest
    assert [other.rules.robots for other in planned.alternatives] == [2, 2]
    assert all(verify(other, arch).valid for other in planned.alternatives)


def test_a_budget_that_runs_out_before_the_next_hand_is_no_proof() -> None:
    arch = gallery.make("semicircular-arch", stones=7)
    one = plan(arch, robots=1).evaluations
    planned = plan(arch, robots="fewest", budget=one)
    assert (planned.status, planned.why, planned.fewest) == ("budget", "the budget ran out", False)


def test_what_falls_has_no_fewest_hands() -> None:
    planned = plan(gallery.make("leaning-tower", lean=0.4), robots="fewest")
    assert (planned.status, planned.fewest) == ("infeasible", False)


def test_with_time_fewer_hands_and_shorter_holds_are_found() -> None:
    tower = gallery.make("diamond-tower", widest=3)
    first, better = (
        plan(tower, robots=3, selector="volume"),
        plan(tower, robots=3, selector="volume", planner="anytime"),
    )
    assert Cost.of(better.plan) <= Cost.of(first.plan)
    assert better.plan.max_held == 1
    assert better.plan.rules.robots == 3
    assert verify(better.plan, tower).valid


def test_hands_weigh_more_than_turns_and_turns_more_than_holds() -> None:
    one = Plan(Rules(), "complete", (Step("place", ("a",), ("a",)), Step("place", ("b",), ("a", "b"))))
    other = Plan(
        Rules(), "complete", (Step("place", ("a",), ("a",)), Step("release", ("a",)), Step("place", ("b",), ("b",)))
    )
    assert Cost.of(other) < Cost.of(one)
    assert Cost(2, 0, 9, 9.0) < Cost(2, 1, 0, 0.0) < Cost(3, 0, 0, 0.0)


def test_the_tree_of_a_search_can_be_looked_at(tmp_path: Path) -> None:
    arch = gallery.make("semicircular-arch", stones=5)
    planned = plan(arch)
    write_tree(tmp_path / "tree.json", arch, planned.tree, planned.refused)
    nodes = json.loads((tmp_path / "tree.json").read_text())["nodes"]
    assert nodes[0]["parent"] is None
    assert all(node["parent"] is None or node["parent"] < node["id"] for node in nodes)
    assert min(node["left"] for node in nodes) == 0
    refused = [refusal for node in nodes for refusal in node.get("refused", ())]
    assert len(refused) == len(planned.refused) > 0
    assert {refusal["check"] for refusal in refused} <= {"path", "stability"}
    falls = next(refusal for refusal in refused if refusal["check"] == "stability")
    assert "falls" in falls["why"]
    assert falls["blockers"]
