"""A frame is refused, in one line, where it cannot be what a camera saw."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from falsework.model.errors import BadInput
from falsework.model.perception.frames import Frame, rays

K = np.array([[447.0, 0, 319.5], [0, 447.0, 239.5], [0, 0, 1]])


def a_frame(**changed: Any) -> Frame:
    given: dict[str, Any] = {
        "rgb": np.zeros((480, 640, 3), np.uint8),
        "depth_m": np.full((480, 640), 0.5),
        "K": K,
        "T_base_cam": np.eye(4),
    }
    return Frame(**{**given, **changed})


def test_nan_infinity_and_zero_are_holes() -> None:
    depth = np.full((480, 640), 0.5)
    depth[0, :3] = np.nan, np.inf, 0.0
    frame = a_frame(depth_m=depth)
    assert frame.depth_m[0, :4].tolist() == [0, 0, 0, 0.5]
    assert (~frame.known).sum() == 3


def test_a_frame_of_holes_only_is_a_frame() -> None:
    assert not a_frame(depth_m=np.full((480, 640), np.nan)).known.any()


def test_points_project_back_to_their_pixels() -> None:
    frame = a_frame()
    seen = frame.points_m().reshape(-1, 3) @ K.T
    v, u = np.mgrid[:480, :640]
    assert np.allclose(seen[:, :2] / seen[:, 2:], np.column_stack([u.ravel(), v.ravel()]), atol=1e-9)
    assert np.allclose(rays(K, 480, 640)[239, 319], [-0.5 / 447, -0.5 / 447, 1])


def test_a_frame_travels() -> None:
    again = pickle.loads(pickle.dumps(a_frame(time_s=2.0)))
    assert again.time_s == 2.0
    assert not again.depth_m.flags.writeable


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rgb": np.zeros((480, 640, 3))}, "rgb: found numbers of type float64, expected uint8"),
        ({"rgb": np.zeros((480, 640), np.uint8)}, r"rgb: found an array of shape \(480, 640\)"),
        ({"depth_m": np.zeros((240, 320))}, "align depth to colour first"),
        ({"depth_m": np.full((480, 640), 550.0)}, "millimetres"),
        ({"depth_m": np.full((480, 640), 550, np.uint16)}, "millimetres"),
        ({"depth_m": np.full((480, 640), 5e-4)}, "depth scale"),
        ({"depth_m": np.full((480, 640), -0.5)}, "found -0.5 m"),
        ({"K": K.T}, "looks transposed"),
        ({"K": K[[1, 0, 2]][:, [1, 0, 2]]}, "are x and y swapped"),
        ({"K": [[1.9, 0, 319.5], [0, 1.9, 239.5], [0, 0, 1]]}, "focal lengths 1.9"),
        ({"K": [[319.5, 0, 447], [0, 239.5, 447], [0, 0, 1]]}, "nearly equal"),
        ({"K": K * 2 - [[0, 0, 0], [0, 0, 0], [0, 0, 1]]}, "picture of another size"),
        ({"K": [[1, 2], [3, 4]]}, "expected 3 rows of 3 numbers"),
        ({"K": K * np.nan}, "expected \\[\\[fx"),
        ({"T_base_cam": np.diag([1, 1, -1, 1])}, "no rotation and translation"),
        ({"T_base_cam": np.eye(4) + 500 * np.eye(4, k=3)}, "found a camera 500 m"),
        ({"time_s": np.nan}, "time_s: found nan"),
    ],
)
def test_a_frame_that_no_camera_saw_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message) as why:
        a_frame(**changed)
    assert "\n" not in str(why.value)
