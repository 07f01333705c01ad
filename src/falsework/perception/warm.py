"""`python -m falsework.perception.warm`: compile what draws scenes and finds bricks now, not at the first picture."""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.model.perception.findings import Plate, Workplace
from falsework.perception.locator.choosing import still_possible
from falsework.perception.locator.locating import locate
from falsework.perception.scenes.dataset import samples
from falsework.perception.scenes.random_scenes import SceneSettings, random_scene


def warm() -> None:
    """Draw one scene with everything in it, and find its bricks."""
    sample = samples(0, "clutter")[0]
    plate = random_scene(0)[0].plate
    plates = () if plate is None else (Plate(plate.kind, plate.T_base_brick),)
    locate([sample.frame], Workplace(0.0, plates), SceneSettings().kinds)
    nobody = np.zeros(1, np.bool_)  # what only crowded scenes need
    still_possible(np.arange(2), np.zeros(1, np.int64), np.ones(1), np.ones(1), nobody[None], ~nobody, 0.0, 1)


if __name__ == "__main__":
    warm()
