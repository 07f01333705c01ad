"""A picture of colour and depth, with where it was taken from: what every camera gives and every locator takes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.model.arrays import Array, Bits, freeze, frozen
from falsework.model.errors import BadInput, shown
from falsework.model.poses import is_rigid
from falsework.model.travel import MadeAnew

FARTHEST_M = 20.0  # that a camera over a table sees, or stands from the base: more is another unit
NEAREST_M = 0.02
NARROWEST, WIDEST = 8.0, 0.2  # focal length over the picture's longer side: 7 and 136 degrees
OFF_CENTRE = 0.08  # of the longer side: farther from the middle a principal point is asked whether it is swapped
FARTHEST_OFF = 0.25  # of the longer side: none is farther
UNEQUAL = 1.25  # the two focal lengths of a camera differ by less


@dataclass(frozen=True, slots=True, eq=False)
class Frame(MadeAnew):
    """Colour and depth of the same pixels, seen by a camera that looks along its z axis, x right, y down.

    Pixel (row, column) is at (u, v) = (column, row): a point x of the camera's frame is seen where K·x / x_z says, and
    the middle of the first pixel is (0, 0). `depth_m` is along the camera's z axis, not along the ray. A depth of 0 is
    a hole, where the sensor knows nothing; NaN and infinity are holes too and become 0.

    >>> K = [[600, 0, 319.5], [0, 600, 239.5], [0, 0, 1]]
    >>> frame = Frame(np.zeros((480, 640, 3), np.uint8), np.full((480, 640), 0.5), K, np.eye(4))
    >>> frame.height, frame.width, frame.known.all()
    (480, 640, np.True_)
    """

    rgb: Bits  # (h, w, 3) uint8
    depth_m: Array  # (h, w) along z, 0 where unknown
    K: Array  # (3, 3) pixels
    T_base_cam: Array  # (4, 4) maps the camera's coordinates to the base's, which are the cell's world
    time_s: float = 0.0
    camera: str = "camera"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rgb", _colour(self.rgb))
        height, width = self.rgb.shape[:2]
        object.__setattr__(self, "depth_m", _depth(self.depth_m, height, width))
        _freeze_matrix(self, "K", 3)
        refuse_no_camera_matrix(self.K, width, height)
        _freeze_matrix(self, "T_base_cam", 4)
        _refuse_no_pose(self.T_base_cam)
        if not math.isfinite(self.time_s):
            raise BadInput(f"time_s: found {self.time_s}, expected seconds")

    @property
    def height(self) -> int:
        return int(self.rgb.shape[0])

    @property
    def width(self) -> int:
        return int(self.rgb.shape[1])

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """(h, w) where depth is known."""
        return np.asarray(self.depth_m > 0)

    def points_m(self) -> Array:
        """(h, w, 3) what each pixel sees, in the camera's frame; holes are at the origin."""
        return rays(self.K, self.height, self.width) * self.depth_m[..., None]


def rays(K: Array, height: int, width: int) -> Array:
    """(h, w, 3) where pixels look, in the camera's frame, of length 1 along z.

    >>> rays(np.array([[100, 0, 1], [0, 100, 1], [0, 0, 1.0]]), 3, 3)[1, 2].tolist()
    [0.01, 0.0, 1.0]
    """
    v, u = np.mgrid[:height, :width].astype(float)
    y = (v - K[1, 2]) / K[1, 1]
    x = (u - K[0, 2] - K[0, 1] * y) / K[0, 0]
    return np.stack([x, y, np.ones_like(x)], axis=-1)


def _colour(values: Any) -> Bits:
    given = np.asarray(values)
    if given.ndim != 3 or given.shape[2] != 3 or 0 in given.shape:
        raise BadInput(f"rgb: found an array of shape {given.shape}, expected (height, width, 3)")
    if given.dtype != np.uint8:
        raise BadInput(f"rgb: found numbers of type {given.dtype}, expected uint8, 0 to 255")
    picture: Bits = frozen(values, (None, None, 3), np.uint8)
    return picture


def _depth(values: Any, height: int, width: int) -> Array:
    given = np.asarray(values)
    if given.shape != (height, width):
        wrong = f"found {given.shape}, but the colour picture is {(height, width)}"
        raise BadInput(f"depth_m: {wrong}; align depth to colour first")
    if given.dtype.kind not in "fiu":
        raise BadInput(f"depth_m: found numbers of type {given.dtype}, expected metres")
    known = np.isfinite(given) & (given != 0)
    if known.any():
        least, middle = float(given[known].min()), float(np.median(given[known]))
        if least < 0:
            raise BadInput(f"depth_m: found {least:.4g} m, expected 0 (unknown) or more")
        if not NEAREST_M <= middle <= FARTHEST_M:
            hint = "millimetres? use a depth scale of 0.001" if middle > FARTHEST_M else "is the depth scale right?"
            raise BadInput(
                f"depth_m: half of the pixels are nearer than {middle:.4g} m, expected {NEAREST_M} to {FARTHEST_M:g}; "
                + hint
            )
    clean = given if known.all() and given.dtype == np.float64 else np.where(known, given, 0).astype(float)
    depth: Array = frozen(clean, (height, width))
    return depth


def _freeze_matrix(owner: Frame, name: str, size: int) -> None:
    try:
        freeze(owner, **{name: (size, size)})
    except (TypeError, ValueError) as why:
        raise BadInput(f"{name}: found {shown(getattr(owner, name))}, expected {size} rows of {size} numbers") from why


def refuse_no_camera_matrix(K: Array, width: int, height: int) -> None:
    """BadInput where K (3, 3) is not the matrix of a camera with so many pixels."""
    if not np.isfinite(K).all() or K[2].tolist() != [0, 0, 1] or K[1, 0] != 0:
        turned = " (it looks transposed)" if np.isfinite(K).all() and K[:, 2].tolist() == [0, 0, 1] else ""
        raise BadInput(f"K: found {K.tolist()}, expected [[fx, s, cx], [0, fy, cy], [0, 0, 1]]{turned}")
    fx, fy, cx, cy = float(K[0, 0]), float(K[1, 1]), float(K[0, 2]), float(K[1, 2])
    longer = max(width, height)
    if not (WIDEST * longer <= fx <= NARROWEST * longer and WIDEST * longer <= fy <= NARROWEST * longer):
        allowed = f"{WIDEST * longer:g} to {NARROWEST * longer:g} pixels for a picture of {width} x {height}"
        raise BadInput(f"K: found focal lengths {fx:g} and {fy:g}, expected {allowed}")
    if not 1 / UNEQUAL <= fx / fy <= UNEQUAL:
        raise BadInput(f"K: found focal lengths {fx:g} and {fy:g}, expected nearly equal ones; is an entry misplaced?")
    away = math.hypot(cx - width / 2, cy - height / 2)
    swapped = math.hypot(cy - width / 2, cx - height / 2) < 0.5 * away
    if away > FARTHEST_OFF * longer or (away > OFF_CENTRE * longer and swapped):
        hint = "are x and y swapped?" if swapped else "is K that of a picture of another size?"
        middle = f"({width / 2:g}, {height / 2:g})"
        raise BadInput(f"K: its middle ({cx:g}, {cy:g}) is far from the picture's {middle}; {hint}")


def _refuse_no_pose(T: Array) -> None:
    if not is_rigid(T):
        raise BadInput("T_base_cam: found a matrix that is no rotation and translation of finite numbers")
    away = float(np.linalg.norm(T[:3, 3]))
    if away > FARTHEST_M:
        raise BadInput(f"T_base_cam: found a camera {away:.4g} m from the base, expected metres up to {FARTHEST_M:g}")
