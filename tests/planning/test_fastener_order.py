"""Fasteners come where people put them: soon after what they hold, or last; a plan is found either way."""

from __future__ import annotations

import pytest

from falsework import plan
from falsework.gallery.cad import cad_shape
from falsework.gallery.cad.cad_set import cad_set
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.removal import StraightRemovals
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.state import State
from falsework.planning.nodes.stability import neighbours
from falsework.planning.search.fastener_order import FastenersInOrder, held_by_fasteners
from falsework.planning.search.selectors import selector_named
from falsework.planning.verification.verify import verify


def two_lids() -> Assembly:
    """A deck with boxes on it and below: several screws of several lids."""
    return cad_set()[12].make()


def placed(assembly: Assembly, fasteners: str) -> list[str]:
    planned = plan(assembly, rules="reorient", robots=3, fasteners=fasteners)  # type: ignore[arg-type]
    assert planned.status == "complete"
    assert verify(planned.plan, assembly).valid
    return [name for step in planned.plan.steps if step.action == "place" for name in step.parts or (step.part,)]


def test_screws_come_after_blocks_that_need_not_wait_or_as_soon_as_the_lid_is_there() -> None:
    assembly = cad_shape("housing", facets=12).assembly
    screws = [name for name in assembly.names if name.startswith("screw")]
    last = placed(assembly, "last")
    assert set(last[-len(screws) :]) == set(screws)
    soon = placed(assembly, "soon")
    assert soon.index("lid") < min(soon.index(name) for name in screws)


def test_last_means_after_everything_they_do_not_bar() -> None:
    made = cad_set()[12].made()
    order = placed(two_lids(), "last")
    waits = [order.index(name) for name in sorted(made.declared.fasteners)]
    soon = placed(two_lids(), "soon")
    assert sum(waits) > sum(soon.index(name) for name in sorted(made.declared.fasteners))


@pytest.mark.parametrize("order", ["soon", "last", "as-found"])
def test_every_candidate_comes_once_whatever_their_order_in_the_question(order: str) -> None:
    assembly = two_lids()
    joints = interfaces(assembly)
    removals = StraightRemovals(assembly, joints)
    inner = selector_named("height", assembly, neighbours(assembly, joints), removals, None)  # type: ignore[arg-type]
    selector = FastenersInOrder(inner, held_by_fasteners(assembly), order, removals)  # type: ignore[arg-type]
    candidates, state = list(range(len(assembly.parts))), State.complete(assembly)
    ranked = selector.order(assembly, state, candidates)
    assert sorted(ranked) == candidates
    assert ranked == selector.order(assembly, state, candidates[::-1])


def test_of_the_fasteners_of_one_part_all_leave_before_those_of_another() -> None:
    """Two lids with two screws and three: the one that is nearer to being open is opened first."""
    holds = {0: 1 << 5, 1: 1 << 5, 2: 1 << 6, 3: 1 << 6, 4: 1 << 6}

    class AsNumbered:
        def order(self, assembly: Assembly, state: State, candidates: list[int]) -> list[int]:
            del assembly, state
            return sorted(candidates, reverse=True)

    selector = FastenersInOrder(AsNumbered(), holds, "soon", None)  # type: ignore[arg-type]
    assert selector.order(None, State(0b1111111), list(range(7))) == [6, 5, 1, 0, 4, 3, 2]  # type: ignore[arg-type]
    assert selector.order(None, State(0b1110001), [0, 4, 5, 6]) == [6, 5, 4, 0]  # type: ignore[arg-type]


def test_another_word_is_refused_with_the_nearest() -> None:
    with pytest.raises(BadInput, match=r"fasteners 'lsat': did you mean 'last'\?"):
        plan(cad_shape("mortise-and-tenon", facets=8).assembly, fasteners="lsat")  # type: ignore[arg-type]
