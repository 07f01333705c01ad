"""Checks that a caller passes: searched by, written down, verified; and the same answers as brute force."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pytest

from falsework import gallery, plan
from falsework.formats import load, write
from falsework.formats.plans.reading import read_plan
from falsework.formats.plans.sources import source_of
from falsework.formats.plans.writing import write_plan
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.placement import Objection, Placement
from falsework.model.state import State
from falsework.planning.nodes.own_checks import Condition
from falsework.planning.plans.why_not import reasons
from falsework.planning.replan import replan
from falsework.planning.verification.verify import verify
from tests.planning.test_brute_force import buildable, heap_of_blocks
from tests.statics.structures import block


def comes_after(assembly: Assembly, late: str, early: str) -> Condition:
    part, first = assembly.mask([late]), assembly.mask([early])

    def objects(placement: Placement) -> Objection | None:
        waits = placement.parts & part and not placement.before.installed & first
        return Objection(f"{late} comes after {early}", first) if waits else None

    return Condition("order", objects)


def two_posts() -> Assembly:
    """Two posts side by side, either of which may come first."""
    floor, left = block("floor", (0, 0, 0), (4, 1, 0.2)), block("left", (0, 0, 0.2), (1, 1, 1))
    return Assembly((floor, left, block("right", (3, 0, 0.2), (1, 1, 1))), fixed=frozenset({"floor"}))


def order(planned_steps: object) -> list[str]:
    return [step.parts[0] for step in planned_steps if step.action == "place"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("late", "early"), [("left", "right"), ("right", "left")])
@pytest.mark.parametrize("rules", ["holds", "reorient"])
def test_a_plan_keeps_to_a_check_whichever_way_it_asks(late: str, early: str, rules: str) -> None:
    posts = two_posts()
    check = comes_after(posts, late, early)
    planned = plan(posts, rules=rules, robots=1, checks=[check])
    assert order(planned.plan.steps) == [early, late]
    assert planned.plan.rules.checks == ("order",)
    assert verify(planned.plan, posts, checks=[check]).valid is True


def test_a_plan_that_breaks_a_check_is_refused_by_name_and_step() -> None:
    posts = two_posts()
    planned = plan(posts, robots=1, checks=[comes_after(posts, "left", "right")])
    found = verify(planned.plan, posts, checks=[comes_after(posts, "right", "left")])
    assert found.valid is False
    assert [(failure.step, failure.why) for failure in found.failures] == [(1, "order: right comes after left")]


def test_the_file_says_under_which_checks_it_was_made_and_without_them_nobody_knows(tmp_path: Path) -> None:
    write(two_posts(), tmp_path / "posts.yaml")
    posts = load(tmp_path / "posts.yaml")
    check = comes_after(posts, "left", "right")
    planned = plan(posts, robots=1, checks=[check])
    write_plan(replace(planned.plan, source=source_of(tmp_path / "posts.yaml", posts)), tmp_path / "plan.json")
    assert read_plan(tmp_path / "plan.json").rules.checks == ("order",)
    without = verify(tmp_path / "plan.json")
    assert without.valid is None
    assert [failure.why for failure in without.failures] == [
        "it was made under check 'order'; pass that too: verify(…, checks=[…])"
    ]
    assert verify(tmp_path / "plan.json", checks=[check]).valid is True
    with pytest.raises(BadInput, match=r"the plan was made under check 'order'; pass it again"):
        replan(tmp_path / "plan.json", at=1)
    again = replan(tmp_path / "plan.json", at=2, checks=[check])
    assert order(again.plan.steps) == ["left"] and again.plan.rules.checks == ("order",)


def test_a_plan_without_checks_does_not_mention_them(tmp_path: Path) -> None:
    write(two_posts(), tmp_path / "posts.yaml")
    posts = load(tmp_path / "posts.yaml")
    source = source_of(tmp_path / "posts.yaml", posts)
    write_plan(replace(plan(posts).plan, source=source), tmp_path / "plan.json")
    assert '"checks"' not in (tmp_path / "plan.json").read_text()


def test_what_a_certain_check_forbids_for_ever_is_proved_impossible_and_says_why() -> None:
    posts = two_posts()
    never = Condition("glue", lambda p: Objection("the glue is gone") if p.parts & posts.mask(["left"]) else None)
    planned = plan(posts, robots=1, groups=False, checks=[never])
    assert planned.status == "infeasible"
    told = {(reason.part, reason.check, reason.why) for reason in reasons(posts, planned)}
    assert told == {("left", "glue", "the glue is gone")}


@pytest.mark.parametrize(("certain", "minds_hands"), [(False, False), (True, True)])
def test_a_check_that_samples_or_minds_hands_never_proves_that_there_is_no_plan(
    certain: bool, minds_hands: bool
) -> None:
    posts = two_posts()
    left = posts.mask(["left"])
    check = Condition("arm", lambda p: Objection("no way was found") if p.parts & left else None, certain, minds_hands)
    planned = plan(posts, robots=1, groups=False, checks=[check])
    assert planned.status == "budget"
    assert "what check arm refused may yet be possible, or with other parts held" in planned.why


def test_what_statics_alone_rules_out_is_ruled_out_whatever_checks_say() -> None:
    arch = gallery.make("semicircular-arch", stones=7)
    shy = Condition("arm", lambda p: Objection("not today"), certain=False, minds_hands=True)
    planned = plan(arch, robots=1, paths="none", checks=[shy])
    assert planned.status == "infeasible"
    assert planned.plan.proof is not None and planned.plan.proof.by == "hands"


def test_a_check_may_say_what_to_hold_and_then_it_is_held() -> None:
    posts = two_posts()
    left, right = posts.mask(["left"]), posts.mask(["right"])

    def objects(placement: Placement) -> Objection | None:
        before = placement.before
        loose = placement.parts == right and before.installed & left and not before.held & left
        return Objection("the left post would wobble", hold=left) if loose else None

    check = Condition("wobble", objects, minds_hands=True)
    late = comes_after(posts, "right", "left")
    for rules in ("holds", "reorient"):
        planned = plan(posts, rules=rules, robots=2, checks=[check, late])
        assert planned.status == "complete"
        placed = next(step for step in planned.plan.steps if step.parts == ("right",) and step.action == "place")
        assert set(placed.held) == {"left", "right"}
        assert verify(planned.plan, posts, checks=[check, late]).valid is True


def by_chance(seed: int, minds_hands: bool, share: int) -> tuple[Condition, object]:
    """Refuses one placement in so many, drawn by what is placed on what; and the same for brute force."""

    def lets(part: int, before: State) -> bool:
        seen = f"{seed} {part} {before.installed} {before.held if minds_hands else 0}"
        return crc32(seen.encode()) % share > 0

    def objects(placement: Placement) -> Objection | None:
        return None if lets(placement.parts, placement.before) else Objection("chance has it")

    return Condition("chance", objects, minds_hands=minds_hands), lets


@pytest.mark.parametrize("minds_hands", [False, True])
def test_searches_under_checks_find_what_brute_force_finds(minds_hands: bool) -> None:
    answers = []
    for seed in range(14):
        heap, robots = heap_of_blocks(seed % 7), 1 + seed % 2
        check, lets = by_chance(seed, minds_hands, share=2)
        planned = plan(heap, robots=robots, groups=False, checks=[check])
        answers.append(planned.status)
        possible = buildable(heap, robots, regrasp=False, straight=True, lets=lets)  # type: ignore[arg-type]
        assert (planned.status == "complete") == possible
        if planned.status == "complete":
            assert verify(planned.plan, heap, checks=[check]).valid is True
    assert {"complete", "budget" if minds_hands else "infeasible"} <= set(answers)


def test_shorter_holds_are_kept_only_where_checks_allow_them() -> None:
    arch = gallery.make("semicircular-arch", stones=5)
    free = plan(arch, robots=3, paths="none", groups=False)
    assert free.status == "complete"
    least = max(len(step.held) for step in free.plan.steps)
    busy = Condition(
        "busy", lambda p: None if p.before.held or p.before.installed == arch.fixed_mask() else Objection("idle hands"),
        minds_hands=True,
    )  # fmt: skip
    planned = plan(arch, robots=3, paths="none", groups=False, checks=[busy])
    assert planned.status == "complete" and least >= 1
    assert verify(planned.plan, arch, checks=[busy]).valid is True


def test_groups_that_are_built_apart_are_put_to_the_checks_too() -> None:
    book = gallery.make("locked-bookshelf")
    plain = plan(book, robots=2)
    assert plain.status == "complete" and plain.plan.apart
    seen: list[Placement] = []

    def watches(placement: Placement) -> Objection | None:
        seen.append(placement)
        return None

    check = Condition("watch", watches)
    planned = plan(book, robots=2, checks=[check])
    assert [step.parts for step in planned.plan.steps] == [step.parts for step in plain.plan.steps]
    names = {frozenset(built.parts) for built in planned.plan.apart}
    apart = [placement for placement in seen if placement.apart]
    assert apart and all(
        any(set(book.named(placement.after.installed)) <= parts for parts in names) for placement in apart
    )
    no_work_apart = Condition("bench", lambda p: Objection("there is no bench") if p.apart else None)
    found = verify(planned.plan, book, checks=[check, no_work_apart])
    assert found.valid is False and all("apart: step" in failure.why for failure in found.failures)
    assert plan(book, robots=2, checks=[no_work_apart]).status == "budget"


@pytest.mark.parametrize(
    ("checks", "complaint"),
    [
        ([Condition("path", lambda p: None)], "check 'path': there is one of this name already"),
        ([Condition("a", lambda p: None), Condition("a", lambda p: None)], "check 'a': there is one of this name"),
        ([Condition(" ", lambda p: None)], "a check is called ' ', expected a word"),
        ([lambda p: None], "has no name; see PlacementCheck, or wrap it in a Condition"),
        ([Condition("yes", lambda p: True)], "check 'yes' answered True, expected None or an Objection"),
    ],
)
def test_checks_that_are_none_are_refused(checks: list[Condition], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        plan(two_posts(), checks=checks)


def test_an_objection_has_words() -> None:
    with pytest.raises(BadInput, match="an objection says why; found no words"):
        Objection("")
