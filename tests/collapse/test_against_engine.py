"""The same falls in MuJoCo: the same parts leave their places, and go to the same places."""

from __future__ import annotations

import pytest

pytest.importorskip("mujoco")

from falsework.bench.falls import SCENES, Scene, compared


@pytest.mark.parametrize("scene", [SCENES[0], SCENES[6]], ids=lambda scene: scene.name)
def test_parts_fall_as_they_do_in_the_engine(scene: Scene) -> None:
    found = compared(scene, seconds=0.3, step_s=2e-3)
    assert found.same_fallen
    assert found.apart < 0.05
