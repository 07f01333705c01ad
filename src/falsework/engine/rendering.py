"""Pictures of a MuJoCo scene: by OpenGL, where there is any, or by MuJoCo's own rays, which need none."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.engine.library import mujoco
from falsework.model.arrays import Array, Bits
from falsework.model.errors import BadInput
from falsework.model.perception.frames import rays

NOTHING = -1


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """What MuJoCo shows from one place; `names` of the bodies that `bodies` numbers."""

    depth_m: Array  # (h, w) along z, 0 where there is nothing
    bodies: npt.NDArray[np.int32]  # (h, w), NOTHING where there is none
    names: tuple[str, ...]
    rgb: Bits | None = None  # (h, w, 3)


def cast(mjcf: str, K: Array, T_base_cam: Array, pixels: tuple[int, int]) -> Rendered:
    """Depth and bodies by casting rays; no OpenGL."""
    engine = mujoco()
    model, data = _still(mjcf)
    width, height = pixels
    directions = rays(K, height, width).reshape(-1, 3) @ T_base_cam[:3, :3].T
    lengths = np.linalg.norm(directions, axis=1)
    count = len(directions)
    geoms, away = np.zeros(count, dtype=np.int32), np.zeros(count)
    unit = np.ascontiguousarray(directions / lengths[:, None]).ravel()
    start = np.ascontiguousarray(T_base_cam[:3, 3])
    engine.mj_multiRay(model, data, start, unit, None, 1, -1, geoms, away, None, count, engine.mjMAXVAL)
    hit = geoms >= 0
    depth = np.where(hit, away / lengths, 0.0).reshape(height, width)
    bodies = np.where(hit, model.geom_bodyid[geoms], NOTHING).astype(np.int32).reshape(height, width)
    return Rendered(depth, bodies, _names(model))


def render(mjcf: str, K: Array, T_base_cam: Array, pixels: tuple[int, int]) -> Rendered:
    """Colour, depth and bodies by OpenGL off the screen; BadInput where there is none.

    The picture's middle is the camera's, as MuJoCo has it: K must say so, with two equal focal lengths.
    """
    engine = mujoco()
    width, height = pixels
    if not np.allclose([K[0, 2], K[1, 2], K[0, 0]], [(width - 1) / 2, (height - 1) / 2, K[1, 1]]):
        raise BadInput(
            "MuJoCo draws pictures whose middle is the camera's and whose pixels are square; K says otherwise"
        )
    model, data = _still(mjcf)
    model.vis.global_.offwidth, model.vis.global_.offheight = width, height
    model.vis.global_.fovy = float(np.degrees(2 * np.arctan(0.5 * height / K[1, 1])))
    context = _gl_context(width, height)
    context.make_current()
    try:
        scene = engine.MjvScene(model, maxgeom=20_000)
        options, camera = engine.MjvOption(), engine.MjvCamera()
        engine.mjv_updateScene(model, data, options, None, camera, engine.mjtCatBit.mjCAT_ALL, scene)
        drawn = engine.MjrContext(model, engine.mjtFontScale.mjFONTSCALE_100)
        engine.mjr_setBuffer(engine.mjtFramebuffer.mjFB_OFFSCREEN, drawn)
        view = engine.MjrRect(0, 0, width, height)
        rgb, depth = np.zeros((height, width, 3), np.uint8), np.zeros((height, width), np.float32)
        _aim(scene, T_base_cam)
        engine.mjr_render(view, scene, drawn)
        engine.mjr_readPixels(rgb, depth, view, drawn)
        scene.flags[engine.mjtRndFlag.mjRND_SEGMENT] = scene.flags[engine.mjtRndFlag.mjRND_IDCOLOR] = 1
        coded = np.zeros_like(rgb)
        engine.mjr_render(view, scene, drawn)
        engine.mjr_readPixels(coded, None, view, drawn)
        bodies = _bodies(scene, model, np.flipud(coded))
        drawn.free()
    finally:
        context.free()
    near, far = model.vis.map.znear * model.stat.extent, model.vis.map.zfar * model.stat.extent
    metres = near * far / (far - np.flipud(depth).astype(float) * (far - near))
    return Rendered(np.where(bodies == NOTHING, 0.0, metres), bodies, _names(model), np.flipud(rgb).copy())


def _still(mjcf: str) -> tuple[Any, Any]:
    engine = mujoco()
    model = engine.MjModel.from_xml_string(mjcf)
    data = engine.MjData(model)
    engine.mj_forward(model, data)
    return model, data


def _names(model: Any) -> tuple[str, ...]:
    return tuple(model.body(number).name for number in range(model.nbody))


def _gl_context(width: int, height: int) -> Any:
    """An OpenGL context off the screen, by EGL or by software."""
    for kind in ("egl", "osmesa"):
        before = os.environ.get("PYOPENGL_PLATFORM")
        os.environ.setdefault("PYOPENGL_PLATFORM", kind)
        try:
            return importlib.import_module(f"mujoco.{kind}").GLContext(width, height)
        except Exception:  # noqa: BLE001
            # drivers and loaders fail in many ways; all of them mean that there is none
            if before is None:
                os.environ.pop("PYOPENGL_PLATFORM", None)
    raise BadInput("there is no OpenGL here; scenes are drawn by ray casting without it")


def _aim(scene: Any, T_base_cam: Array) -> None:
    """Put both eyes of the scene where the camera is, looking along its z axis."""
    for eye in scene.camera:
        eye.pos[:] = T_base_cam[:3, 3]
        eye.forward[:] = T_base_cam[:3, 2]
        eye.up[:] = -T_base_cam[:3, 1]


def _bodies(scene: Any, model: Any, coded: Any) -> npt.NDArray[np.int32]:
    """Which body every pixel shows, from colours that number the geometries of a scene."""
    numbers = coded[..., 0].astype(int) + 256 * coded[..., 1].astype(int) + 65536 * coded[..., 2].astype(int) - 1
    by_segment = np.full(scene.ngeom + 1, NOTHING, dtype=np.int32)
    geom = int(mujoco().mjtObj.mjOBJ_GEOM)
    for number in range(scene.ngeom):
        shown = scene.geoms[number]
        if shown.segid >= 0 and shown.objtype == geom:
            by_segment[shown.segid] = model.geom_bodyid[shown.objid]
    bodies: npt.NDArray[np.int32] = by_segment[np.where(numbers < 0, scene.ngeom, numbers)]
    return bodies
