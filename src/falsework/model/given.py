"""What people type, as the house takes it: one name or several, numbers however they come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.model.errors import BadInput, shown

Names = str | Iterable[str]  # of parts: "keystone" is one name, ["a", "b"] are two


def names(given: Names) -> tuple[str, ...]:
    """The names that were given; a text is one name, commas and all.

    >>> names("keystone"), names(["a", "b"])
    (('keystone',), ('a', 'b'))
    """
    if isinstance(given, str) or not isinstance(given, Iterable):  # who gives a number hears which names there are
        return (given,)
    return tuple(given)


def three(given: npt.ArrayLike | Iterable[float], what: str) -> tuple[float, float, float]:
    """Three finite numbers, from a list, a tuple, an array or anything like one; `what` they are, for the message."""
    values: Any = given if isinstance(given, np.ndarray | list | tuple) else _listed(given)
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        numbers = np.full(0, np.nan)
    if numbers.shape != (3,) or not np.isfinite(numbers).all():
        raise BadInput(f"{what}: found {shown(_plain(values))}, expected three finite numbers")
    x, y, z = numbers.tolist()
    return x, y, z


def _listed(given: object) -> object:
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str) else given


def _plain(given: object) -> object:
    return given.tolist() if isinstance(given, np.ndarray) else given
