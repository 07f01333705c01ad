"""Pictures without colour: everything in them looks white, grey or black, so nothing tells which bricks are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.model.perception.findings import Refused
from falsework.perception.locator.judging import Answers
from falsework.perception.locator.labels import WITHOUT_HUE, Labels, chroma_of
from falsework.perception.locator.supposed import Supposed
from falsework.perception.locator.views import View

_BLOCK = 8  # pixels a side: so many together have little noise left
_BRIGHT = 20.0  # of 255: what is darker has no hue
_LEAST_BLOCKS = 4  # of one colour: a stud seen from afar


def is_grey(view: View) -> bool:
    """Whether no patch of a picture has a hue that others have not: a camera's tint is the same everywhere."""
    rows, columns = (side // _BLOCK for side in view.depth.shape)
    cut = view.rgb[: rows * _BLOCK, : columns * _BLOCK]
    blocks = cut.reshape(rows, _BLOCK, columns, _BLOCK, 3).mean(axis=(1, 3)).reshape(-1, 3)
    blocks = blocks[blocks.max(axis=1) > _BRIGHT]
    if not len(blocks):
        return True
    chroma = chroma_of(blocks)
    away = np.hypot(*(chroma - np.median(chroma, axis=0)).T)
    return int((away > WITHOUT_HUE).sum()) < _LEAST_BLOCKS


def refused_for_grey(answers: Answers, views: Sequence[View], labels: Labels) -> Answers:
    """The same, with bricks without hue refused where bricks may have one and no view shows any."""
    found, refused = answers
    if not found or len(labels.groups) == (labels.hueless >= 0) or not all(is_grey(view) for view in views):
        return answers
    told = Refused(
        "something of the size of a brick, but the picture has no colour anywhere: is it a grey picture?",
        np.zeros(3),
        (),
        "a picture with colours, or only white, gray or black as colours that bricks may have",
    )
    return [], [*refused, *(([one], _at(told, one)) for one, _ in found)]


def _at(told: Refused, one: Supposed) -> Refused:
    return Refused(told.why, np.array([*one.middle_m, one.bottom_m]), told.rivals, told.decide, one.extent)
