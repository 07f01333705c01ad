"""Holds to go as a number between −1 and 1, which a net can learn, and back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from falsework.model.arrays import Array

SCALE = 4.0  # holds to go at which a state is worth 0
MOST_SHARE = 0.999


def worth_of(holds_to_go: npt.ArrayLike) -> Array:
    """1 for none, towards −1 for very many.

    >>> worth_of([0, 4]).tolist()
    [1.0, 0.0]
    """
    holds = np.asarray(holds_to_go, dtype=float)
    return 1.0 - 2.0 * holds / (holds + SCALE)


def holds_of(worth: npt.ArrayLike) -> Array:
    """The way back; a lost state has as many as can be.

    >>> holds_of([1.0, 0.0]).tolist()
    [0.0, 4.0]
    """
    share = np.clip((1.0 - np.asarray(worth, dtype=float)) / 2.0, 0.0, MOST_SHARE)
    return SCALE * share / (1.0 - share)
