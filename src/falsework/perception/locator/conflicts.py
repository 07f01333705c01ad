"""Which supposed bricks exclude each other: they share room, cannot be pressed onto each other, or are one together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.model.catalogue import BrickType
from falsework.perception.locator.clutched import jams
from falsework.perception.locator.packing import pairs_overlap
from falsework.perception.locator.supposed import Supposed

_SHARED_PITCH = 0.15  # what overlaps by more shares room,
_UNDER_PITCH = 0.4  # or, one upon the other, studs
_APART_PITCH = 0.12  # what outlines that lie against each other do not miss by
_APART_PX, _APART_SHARE = 20.0, 0.01  # what a picture may mislead by, as of rivals
_FLUSH_PITCH, _FLUSH_SINE = 0.3, 0.2  # shadows lead each of two bricks astray by 1 to 2 px: so they may still be flush


def conflicts(those: Sequence[Supposed], catalogue: Sequence[BrickType]) -> list[tuple[int, int]]:
    """Pairs that share room, pairs that cannot stand on each other, and pairs that would be one of the catalogue."""
    if len(those) < 2:
        return []
    middles = np.array([one.middle_m for one in those])
    reach = np.array([np.hypot(*one.kind.size_m[:2]) / 2 for one in those])
    low = np.array([one.bottom_m for one in those])
    high = np.array([one.top_m for one in those])
    beside = np.linalg.norm(middles[:, None] - middles[None], axis=2) < reach[:, None] + reach[None]
    level = (low[:, None] < high[None] - 1e-3) & (low[None] < high[:, None] - 1e-3)
    kinds = {(one.system, one.plates, min(one.length, one.width), max(one.length, one.width)) for one in catalogue}
    corners, pitch = np.array([one.corners_m for one in those]), those[0].kind.measures.pitch_m
    near = np.argwhere(np.triu(beside & level, 1))
    overlap = pairs_overlap(corners[near[:, 0]], corners[near[:, 1]], _SHARED_PITCH * pitch)
    names = np.array([(one.label, one.kind.plates, one.kind.family == "slope") for one in those])
    level = (names[:, None] == names[None]).all(axis=2) & (np.abs(low[:, None] - low[None]) < 1e-3)
    for at in np.flatnonzero(~overlap & level[near[:, 0], near[:, 1]]):
        one, other = those[near[at, 0]], those[near[at, 1]]
        overlap[at] = _merge(one, other, kinds) and not _seen_apart(one, other, those)
    pairs = [(a, b) for a, b in near[overlap].tolist()]
    upon = np.argwhere(beside & (np.abs(high[:, None] - low[None]) < 1e-3))
    upon = upon[pairs_overlap(corners[upon[:, 0]], corners[upon[:, 1]], _UNDER_PITCH * pitch)]
    return pairs + [(a, b) for a, b in upon.tolist() if jams(those[a], those[b])]


def _seen_apart(one: Supposed, other: Supposed, those: Sequence[Supposed]) -> bool:
    """Whether the two lie apart and pixels speak against every brick that they would be: something is between them."""
    both = np.vstack([one.corners_m, other.corners_m]) @ one.T_base_brick[:2, :2] / one.kind.measures.pitch_m
    spans = both.max(axis=0) - both.min(axis=0)
    if (spans - np.rint(spans)).max() < _APART_PITCH:
        return False
    x, y = (np.array(one.middle_m) + other.middle_m) / 2
    pitch, apart = one.kind.measures.pitch_m, _APART_PX + _APART_SHARE * (len(one.shows) + len(other.shows))
    whole = [
        two.worth
        for two in those
        if two.label == one.label
        and abs(two.bottom_m - one.bottom_m) < 1e-3
        and two.kind.length * two.kind.width == one.kind.length * one.kind.width + other.kind.length * other.kind.width
        and np.hypot(two.middle_m[0] - x, two.middle_m[1] - y) < _FLUSH_PITCH * pitch
    ]
    if not whole or one.worth + other.worth <= max(whole) + apart:
        return False
    shown = len(np.union1d(one.shows, other.shows)) - 2.0 * (one.against + other.against)
    return bool(shown > max(whole) + apart)


def _merge(one: Supposed, other: Supposed, kinds: set[tuple[str, int, int, int]]) -> bool:
    """Whether two of one colour and height, end to end, look like one brick: then they count as that one."""
    if one.kind.family == "slope":
        return False
    pitch = one.kind.measures.pitch_m
    axes = one.T_base_brick[:2, :2]
    if abs(np.sin(2 * np.arctan2(*(axes.T @ other.T_base_brick[:2, 0])[::-1]))) > _FLUSH_SINE:
        return False
    both = np.vstack([one.corners_m, other.corners_m]) @ axes / pitch
    spans = both.max(axis=0) - both.min(axis=0)
    cells = np.rint(spans)
    if np.abs(spans - cells).max() > _FLUSH_PITCH:
        return False
    area = one.kind.length * one.kind.width + other.kind.length * other.kind.width
    if int(cells[0] * cells[1]) != area:
        return False
    return (one.kind.system, one.kind.plates, int(cells.min()), int(cells.max())) in kinds
