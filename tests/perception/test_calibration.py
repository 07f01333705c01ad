"""Calibration finds the lens and the mount that drew the pictures of a board."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml

from falsework.cli import main
from falsework.formats.perception.frame_folders import png
from falsework.model.arrays import Array, Bits
from falsework.model.errors import BadInput
from falsework.model.poses import exponential, inverse, logarithm
from falsework.perception.calibration.boards import Board, Seen, corners_seen
from falsework.perception.calibration.calibrating import Mounted, board_pose, hand_eye, intrinsics
from falsework.perception.cameras.simulated import looking_at

cv2 = pytest.importorskip("cv2")

BOARD = Board((7, 5), 0.03, 0.022)
K = np.array([[610.0, 0, 322.0], [0, 605.0, 236.0], [0, 0, 1]])
LENS = np.array([-0.12, 0.05, 0.0008, -0.0005, 0.0])
T_BASE_BOARD = np.diag([1.0, -1, -1, 1])
T_BASE_BOARD[:3, 3] = 0.4, -0.1, 0.02
T_FLANGE_CAM = exponential(np.array([0.05, -0.01, 0.04, 0.05, -0.1, 1.5]))


@cache
def straight_rays() -> Array:
    """(h·w, 3) where pixels look through the lens."""
    v, u = np.mgrid[:480, :640].astype(float)
    seen_x, seen_y = (u.ravel() - K[0, 2]) / K[0, 0], (v.ravel() - K[1, 2]) / K[1, 1]
    x, y = seen_x, seen_y
    k1, k2, p1, p2, _ = LENS
    for _ in range(8):  # what the lens does, undone by turns
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * k2)
        x, y = (
            (seen_x - 2 * p1 * x * y - p2 * (r2 + 2 * x * x)) / radial,
            (seen_y - p1 * (r2 + 2 * y * y) - 2 * p2 * x * y) / radial,
        )
    return np.column_stack([x, y, np.ones(len(x))])


def photographed(T_cam_board: Array, rng: np.random.Generator) -> Bits:
    """A picture of the board through the lens: rays meet the board's plane."""
    sheet = np.pad(BOARD.picture(60), 60, constant_values=255).astype(np.float32)
    back = np.linalg.inv(T_cam_board[:3, [0, 1, 3]])
    on_board = straight_rays() @ back.T
    at = (on_board[:, :2] / on_board[:, 2:] / BOARD.square_m * 60 + 59.5).astype(np.float32).reshape(480, 640, 2)
    bright = cv2.remap(sheet, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderValue=150)
    noisy = 0.8 * bright + 20 + rng.normal(0, 2, bright.shape)
    return np.repeat(np.clip(noisy, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def eyes(count: int) -> list[Array]:
    """T_base_cam of a camera that looks at the board from several sides."""
    rng = np.random.default_rng(3)
    middle = T_BASE_BOARD[:3, 3] + [0.105, -0.075, 0]
    found = []
    for n in range(count):
        turn, lean = 2 * math.pi * n / count, math.radians(rng.uniform(15, 38))
        away = rng.uniform(0.28, 0.4)
        eye = middle + away * np.array(
            [math.sin(lean) * math.cos(turn), math.sin(lean) * math.sin(turn), math.cos(lean)]
        )
        found.append(looking_at(eye, middle + rng.uniform(-0.02, 0.02, 3), float(rng.uniform(-40, 40))))
    return found


def taken() -> list[tuple[Array, Bits]]:
    """T_base_cam and picture, nine times."""
    rng = np.random.default_rng(0)
    return [(T, photographed(inverse(T) @ T_BASE_BOARD, rng)) for T in eyes(9)]


def write_pictures(pictures: list[tuple[Array, Bits]], where: Path) -> None:
    """As `calibrate` reads them: a folder each."""
    for number, (T, rgb) in enumerate(pictures):
        folder = where / f"{number:02d}"
        folder.mkdir(parents=True)
        (folder / "rgb.png").write_bytes(png(rgb))
        hand = (T @ inverse(T_FLANGE_CAM)).tolist()
        (folder / "camera.yaml").write_text(yaml.safe_dump({"T_base_flange": hand}))


@pytest.fixture(scope="module")
def pictures() -> list[tuple[Array, Bits]]:
    return taken()


def test_the_lens_that_took_the_pictures_is_found(pictures: list[tuple[Array, Bits]]) -> None:
    found = intrinsics([corners_seen(BOARD, rgb) for _, rgb in pictures], (640, 480))
    assert found.residual_px < 0.15
    assert found.distortion[0] == pytest.approx(LENS[0], abs=0.03)
    off = np.abs(found.K - K)[[0, 1, 0, 1], [0, 1, 2, 2]]
    assert (off < 3 * found.deviation_px).all() and (found.deviation_px < 0.01 * 610).all()


def test_a_picture_says_where_the_board_is(pictures: list[tuple[Array, Bits]]) -> None:
    T, rgb = pictures[0]
    off = logarithm(inverse(inverse(T) @ T_BASE_BOARD) @ board_pose(corners_seen(BOARD, rgb), K, LENS))
    assert np.linalg.norm(off[:3]) < 5e-4 and np.degrees(np.linalg.norm(off[3:])) < 0.15


@pytest.mark.parametrize("mounted", ["hand", "stand"])
def test_the_mount_of_a_camera_is_found(pictures: list[tuple[Array, Bits]], mounted: Mounted) -> None:
    """On a hand the flange follows the camera; on a stand it carries the board, so that the pictures are the same."""
    seen = [corners_seen(BOARD, rgb) for _, rgb in pictures]
    if mounted == "hand":
        truth, flanges = T_FLANGE_CAM, np.array([T @ inverse(T_FLANGE_CAM) for T, _ in pictures])
    else:
        truth, T_flange_board = looking_at(np.array([0.3, 0.2, 0.9]), np.zeros(3)), exponential(np.full(6, 0.05))
        flanges = np.array([truth @ inverse(T) @ T_BASE_BOARD @ inverse(T_flange_board) for T, _ in pictures])
    found = hand_eye(seen, flanges, K, LENS, mounted)
    off = logarithm(inverse(truth) @ found.T_mount_cam)
    assert np.linalg.norm(off[:3]) < 3e-4 and np.degrees(np.linalg.norm(off[3:])) < 0.06
    assert found.residual_px < 0.2 and len(found.view_residuals_px) == 9
    assert np.linalg.norm(off[:3]) < 5 * found.deviation_m and found.deviation_m < 5e-4


def test_corners_that_fit_exactly_leave_nothing() -> None:
    board = np.array([[x * 0.03, y * 0.03, 0] for x in range(1, 7) for y in range(1, 5)])
    seen = []
    for T in eyes(6):
        T_cam_board = inverse(T) @ T_BASE_BOARD
        pixels = cv2.projectPoints(board, cv2.Rodrigues(T_cam_board[:3, :3])[0], T_cam_board[:3, 3], K, LENS)[0]
        seen.append(Seen(np.arange(24), board, pixels.reshape(-1, 2)))
    flanges = np.array([T @ inverse(T_FLANGE_CAM) for T in eyes(6)])
    found = hand_eye(seen, flanges, K, LENS)
    assert found.residual_px < 1e-6
    assert np.allclose(found.T_mount_cam, T_FLANGE_CAM, atol=1e-8)


def test_too_little_to_calibrate_with_is_refused(pictures: list[tuple[Array, Bits]]) -> None:
    seen = [corners_seen(BOARD, rgb) for _, rgb in pictures[:3]]
    with pytest.raises(BadInput, match="found 2 pictures"):
        intrinsics(seen[:2], (640, 480))
    with pytest.raises(BadInput, match="3 pictures and 2 poses"):
        hand_eye(seen, np.tile(np.eye(4), (2, 1, 1)), K)
    with pytest.raises(BadInput, match="tilt it about two axes"):
        hand_eye(seen, np.tile(np.eye(4), (3, 1, 1)), K)
    with pytest.raises(BadInput, match="found 0 corners and 0 markers"):
        corners_seen(BOARD, np.full((480, 640, 3), 120, np.uint8))
    with pytest.raises(BadInput, match="markers smaller than squares"):
        Board((7, 5), 0.02, 0.03)
    with pytest.raises(BadInput, match="expected squares, sides"):
        Board.of("7by5")
    with pytest.raises(BadInput, match="dictionary '5X5': did you mean"):
        Board((7, 5), 0.03, 0.02, "5X5")


def test_the_command_finds_lens_and_mount(
    pictures: list[tuple[Array, Bits]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_pictures(pictures, tmp_path)
    blank = tmp_path / "99"
    blank.mkdir()
    (blank / "rgb.png").write_bytes(png(np.full((480, 640, 3), 120, np.uint8)))
    assert main(["calibrate", str(tmp_path), "--json", "--out", str(tmp_path / "found.yaml")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["pictures"], told["mounted"]) == (9, "hand") and told["residual_px"] < 0.15
    assert [one["folder"] for one in told["left_out"]] == [str(blank)]
    off = logarithm(inverse(T_FLANGE_CAM) @ np.array(told["T_mount_cam"]))
    assert np.linalg.norm(off[:3]) < 4 * told["deviation_m"] + 5e-4
    assert yaml.safe_load((tmp_path / "found.yaml").read_text())["pictures"] == 9


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{out}/no"], "is no folder"),
        (["{out}"], "holds no picture"),
        (["{out}", "--board", "7x5"], "expected squares, sides"),
        (["{out}", "--mounted", "wall"], "expected hand or stand"),
    ],
)
def test_what_cannot_be_calibrated_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["calibrate", *(word.format(out=tmp_path) for word in words)]) == 2
    told = capsys.readouterr().err
    assert message in told and told.count("\n") == 1
