"""Parts as loose rigid bodies: free fall, sliding and resting by hand."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.engine.contact import ContactSettings
from falsework.engine.rigid import RigidScene
from falsework.gallery import make
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly, Ground
from falsework.model.errors import BadInput, MissingExtra, Undecided
from falsework.model.shapes import box
from tests.conftest import brick, on_baseplate

G = 9.81


def cube(name: str = "cube", x: float = 0.0, z: float = 0.0) -> Assembly:
    pose = np.eye(4)
    pose[:3, 3] = (x, 0.0, z)
    return Assembly((make_part(name, box((0.1, 0.1, 0.1)), pose),))


def on_table(assembly: Assembly, friction: float | None = None) -> Assembly:
    return grounded(assembly, Ground("table", friction))


def run(scene: RigidScene, seconds: float, frame: float = 0.01) -> None:
    for _ in range(round(seconds / frame)):
        scene.step(frame)


def test_free_fall_is_that_of_the_discrete_parabola() -> None:
    scene = RigidScene(cube())
    run(scene, 0.2)
    h = scene.settings.step_s
    assert scene.poses()[0, 2, 3] == pytest.approx(-0.5 * G * 0.2 * (0.2 + h), rel=1e-9)
    assert scene.velocities()[0] == pytest.approx([0, 0, -G * 0.2, 0, 0, 0], abs=1e-9)
    assert scene.time_s == pytest.approx(0.2)


def test_a_block_on_a_slope_slides_with_coulomb_friction() -> None:
    slope = np.deg2rad(35)
    tilted = on_table(cube()).changed(gravity=G * np.array([np.sin(slope), 0.0, -np.cos(slope)]), friction=0.4)
    scene = RigidScene(tilted)
    run(scene, 0.1)
    times, speeds = np.linspace(0.01, 0.3, 30), []
    for _ in times:
        scene.step(0.01)
        speeds.append(scene.velocities()[0, 0])
    wanted = G * (np.sin(slope) - 0.4 * np.cos(slope))
    assert np.polyfit(times, speeds, 1)[0] == pytest.approx(wanted, rel=0.03)  # it hops, see ContactSettings


def test_a_block_on_a_gentle_slope_stays() -> None:
    slope = np.deg2rad(20)
    tilted = on_table(cube()).changed(gravity=G * np.array([np.sin(slope), 0.0, -np.cos(slope)]), friction=0.4)
    scene = RigidScene(tilted)
    run(scene, 0.5)
    assert abs(scene.poses()[0, 0, 3]) < 2e-4


def test_a_tables_own_friction_counts_before_that_of_the_parts() -> None:
    slope = np.deg2rad(20)
    pull = G * np.array([np.sin(slope), 0.0, -np.cos(slope)])
    scene = RigidScene(on_table(cube(), friction=0.0).changed(gravity=pull))
    run(scene, 0.1)
    assert scene.velocities()[0, 0] == pytest.approx(G * np.sin(slope) * 0.1, rel=1e-6)


def test_the_ground_carries_the_weight() -> None:
    assembly = on_table(cube())
    scene = RigidScene(assembly)
    run(scene, 0.3)
    forces = scene.touches().by_pair()
    assert list(forces) == [(0, 1)]
    assert -forces[0, 1] == pytest.approx([0, 0, assembly.parts[0].mass_kg * G], abs=1e-6)


def test_a_stable_wall_of_blocks_stays() -> None:
    wall = make("running-bond-wall", columns=3, courses=3)
    scene = RigidScene(wall)
    run(scene, 0.5)
    assert np.abs(scene.poses() - wall.poses).max() < 1e-4


def test_held_and_fixed_parts_stand_still_and_absent_ones_touch_nothing() -> None:
    parts = [cube(name, z=z).parts[0] for name, z in (("low", 0.0), ("mid", 0.2), ("top", 0.4))]
    assembly = Assembly(tuple(parts), fixed=frozenset({"low"}))
    scene = RigidScene(assembly, held=["mid"], absent=["top"])
    run(scene, 0.1)
    assert np.array_equal(scene.poses(), assembly.poses)
    assert len(scene.touches()) == 0


def test_a_brick_that_nothing_clutches_tips_over_to_the_floor_under_the_plate() -> None:
    arm = on_baseplate(brick("foot", "brick_1x1", 0, 0, 0), brick("arm", "brick_8x1", 0, 0, 3))
    scene = RigidScene(arm, settings=ContactSettings(step_s=2e-3))
    run(scene, 1.0)
    low = (scene.poses()[1] @ [0.064, 0.004, 0.0, 1.0])[2]  # of its far end
    assert low == pytest.approx(-0.0032, abs=1e-3)


def test_fixed_parts_cannot_be_absent() -> None:
    with pytest.raises(BadInput, match="cannot be absent: low"):
        RigidScene(Assembly(cube("low").parts, fixed=frozenset({"low"})), absent=["low"])


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_a_step_takes_time(seconds: float) -> None:
    with pytest.raises(BadInput, match="expected a positive number"):
        RigidScene(cube()).step(seconds)


def test_a_lost_body_is_named_trouble_and_not_hidden() -> None:
    scene = RigidScene(cube())
    scene.data.qvel[0] = np.nan
    with pytest.raises(Undecided, match="the engine lost a body"):
        scene.step(0.01)


def test_without_mujoco_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    from falsework.engine import library

    def absent(name: str) -> None:
        raise ImportError(name)

    library.mujoco.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(importlib, "import_module", absent)
        with pytest.raises(MissingExtra, match=r"falsework\[engine\]"):
            library.mujoco()
    assert library.mujoco().__name__ == "mujoco"


def test_the_same_scene_moves_the_same_way() -> None:
    ends = []
    for _ in range(2):
        scene = RigidScene(on_table(cube(z=0.05)))
        run(scene, 0.3)
        ends.append(scene.poses())
    assert np.array_equal(ends[0], ends[1])
