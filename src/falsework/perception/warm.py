"""`python -m falsework.perception.warm`: compile what draws scenes and finds bricks now, not at the first picture."""

from __future__ import annotations

from falsework.model.perception.findings import Plate, Workplace
from falsework.perception.locator.locating import locate
from falsework.perception.scenes.dataset import samples
from falsework.perception.scenes.random_scenes import SceneSettings, random_scene


def warm() -> None:
    """Draw one scene with everything in it, and find its bricks."""
    sample = samples(0, "clutter")[0]
    plate = random_scene(0)[0].plate
    plates = () if plate is None else (Plate(plate.kind, plate.T_base_brick),)
    locate([sample.frame], Workplace(0.0, plates), SceneSettings().kinds)


if __name__ == "__main__":
    warm()
