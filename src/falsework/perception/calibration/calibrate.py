"""`calibrate`: from folders of pictures to a lens and a mount."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from falsework.formats.perception.frame_folders import CAMERA, COLOUR, read_picture
from falsework.model.arrays import Array
from falsework.model.errors import BadFile, BadInput, shown
from falsework.model.verbs import verb
from falsework.perception.calibration.boards import Board, Seen, corners_seen
from falsework.perception.calibration.calibrating import HandEye, Intrinsics, Mounted, hand_eye, intrinsics


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A lens and, where the pictures say where the hand was, a mount."""

    lens: Intrinsics
    mount: HandEye | None
    used: tuple[str, ...]  # folders
    left_out: tuple[tuple[str, str], ...]  # folders without a board that could be used, and why

    def as_dict(self) -> dict[str, Any]:
        """What the command prints as JSON."""
        lens: dict[str, Any] = {"K": self.lens.K.tolist(), "distortion": self.lens.distortion.tolist()}
        lens |= {"residual_px": self.lens.residual_px, "deviation_px": self.lens.deviation_px.tolist()}
        told: dict[str, Any] = {**lens, "pictures": len(self.used), "mounted": None}
        told["left_out"] = [{"folder": folder, "why": why} for folder, why in self.left_out]
        if self.mount is not None:
            told |= {"mounted": self.mount.mounted, "T_mount_cam": self.mount.T_mount_cam.tolist()}
            told |= {"mount_residual_px": self.mount.residual_px, "covariance": self.mount.covariance.tolist()}
            told |= {"deviation_m": self.mount.deviation_m, "deviation_deg": self.mount.deviation_deg}
        return told


@verb()
def calibrate(
    folders: Iterable[str | os.PathLike[str]], *, board: str | Board = "7x5:0.03:0.022", mounted: str = "hand"
) -> Calibration:
    """Lens and mount of a camera from pictures of a ChArUco board, with what they leave of its corners.

    folders  each with an rgb.png; with a camera.yaml that has T_base_flange where the mount is wanted too; or
             folders of such folders
    board    squares, their side and the markers' in m, perhaps the dictionary: 7x5:0.03:0.022:5X5_100
    mounted  hand: the camera rides on the flange and the board lies still; stand: the other way round

    >>> try:
    ...     calibrate(["examples"])
    ... except BadInput as why:
    ...     print(why)
    examples: holds no picture: there is no rgb.png in it, nor in a folder of it
    """
    if mounted not in get_args(Mounted):
        raise BadInput(f"mounted: found {shown(mounted)}, expected hand or stand")
    told = board if isinstance(board, Board) else Board.of(board)
    views: list[tuple[str, Seen, Array | None]] = []
    left_out: list[tuple[str, str]] = []
    size: tuple[int, int] | None = None
    for folder in _each(folders):
        rgb, hand = read_picture(folder)
        across, down = rgb.shape[1], rgb.shape[0]
        if size is not None and size != (across, down):
            wrong = f"found {across} x {down} pixels, but {size[0]} x {size[1]} in {views[0][0] if views else 'others'}"
            raise BadFile(Path(folder) / COLOUR, "", f"{wrong}; one camera has one size")
        size = (across, down)
        try:
            views.append((str(folder), corners_seen(told, rgb), hand))
        except BadInput as why:
            left_out.append((str(folder), str(why)))
    if not views or size is None:
        raise BadInput(f"no picture shows the board: {left_out[0][1] if left_out else 'there is no picture'}")
    lens = intrinsics([seen for _, seen, _ in views], size)
    hands = [hand for _, _, hand in views if hand is not None]
    if hands and len(hands) < len(views):
        silent = next(folder for folder, _, hand in views if hand is None)
        raise BadFile(
            Path(silent) / CAMERA, "", "does not say T_base_flange, which others do; say it in all or in none"
        )
    mount = None
    if hands:
        seen = [one for _, one, _ in views]
        mount = hand_eye(seen, np.array(hands), lens.K, lens.distortion, "hand" if mounted == "hand" else "stand")
    return Calibration(lens, mount, tuple(folder for folder, _, _ in views), tuple(left_out))


def _each(folders: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The folders that hold a picture, those inside of others in the order of their names."""
    found = []
    for one in folders:
        path = Path(one)
        if not path.is_dir():
            raise BadFile(path, "", f"is no folder; expected one with {COLOUR} in it")
        if (path / COLOUR).is_file():
            found.append(path)
            continue
        inside = sorted(each for each in path.iterdir() if (each / COLOUR).is_file())
        if not inside:
            raise BadFile(path, "", f"holds no picture: there is no {COLOUR} in it, nor in a folder of it")
        found += inside
    return found
