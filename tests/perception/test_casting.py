"""Kernels that make pictures say what every ray, cast for itself in plain Python, says, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.kernels.casting import NOTHING, STUD_SIDE, TOP, draw
from falsework.kernels.lighting import light
from falsework.model.catalogue import brick_type
from falsework.model.poses import inverse
from falsework.perception.cameras.simulated import looking_at
from falsework.perception.scenes.drawing import Stage
from falsework.perception.scenes.layouts import about_middle
from falsework.perception.scenes.scene import Light, Scene, SceneBrick, Surface
from tests.perception import plain_casting

K = np.array([60.0, 60, 31.5, 23.5])
PIXELS = (64, 48)
VIEWS = {
    "from above": looking_at(np.array([0.01, 0.02, 0.12]), np.zeros(3)),
    "aslant": looking_at(np.array([0.08, -0.07, 0.10]), np.zeros(3), 20.0),
    "from a side": looking_at(np.array([0.13, 0.02, 0.01]), np.array([0, 0, 0.01])),
}
LIGHTS = {"high": Light(toward=[0.2, 0.1, 1]), "low": Light(toward=[1, -0.6, 0.5], disc_deg=4.0)}


def a_scene(light: Light) -> Scene:
    """Bricks on a plate with studs: one on another, one turned, one that lies on its side, and a slope."""
    places = {
        "duplo:brick_2x4": (0.0, 0.0, 0.0, 0.0),
        "duplo:brick_2x2": (0.0, 0.02, 0.0192, 0.0),
        "slope_2x2": (0.03, -0.01, 0.0, 0.7),
        "brick_2x3": (-0.04, 0.01, 0.0, 2.0),
    }
    bricks = [
        SceneBrick(name, kind, "red", about_middle(kind, (x, y), z, yaw))
        for name, (x, y, z, yaw) in places.items()
        for kind in [brick_type(name)]
    ]
    T = about_middle(bricks[0].kind, (-0.02, -0.05), 0.02, 0.3)
    T[:3, :3] = T[:3, :3] @ np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    base = brick_type("duplo:baseplate_8x8")
    plate = SceneBrick("plate", base, "green", about_middle(base, (0, 0), -base.size_m[2], 0))
    table = Surface(size_m=(0.4, 0.4), top_m=-0.005)
    return Scene((*bricks, SceneBrick("lying", bricks[0].kind, "blue", T)), (), plate, table, light)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("sun", LIGHTS)
def test_pictures_are_what_single_rays_say(view: str, sun: str) -> None:
    stage = Stage.of(a_scene(LIGHTS[sun]))
    T_base_cam = VIEWS[view]
    poses = np.ascontiguousarray((inverse(T_base_cam) @ stage.T_base_solid)[:, :3])
    depth, ids = np.full(PIXELS[::-1], np.inf), np.full(PIXELS[::-1], -1, np.int32)
    faces = np.full(PIXELS[::-1], NOTHING, np.uint8)
    draw(depth, ids, faces, K, stage.solids, poses)  # type: ignore[no-untyped-call]
    told = plain_casting.drawn(stage.solids, poses, K, PIXELS)
    assert depth.tobytes() == told[0].tobytes()
    assert np.array_equal(ids, told[1]) and np.array_equal(faces, told[2])
    assert (faces == TOP).any() and (faces == STUD_SIDE).any()

    beams = np.ascontiguousarray(LIGHTS[sun].rays() @ T_base_cam[:3, :3])
    white = np.tile([1.0, 1.0, 1.0, 0.0, 0.0, 1.0], (len(stage.solids), 1))
    no_things, one, none = np.zeros((0, 2)), np.ones(3), np.zeros(3)
    shown = light(
        depth, ids, faces, K, stage.solids, poses, no_things, np.zeros((0, 3, 4)), white, beams, one, none, 1.0, none
    )  # type: ignore[no-untyped-call]
    shares = []
    for v, u in np.argwhere(faces == TOP):
        z, up = depth[v, u], poses[ids[v, u]][:, 2]
        p = np.array([z * (u - K[2]) / K[0], z * (v - K[3]) / K[1], z]) + 2e-5 * up
        facing = up[0] * beams[0, 0] + up[1] * beams[0, 1] + up[2] * beams[0, 2]
        share = plain_casting.share_of_sun(p, beams, stage.solids, poses) if facing > 0 else 0.0
        shares.append(share)
        assert shown[v, u, 0] == np.uint8(np.rint(255.0 * min(1.0, share * max(facing, 0.0))))
    assert max(shares) == 1.0 and (min(shares) < 0.1 or view == "from a side")
