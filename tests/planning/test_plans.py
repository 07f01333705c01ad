"""Plans that can be known beforehand, and what every plan must keep to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from falsework import gallery, load, plan
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.state import State
from falsework.planning.plans.jobs import BASELINES, Job, Planned
from falsework.planning.plans.solving import solve
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from falsework.planning.search.selectors import SELECTORS
from falsework.planning.verification.verify import verify
from falsework.statics.core.equilibrium import Equilibrium

GENERAL = ("auto", "best-first", "depth-first", "beam", "growing-beam")  # under all rules


def arch(stones: int = 7) -> Assembly:
    return gallery.make("semicircular-arch", stones=stones)


def names_placed(planned: Planned) -> list[str]:
    return [name for step in planned.plan.steps if step.action == "place" for name in step.parts]


def keeps_to_the_rules(assembly: Assembly, planned: Planned) -> bool:
    """Recomputed step by step: arrives held, held once, never more than the hands, standing after every step."""
    robots, oracle = planned.plan.rules.robots, Equilibrium(assembly, interfaces(assembly), compiled=True)
    installed, held, ever_held = assembly.fixed_mask(), 0, 0
    for step in planned.plan.steps:
        bits = assembly.mask(step.parts)
        if step.action == "place":
            assert not bits & installed
            installed, held, ever_held = installed | bits, held | bits, ever_held | bits
        elif step.action == "release":
            assert bits & held
            held &= ~bits
        else:
            assert not bits & ever_held or planned.plan.rules.regrasp
            held |= bits
        assert assembly.mask(step.held) == held
        assert held.bit_count() <= robots
        assert oracle.assess(State(installed, held)).stands, step
    return held == 0 and installed == State.complete(assembly).installed


def test_a_tower_is_built_from_below_by_one_hand() -> None:
    tower = gallery.make("harmonic-tower", bricks=5)
    planned = plan(tower, robots=1)
    assert planned.status == "complete"
    heights = [tower.coms_m[tower.index[name], 2] for name in names_placed(planned)]
    assert heights == sorted(heights)
    assert keeps_to_the_rules(tower, planned)


def test_an_arch_takes_two_hands() -> None:
    assert plan(arch(5), robots=1).status == "infeasible"
    planned = plan(arch(5), robots=2)
    assert planned.status == "complete"
    assert planned.plan.max_held == 2
    assert keeps_to_the_rules(arch(5), planned)


@pytest.mark.parametrize("planner", GENERAL)
def test_every_planner_finds_the_arch(planner: str) -> None:
    planned = plan(arch(), robots=2, planner=planner)  # type: ignore[arg-type]
    assert planned.status == "complete"
    assert keeps_to_the_rules(arch(), planned)


@pytest.mark.parametrize("planner", GENERAL[:-2])
def test_every_exhaustive_planner_proves_that_one_hand_is_too_few(planner: str) -> None:
    assert plan(arch(), robots=1, planner=planner).status == "infeasible"  # type: ignore[arg-type]


@pytest.mark.parametrize("selector", [name for name in SELECTORS if name != "learned"])
def test_every_selector_leads_to_a_plan(selector: str) -> None:
    packing = gallery.make("tetromino-packing", seed=1, columns=4, rows=5)
    planned = plan(packing, selector=selector)
    assert planned.status == "complete"
    assert keeps_to_the_rules(packing, planned)


@pytest.mark.parametrize("planner", BASELINES)
def test_the_baselines_of_seed_001_plan_what_any_order_builds(planner: str) -> None:
    wall = gallery.make("running-bond-wall", columns=1, courses=2)
    planned = plan(wall, rules="reorient", robots=3, planner=planner)  # type: ignore[arg-type]
    assert planned.status == "complete"
    assert verify(planned.plan, wall).valid


@pytest.mark.parametrize("planner", BASELINES)
def test_the_baselines_end_when_their_budget_does(planner: str) -> None:
    arch_of_three = gallery.make("flat-arch", stones=3)
    planned = plan(arch_of_three, rules="reorient", robots=1, planner=planner, budget=30)  # type: ignore[arg-type]
    assert (planned.status, planned.evaluations) == ("budget", 30)


def test_a_baseline_is_for_the_rules_of_seed_001() -> None:
    with pytest.raises(BadInput, match="--rules reorient"):
        plan(arch(5), planner="genetic")


def test_same_seed_same_plan() -> None:
    packing = gallery.make("tetromino-packing", seed=2, columns=4, rows=5)
    first, second = (plan(packing, selector="random", seed=4) for _ in range(2))
    assert names_placed(first) == names_placed(second)
    assert first.evaluations == second.evaluations


def test_paths_are_straight_and_end_where_the_part_belongs() -> None:
    packing = gallery.make("polycube-packing", seed=0, columns=3, depth=2, rows=3)
    placed = [step for step in plan(packing).plan.steps if step.action == "place"]
    assert {step.parts[0] for step in placed} == set(packing.names) - set(packing.fixed)
    for step in placed:
        assert step.path is not None
        assert step.path[-1] == pytest.approx(packing.poses[packing.index[step.parts[0]]])


def test_a_structure_that_falls_has_no_plan_and_it_is_said_why() -> None:
    tower = gallery.make("leaning-tower", lean=0.4)
    planned = plan(tower, robots=4)
    assert planned.status == "infeasible"
    assert "complete structure" in planned.why


def test_the_budget_is_kept_to_the_evaluation() -> None:
    planned = plan(arch(11), budget=10)
    assert (planned.status, planned.evaluations) == ("budget", 10)


@pytest.mark.parametrize("options", [{"alternatives": 3}, {"planner": "anytime"}, {"robots": "fewest"}])
def test_the_budget_is_kept_by_several_searches_together(options: dict[str, Any]) -> None:
    enough = plan(arch(7)).evaluations + 5
    planned = plan(arch(7), budget=enough, **options)
    assert planned.evaluations <= enough
    assert plan(arch(7), **options).evaluations > enough


def test_a_timeout_ends_the_search() -> None:
    assert plan(arch(11), timeout_s=1e-9).status == "timeout"


def test_once_it_is_late_a_plan_is_written_as_it_is_and_still_holds() -> None:
    assembly = arch(7)
    workshop = Workshop(assembly, rules_for(assembly, "holds", 2))
    planned = solve(Job(workshop, workshop.everything))
    hasty = workshop.steps(planned.moves, workshop.everything, is_late=lambda: True)
    assert verify(replace(planned.plan, steps=hasty), assembly).valid
    assert sum(len(step.held) for step in hasty) >= sum(len(step.held) for step in planned.plan.steps)


def test_once_it_is_late_presses_are_not_shared_out_among_joints() -> None:
    tower = gallery.make("duplo-stack")
    workshop = Workshop(tower, rules_for(tower))
    planned = solve(Job(workshop, workshop.everything))
    hasty = workshop.steps(planned.moves, workshop.everything, is_late=lambda: True)
    presses = [(step.press, slow.press) for step, slow in zip(hasty, planned.plan.steps, strict=True)]
    assert any(slow is not None and slow.utilization is not None for _, slow in presses)
    assert all((one is None) == (slow is None) for one, slow in presses)
    assert all(one is None or one.utilization is None for one, _ in presses)


def test_a_selector_of_ones_own_decides_the_order() -> None:
    class LastFirst:
        def order(self, assembly: Assembly, state: State, candidates: list[int]) -> list[int]:
            del assembly, state
            return sorted(candidates, reverse=True)

    wall = gallery.make("running-bond-wall", columns=2, courses=2)
    planned = plan(wall, selector=LastFirst(), robots=1)  # type: ignore[arg-type]
    assert names_placed(planned) == [name for name in wall.names if name not in wall.fixed]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"planner": "best-frst"}, "did you mean 'best-first'"),
        ({"selector": "hight"}, "did you mean 'height'"),
        ({"selector": "learned"}, "no policy was given"),
        ({"rules": "hold"}, "did you mean 'holds'"),
        ({"rules": "bricks"}, "every part must be a brick"),
        ({"paths": "curved"}, "expected one of"),
        ({"robots": 0}, "1 hand or more"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        plan(arch(5), **options)  # type: ignore[arg-type]


def test_without_ground_it_is_asked_for() -> None:
    with pytest.raises(BadInput, match="--fixed"):
        plan(arch(5).changed(fixed=frozenset()))


@pytest.mark.parametrize(
    ("folder", "fixed"), [("arch", "0,8"), ("tetris-1", "0"), ("tetris-2", "0"), ("tetris-3", "0"), ("rulin", "0")]
)
def test_published_models_by_two_hands(shared: Path, folder: str, fixed: str) -> None:
    assembly = load(shared / "blocks" / folder, fixed=fixed.split(","))
    planned = plan(assembly, robots=2)
    assert planned.status == "complete"
    assert keeps_to_the_rules(assembly, planned)


def test_two_abutments_are_one_piece_for_plans_that_must_hang_together() -> None:
    planned = plan(arch(5), require_connected=True)
    assert planned.status == "complete"
    assert keeps_to_the_rules(arch(5), planned)


def test_ways_that_were_not_looked_for_prove_nothing() -> None:
    """Lying on a table parts are only moved straight, whatever is allowed."""
    locked = gallery.make("locked-bookshelf").changed(fixed=frozenset())
    straight, any_way = (plan(locked, rules="reorient", paths=paths) for paths in ("straight", "any"))
    assert straight.status == "infeasible"
    assert any_way.status == "budget"
    assert "none is ruled out" in any_way.why


def test_where_straight_ways_do_no_other_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def looked(*_: object) -> None:
        raise AssertionError("a bent way was looked for")

    monkeypatch.setattr("falsework.geometry.ways.bent_paths.BentRemovals._search", looked)
    burr = gallery.make("burr-puzzle")
    planned = plan(burr, paths="any")
    assert (planned.status, planned.plan.rules.paths) == ("complete", "any")
    assert verify(planned.plan, burr).valid


def test_what_is_caught_for_good_is_proved_once_nothing_is_left_to_try() -> None:
    caught = gallery.make("ball-in-socket", captive=1, play=1e-5).changed(fixed=frozenset({"socket"}))
    planned = plan(caught, paths="any")
    assert planned.status == "infeasible"
    assert "no way leads to its place past what is there" in planned.blocked[1].nearest["path"][1].why
    assert not any(one.refusal.undecided for one in planned.refused)


def test_where_there_is_a_plan_nothing_is_proved_about_ways_that_were_not_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def proved(*_: object) -> bool:
        raise AssertionError("a proof was looked for")

    monkeypatch.setattr("falsework.geometry.ways.surfaces.removals.SurfaceRemovals.locked", proved)
    housing = gallery.make("housing", facets=24)
    planned = plan(housing, rules="reorient", robots=3, planner="depth-first", selector="random")
    assert planned.status == "complete"
    assert any(one.refusal.check == "path" and one.refusal.undecided for one in planned.refused)
