"""Overlays lie on what they outline, and the page holds everything."""

from __future__ import annotations

import re

import numpy as np
import pytest

from falsework.model.perception.findings import Brick, Refused
from falsework.model.perception.frames import Frame
from falsework.perception.cameras.noise import Noise
from falsework.perception.scenes.dataset import Sample, samples
from falsework.studio.perception.frame_page import frame_html, sight_scene
from falsework.studio.perception.overlays import FOUND, MISSING, REFUSED, depth_picture, label_picture, overlay


@pytest.fixture(scope="module")
def sample() -> Sample:
    return samples(2, "apart", Noise.none())[0]


def bricks(sample: Sample) -> list[Brick]:
    return [Brick(one.kind, one.color, one.T_base_brick) for one in sample.scene.bricks]


def test_an_outline_runs_along_the_edge_of_its_brick(sample: Sample) -> None:
    """Its pixels are at most two from one that shows the brick, and the brick's middle is not painted over by it."""
    one = bricks(sample)[0]
    drawn = overlay(sample.frame, [one])
    green = (drawn == FOUND).all(axis=2) & (sample.frame.rgb != FOUND).any(axis=2)
    assert green.sum() > 40
    mine = np.argwhere(sample.drawn.labels == 0)
    away = np.abs(np.argwhere(green)[:, None] - mine[None]).max(axis=2).min(axis=1)
    assert away.max() <= 2
    low, high = mine.min(axis=0), mine.max(axis=0)
    assert (np.abs(np.argwhere(green).min(axis=0) - low) <= 3).all()
    assert (np.abs(np.argwhere(green).max(axis=0) - high) <= 3).all()


def test_refused_and_missing_have_colours_of_their_own(sample: Sample) -> None:
    one, two, *_ = bricks(sample)
    drawn = overlay(sample.frame, (), [Refused("six studs", one.middle_m, ((one,),))], [("missing", two)])
    assert (drawn == REFUSED).all(axis=2).any() and (drawn == MISSING).all(axis=2).any()
    assert not (drawn == FOUND).all(axis=2).any()


def test_what_is_behind_the_camera_is_not_drawn(sample: Sample) -> None:
    above = np.eye(4)
    above[2, 3] = 5.0
    one = Brick(sample.scene.bricks[0].kind, "red", above)
    assert np.array_equal(overlay(sample.frame, [one]), sample.frame.rgb)


def test_depth_and_labels_are_told_by_colour(sample: Sample) -> None:
    holes = Frame(
        sample.frame.rgb, np.where(sample.drawn.labels == 0, 0, sample.frame.depth_m), sample.frame.K, np.eye(4)
    )
    picture = depth_picture(holes.depth_m)
    assert (picture[sample.drawn.labels == 0] == 20).all() and (picture[sample.drawn.labels != 0] != 20).any()
    coloured = label_picture(sample.drawn.labels)
    kinds = np.unique(sample.drawn.labels)
    assert len(np.unique(coloured.reshape(-1, 3), axis=0)) == len(kinds)
    assert (depth_picture(np.zeros((2, 2))) == 20).all()


def test_the_page_holds_every_picture_and_what_was_refused(sample: Sample) -> None:
    one, *others = bricks(sample)
    refused = [Refused("six studs <tell>", one.middle_m, (), "look from the side")]
    page = frame_html("scene 2", sample.frame, others, refused, labels=label_picture(sample.drawn.labels))
    assert page.count("data:image/png;base64,") == 4 and "srcdoc=" in page
    assert "six studs &lt;tell&gt;; look from the side" in page and f"{len(others)} found, 1 refused" in page
    assert not re.findall(r'(?:src|href)="http', page)


def test_an_empty_sight_is_a_scene_too() -> None:
    assert len(sight_scene("nothing", (), (), ()).parts) == 1
