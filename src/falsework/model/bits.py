"""Sets of bodies: as the bits of a number, as bytes, as flags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from falsework.model.arrays import Bits, Bools

WORD, WORDS = 8, "<u8"  # bytes that numpy turns into a number by itself


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def lowest(mask: int) -> int:
    """The number of the lowest bit that is set."""
    return (mask & -mask).bit_length() - 1


def near(mask: int, neighbours: Sequence[int]) -> int:
    """Every body that is a neighbour of one of these."""
    found = 0
    for body in bits(mask):
        found |= neighbours[body]
    return found


def reached(start: int, within: int, neighbours: Sequence[int]) -> int:
    """What can be reached from a set of bodies, from neighbour to neighbour within another, the start included."""
    found, grow = 0, start
    while grow:
        found |= grow
        grow = near(grow, neighbours) & within & ~found
    return found


def flags(mask: int, count: int) -> Bools:
    """A bit mask as (count,) booleans."""
    row = np.frombuffer(mask.to_bytes(count // 8 + 1, "little"), np.uint8)
    return np.unpackbits(row, count=count, bitorder="little").view(np.bool_)


def flags_of(masks: Sequence[int], count: int) -> Bools:
    """Bit masks as (masks, count) booleans."""
    return np.unpackbits(packed(masks, count), axis=1, count=count, bitorder="little").view(np.bool_)


def packed(masks: Sequence[int], count: int) -> Bits:
    """Bit masks of `count` bodies as (masks, count / 8) bytes."""
    size = count // 8 + 1
    if size <= WORD:
        return np.array(masks, WORDS).view(np.uint8).reshape(-1, WORD)[:, :size]
    return np.frombuffer(b"".join([mask.to_bytes(size, "little") for mask in masks]), np.uint8).reshape(-1, size)


def masks(rows: Bits) -> list[int]:
    """(m, n / 8) bytes as bit masks."""
    size, whole = rows.shape[1], rows.tobytes()
    if size <= WORD:
        words = np.zeros((len(rows), WORD), np.uint8)
        words[:, :size] = rows
        few: list[int] = words.view(WORDS).ravel().tolist()
        return few
    return [int.from_bytes(whole[at : at + size], "little") for at in range(0, len(whole), size)]


def mask_of(row: Bools) -> int:
    """(n,) flags as a bit mask."""
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def masks_of(rows: Bools) -> list[int]:
    """(m, n) flags as bit masks."""
    return masks(np.packbits(rows, axis=1, bitorder="little"))
