"""Products of the tiers, and the models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework.execution.control.belief import box
from falsework.execution.tiers.models import MODELS, model
from falsework.execution.tiers.products import COUNTS, product


@pytest.mark.parametrize("tier", COUNTS)
def test_products_of_a_tier_have_as_many_bricks_as_it_says_and_stand(tier: int) -> None:
    least, most = COUNTS[tier]
    for seed in range(6):
        made = product(tier, np.random.default_rng(seed))
        assert least <= len(made.parts) <= most
        assert falsework.check(made, also=False).stands
        assert {str(part.shape.kind) for part in made.parts} <= {"duplo:brick_2x2", "duplo:brick_4x2"}


def test_half_of_the_bricks_of_tier_4_lie_on_two_others() -> None:
    for seed in range(6):
        made = product(4, np.random.default_rng(seed))
        below: dict[int, set[int]] = {}
        for a, b in falsework.interfaces(made).clutches.bodies.tolist():
            low, high = sorted((a, b), key=lambda n: made.bodies[n].T_world_part[2, 3])
            below.setdefault(high, set()).add(low)
        plate = len(made.parts)
        assert 2 * sum(len(ones - {plate}) >= 2 for ones in below.values()) >= len(made.parts)


def test_the_same_seed_gives_the_same_product() -> None:
    first, second = (product(4, np.random.default_rng(7)) for _ in range(2))
    assert [part.color for part in first.parts] == [part.color for part in second.parts]
    assert all(np.array_equal(a.T_world_part, b.T_world_part) for a, b in zip(first.parts, second.parts, strict=True))


@pytest.mark.parametrize("name", MODELS)
def test_models_are_those_of_the_examples(name: str) -> None:
    examples = Path(__file__).parents[2] / "examples"
    made, read = model(name), falsework.load(examples / f"duplo-{name}.yaml")
    bricks, same = (
        sorted((*np.concatenate(box(part)).round(6).tolist(), part.color or "") for part in one.parts)
        for one in (made, read)
    )
    assert bricks == same
