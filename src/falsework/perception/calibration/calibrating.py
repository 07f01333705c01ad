"""Intrinsics and hand-eye calibration, both by least squares over the pixels at which corners were seen.

Intrinsics: OpenCV's calibration. Hand-eye: a closed form (Park and Martin's) begins; then the two unknown poses are
moved together until the corners of all pictures fall where they were seen, as well as they can. A camera on a hand
that looks at a board on the table and one on a stand that looks at a board in a hand are the same problem:

    hand:   T_base_flange(i) · T_flange_cam · T_cam_board(i) = T_base_board
    stand:  T_flange_base(i) · T_base_cam   · T_cam_board(i) = T_flange_board
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import least_squares

from falsework.model.arrays import Array, freeze
from falsework.model.errors import BadInput
from falsework.model.extras import library
from falsework.model.perception.frames import refuse_no_camera_matrix
from falsework.model.poses import exponential, inverse, logarithm
from falsework.model.travel import MadeAnew
from falsework.perception.calibration.boards import Seen

Mounted = Literal["hand", "stand"]
FEWEST_VIEWS = 3
LEAST_TURN_DEG = 5.0  # by which views must differ, about two axes


@dataclass(frozen=True, slots=True, eq=False)
class Intrinsics(MadeAnew):
    """A lens: K and Brown's five coefficients, with what they leave of the corners."""

    K: Array  # (3, 3)
    distortion: Array  # (5,) k1, k2, p1, p2, k3
    residual_px: float  # root of the mean square over all corners
    view_residuals_px: Array  # (n,) the same of every picture
    deviation_px: Array  # (4,) standard deviations of fx, fy, cx, cy

    def __post_init__(self) -> None:
        freeze(self, K=(3, 3), distortion=(5,), view_residuals_px=(None,), deviation_px=(4,))


@dataclass(frozen=True, slots=True, eq=False)
class HandEye(MadeAnew):
    """Where a camera is on its hand, or on its stand, and where the board is; with what that leaves of the corners."""

    mounted: Mounted
    T_mount_cam: Array  # (4, 4) flange to camera, or base to camera
    T_fixed_board: Array  # (4, 4) base to board, or flange to board
    residual_px: float
    view_residuals_px: Array  # (n,)
    covariance: Array  # (6, 6) of the camera's pose: m, rad, in the camera's frame

    def __post_init__(self) -> None:
        freeze(self, T_mount_cam=(4, 4), T_fixed_board=(4, 4), view_residuals_px=(None,), covariance=(6, 6))

    @property
    def deviation_m(self) -> float:
        """Standard deviation of the camera's place, over its three axes together."""
        return math.sqrt(float(np.trace(self.covariance[:3, :3])))

    @property
    def deviation_deg(self) -> float:
        return math.degrees(math.sqrt(float(np.trace(self.covariance[3:, 3:]))))


def intrinsics(views: Sequence[Seen], pixels: tuple[int, int]) -> Intrinsics:
    """K and distortion of a camera from pictures of a board; `pixels` across and down."""
    cv2 = library("cv2")
    _refuse_few(views)
    points = [one.points_m.astype(np.float32) for one in views]
    at = [one.pixels.astype(np.float32).reshape(-1, 1, 2) for one in views]
    _, K, bent, _, _, deviations, _, each = cv2.calibrateCameraExtended(points, at, pixels, None, None)
    K = np.asarray(K, dtype=float)
    try:
        refuse_no_camera_matrix(K, *pixels)
    except BadInput as why:
        raise BadInput(
            f"the pictures do not determine the lens ({why}); tilt the board more, and fill the picture"
        ) from why
    counts = np.array([len(one.numbers) for one in views])
    per_view = np.asarray(each, dtype=float).ravel()
    total = math.sqrt(float((per_view**2 * counts).sum() / counts.sum()))
    return Intrinsics(K, np.asarray(bent, dtype=float).ravel()[:5], total, per_view, np.asarray(deviations).ravel()[:4])


def board_pose(seen: Seen, K: Array, distortion: Array) -> Array:
    """(4, 4) T_cam_board of one picture."""
    cv2 = library("cv2")
    found, turn, shift = cv2.solvePnP(seen.points_m, seen.pixels, K, distortion, flags=cv2.SOLVEPNP_ITERATIVE)
    if not (found and np.isfinite(turn).all() and np.isfinite(shift).all()):
        raise BadInput("no pose of the board fits its corners")
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = cv2.Rodrigues(turn)[0], np.asarray(shift).ravel()
    return T


def hand_eye(
    views: Sequence[Seen], T_base_flange: Array, K: Array, distortion: Array | None = None, mounted: Mounted = "hand"
) -> HandEye:
    """Where a camera is on the flange, or in the base's frame, from pictures taken at known flanges (n, 4, 4)."""
    _refuse_few(views)
    if len(T_base_flange) != len(views):
        raise BadInput(f"found {len(views)} pictures and {len(T_base_flange)} poses of the flange, expected as many")
    bent = np.zeros(5) if distortion is None else np.asarray(distortion, dtype=float)
    T_fixed_mount = T_base_flange if mounted == "hand" else inverse(T_base_flange)
    _refuse_alike(T_fixed_mount)
    boards = np.array([board_pose(one, K, bent) for one in views])
    start = closed_form(T_fixed_mount, boards)
    board = _mean_pose(T_fixed_mount @ start @ boards)

    def poses(x: Array) -> tuple[Array, Array]:
        return start @ exponential(x[:6]), board @ exponential(x[6:])

    def misses(x: Array) -> Array:
        T_mount_cam, T_fixed_board = poses(x)
        T_cam_board = inverse(T_fixed_mount @ T_mount_cam) @ T_fixed_board
        return np.concatenate(
            [
                (_seen_at(one.points_m, T, K, bent) - one.pixels).ravel()
                for one, T in zip(views, T_cam_board, strict=True)
            ]
        )

    solved = least_squares(misses, np.zeros(12), method="lm", x_scale="jac")
    T_mount_cam, T_fixed_board = poses(solved.x)
    square = misses(solved.x).reshape(-1, 2) ** 2
    each = np.split(square.sum(axis=1), np.cumsum([len(one.numbers) for one in views])[:-1])
    freedom = max(1, square.size - 12)
    slopes: Array = np.asarray(solved.jac, dtype=float)
    covariance = np.linalg.inv(slopes.T @ slopes) * (square.sum() / freedom)
    return HandEye(
        mounted,
        T_mount_cam,
        T_fixed_board,
        math.sqrt(float(square.sum(axis=1).mean())),
        np.array([math.sqrt(float(one.mean())) for one in each]),
        covariance[:6, :6],
    )


def closed_form(T_fixed_mount: Array, T_cam_board: Array) -> Array:
    """(4, 4) the X that comes nearest to A·X = X·B for all motions A of the mount and B of the board (n, 4, 4).

    Park and Martin (1994): the rotation from the turns' axes, β = R α, then the translation by least squares.
    """
    pairs = [(i, j) for i in range(len(T_fixed_mount)) for j in range(i)]
    A = np.array([inverse(T_fixed_mount[i]) @ T_fixed_mount[j] for i, j in pairs])
    B = np.array([T_cam_board[i] @ inverse(T_cam_board[j]) for i, j in pairs])
    alpha, beta = (np.array([logarithm(one)[3:] for one in many]) for many in (B, A))
    U, _, Vt = np.linalg.svd(beta.T @ alpha)
    X = np.eye(4)
    X[:3, :3] = U @ np.diag([1, 1, np.linalg.det(U @ Vt)]) @ Vt
    left = np.concatenate([one[:3, :3] - np.eye(3) for one in A])
    right = np.concatenate([X[:3, :3] @ b[:3, 3] - a[:3, 3] for a, b in zip(A, B, strict=True)])
    X[:3, 3] = np.linalg.lstsq(left, right, rcond=None)[0]
    return X


def _seen_at(points_m: Array, T_cam_board: Array, K: Array, distortion: Array) -> Array:
    """(n, 2) where points are seen through a lens."""
    local = points_m @ T_cam_board[:3, :3].T + T_cam_board[:3, 3]
    x, y = local[:, 0] / local[:, 2], local[:, 1] / local[:, 2]
    k1, k2, p1, p2, k3 = distortion.tolist()
    r2 = x * x + y * y
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    bent_x = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
    bent_y = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
    return np.column_stack([K[0, 0] * bent_x + K[0, 1] * bent_y + K[0, 2], K[1, 1] * bent_y + K[1, 2]])


def _mean_pose(T: Array) -> Array:
    """(4, 4) the middle of poses (n, 4, 4) that are near to each other."""
    middle: Array = T[0]
    for _ in range(5):
        middle = middle @ exponential(np.mean([logarithm(inverse(middle) @ one) for one in T], axis=0))
    return middle


def _refuse_few(views: Sequence[Seen]) -> None:
    if len(views) < FEWEST_VIEWS:
        raise BadInput(f"found {len(views)} pictures with a board, expected {FEWEST_VIEWS} or more; ten are good")


def _refuse_alike(T: Array) -> None:
    """Without turns about two axes a hand-eye pose is not determined."""
    turns = np.array([logarithm(inverse(T[0]) @ one)[3:] for one in T[1:]])
    second = np.linalg.svd(turns, compute_uv=False)[1] if len(turns) > 1 else 0.0
    if math.degrees(second) < LEAST_TURN_DEG:
        raise BadInput(
            f"the hand turned by {math.degrees(second):.2g} degrees about a second axis, expected {LEAST_TURN_DEG:g} "
            "or more; tilt it about two axes between pictures"
        )
