"""The environment of a Panda that picks, places and presses keeps Gymnasium's contract."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.model.errors import BadInput
from falsework.robots.brickcell.environment import OBSERVED, STEPS, PickAndPress, register

gymnasium = pytest.importorskip("gymnasium")


@pytest.mark.parametrize(("actions", "size"), [("cartesian", 5), ("joint", 8)])
def test_gymnasium_finds_no_fault(actions: str, size: int) -> None:
    from gymnasium.utils.env_checker import check_env

    register()
    environment = gymnasium.make("falsework/PandaBrick-v0", actions=actions)
    assert environment.spec.max_episode_steps == STEPS
    assert environment.action_space.shape == (size,)
    check_env(environment.unwrapped, skip_render_check=True)


def test_several_run_side_by_side() -> None:
    register()
    many = gymnasium.make_vec("falsework/PandaBrick-v0", num_envs=2, vectorization_mode="sync")
    observed, _ = many.reset(seed=3)
    assert observed.shape == (2, OBSERVED)
    assert not np.array_equal(observed[0], observed[1])
    many.close()


def test_the_same_seed_gives_the_same_episode() -> None:
    seen = []
    for _ in range(2):
        task = PickAndPress("cartesian", "brick_2x4")
        task.start(np.random.default_rng(5))
        rewards = [task.act(np.array([0.5, -0.5, -1.0, 0.2, 1.0])) for _ in range(5)]
        seen.append((rewards, task.observation().tolist()))
    assert seen[0] == seen[1]


def test_nonsense_is_refused() -> None:
    with pytest.raises(BadInput, match="actions: found 'joints', expected cartesian or joint"):
        PickAndPress("joints", "brick_2x4")  # type: ignore[arg-type]
    task = PickAndPress("joint", "brick_2x4")
    task.start(np.random.default_rng(0))
    with pytest.raises(BadInput, match=r"action: found \[.*nan.*\], expected 8 finite numbers"):
        task.act(np.full(8, np.nan))
