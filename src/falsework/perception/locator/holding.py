"""Where a brick is in the hand, by a camera that sees the hand: outline and depth, in all six directions."""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.model.perception.findings import Brick, Held, Refused
from falsework.model.perception.frames import Frame
from falsework.model.poses import inverse
from falsework.perception.locator.aligning import LEAST_CONTRAST
from falsework.perception.locator.depth_rows import depth_rows
from falsework.perception.locator.edge_rows import edge_rows
from falsework.perception.locator.labels import Labels
from falsework.perception.locator.moving import stepped
from falsework.perception.locator.solids import edges_of, solid_of
from falsework.perception.locator.views import view_of

USUAL_NOISE = 0.0036  # 1/m: 0.08 px of disparity, seen by eyes 50 mm apart through 447 px
MOST_SHIFT_M, MOST_TURN = 0.015, 0.35  # m, rad: a hand that holds a brick so much otherwise holds something else
_EDGE_PX, _EDGES_SHARE = 0.3, 4.0  # an outline point errs by so much, and so many err together
_DEPTHS_SHARE = 60.0  # neighbouring depths share noise
_REACHES = (9.0, 7.0, 5.0, 4.0, 3.0, 2.5, 2.0, 2.0, 2.0, 2.0)  # px
_LEAST_POINTS, _LEAST_PIXELS = 20, 60


def in_hand(frame: Frame, expected: Brick, noise: float = USUAL_NOISE) -> Held | Refused:
    """The brick that a hand holds, where the frame shows it.

    `expected` is where it would be if it were held as planned: the arm's pose times the grasp's, in the base's frame,
    like the frame's own `T_base_cam`; both may come from the wrist of the same arm. `noise`: of depth, over depth².
    """
    labels = Labels.of((expected.color,))
    view = view_of(frame, labels)
    solid, edges = solid_of(expected.kind), edges_of(expected.kind)
    T = np.array(expected.T_base_brick)
    free = np.arange(6)
    A, told, deep = np.zeros((6, 6)), (0.0, 0.0, 0), (0.0, 0.0, 0)
    for reach in _REACHES:
        A, g = np.zeros((6, 6)), np.zeros(6)
        told = edge_rows(
            view.rgb, view.depth, view.labels, view.K, view.T_cam_base, T, solid, edges, 0, 0, reach, reach + 1.0,
            0.006, LEAST_CONTRAST, False, A, g,
        )  # fmt: skip
        A, g = A / (_EDGES_SHARE * _EDGE_PX**2), g / (_EDGES_SHARE * _EDGE_PX**2)
        own, right = np.zeros((6, 6)), np.zeros(6)
        tolerance = 0.004 + 0.0015 * reach
        deep = depth_rows(view.depth, view.labels, view.K, view.T_cam_base, T, solid, 0, noise, tolerance, own, right)
        A, g = A + own / _DEPTHS_SHARE, g + right / _DEPTHS_SHARE
        if told[2] + deep[2] < _LEAST_POINTS:
            break
        T, _ = stepped(T, solid, A, g, free, 1e-4)
    if told[2] < _LEAST_POINTS or deep[2] < _LEAST_PIXELS:
        return _refused(expected, f"{told[2]} points of its outline and {deep[2]} pixels of depth are too few to tell")
    miss = float(np.sqrt(told[1] / told[0]))
    away = inverse(expected.T_base_brick) @ T
    middle = Brick(expected.kind, expected.color, T).middle_m - expected.middle_m
    turn = float(np.arccos(np.clip((np.trace(away[:3, :3]) - 1) / 2, -1, 1)))
    if miss > 1.0 or np.linalg.norm(middle) > MOST_SHIFT_M or turn > MOST_TURN:
        return _refused(
            expected,
            f"what is held is {np.linalg.norm(middle) * 1e3:.1f} mm and {np.degrees(turn):.1f} degrees from the grasp, "
            f"and its outline misses by {miss:.1f} px: it is not this brick, or it has slipped",
        )
    return Held(expected.kind, expected.color, T, away, np.linalg.inv(A + 1e-3 * np.trace(A) / 6 * np.eye(6) * 1e-3))


def _refused(expected: Brick, why: str) -> Refused:
    decide = "a view of the hand from another side, or opening it over the table and looking again"
    return Refused(f"a {expected.color} {expected.kind} in the hand: {why}", expected.middle_m, (), decide)
