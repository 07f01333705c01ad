"""Plans of fits with play go by the law that `check` judges them by: nothing stands because it could wedge itself."""

from __future__ import annotations

import pytest

from falsework import check, plan, verify
from falsework.bench.round_shapes import rod, turned
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly
from falsework.planning.nodes.moves import Node
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from tests.geometry.assemblies import at


def _shaft_in_a_hole(*, stopped: bool) -> Assembly:
    """A ring on a post, a shaft with 0.1 mm of play in it, and a stop under the shaft, or none."""
    ring = turned([(0.0101, -0.02), (0.03, -0.02), (0.03, 0.02), (0.0101, 0.02)], 64, ring=True)
    post = turned([(0.02, -0.05), (0.03, -0.05), (0.03, 0.05), (0.02, 0.05)], 64, ring=True)
    parts = [
        make_part("ring", ring, at(z=0.12)),
        make_part("shaft", rod(0.01, 0.06, 48), at(z=0.12)),
        make_part("post", post, at(z=0.05)),
    ]
    if stopped:
        parts.append(make_part("stop", rod(0.009, 0.09, 48), at(z=0.045)))
    return Assembly(tuple(parts), fixed=frozenset({"post", "stop"} if stopped else {"post"}))


def test_a_shaft_that_would_drop_through_its_hole_is_not_said_to_be_built() -> None:
    loose = _shaft_in_a_hole(stopped=False)
    planned = plan(loose, robots=2, paths="none")
    assert (planned.status, planned.plan.rules.model) == ("infeasible", "cra")
    assert planned.why == "the complete structure does not stand"
    assert check(loose).answer == "unstable" and check(loose).also == {"blocks": "stable"}


def test_plain_equilibrium_is_asked_where_it_is_asked_for() -> None:
    planned = plan(_shaft_in_a_hole(stopped=False), robots=2, paths="none", model="blocks")
    assert (planned.status, planned.plan.rules.model) == ("complete", "blocks")


def test_a_shaft_on_a_stop_is_built_and_verified_by_the_same_law() -> None:
    stopped = _shaft_in_a_hole(stopped=True)
    planned = plan(stopped, robots=1, paths="any")
    assert (planned.status, planned.plan.rules.model) == ("complete", "cra")
    assert verify(planned, stopped).valid


@pytest.mark.parametrize("stopped", [False, True])
def test_plans_and_check_agree_on_every_state(stopped: bool) -> None:
    assembly = _shaft_in_a_hole(stopped=stopped)
    joints = interfaces(assembly)
    shop = Workshop(assembly, rules_for(assembly), joints=joints).as_check_would()
    free = [part.name for part in assembly.parts if part.name not in assembly.fixed]
    for chosen in range(1 << len(free)):
        absent = [name for k, name in enumerate(free) if not chosen >> k & 1]
        installed = sum(assembly.mask([name]) for name in assembly.names if name not in absent)
        answer = shop.stability.finding(Node(installed, 0)).answer
        assert answer == check(assembly, absent=absent, joints=joints).answer


def test_parts_without_play_are_planned_as_before() -> None:
    assert plan("examples/arch.yaml").plan.rules.model == "blocks"
