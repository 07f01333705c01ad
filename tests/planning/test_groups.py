"""Parts that only leave together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from falsework import gallery, load, plan, save
from falsework.formats.plan_files import read_plan, source_of
from falsework.formats.plan_writing import write_plan
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.plan import Plan, Subassembly
from falsework.planning.verify import verify

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


def test_a_group_that_does_not_hang_together_takes_a_hand_for_every_part() -> None:
    shelf = gallery.make("locked-bookshelf")
    planned = plan(shelf, robots=1)
    assert planned.status == "infeasible"
    assert "groups" in planned.why


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
    with pytest.raises(BadInput, match="'c' is held fast, but is none of its parts"):
        Subassembly(("a", "b"), "c", ())
