"""What happens when something goes wrong half-way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from falsework import gallery, plan, replan
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.plan import Plan, Rules, Start
from falsework.planning.nodes.steps import node_after
from falsework.planning.plans.jobs import Planned
from falsework.planning.verification.verify import verify
from tests.planning.plans import in_part_order


def wall() -> Assembly:
    return gallery.make("running-bond-wall", columns=3, courses=3)


def arch() -> Assembly:
    return gallery.make("semicircular-arch", stones=7)


def placed(planned: Planned) -> list[str]:
    return [name for step in planned.plan.steps if step.action == "place" for name in step.parts]


def verified(planned: Planned, assembly: Assembly) -> bool:
    return planned.status == "complete" and verify(planned.plan, assembly).valid is True


def test_without_a_disruption_the_rest_of_the_work_is_planned() -> None:
    whole = plan(wall())
    rest = replan(whole.plan, wall(), at=6)
    assert verified(rest, wall())
    assert set(placed(rest)) == set(placed(whole)) - set(rest.plan.start.installed)


def test_after_the_last_step_nothing_is_left_to_do() -> None:
    whole = plan(wall())
    assert replan(whole.plan, wall(), at=len(whole.plan.steps)).plan.steps == ()


def test_a_delayed_part_comes_last() -> None:
    whole = plan(wall(), robots=2)
    late = placed(whole)[2]
    rest = replan(whole.plan, wall(), at=2, delayed=[late])
    assert rest.status in ("complete", "infeasible")
    if rest.status == "complete":
        assert placed(rest)[-1] == late
        assert verified(rest, wall())


def test_a_top_stone_may_be_missing_and_a_foot_may_not() -> None:
    whole = plan(wall(), robots=2)
    top = max(placed(whole), key=lambda name: wall().coms_m[wall().index[name], 2])
    without = replan(whole.plan, wall(), missing=[top])
    assert verified(without, wall())
    assert top not in placed(without)
    keystone = placed(plan(arch()))[-1]
    assert replan(plan(arch()).plan, arch(), missing=[keystone]).status == "infeasible"


def test_a_lost_hand_is_too_few_for_an_arch_and_one_more_is_not() -> None:
    whole = plan(arch(), robots=2)
    assert replan(whole.plan, arch(), at=2, robots=1).status == "infeasible"
    assert verified(replan(whole.plan, arch(), at=2, robots=3), arch())


@pytest.mark.parametrize("robots", [1, 2, 3])
@pytest.mark.parametrize("at", [4, 5, 7])
def test_when_hands_are_lost_they_let_go_one_by_one_before_the_work_goes_on(at: int, robots: int) -> None:
    """All five stones of an arch are held until it stands; then there are fewer hands."""
    small = gallery.make("semicircular-arch", stones=5)
    whole = in_part_order(small, Rules(robots=5), hold_to_the_end=True)
    rest = replan(whole, small, at=at, robots=robots)
    assert rest.status == ("infeasible" if at == 4 and robots == 1 else "complete")
    assert rest.status == "infeasible" or verified(rest, small)


def test_hands_that_were_lost_do_not_go_on_working() -> None:
    small = gallery.make("semicircular-arch", stones=5)
    whole = in_part_order(small, Rules(robots=5), hold_to_the_end=True)
    start = Start(placed_until(whole, 3), whole.steps[2].held)
    found = verify(replace(whole, rules=Rules(robots=2), start=start, steps=whole.steps[3:]), small)
    assert found.failures[0].step == 1 and "it takes 4 hands, and there are 2" in found.failures[0].why


def placed_until(whole: Plan, at: int) -> tuple[str, ...]:
    return tuple(name for step in whole.steps[:at] if step.action == "place" for name in step.parts)


def test_what_is_left_standing_is_built_upon() -> None:
    whole = plan(wall())
    kept = placed(whole)[:3]
    rest = replan(whole.plan, wall(), at=len(whole.plan.steps), target=kept)
    assert set(rest.plan.start.installed) == set(kept)
    assert verified(rest, wall())


def test_remains_that_fall_are_said_to() -> None:
    tower = gallery.make("harmonic-tower", bricks=5)
    rest = replan(plan(tower, robots=1).plan, tower, at=10, target=[tower.names[-1]])
    assert rest.status == "infeasible"
    assert "what is there already" in rest.why


def test_all_hands_full_let_one_go_first() -> None:
    whole = plan(arch(), robots=2)
    full = next(n for n, step in enumerate(whole.plan.steps, 1) if len(step.held) == 2)
    assert node_after(arch(), whole.plan, full).held.bit_count() == 2
    assert verified(replan(whole.plan, arch(), at=full), arch())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"at": 999}, "the plan has 14 steps; found --at 999"),
        ({"missing": ["nobody"]}, "there is no part 'nobody'"),
        ({"at": 14, "delayed": ["voussoir-1"]}, "cannot be late"),
        ({"robots": 0}, "1 hand or more"),
    ],
)
def test_questions_that_make_no_sense_are_refused(options: dict[str, object], message: str) -> None:
    assembly = arch()
    whole = plan(assembly)
    names = placed(whole)
    asked = {key: [names[0]] if value == ["voussoir-1"] else value for key, value in options.items()}
    with pytest.raises(BadInput, match=message):
        replan(whole.plan, assembly, **asked)  # type: ignore[arg-type]


def test_a_fixed_part_cannot_be_missing() -> None:
    with pytest.raises(BadInput, match="fixed parts cannot be missing"):
        replan(plan(arch()).plan, arch(), missing=sorted(arch().fixed)[:1])


def test_what_was_missing_once_is_not_waited_for_later() -> None:
    whole = plan(wall()).plan
    last = [step.parts[0] for step in whole.steps if step.action == "place"][-1]
    without = replan(whole, wall(), at=4, missing=[last])
    again = replan(without.plan, wall(), at=2)
    assert last not in placed(again)
    assert verified(again, wall())
    assert set(again.plan.target or ()) == set(wall().names) - {last}
