"""What differs from task to task beside the product and where bricks lie: light, cameras, fingers, play, clutches."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from falsework.brickworld.settings import JoinRules, Settings
from falsework.execution.tiers.tasks import BuildTask
from falsework.model.assembly import Assembly
from falsework.model.catalogue import systems
from falsework.model.errors import BadInput
from falsework.model.shapes import BrickShape
from falsework.perception.cameras.noise import Noise
from falsework.perception.scenes.scene import Light
from falsework.robots.brickcell.cell_world import PAD_M, STEP_S


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """Drawn once for a task; the controller is told nothing of it."""

    seed: int
    light: Light
    noise: Noise
    friction: float  # of the pads, as a share of what is believed
    play_m: float = 1e-4
    clutch: float = 1.0

    @staticmethod
    def of(task: BuildTask) -> Chances:
        """Those of a task, the same for the same seed.

        >>> from falsework.execution import build_task
        >>> 0.8 <= Chances.of(build_task(1, 0)).friction <= 1.2
        True
        """
        drawn = task.settings
        rng = np.random.default_rng([task.seed, task.tier, task.number, 1])
        tilt, turn = np.deg2rad(drawn.tilt_deg) * np.sqrt(rng.random()), 2 * np.pi * rng.random()
        toward = np.array([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)])
        strength = float(rng.uniform(*drawn.strength))
        sun = Light().sun
        light = Light(toward, (strength * sun[0], strength * sun[1], strength * sun[2]))
        noise = Noise().times(drawn.noise)
        noise = replace(noise, extrinsics_m=drawn.extrinsics_m, extrinsics_deg=drawn.extrinsics_deg)
        seed, friction = int(rng.integers(2**31)), float(rng.uniform(*drawn.friction))
        play_m, clutch = float(rng.uniform(*drawn.play_m)), float(rng.uniform(*drawn.clutch))
        return Chances(seed, light, noise, friction, play_m, clutch)

    def world(self, join: JoinRules) -> Settings:
        return replace(Settings.stepping(STEP_S), deepest_m=PAD_M, join=join, play_m=self.play_m, clutch=self.clutch)

    def window(self, window_m: float, product: Assembly) -> JoinRules:
        """How far off a brick may be and still snap in; rules are told for System bricks and scale with the pitch."""
        shape = product.parts[0].shape
        if not isinstance(shape, BrickShape):
            raise BadInput("a build needs bricks of the catalogue; this product has other parts")
        return replace(JoinRules(), offset_m=window_m * systems()["system"].pitch_m / shape.kind.measures.pitch_m)
