"""Hands that are too few, told without a search."""

from __future__ import annotations

from dataclasses import replace

import pytest

from falsework import gallery, plan
from falsework.model.assembly import Assembly
from falsework.planning.plans.jobs import Job
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from falsework.planning.rules.too_few_hands import never_free
from tests.planning.test_brute_force import buildable, heap_of_blocks


def stuck(assembly: Assembly, robots: int) -> tuple[str, ...]:
    workshop = Workshop(assembly, rules_for(assembly, "holds", robots))
    return assembly.named(never_free(Job(workshop, workshop.everything).task(), workshop.stability))


@pytest.mark.parametrize("stones", [5, 7, 9])
def test_one_hand_can_only_let_go_of_the_lowest_stones_of_an_arch(stones: int) -> None:
    arch = gallery.make("semicircular-arch", stones=stones)
    heights = {part.name: part.com_world_m[2] for part in arch.parts if part.name not in arch.fixed}
    never = stuck(arch, 1)
    lying = set(heights) - set(never)
    assert "keystone" in never
    assert len(lying) % 2 == 0
    assert max(heights[name] for name in lying) < min(heights[name] for name in never)
    assert stuck(arch, 2) == ()


def test_a_dome_is_beyond_two_hands_which_no_search_through_all_orders_would_end_with() -> None:
    dome = gallery.make("dome", rings=3, segments=8)
    planned = plan(dome, robots=2, timeout_s=60)
    assert planned.status == "infeasible"
    assert "2 hands cannot let go of" in planned.why
    assert stuck(dome, 3) == ()


def test_what_is_to_be_held_in_the_end_need_not_be_let_go() -> None:
    arch = gallery.make("semicircular-arch", stones=5)
    workshop = Workshop(arch, rules_for(arch, "holds", 1))
    everything = workshop.everything
    held = replace(everything.whole, held=arch.mask(stuck(arch, 1)))
    task = Job(workshop, replace(everything, whole=held)).task()
    assert never_free(task, workshop.stability) == 0


def test_whatever_is_said_to_be_impossible_cannot_be_built() -> None:
    said = 0
    for seed in range(30):
        heap = heap_of_blocks(seed)
        if stuck(heap, 1):
            said += 1
            assert not buildable(heap, 1, regrasp=False, straight=False)
            assert not buildable(heap, 1, regrasp=True, straight=False)
    assert said
