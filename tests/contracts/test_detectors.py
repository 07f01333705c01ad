"""What every detector and every estimator of poses promises."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework.model.errors import BadInput
from falsework.model.perception.findings import Brick, Detection, Refused
from falsework.model.ports import Detector, PoseEstimator
from falsework.perception.cameras.noise import Noise
from falsework.perception.locator.detecting import BrickDetector, OutlineEstimator
from tests.perception.eyes import KINDS, brick, frame, place, scene

SCENE = scene(brick("a", "2x2", "red", -0.08, 0.0, degrees=20), brick("b", "2x4", "blue", 0.0, 0.05, degrees=-30))
FRAME = frame(SCENE, noise=Noise())
DETECTORS: dict[str, Detector] = {"bricks": BrickDetector(place(SCENE), KINDS)}
ESTIMATORS: dict[str, PoseEstimator] = {"outline": OutlineEstimator(place(SCENE))}


@pytest.mark.parametrize("name", DETECTORS)
def test_detections_have_masks_of_the_frame_that_do_not_overlap(name: str) -> None:
    found = DETECTORS[name].detect(FRAME)
    assert len(found) == 2
    assert sum(one.mask.astype(int) for one in found).max() == 1
    assert all(one.mask.shape == FRAME.depth_m.shape and one.mask.any() for one in found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert [one.mask.sum() for one in DETECTORS[name].detect(FRAME)] == [one.mask.sum() for one in found]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimate_is_in_the_frame_of_the_base(name: str) -> None:
    for one in DETECTORS["bricks"].detect(FRAME):
        found = ESTIMATORS[name].estimate(FRAME, one)
        assert isinstance(found, Brick)
        wanted = next(b for b in SCENE.bricks if b.color == one.color)
        assert np.linalg.norm(found.middle_m[:2] - wanted.middle_m[:2]) < 1.5e-3


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_mask_of_the_table_is_refused(name: str) -> None:
    mask = np.zeros(FRAME.depth_m.shape, bool)
    mask[300:330, 100:140] = True
    told = ESTIMATORS[name].estimate(FRAME, Detection("duplo:brick_2x2", mask))
    assert isinstance(told, Refused) and told.why and told.decide
    with pytest.raises(BadInput, match="mask: found"):
        ESTIMATORS[name].estimate(FRAME, replace(Detection("duplo:brick_2x2", mask), mask=mask[:10]))
