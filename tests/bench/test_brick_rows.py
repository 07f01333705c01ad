"""What `bench brickworld` measures, on small things: it must be able to see what it looks for."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.bench import brick_outcomes
from falsework.bench.brick_scenes import heap, on_table
from falsework.brickworld.world import World
from falsework.gallery import make
from falsework.model.errors import Undecided


def test_the_world_agrees_with_check_and_a_world_that_breaks_nothing_would_be_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert brick_outcomes._agreement(6).figure == "6 of 6"
    monkeypatch.setattr(World, "run", lambda world, seconds: None)
    assert "all but seed" in brick_outcomes._agreement(6).figure


def test_many_worlds_are_watched_and_an_engine_that_fails_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(brick_outcomes._many(2, 0.5))[-1].figure.startswith("0 failed, 0 lost")

    def lost(world: World) -> None:
        raise Undecided("the engine lost a body")

    monkeypatch.setattr(World, "step", lost)
    assert list(brick_outcomes._many(2, 0.5))[-1].figure.startswith("2 failed")


def test_a_heap_is_made_of_components_of_ten_that_do_not_touch() -> None:
    world = World(heap(60, np.random.default_rng(0)))
    assert sorted(len(names) for names in world.components) == [1, *[10] * 6]


def test_on_a_table_nothing_is_clutched_to_the_ground() -> None:
    world = World(on_table(make("brick-bench"), 0.01))
    assert all("ground" not in pair for pair in world.connections)
    assert world.poses()[:-1, 2, 3].min() == pytest.approx(0.01)
