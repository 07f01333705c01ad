"""Many worlds, and worlds with other things in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from falsework.brickworld.world import World
from falsework.brickworld.worlds import Worlds
from falsework.gallery import make
from falsework.geometry.shapes.solids import make_part
from falsework.model.errors import BadFile, BadInput, Undecided
from falsework.model.shapes import box
from tests.brickworld.scenes import falling_stair, on_table, stair, watched
from tests.conftest import brick, on_baseplate


def some(count: int) -> list[World]:
    models = [make("random-bricks", seed, bricks=10) for seed in range(count)]
    return [World(model) for model in (*models, on_baseplate(*falling_stair()))]


def test_the_number_of_threads_does_not_change_what_happens() -> None:
    ends = []
    for threads in (1, 3):
        worlds = Worlds(some(3), threads)
        worlds.run(0.1)
        ends.append([world.poses() for world in worlds.worlds])
    assert all(np.array_equal(one, other) for one, other in zip(*ends, strict=True))


def test_stepping_is_running_in_frames() -> None:
    one, other = Worlds(some(1)), Worlds(some(1))
    one.run(2 / 60)
    other.step()
    other.step()
    assert all(np.array_equal(a.poses(), b.poses()) for a, b in zip(one.worlds, other.worlds, strict=True))


def test_a_world_whose_engine_fails_is_named_and_keeps_its_last_good_state() -> None:
    worlds = Worlds([World(on_table(*stair(2))) for _ in range(2)])
    worlds.step()
    good = worlds.worlds[1].poses()

    def lost(names: object) -> None:
        raise Undecided("the engine lost a body at 0.03 s")

    worlds.worlds[1].scene.refuse_lost = lost  # type: ignore[method-assign]
    worlds.step()
    assert list(worlds.failed) == [1]
    assert np.array_equal(worlds.worlds[1].poses(), good)
    assert worlds.worlds[0].frames == 2


def test_threads_are_counted_from_one() -> None:
    with pytest.raises(BadInput, match="threads: found 0"):
        Worlds([], 0)


SCENE = """<mujoco><worldbody>
<body name="arm" pos="0 0.5 0.05"><joint name="turn" type="hinge" axis="0 0 1" damping="1e-4"/>
<geom type="capsule" fromto="0 0 0 -0.08 0 0" size="0.004" mass="0.01"/></body>
</worldbody><actuator><motor joint="turn" gear="1"/></actuator></mujoco>"""


def test_a_robot_from_any_mjcf_file_shares_the_scene_and_goes_on_through_breaks(tmp_path: Path) -> None:
    file = tmp_path / "arm.xml"
    file.write_text(SCENE, encoding="utf-8")
    world = World(on_baseplate(*falling_stair()), mjcf=file)
    breaks, _ = watched(world)
    world.scene.data.ctrl[0] = 1e-4
    before = 0.0
    for _ in range(20):
        world.step()
        angle = float(world.scene.data.joint("turn").qpos[0])
        assert angle > before
        before = angle
    assert breaks
    assert world.scene.data.ctrl[0] == 1e-4


def test_a_file_that_is_not_there_or_no_mjcf_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="no such file"):
        World(on_table(*stair(2)), mjcf=tmp_path / "none.xml")
    wrong = tmp_path / "wrong.xml"
    wrong.write_text("<mujoco><worldbody><nothing/></worldbody></mujoco>", encoding="utf-8")
    with pytest.raises(BadFile, match="MuJoCo cannot read it"):
        World(on_table(*stair(2)), mjcf=wrong)


def test_blocks_are_obstacles_and_free_objects_among_bricks() -> None:
    pose = np.eye(4)
    pose[:3, 3] = (0.004, 0.004, 0.05)
    stone = make_part("stone", box((0.02, 0.01, 0.01)), pose)
    world = World(on_table(brick("a", "brick_4x4", 0, 0, 0), stone))
    world.run(0.4)
    resting = world.poses()[1, 2, 3]
    assert resting == pytest.approx(0.0096 + 0.0017, abs=1e-4)  # on the studs
    assert world.components == [["a"], ["stone"], ["ground"]]


def test_press_and_pull_environments_can_be_solved_by_pushing_straight() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    from falsework.brickworld import environment

    environment.register()
    for name, push in (("PressBrick", -0.2), ("PullBrick", 0.5)):
        env = gymnasium.make(f"falsework/{name}-v0")
        seen, _ = env.reset(seed=1)
        assert seen.shape == env.observation_space.shape
        done = over = False
        while not done and not over:
            seen, reward, done, over, told = env.step(np.array([0.0, 0.0, push]))
        assert done
        assert reward > 5
        assert told["connected"] == (name == "PressBrick")
        assert np.isfinite(seen).all()


@pytest.mark.parametrize("brick_name", ["plate_1x1", "duplo:brick_2x2"])
def test_bricks_of_any_weight_can_be_handled(brick_name: str) -> None:
    pytest.importorskip("gymnasium")
    from falsework.brickworld.environment import make_environment

    env = make_environment("press", brick=brick_name)
    seen, _ = env.reset(seed=1)
    done = over = False
    while not done and not over:
        seen, _, done, over, _ = env.step(np.array([-0.5 * seen[0], -0.5 * seen[1], -0.3]))
    assert done


def test_environments_pass_the_checks_of_their_library() -> None:
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    from falsework.brickworld.environment import make_environment

    for task in ("press", "pull"):
        with pytest.warns(UserWarning, match="infinity"):  # a brick can be anywhere
            check_env(make_environment(task), skip_render_check=True)


def test_environments_refuse_what_makes_no_sense() -> None:
    pytest.importorskip("gymnasium")
    from falsework.brickworld.environment import make_environment

    with pytest.raises(BadInput, match="task: found 'push', expected press or pull"):
        make_environment("push")  # type: ignore[arg-type]
    env = make_environment("press")
    env.reset(seed=0)
    with pytest.raises(BadInput, match=r"action: found .*expected three finite numbers"):
        env.step(np.array([np.nan, 0.0, 0.0]))


def test_environments_repeat_with_their_seed() -> None:
    pytest.importorskip("gymnasium")
    from falsework.brickworld.environment import make_environment

    ends = []
    for _ in range(2):
        env = make_environment("press")
        env.reset(seed=3)
        for _ in range(5):
            seen, *_ = env.step(np.array([0.1, 0.0, -0.1]))
        ends.append(seen)
    assert np.array_equal(*ends)


def test_without_gymnasium_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from falsework.brickworld import environment
    from falsework.model.errors import MissingExtra

    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(MissingExtra, match=r"falsework\[gym\]"):
        environment.register()
