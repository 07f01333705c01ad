"""Arrays as text: base64 of typed little-endian bytes, deflated where that pays. The page has the inverse."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.model.arrays import Array

TYPES = {"f32": "<f4", "u8": "u1", "u16": "<u2", "i16": "<i2", "u32": "<u4", "i32": "<i4"}
WORTH_DEFLATING = 512  # bytes
SMALLEST_F32, LARGEST_F32 = -3.4e38, 3.4e38


def packed(values: npt.ArrayLike, kind: str) -> dict[str, Any]:
    """{"t": type, "b": base64} or {"t": type, "z": base64 of zlib}; numbers must be finite."""
    array = np.asarray(values)
    if kind == "f32":
        if not np.isfinite(array).all():
            raise ValueError("only finite numbers can be packed")
        array = np.clip(array, SMALLEST_F32, LARGEST_F32)
    data = np.ascontiguousarray(array, dtype=TYPES[kind]).tobytes()
    if len(data) >= WORTH_DEFLATING:
        smaller = zlib.compress(data, 6)
        if len(smaller) < 0.9 * len(data):
            return {"t": kind, "z": base64.b64encode(smaller).decode()}
    return {"t": kind, "b": base64.b64encode(data).decode()}


def packed_indices(values: npt.ArrayLike) -> dict[str, Any]:
    """Indices that are 0 or more, in two bytes where they fit."""
    array = np.asarray(values)
    return packed(array, "u16" if array.size == 0 or int(array.max()) < 2**16 else "u32")


def unpacked(entry: dict[str, Any]) -> npt.NDArray[Any]:
    """What `packed` was given, flat, as the page reads it."""
    data = zlib.decompress(base64.b64decode(entry["z"])) if "z" in entry else base64.b64decode(entry["b"])
    return np.frombuffer(data, dtype=TYPES[entry["t"]])


def packed_known(values: Array) -> dict[str, Any]:
    """Numbers, and which of them are known; the others are 0."""
    known = np.isfinite(values)
    return {"values": packed(np.where(known, values, 0.0), "f32"), "known": packed(known, "u8")}
