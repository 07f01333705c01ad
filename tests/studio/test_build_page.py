"""The page of a build: arms and bricks play, states and troubles are on the time line, cameras show what they saw."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from falsework.execution.running import BuildDone, run_task
from falsework.execution.tiers.tasks import build_task
from falsework.model.errors import BadInput
from falsework.studio.encoding import encoded
from falsework.studio.robots.build_film import BuildFilm
from falsework.studio.robots.build_page import build_scene
from falsework.studio.scene import Frames, Scene
from tests.studio.looking import Look

Built = tuple[BuildFilm, BuildDone]


@pytest.fixture(scope="module")
def built() -> Built:
    film = BuildFilm()
    return film, run_task(build_task(1, 0), watcher=film)


def test_the_scene_plays_what_happened(built: Built) -> None:
    film, done = built
    scene = build_scene(film, "one brick", done)
    assert scene.headline.word == "Built" and scene.headline.tone == "yes"
    line = scene.timeline
    assert isinstance(line, Frames)
    assert line.times_s[-1] == pytest.approx(done.built.seconds, abs=0.2)
    labels = [event.label for event in line.events]
    assert labels[1].startswith("LOOK ") and labels[-1].endswith("is in its place")
    brick = scene.parts.names.index(film.begun[1].parts[0].name)
    hand = max(k for k, name in enumerate(scene.parts.names) if name.startswith("arm/"))
    moved = line.T_world_part[:, brick, :3, 3]
    carried = np.linalg.norm(moved[:-1] - moved[1:], axis=1) > 2e-3
    near = np.linalg.norm(moved - line.T_world_part[:, hand, :3, 3], axis=1) < 0.25
    assert carried.any() and near[:-1][carried].all(), "a brick moves only with the hand"


def test_forces_and_progress_are_plotted(built: Built) -> None:
    film, done = built
    curves = {curve.label: curve for curve in build_scene(film, "one brick", done).curves}
    assert curves["arm: between the fingers"].values.max() > 5.0
    assert curves["arm: on the tool"].values.max() > 0.5
    assert curves["bricks in place"].values[[0, -1]].tolist() == [0.0, 1.0]


def test_every_look_is_kept_with_what_was_made_of_it(built: Built) -> None:
    image = pytest.importorskip("PIL.Image")
    film, done = built
    scene = build_scene(film, "one brick", done)
    assert {shot.camera for shot in scene.snapshots} == {"over plate", "over table"}
    assert scene.snapshots[0].caption == "1 found"
    picture = image.open(io.BytesIO(scene.snapshots[0].jpeg))
    assert picture.width == 400
    assert encoded(scene)["snapshots"][0]["src"].startswith("data:image/jpeg;base64,/9j/")


def test_troubles_and_a_stop_are_told_with_their_class(built: Built) -> None:
    film, done = built
    worse = BuildFilm()
    worse.begins(*film.begun, film.instants[0])
    for instant in film.instants[1:]:
        worse.moved(instant)
    slip = {"state": "GRASP", "brick": "1", "kind": "slip", "words": "gone", "then": None}
    worse.told({"t": 1.0, "event": "trouble", **slip})
    worse.told({"t": 2.0, "event": "stopped", "why": "arm 'arm' felt 99 N, 60 N are allowed"})
    failed = replace(done, scores=replace(done.scores, success=False, in_place=0))
    scene = build_scene(worse, "trouble", failed)
    assert scene.headline.word == "Not built"
    troubles = {column.label: column.values for column in scene.tables[0].columns}
    assert troubles["Class"] == ("slip", "stopped")
    assert troubles["Then"] == ("given up", "given up")
    assert isinstance(scene.timeline, Frames)
    assert [event.kind for event in scene.timeline.events] == ["break", "break"]


def test_a_build_that_goes_on_has_a_page_too(built: Built) -> None:
    film, _ = built
    assert build_scene(film, "going on").headline.word == "Building"
    begun = BuildFilm(cameras=False)
    with pytest.raises(BadInput, match="the build has not begun"):
        build_scene(begun, "nothing")
    begun.begins(*film.begun, film.instants[0])
    scene = build_scene(begun, "first moment")
    assert isinstance(scene.timeline, Frames) and not scene.snapshots
    assert scene.notes == ("Pictures of the cameras are left out: they need Pillow.",)


def test_the_page_shows_the_pictures_of_its_moment(built: Built, look: Callable[..., Look]) -> None:
    film, done = built
    scene: Scene = build_scene(film, "one brick", done)
    shown = look(scene)
    page = shown.page
    page.seek(0.5)
    assert page.evaluate("document.querySelectorAll('.eyes figure:not([hidden]) img').length") == 2
    first = page.evaluate("document.querySelector('.eyes img').src.length")
    page.seek(1.0)
    assert page.evaluate("document.querySelector('.eyes img').src.length") != first
    assert "in its place" in page.evaluate("document.querySelector('.eyes .doing').textContent")
    page.seek(0.0)
    assert page.evaluate("document.querySelectorAll('.eyes figure:not([hidden])').length") == 0
