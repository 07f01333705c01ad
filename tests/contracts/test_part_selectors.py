"""What every selector promises, whoever made it; and the port for those that were learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from falsework import gallery, plan
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.removal import StraightRemovals
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.ports import PartSelector
from falsework.model.state import State
from falsework.planning.nodes.stability import neighbours
from falsework.planning.search.selectors import SELECTORS, Learned, selector_named
from falsework.planning.verification.verify import verify


def wall() -> Assembly:
    return gallery.make("running-bond-wall", columns=3, courses=3)


def tiny_policy(assembly: Assembly, state: State, candidates: Sequence[int]) -> Array:
    """A logistic regression on three features, as small as a learned policy can be: height, mass, how much is there."""
    heights = assembly.coms_m[list(candidates), 2] / np.ptp(assembly.coms_m[:, 2])
    masses = assembly.masses_kg[list(candidates)] / assembly.masses_kg.max()
    weights = np.array([4.0, -0.5, 0.1])
    features = np.column_stack([heights, masses, np.full(len(heights), state.installed.bit_count())])
    likely: Array = 1.0 / (1.0 + np.exp(-features @ weights))
    return likely


def made(name: str, assembly: Assembly, seed: int = 0) -> PartSelector:
    if name == "learned":
        return Learned(tiny_policy)
    joints = interfaces(assembly)
    removals, rng = StraightRemovals(assembly, joints), np.random.default_rng(seed)
    return selector_named(name, assembly, neighbours(assembly, joints), removals, rng)


@pytest.mark.parametrize("name", SELECTORS)
def test_every_candidate_comes_once_and_the_same_seed_gives_the_same_order(name: str) -> None:
    assembly = wall()
    candidates = [n for n, part in enumerate(assembly.parts) if part.name not in assembly.fixed]
    first, second = (made(name, assembly).order(assembly, State.complete(assembly), candidates) for _ in range(2))
    assert sorted(first) == candidates
    assert list(first) == list(second)


@pytest.mark.parametrize("name", [name for name in SELECTORS if name != "random"])
def test_what_is_not_random_does_not_depend_on_the_order_of_the_question(name: str) -> None:
    assembly = wall()
    candidates = [n for n, part in enumerate(assembly.parts) if part.name not in assembly.fixed]
    selector, state = made(name, assembly), State.complete(assembly)
    assert list(selector.order(assembly, state, candidates)) == list(selector.order(assembly, state, candidates[::-1]))


@pytest.mark.parametrize("planner", ["auto", "depth-first", "beam"])
def test_a_learned_policy_drives_every_search(planner: str) -> None:
    assembly = wall()
    planned = plan(assembly, selector=Learned(tiny_policy), planner=planner)  # type: ignore[arg-type]
    assert planned.status == "complete"
    assert verify(planned.plan, assembly).valid


def test_a_policy_that_knows_the_way_needs_no_detour() -> None:
    arch = gallery.make("semicircular-arch", stones=7)
    known = [name for step in plan(arch).plan.steps if step.action == "place" for name in step.parts]

    def knows(assembly: Assembly, state: State, candidates: Sequence[int]) -> list[float]:
        del state
        return [float(known.index(assembly.bodies[part].name)) for part in candidates]

    assert plan(arch, selector=Learned(knows)).evaluations <= plan(arch).evaluations


@pytest.mark.parametrize("policy", [lambda *_: [1.0], lambda *_: [float("nan")] * 99])
def test_policies_that_make_no_sense_are_refused(policy: Callable[..., list[float]]) -> None:
    with pytest.raises(BadInput, match="expected one number each"):
        plan(wall(), selector=Learned(policy))
