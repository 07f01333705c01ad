"""Read-only arrays for frozen dataclasses."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Bits = npt.NDArray[np.uint8]


def frozen(values: npt.ArrayLike, shape: tuple[int | None, ...] | None = None, dtype: Any = np.float64) -> Any:
    """`values` as a read-only array of its own; None in `shape` stands for any length."""
    array: Any = values if _is_frozen(values, dtype) else np.array(values, dtype=dtype)
    if shape is not None and not _fits(array.shape, shape):
        raise ValueError(f"expected an array of shape {_spelled(shape)}, found {array.shape}")
    array.setflags(write=False)
    return array


def freeze(owner: Any, **shapes: tuple[int | None, ...]) -> None:
    """Replace the named float fields of a frozen dataclass by read-only arrays of the given shapes."""
    for name, shape in shapes.items():
        object.__setattr__(owner, name, frozen(getattr(owner, name), shape))


def freeze_ints(owner: Any, **shapes: tuple[int | None, ...]) -> None:
    """The same for integer fields."""
    for name, shape in shapes.items():
        object.__setattr__(owner, name, frozen(getattr(owner, name), shape, np.int64))


def _is_frozen(values: object, dtype: Any) -> bool:
    """Already an array that nobody can write to, through no view either."""
    return (
        isinstance(values, np.ndarray) and values.dtype == dtype and not values.flags.writeable and values.base is None
    )


def _fits(found: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    if len(found) != len(wanted):
        return False
    return all([size is None or length == size for length, size in zip(found, wanted, strict=True)])  # noqa: C419


def _spelled(shape: tuple[int | None, ...]) -> str:
    return "(" + " x ".join("n" if size is None else str(size) for size in shape) + ")"
