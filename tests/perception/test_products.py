"""Half-built products: one fault, planted where it can be, and nothing else changed."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from falsework.model.errors import BadInput
from falsework.perception.scenes.layouts import clash
from falsework.perception.scenes.packings import rests
from falsework.perception.scenes.products import FAULTS, FaultKind, built_scene


def test_without_a_fault_all_is_as_it_should_be() -> None:
    built = built_scene(1)
    assert built.fault is None and built.scene.bricks == built.expected
    assert 1 <= built.step <= len(built.product)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_that_of_one_brick_and_possible(fault: FaultKind) -> None:
    for seed in range(3):
        built = built_scene(seed, fault)
        assert built.fault is not None and built.fault.kind == fault
        there = {one.name: one for one in built.scene.bricks}
        wrong = [
            one.name
            for one in built.expected
            if one.name not in there
            or there[one.name].color != one.color
            or there[one.name].kind != one.kind
            or not np.array_equal(there[one.name].T_base_brick, one.T_base_brick)
        ]
        assert wrong == [built.fault.brick]
        for one, other in combinations(built.scene.bricks, 2):
            assert not clash(one, other)
        for one in built.scene.bricks:
            raised = fault == "raised" and one.name == built.fault.brick
            assert raised or rests(one, built.scene, [two for two in built.scene.bricks if two is not one])


def test_a_raised_brick_stands_off_by_a_millimetre() -> None:
    built = built_scene(2, "raised")
    assert built.fault is not None
    (before,) = (one for one in built.expected if one.name == built.fault.brick)
    (after,) = (one for one in built.scene.bricks if one.name == built.fault.brick)
    assert (after.T_base_brick - before.T_base_brick)[2, 3] == pytest.approx(0.001)


def test_a_fault_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadInput, match="fault 'cracked': expected one of missing"):
        built_scene(0, "cracked")  # type: ignore[arg-type]
