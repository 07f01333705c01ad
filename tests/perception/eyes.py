"""Small scenes that tests of the locator share."""

from __future__ import annotations

import math

import numpy as np

from falsework.model.catalogue import brick_type
from falsework.model.perception.findings import Plate, Workplace
from falsework.model.perception.frames import Frame
from falsework.perception.cameras.noise import Noise
from falsework.perception.cameras.simulated import View, looking_at, seen
from falsework.perception.scenes.layouts import about_middle
from falsework.perception.scenes.scene import Light, Scene, SceneBrick, Surface, Thing

KINDS = ("duplo:brick_2x2", "duplo:brick_2x4")
K = np.array([[447.0, 0, 319.5], [0, 447.0, 239.5], [0, 0, 1]])
ABOVE = View(looking_at(np.array([0.03, -0.08, 0.5]), np.zeros(3)), K)
ASIDE = View(looking_at(np.array([-0.25, 0.2, 0.42]), np.zeros(3)), K)
PLATE = SceneBrick(
    "plate",
    brick_type("duplo:baseplate_8x12"),
    "green",
    about_middle(brick_type("duplo:baseplate_8x12"), (0.16, 0.0), 0.0, 0.03),
)
OFF = Noise(extrinsics_m=0.001, extrinsics_deg=0.2)
LIGHT = Light(toward=np.array([0.3, 0.2, 1.0]))


def brick(name: str, kind: str, color: str, x: float, y: float, z: float = 0.0, degrees: float = 0.0) -> SceneBrick:
    """An upright Duplo brick by the middle of its underside."""
    made = brick_type(f"duplo:brick_{kind}")
    return SceneBrick(name, made, color, about_middle(made, (x, y), z, math.radians(degrees)))


def scene(
    *bricks: SceneBrick,
    things: tuple[Thing, ...] = (),
    plate: SceneBrick | None = PLATE,
    rgb: tuple[float, float, float] = (0.5, 0.42, 0.33),
) -> Scene:
    return Scene(bricks, things, plate, Surface(rgb=rgb, grain=0.02), LIGHT)


def place(of: Scene) -> Workplace:
    return Workplace(0.0, () if of.plate is None else (Plate(of.plate.kind, of.plate.T_base_brick),))


def frame(of: Scene, view: View = ABOVE, noise: Noise = OFF, seed: int = 0) -> Frame:
    return seen(of, view, noise, np.random.default_rng(seed))
