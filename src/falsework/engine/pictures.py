"""Pictures of a scene as it is now, by the engine's own renderer; needs a way to draw (EGL, OSMesa or a window)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from falsework.engine.library import mujoco
from falsework.model.errors import BadInput

if TYPE_CHECKING:
    from falsework.engine.composites import Composites


class Pictures:
    """Of one scene; the engine's model is another whenever bricks join or break."""

    def __init__(self, scene: Composites, pixels: tuple[int, int]) -> None:
        self._scene, self._pixels = scene, pixels
        self._model: Any = None
        self._renderer: Any = None

    def take(self, camera: str | None = None) -> npt.NDArray[np.uint8]:
        """(down, across, 3) what a camera of the scene sees; None: from the front, above."""
        scene = self._scene
        if self._model is not scene.model:
            self.close()
            across, down = self._pixels
            scene.model.vis.global_.offwidth = max(across, scene.model.vis.global_.offwidth)
            scene.model.vis.global_.offheight = max(down, scene.model.vis.global_.offheight)
            try:
                self._renderer = mujoco().Renderer(scene.model, down, across)
            except Exception as why:  # whatever the graphics library raises where it finds no display
                raise BadInput(f"no picture can be drawn here ({why}); set MUJOCO_GL to egl or osmesa") from why
            self._model = scene.model
        view: Any = camera
        if camera is None:
            view = mujoco().MjvCamera()
            view.lookat[:], view.distance, view.azimuth, view.elevation = (0.0, 0.0, 0.1), 1.3, 150.0, -30.0
        self._renderer.update_scene(scene.data, camera=view)
        found: npt.NDArray[np.uint8] = self._renderer.render()
        return found

    def close(self) -> None:
        if self._renderer is not None:
            self._renderer.close()
        self._renderer = self._model = None
