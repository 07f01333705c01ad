"""Parts that only leave together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework import gallery, load, plan, save
from falsework.formats.plans.reading import read_plan
from falsework.formats.plans.sources import source_of
from falsework.formats.plans.writing import write_plan
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.plan import Plan, Subassembly
from falsework.model.shapes import box
from falsework.planning.verification.verify import verify

LOCKED = [("locked-bookshelf", {}, 2), ("mortise-frame", {"bays": 1, "closed": 1}, 1)]


@pytest.mark.parametrize(("kind", "parameters", "hands"), LOCKED)
def test_what_locks_itself_is_built_in_groups_and_only_so(kind: str, parameters: dict[str, int], hands: int) -> None:
    assembly = gallery.make(kind, **parameters)
    assert gallery.truth(kind, **parameters).unbuildable
    assert plan(assembly, robots=hands, groups=False).status == "infeasible"
    planned = plan(assembly, robots=hands)
    assert planned.status == "complete"
    assert verify(planned.plan, assembly).valid
    together = [step.parts for step in planned.plan.steps if step.action == "place" and len(step.parts) > 1]
    assert together
    assert [built.parts for built in planned.plan.apart] == together


def test_one_hand_carries_what_hangs_together_and_groups_are_built_of_groups() -> None:
    shelf = gallery.make("locked-bookshelf")
    planned = plan(shelf, robots=1)
    assert planned.status == "complete"
    assert [len(built.parts) for built in planned.plan.apart] == [2, 4]
    assert verify(planned.plan, shelf).valid


def test_a_group_that_does_not_hang_together_takes_a_hand_for_every_part() -> None:
    slippery = gallery.make("locked-bookshelf").changed(friction=0.0)
    planned = plan(slippery, robots=2)
    assert [len(step.parts) for step in planned.plan.steps if step.action == "place"].count(2) == 1
    assert planned.plan.max_held == 2
    assert verify(planned.plan, slippery).valid


def test_where_all_groups_that_a_hand_may_carry_come_to_nothing_it_is_impossible() -> None:
    planned = plan(gallery.make("locked-bookshelf").changed(friction=0.0), robots=1)
    assert planned.plan.proof is not None
    assert (planned.status, planned.plan.proof.by, planned.plan.proof.groups) == ("infeasible", "search", True)


def test_nothing_is_called_impossible_while_a_hand_might_carry_a_group_that_was_not_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("falsework.planning.rules.groups.MOST_CARRIED", 0)
    planned = plan(gallery.make("locked-bookshelf").changed(friction=0.0), robots=1)
    assert planned.status == "budget"
    assert "not every group" in planned.why
    assert planned.plan.proof is None


def beam_and_counterweight() -> Assembly:
    """A beam that tips off its post without the block on its other end."""
    posed = [np.eye(4) for _ in range(3)]
    posed[1][:3, 3], posed[2][:3, 3] = (-1.5, 0, 2), (-1.5, 0, 3)
    sizes = {"post": (1.0, 1.0, 2.0), "beam": (6.0, 1.0, 1.0), "block": (2.0, 1.0, 2.0)}
    parts = [make_part(name, box(size), pose) for (name, size), pose in zip(sizes.items(), posed, strict=True)]
    return Assembly(tuple(parts), fixed=frozenset(["post"]))


def test_a_beam_is_placed_with_what_balances_it_where_there_is_one_hand() -> None:
    balanced = beam_and_counterweight()
    singly = plan(balanced, robots=1, groups=False)
    assert singly.status == "infeasible"
    assert singly.plan.proof is not None
    assert not singly.plan.proof.groups
    planned = plan(balanced, robots=1)
    assert planned.status == "complete"
    assert [step.parts for step in planned.plan.steps if step.action == "place"] == [("beam", "block")]
    assert verify(planned.plan, balanced).valid


def test_what_falls_in_groups_too_is_proved_to_and_the_file_says_so(tmp_path: Path) -> None:
    save(gallery.make("semicircular-arch", stones=5), tmp_path / "arch.yaml")
    arch = load(tmp_path / "arch.yaml")
    planned = plan(arch, robots=1)
    assert planned.status == "infeasible"
    write_plan(replace(planned.plan, source=source_of(tmp_path / "arch.yaml", arch)), tmp_path / "plan.json")
    again = read_plan(tmp_path / "plan.json").proof
    assert again == planned.plan.proof
    assert again is not None
    assert again.groups


def test_a_group_is_built_apart_on_one_of_its_parts() -> None:
    frame = gallery.make("mortise-frame", bays=1, closed=1)
    built = plan(frame, robots=1).plan.apart[0]
    placed = {name for step in built.steps if step.action == "place" for name in step.parts}
    assert placed == set(built.parts) - {built.fast}


def closed_frame() -> tuple[Assembly, Plan]:
    frame = gallery.make("mortise-frame", bays=1, closed=1)
    return frame, plan(frame, robots=1).plan


def test_how_a_group_is_built_apart_is_verified_too() -> None:
    frame, whole = closed_frame()
    built = whole.apart[0]
    missing = replace(built, steps=built.steps[2:])
    held = replace(built, steps=(built.steps[0], *(replace(step, held=()) for step in built.steps[1:])))
    nobody = replace(built, parts=(*built.parts, "nobody"))
    assert verify(whole, frame).valid
    for wrong, why in ((missing, "never places"), (held, "held is said to be nothing"), (nobody, "no part 'nobody'")):
        found = verify(replace(whole, apart=(wrong,)), frame)
        assert found.valid is False
        assert any("apart: " in failure.why and why in failure.why for failure in found.failures)


def test_a_plan_file_says_how_groups_are_built_apart(tmp_path: Path) -> None:
    save(gallery.make("mortise-frame", bays=1, closed=1), tmp_path / "frame.yaml")
    frame = load(tmp_path / "frame.yaml")
    planned = plan(frame, robots=1)
    source = source_of(tmp_path / "frame.yaml", frame)
    write_plan(replace(planned.plan, source=source), tmp_path / "plan.json")
    again = read_plan(tmp_path / "plan.json")
    assert [(built.parts, built.fast, len(built.steps)) for built in again.apart] == [
        (built.parts, built.fast, len(built.steps)) for built in planned.plan.apart
    ]
    assert verify(tmp_path / "plan.json").valid


def test_what_is_held_fast_must_be_one_of_the_parts() -> None:
    with pytest.raises(BadInput, match="'c' is held fast, but is not one of its parts"):
        Subassembly(("a", "b"), "c", ())
