"""Two methods, one picture: our caster, MuJoCo's rays, and OpenGL where there is any."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework.model.errors import BadInput
from falsework.perception.cameras.simulated import View
from falsework.perception.scenes.drawing import drawn
from falsework.perception.scenes.random_scenes import SceneSettings, random_scene
from falsework.perception.scenes.scene import Scene

pytest.importorskip("mujoco")

from falsework.engine.rendering import cast, render
from falsework.perception.scenes.mjcf import labels_of, scene_mjcf

KINDS = ("system:brick_2x4", "system:plate_1x2", "system:slope_3x2_flat1", "system:tile_2x2", "system:brick_1x1")
SETTINGS = {
    "duplo and things": SceneSettings(things=3),
    "on a plate": SceneSettings(plate="under", bricks=(6, 8)),
    "small bricks and slopes": SceneSettings(kinds=KINDS, plate="none", room_m=(0.12, 0.1), height_m=(0.25, 0.3)),
}


def a_scene(name: str, seed: int) -> tuple[Scene, View]:
    """Without what MuJoCo lacks: a mottled table and a sun with a disc."""
    scene, view = random_scene(seed, SETTINGS[name])
    plain = None if scene.table is None else replace(scene.table, grain=0.0)
    half = np.diag([0.5, 0.5, 1.0]) @ view.K
    half[:2, 2] = 159.5, 119.5
    scene = replace(scene, table=plain, light=replace(scene.light, disc_deg=0.0, beams=1))
    return scene, View(view.T_base_cam, half, (320, 240))


@pytest.mark.parametrize("name", list(SETTINGS))
def test_mujocos_rays_meet_what_ours_meet(name: str) -> None:
    scene, view = a_scene(name, 5)
    ours = drawn(scene, view.K, view.T_base_cam, view.pixels, colour=False)
    theirs = cast(scene_mjcf(scene), view.K, view.T_base_cam, view.pixels)
    same = labels_of(theirs, scene) == ours.labels
    assert (~same).sum() <= 4  # rays along an edge
    off = np.abs(theirs.depth_m - ours.depth_m)[same]
    assert (off > 1e-7).sum() <= 4


@pytest.mark.parametrize("name", list(SETTINGS))
def test_opengl_draws_the_same_picture(name: str) -> None:
    """Stated: labels equal but for 1 in 500 pixels, depth to 0.1 mm and colour to 2 of 255 but for 1 in 50."""
    scene, view = a_scene(name, 6)
    try:
        theirs = render(scene_mjcf(scene), view.K, view.T_base_cam, view.pixels)
    except BadInput as why:
        pytest.skip(str(why))
    ours = drawn(scene, view.K, view.T_base_cam, view.pixels)
    assert ours.rgb is not None and theirs.rgb is not None
    same = labels_of(theirs, scene) == ours.labels
    assert (~same).mean() < 1 / 500
    assert (np.abs(theirs.depth_m - ours.depth_m)[same] > 1e-4).mean() < 1 / 50
    assert (np.abs(theirs.rgb.astype(int) - ours.rgb).max(axis=2)[same] > 2).mean() < 1 / 50


def test_a_picture_off_its_middle_is_not_for_opengl() -> None:
    scene, view = a_scene("duplo and things", 5)
    off = np.array(view.K)
    off[0, 2] += 10
    with pytest.raises(BadInput, match="K says otherwise"):
        render(scene_mjcf(scene), off, view.T_base_cam, view.pixels)
