"""Every camera keeps its port's promises: one name, one lens, one size, times that never go back, a told end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from falsework.formats.perception.frame_folders import write_recording
from falsework.model.errors import BadInput
from falsework.model.ports import Camera
from falsework.perception.cameras.noise import Noise
from falsework.perception.cameras.recordings import Recorder, Replay
from falsework.perception.cameras.simulated import SimulatedCamera, looking_at
from falsework.perception.scenes.layouts import lying
from falsework.perception.scenes.scene import Scene

K = np.array([[100.0, 0, 31.5], [0, 100.0, 23.5], [0, 0, 1]])
DOWN = looking_at(np.array([0.0, 0, 0.5]), np.zeros(3))


def on_a_stand(_folder: Path) -> Camera:
    return SimulatedCamera("stand", lambda: Scene(()), DOWN, K, (64, 48), Noise(extrinsics_m=0.001))


def on_a_wrist(_folder: Path) -> Camera:
    places = iter(np.linspace(0, 0.3, 50))
    return SimulatedCamera(
        "wrist", lambda: Scene(()), np.eye(4), K, (64, 48), flange=lambda: lying(next(places), 0, 0, 0) @ DOWN
    )


def played(folder: Path) -> Camera:
    camera = on_a_stand(folder)
    write_recording((camera.look() for _ in range(4)), folder / "played")
    return Replay(folder / "played")


def written(folder: Path) -> Camera:
    return Recorder(on_a_stand(folder), folder / "written")


CAMERAS: list[Callable[[Path], Camera]] = [on_a_stand, on_a_wrist, played, written]


@pytest.mark.parametrize("made", CAMERAS)
def test_frames_of_one_camera_belong_together(made: Callable[[Path], Camera], tmp_path: Path) -> None:
    camera = made(tmp_path)
    frames = [camera.look() for _ in range(4)]
    assert {frame.camera for frame in frames} == {camera.name}
    assert len({frame.rgb.shape for frame in frames}) == 1
    assert all(np.array_equal(frame.K, frames[0].K) for frame in frames)
    times = [frame.time_s for frame in frames]
    assert times == sorted(times)


def test_a_wrist_camera_says_where_it_was_at_every_look(tmp_path: Path) -> None:
    camera = on_a_wrist(tmp_path)
    along = [camera.look().T_base_cam[0, 3] for _ in range(3)]
    assert along == pytest.approx([0, 0.3 / 49, 0.6 / 49])


def test_a_badly_calibrated_camera_stays_so(tmp_path: Path) -> None:
    camera = on_a_stand(tmp_path)
    first, second = camera.look().T_base_cam, camera.look().T_base_cam
    assert np.array_equal(first, second)
    assert np.linalg.norm(first[:3, 3] - DOWN[:3, 3]) == pytest.approx(0.001)


def test_a_recording_says_when_it_has_ended(tmp_path: Path) -> None:
    camera = played(tmp_path)
    for _ in range(4):
        camera.look()
    with pytest.raises(BadInput, match="ended"):
        camera.look()
