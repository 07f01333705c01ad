"""Many questions in one call get the answers that they get one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from falsework.gallery import make
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.state import State
from falsework.model.verdict import Forces, Motion
from falsework.verdicts.check import check
from falsework.verdicts.many import WORTH_LOADING, check_many
from tests.statics.structures import stack


def some_states(assembly: Assembly, count: int, seed: int = 0) -> list[dict[str, Any]]:
    """Parts that are gone, held and loaded at random."""
    rng = np.random.default_rng(seed)
    free = [name for name in assembly.names if name not in assembly.fixed]
    states: list[dict[str, Any]] = []
    for _ in range(count):
        absent = [name for name in free if rng.random() < 0.25]
        there = [name for name in free if name not in absent] or free
        state = {"absent": absent if there != free else [], "held": [there[int(rng.integers(len(there)))]]}
        if rng.random() < 0.3:
            state["loads"] = (there[0], rng.normal(scale=2.0, size=3))
        if rng.random() < 0.3:
            state["gravity"] = (0.0, 0.0, -1.62)
        states.append(state)
    return states


@pytest.mark.parametrize("kind", ["semicircular-arch", "flat-arch", "brick-bench", "brick-stairs"])
def test_states_of_one_assembly_get_the_verdicts_that_they_get_one_by_one(kind: str) -> None:
    assembly = make(kind)
    states = some_states(assembly, WORTH_LOADING + 10)
    alone = [check(assembly, **state) for state in states]
    together = check_many(assembly, states)
    assert [one.answer for one in together] == [one.answer for one in alone]
    assert {one.answer for one in alone} == {"stable", "unstable"}
    assert [(one.model, one.also, one.calibrated) for one in together] == [
        (one.model, one.also, one.calibrated) for one in alone
    ]
    for one, other in zip(together, alone, strict=True):
        assert isinstance(one.certificate, Forces | Motion)
        if one.stands and one.utilization is not None:
            assert one.utilization == pytest.approx(other.utilization, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("kind", ["semicircular-arch", "brick-bench", "duplo-bridge"])
def test_without_proofs_the_answers_are_the_same(kind: str) -> None:
    assembly = make(kind)
    states = some_states(assembly, 40, seed=1)
    bare = check_many(assembly, states, proofs=False)
    assert [one.answer for one in bare] == [one.answer for one in check_many(assembly, states)]
    assert all(one.certificate is None and one.utilization is None for one in bare)
    assert {one.calibrated for one in bare} == {check(assembly).calibrated}


def test_ambiguous_contacts_are_settled_as_check_settles_them() -> None:
    corner_on_corner = Assembly.from_boxes(
        {"a": ([1, 1, 1], [0, 0, 0]), "b": ([1, 1, 1], [1, 1, 1]), "c": ([1, 1, 1], [0, 0, 1])}, fixed="a"
    )
    states = [{}, {"absent": "b"}, {"absent": "c"}, {"held": "b"}]
    alone = [check(corner_on_corner, **state).answer for state in states]  # type: ignore[arg-type]
    assert [one.answer for one in check_many(corner_on_corner, states)] == alone
    assert [one.answer for one in check_many(corner_on_corner, states, proofs=False)] == alone


@pytest.mark.parametrize("model", ["cra", "blocks"])
def test_any_model_can_be_asked(model: str) -> None:
    arch = make("semicircular-arch", stones=7)
    states = [{}, {"absent": "keystone"}]
    assert [(one.answer, one.model) for one in check_many(arch, states, model=model)] == [
        ("stable", model),
        ("unstable", model),
    ]
    assert [one.answer for one in check_many(arch, states, model=model, proofs=False)] == ["stable", "unstable"]


def test_states_as_bit_masks_and_by_name_are_the_same_question() -> None:
    arch = make("semicircular-arch", stones=7)
    by_mask, by_name = check_many(arch, [State.complete(arch, absent="keystone"), {"absent": "keystone"}])
    assert by_mask.answer == by_name.answer == "unstable"
    assert by_mask.falling == by_name.falling


def test_what_a_state_does_not_say_is_as_the_options_say() -> None:
    arch = make("semicircular-arch", stones=7)
    first, second = check_many(arch, [{}, {"absent": ()}], absent="keystone")
    assert (first.answer, second.answer) == ("unstable", "stable")


def test_several_assemblies_are_answered_in_their_order_and_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    towers = [stack([0.1, offset]) for offset in (0.12, 0.9, 0.1)]
    answers = [one.answer for one in check_many(towers, progress=lambda *done: told.append(done))]
    assert answers == [check(tower).answer for tower in towers]
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_questions_that_make_no_sense_are_refused() -> None:
    arch = make("semicircular-arch", stones=7)
    with pytest.raises(BadInput, match="there is no part 'keystne'; did you mean 'keystone'"):
        check_many(arch, [{"absent": "keystne"}])
    with pytest.raises(BadInput, match=r"states: found 'keystone', expected a State, or a mapping like"):
        check_many(arch, ["keystone"])  # type: ignore[list-item]
    with pytest.raises(BadInput, match="without proofs cones are exact and there is no time limit"):
        check_many(arch, [{}], proofs=False, cone="8")
    with pytest.raises(TypeError, match="takes states of one assembly only"):
        check_many([arch, arch], [{}])
