"""A supposed brick, moved until pixels speak for it: where outlines of its own colour lead it astray.

A brick on another of its colour has edges inside its outline that are stronger than the outline itself, and on a table
of its colour it has hardly any. All its pixels together still say where it is, though only to a part of a pixel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.perception.locator.aligning import Aligned, aligned, resting
from falsework.perception.locator.solids import placed
from falsework.perception.locator.supposed import Supposed
from falsework.perception.locator.views import View

_ASTRAY_PX = 0.4  # an outline that misses by more may be another's
_SPEAK_AGAINST = 0.05  # of the pixels, or more: its own place would have fewer
_MUCH_DOUBT = 0.1  # so many of them are enough: its outline may fit edges of another brick perfectly
_STEPS = ((0.1, 0.06), (0.05, 0.03), (0.02, 0.015))  # of the pitch, and rad
_MOST_MOVES = 12  # of one size
_NEAR_REACHES = (1.5,) * 6  # px
_WHOLE_REACHES = (2.5, *(2.0,) * 8)  # px

Weigh = Callable[[BrickType, int, Aligned], Supposed]


def settled(views: Sequence[View], chosen: Sequence[Supposed], weigh: Weigh) -> list[Supposed]:
    """Those of the chosen that do not fit as they are, each where more pixels speak for it, or most of its edges."""
    return [
        *(_settled(views, one, weigh) for one in chosen if _astray(one)),
        *(_by_whole_edges(views, one, weigh) for one in chosen if one.misfit > 0),
    ]


def _by_whole_edges(views: Sequence[View], one: Supposed, weigh: Weigh) -> Supposed:
    """Where its outline has it if an edge that is off, a shadow's or an equal neighbour's, counts little."""
    lies = aligned(views, one.kind, one.T_base_brick, one.label, reaches=_WHOLE_REACHES, whole=True)
    return weigh(one.kind, one.label, resting(views, one.kind, lies.T_base_brick, one.label))


def _astray(one: Supposed) -> bool:
    doubt = one.against / max(one.against + len(one.shows), 1.0)
    return doubt > _MUCH_DOUBT or one.misfit > 0 or (doubt > _SPEAK_AGAINST and one.aligned.miss_px > _ASTRAY_PX)


def _settled(views: Sequence[View], one: Supposed, weigh: Weigh) -> Supposed:
    pitch = one.kind.measures.pitch_m
    here, best = np.array([*one.middle_m, one.yaw]), one
    for shift, turn in _STEPS:
        for _ in range(_MOST_MOVES):
            moves = here + np.array([shift * pitch, shift * pitch, turn]) * _WAYS
            tried = [weigh(one.kind, one.label, _at(views, one, move, ())) for move in moves]
            most = max(range(len(tried)), key=lambda at: tried[at].worth)
            if tried[most].worth <= best.worth:
                break
            here, best = moves[most], tried[most]
    by_outline = weigh(one.kind, one.label, _at(views, one, here, _NEAR_REACHES))
    if by_outline.worth >= 0.98 * best.worth:
        return by_outline
    return weigh(one.kind, one.label, resting(views, one.kind, _pose(one, here), one.label, _NEAR_REACHES[0]))


_WAYS = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=float)


def _at(views: Sequence[View], one: Supposed, pose: Array, reaches: Sequence[float]) -> Aligned:
    """Aligned from there by outlines within reach."""
    return aligned(views, one.kind, _pose(one, pose), one.label, reaches=reaches)


def _pose(one: Supposed, pose: Array) -> Array:
    return placed(one.kind, float(pose[0]), float(pose[1]), one.bottom_m, float(pose[2]))
