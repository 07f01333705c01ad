"""Parts that only leave together."""

from __future__ import annotations

import pytest

from falsework import gallery, plan
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
    assert set(planned.apart) == set(together)


def test_a_group_that_does_not_hang_together_takes_a_hand_for_every_part() -> None:
    shelf = gallery.make("locked-bookshelf")
    planned = plan(shelf, robots=1)
    assert planned.status == "infeasible"
    assert "groups" in planned.why


def test_a_group_is_built_apart_on_one_of_its_parts() -> None:
    frame = gallery.make("mortise-frame", bays=1, closed=1)
    (parts, steps), *_ = plan(frame, robots=1).apart.items()
    placed = {name for step in steps if step.action == "place" for name in step.parts}
    assert len(placed) == len(parts) - 1
    assert placed < set(parts)
