"""Eyes: from pictures of colour and depth to what stands where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports

if TYPE_CHECKING:
    from falsework.perception.cameras.noise import Noise as Noise
    from falsework.perception.cameras.simulated import SimulatedCamera as SimulatedCamera
    from falsework.perception.cameras.simulated import camera_matrix as camera_matrix
    from falsework.perception.cameras.simulated import looking_at as looking_at
    from falsework.perception.scenes.dataset import samples as samples
    from falsework.perception.scenes.drawing import drawn as drawn
    from falsework.perception.scenes.products import built_scene as built_scene
    from falsework.perception.scenes.random_scenes import SceneSettings as SceneSettings
    from falsework.perception.scenes.random_scenes import random_scene as random_scene
    from falsework.perception.scenes.scene import Light as Light
    from falsework.perception.scenes.scene import Scene as Scene
    from falsework.perception.scenes.scene import SceneBrick as SceneBrick
    from falsework.perception.scenes.scene import Surface as Surface
    from falsework.perception.scenes.scene import Thing as Thing
    from falsework.perception.scenes.truth import truth_of as truth_of

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "cameras.noise": "Noise",
        "cameras.simulated": "SimulatedCamera camera_matrix looking_at",
        "scenes.dataset": "samples",
        "scenes.drawing": "drawn",
        "scenes.products": "built_scene",
        "scenes.random_scenes": "SceneSettings random_scene",
        "scenes.scene": "Light Scene SceneBrick Surface Thing",
        "scenes.truth": "truth_of",
    },
)
