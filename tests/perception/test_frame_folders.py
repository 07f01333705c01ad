"""Frames on disk: what is written is read, and what is no frame is refused in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image

from falsework.formats.perception.frame_folders import (
    frame_folders,
    read_frame,
    straightened,
    write_frame,
    write_recording,
)
from falsework.model.errors import BadFile, BadInput
from falsework.model.perception.frames import Frame, rays
from falsework.perception.cameras.noise import Noise
from falsework.perception.cameras.recordings import Recorder, Replay
from falsework.perception.cameras.simulated import SimulatedCamera, looking_at
from falsework.perception.scenes.scene import Scene

K = np.array([[100.0, 0, 31.5], [0, 100.0, 23.5], [0, 0, 1]])


def a_frame(time_s: float = 0.0) -> Frame:
    rng = np.random.default_rng(0)
    depth = rng.uniform(0.3, 0.9, (48, 64))
    depth[3, 4] = 0
    return Frame(rng.integers(0, 256, (48, 64, 3)).astype(np.uint8), depth, K, np.eye(4), time_s, "above")


def test_a_frame_comes_back(tmp_path: Path) -> None:
    frame = a_frame(1.5)
    write_frame(frame, tmp_path / "f", depth_scale=0.0001)
    again = read_frame(tmp_path / "f")
    assert np.array_equal(again.rgb, frame.rgb) and (again.time_s, again.camera) == (1.5, "above")
    assert np.abs(again.depth_m - frame.depth_m).max() <= 0.5001e-4
    assert not again.known[3, 4] and np.array_equal(again.K, frame.K)


def test_a_recording_is_played_in_order_and_then_ends(tmp_path: Path) -> None:
    assert write_recording([a_frame(0.1 * n) for n in range(3)], tmp_path / "r") == 3
    camera = Replay(tmp_path / "r")
    assert len(camera) == 3 and camera.name == "above"
    assert [camera.look().time_s for _ in range(3)] == pytest.approx([0, 0.1, 0.2])
    with pytest.raises(BadInput, match="ended, after 3 frames"):
        camera.look()


def test_a_recorder_writes_what_it_sees(tmp_path: Path) -> None:
    camera = SimulatedCamera(
        "above", lambda: Scene(()), looking_at(np.array([0, 0, 0.5]), np.zeros(3)), K, (64, 48), Noise()
    )
    recorder = Recorder(camera, tmp_path)
    seen = [recorder.look() for _ in range(2)]
    played = Replay(tmp_path)
    assert recorder.name == played.name == "above"
    for frame in seen:
        assert np.array_equal(played.look().rgb, frame.rgb)


def test_straightening_undoes_a_lens() -> None:
    """A picture of the lens's own bent coordinates, straightened, shows where each ray was bent to."""
    coefficients = np.array([-0.3, 0.1, 0.001, -0.002, 0.05])
    v, u = np.mgrid[:48, :64].astype(float)
    picture = np.stack([4 * u, 5 * v, 0 * u], axis=-1).astype(np.uint8)
    rgb, depth = straightened(picture, np.full((48, 64), 0.5), K, coefficients)
    x, y = rays(K, 48, 64)[30, 50, :2]
    r2 = x * x + y * y
    radial = 1 - 0.3 * r2 + 0.1 * r2**2 + 0.05 * r2**3
    column = 100 * (x * radial + 2 * 0.001 * x * y - 0.002 * (r2 + 2 * x * x)) + 31.5
    row = 100 * (y * radial + 0.001 * (r2 + 2 * y * y) - 2 * 0.002 * x * y) + 23.5
    assert rgb[30, 50].tolist() == pytest.approx([4 * column, 5 * row, 0], abs=1)
    assert depth[30, 50] == 0.5


def test_a_lens_that_bends_nothing_changes_nothing() -> None:
    frame = a_frame()
    rgb, depth = straightened(frame.rgb, frame.depth_m, K, np.zeros(4))
    assert np.array_equal(rgb, frame.rgb) and np.array_equal(depth, frame.depth_m)


def _changed(folder: Path, **keys: Any) -> None:
    file = folder / "camera.yaml"
    document = yaml.safe_load(file.read_text())
    file.write_text(yaml.safe_dump({key: one for key, one in {**document, **keys}.items() if one is not None}))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"K": None}, "camera.yaml: there is no 'K'"),
        ({"K": [[1, 2, 3]]}, "K: found a list of 1, expected 3 rows of 3"),
        ({"K": [[100, 0, 23.5], [0, 100, 50.0], [0, 0, 1]]}, "swapped|another size"),
        ({"T_base_cam": [[1, 0, 0, n] for n in range(4)]}, "T_base_cam"),
        ({"depth_scale": 1.0}, "millimetres"),
        ({"depth_scale": 0.0}, "depth_scale: found 0.0"),
        ({"depth_scle": 0.001}, "did you mean 'depth_scale'"),
        ({"distortion": [0.1, 0.2]}, "distortion: .*4, 5 or 8"),
    ],
)
def test_numbers_that_no_camera_has_are_refused(tmp_path: Path, keys: dict[str, Any], message: str) -> None:
    write_frame(a_frame(), tmp_path)
    _changed(tmp_path, **keys)
    with pytest.raises(BadFile, match=message) as why:
        read_frame(tmp_path)
    assert "\n" not in str(why.value)


@pytest.mark.parametrize(
    ("name", "picture", "message"),
    [
        ("depth.png", np.zeros((48, 64), np.uint8), "1 channel of 8 bit, expected one channel of 16 bit"),
        ("depth.png", np.zeros((24, 32), np.uint16), "align depth to colour"),
        ("rgb.png", np.zeros((48, 64), np.uint8), "expected three channels of 8 bit"),
        ("rgb.png", None, "is no PNG picture"),
    ],
)
def test_pictures_of_another_kind_are_refused(tmp_path: Path, name: str, picture: Any, message: str) -> None:
    write_frame(a_frame(), tmp_path)
    if picture is None:
        (tmp_path / name).write_bytes(b"GIF89a and so on")
    else:
        Image.fromarray(picture).save(tmp_path / name)
    with pytest.raises(BadFile, match=message):
        read_frame(tmp_path)


def test_what_is_no_folder_of_frames_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="holds no frame"):
        frame_folders(tmp_path)
    with pytest.raises(BadFile, match="is no folder"):
        read_frame(tmp_path / "there")
    with pytest.raises(BadInput, match="use a larger depth_scale"):
        write_frame(a_frame(), tmp_path, 1e-5)
