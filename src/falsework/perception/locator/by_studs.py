"""A brick on a floor of its colour, moved until its studs are where depth sees them: its outline hardly shows there.

Heights above its top are compared with drawn studs, as in `studs_seen.py`, of which how much is seen, and how high the
top is, may be anything. What its outline and its pixels said of it counts as a measurement beside the studs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.perception.locator.solids import footprint, placed
from falsework.perception.locator.studs_seen import Top, depth_noise, drawn_studs, top_of
from falsework.perception.locator.views import View

_SHARED = 30.0  # pixels that count as one: neighbours share noise, and windows and rims are not drawn quite as they are
_SHIFT_PITCH, _TURN = 0.025, 0.02  # by how much it is moved to see what changes
_SCALE = (0.5, 1.0)  # of the studs' height that is seen through windows
_STEPS = 8
_STILL_PITCH = 0.003  # a step that is no longer worth taking


def moved_by_studs(views: Sequence[View], kind: BrickType, T_base_brick: Array, spread: Array) -> tuple[Array, Array]:
    """(pose, (3, 3) covariance of x, y (m) and yaw (rad)), from those by outline and pixels."""
    begun = np.array([*footprint(kind, T_base_brick).mean(axis=0), np.arctan2(T_base_brick[1, 0], T_base_brick[0, 0])])
    known, pitch = np.linalg.inv(spread), kind.measures.pitch_m
    here, information = begun, known
    for _ in range(_STEPS):
        off = begun - here
        outline = known / max(1.0, off @ known @ off / len(off))  # an edge may be a shadow's: what is far off says less
        information, right = outline, outline @ off
        for view in views:
            top = top_of(view, kind, _at(kind, here, T_base_brick))
            if top is not None:
                slopes, left_over = _studs_move(view, kind, here, T_base_brick, top)
                weight = 1.0 / (_SHARED * depth_noise(view) ** 2)
                information = information + weight * slopes.T @ slopes
                right = right + weight * slopes.T @ left_over
        step = np.linalg.solve(information, right)
        here = here + step
        if np.abs(step[:2]).max() < _STILL_PITCH * pitch:
            break
    return _at(kind, here, T_base_brick), np.asarray(np.linalg.inv(information))


def _studs_move(view: View, kind: BrickType, here: Array, T: Array, top: Top) -> tuple[Array, Array]:
    """((n, 3) how heights would change with x, y and yaw, (n,) what is seen that is not drawn); none knows the mean."""
    free = np.column_stack([np.ones(len(top.seen)), top.studs])
    (height, scale), *_ = np.linalg.lstsq(free, top.seen)
    slopes = np.empty((len(top.seen), 3))
    for axis, far in enumerate((_SHIFT_PITCH * kind.measures.pitch_m,) * 2 + (_TURN,)):
        move = far * np.eye(3)[axis]
        ahead, behind = (
            drawn_studs(view, kind, _at(kind, here + sign * move, T), top.room)[1][top.told] for sign in (1.0, -1.0)
        )
        slopes[:, axis] = (ahead - behind) / (2.0 * far)
    slopes *= np.clip(scale, *_SCALE)
    slopes -= free @ np.linalg.lstsq(free, slopes)[0]
    return slopes, top.seen - height - scale * top.studs


def _at(kind: BrickType, here: Array, T: Array) -> Array:
    """As high as T, with its middle at x, y, turned by yaw."""
    return placed(kind, float(here[0]), float(here[1]), float(T[2, 3]), float(here[2]))
