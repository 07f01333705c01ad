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

TILT_DEG = 30.0  # of the sun, at most
BRIGHT = (0.85, 1.15)  # of its strength
FRICTION = (0.8, 1.2)  # of the pads, times what the tool's file says
PLAY_M = (0.8e-4, 1.2e-4)  # by which a side of a brick stays behind the line between two studs: 31.8 mm, not 32
CLUTCH = (0.8, 1.2)  # of what clutches hold
EXTRINSICS_M, EXTRINSICS_DEG = 1e-3, 0.2  # by which cameras stand elsewhere than is believed


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
        rng = np.random.default_rng([task.seed, task.tier, task.number, 1])
        tilt, turn = np.deg2rad(TILT_DEG) * np.sqrt(rng.random()), 2 * np.pi * rng.random()
        toward = np.array([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)])
        strength = float(rng.uniform(*BRIGHT))
        sun = Light().sun
        light = Light(toward, (strength * sun[0], strength * sun[1], strength * sun[2]))
        noise = Noise(extrinsics_m=EXTRINSICS_M, extrinsics_deg=EXTRINSICS_DEG)
        seed, friction = int(rng.integers(2**31)), float(rng.uniform(*FRICTION))
        return Chances(seed, light, noise, friction, float(rng.uniform(*PLAY_M)), float(rng.uniform(*CLUTCH)))

    def world(self, join: JoinRules) -> Settings:
        return replace(Settings.stepping(STEP_S), deepest_m=PAD_M, join=join, play_m=self.play_m, clutch=self.clutch)

    def window(self, window_m: float, product: Assembly) -> JoinRules:
        """How far off a brick may be and still snap in; rules are told for System bricks and scale with the pitch."""
        shape = product.parts[0].shape
        if not isinstance(shape, BrickShape):
            raise BadInput("a build needs bricks of the catalogue; this product has other parts")
        return replace(JoinRules(), offset_m=window_m * systems()["system"].pitch_m / shape.kind.measures.pitch_m)
