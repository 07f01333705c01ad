"""A brick on a floor of its colour, moved until its studs are where depth sees them: its outline hardly shows there.

Heights above its top are compared with drawn studs, as in `studs_seen.py`, of which how much is seen, and how high the
top is, may be anything. What its outline and its pixels said of it counts as a measurement beside the studs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.perception.locator.aligning import resting
from falsework.perception.locator.by_pixels import Weigh
from falsework.perception.locator.labels import AS_THE_FLOOR
from falsework.perception.locator.solids import footprint, placed
from falsework.perception.locator.studs_seen import Top, depth_noise, drawn_studs, top_of
from falsework.perception.locator.supposed import Supposed
from falsework.perception.locator.views import View

_SHARED = 30.0  # pixels that count as one: neighbours share noise, and windows and rims are not drawn quite as they are
_SHIFT_PITCH, _TURN = 0.025, 0.02  # by how much it is moved to see what changes
_SCALE = (0.5, 1.0)  # of the studs' height that is seen through windows
_STEPS, _WHOLE_STEPS = 16, 6  # in all, and before they are halved: pixels that come and go may throw it to and fro
_STILL_PITCH, _STILL_RAD = 0.003, 0.003  # a step that is no longer worth taking;
_LOST = 10.0  # times as much after the last one: it has come to no end
_LEAD_PITCH, _MOST_SIGMA = 0.4, 2.45  # how far studs may lead; of a place, 95 % in the plane
_LOOSE_PITCH, _LOOSE_RAD = 0.1, 0.06  # how far off one that was chosen may be
_ABOUT_PX = 3


def on_its_colour(one: Supposed, views: Sequence[View]) -> bool:
    """Whether pixels about it may be of its colour, or of the floor."""
    start = 0
    for view in views:
        rows, columns = np.divmod(
            one.shows[(one.shows >= start) & (one.shows < start + view.depth.size)] - start, view.depth.shape[1]
        )
        start += view.depth.size
        if len(rows):
            top, left = max(int(rows.min()) - _ABOUT_PX, 0), max(int(columns.min()) - _ABOUT_PX, 0)
            about = view.labels[top : rows.max() + _ABOUT_PX + 1, left : columns.max() + _ABOUT_PX + 1]
            if (about == AS_THE_FLOOR - one.label).any():
                return True
    return False


def settled_by_studs(views: Sequence[View], chosen: Sequence[Supposed], weigh: Weigh) -> list[Supposed]:
    """Those of the chosen that lie on a floor of their colour, each where its studs are, weighed there."""
    moved = []
    for one in chosen:
        if one.kind.has_studs and on_its_colour(one, views):
            loose = np.diag([_LOOSE_PITCH * one.kind.measures.pitch_m] * 2 + [_LOOSE_RAD]) ** 2
            T, _ = moved_by_studs(views, one.kind, one.T_base_brick, loose)
            moved.append(weigh(one.kind, one.label, resting(views, one.kind, T, one.label)))
    return moved


def moved_by_studs(views: Sequence[View], kind: BrickType, T_base_brick: Array, spread: Array) -> tuple[Array, Array]:
    """(pose, (3, 3) covariance of x, y (m) and yaw (rad)), from those by outline and pixels.

    Studs look the same a pitch away: a brick that may be half a pitch off, or is led that far, stays as it is told.
    """
    unmoved = np.array(T_base_brick), np.array(spread)
    if _MOST_SIGMA * np.sqrt(np.linalg.eigvalsh(spread[:2, :2]).max()) > 0.5 * kind.measures.pitch_m:
        return unmoved
    begun = np.array([*footprint(kind, T_base_brick).mean(axis=0), np.arctan2(T_base_brick[1, 0], T_base_brick[0, 0])])
    known, pitch = np.linalg.inv(spread), kind.measures.pitch_m
    small = np.array([pitch, pitch, 1.0]) * (_STILL_PITCH, _STILL_PITCH, _STILL_RAD)
    here, information, step = begun, known, small
    for number in range(_STEPS):
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
        step = np.linalg.solve(information, right) * (1.0 if number < _WHOLE_STEPS else 0.5)
        here = here + step
        if (np.abs(step) < small).all():
            break
    lost = np.abs(step) > _LOST * small
    if lost.any() or np.linalg.norm((here - begun)[:2]) > _LEAD_PITCH * pitch:
        return unmoved
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
