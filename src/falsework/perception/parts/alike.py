"""Poses of a part that look nearly alike: a bar turned end for end, or onto its next side, shows much the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from falsework.model.arrays import Array
from falsework.model.poses import inverse
from falsework.perception.parts.templates import PartModel, lying
from falsework.perception.parts.twins import is_symmetry, same_outside

_APART = 0.03  # of its size: two poses whose surfaces are nearer everywhere may be one,
_TURNED = 0.17  # rad, if neither is turned by more than this against the other, or the part looks the same so turned


@dataclass
class Fit:
    """A part where it may lie."""

    part: PartModel
    T_base_part: Array
    agrees: float = 0.0  # share of the pixels whose depth is the part's
    score: float = 0.0  # that share, less for a part that is too high or too low
    information: Array | None = None  # (3, 3) of x, y and yaw about its middle, 1/m²
    alike: tuple[Array, ...] = ()  # other poses with the same outside that depth does not tell from this one


def once(fits: Sequence[Fit]) -> list[Fit]:
    """Each pose once."""
    kept: list[Fit] = []
    for fit in fits:
        if not any(coincide(fit, other) for other in kept):
            kept.append(fit)
    return kept


def coincide(one: Fit, other: Fit) -> bool:
    """Whether two poses of one part, or of two of one shape and name, fill the same room."""
    if one.part is not other.part:
        return False
    T = inverse(one.T_base_part) @ other.T_base_part
    placed = other.part.surface.corners.reshape(-1, 3) @ T[:3, :3].T + T[:3, 3]
    if np.abs(one.part.field.at(placed).distances).max() > _APART * one.part.surface.size_m:
        return False
    cosine = (float(np.trace(T[:3, :3])) - 1) / 2
    return cosine > math.cos(_TURNED) or is_symmetry(one.part, T)


def look_alikes(fit: Fit, table_m: float) -> Iterator[Fit]:
    """The part on every face that it can stand on, its length along the same line, either way round and across."""
    middle, along = _footprint(fit.part, fit.T_base_part)
    for rest in fit.part.rests:
        _, own = _footprint(fit.part, lying(fit.part, rest, 0.0, 0.0, 0.0, table_m))
        for quarter in range(4):
            T = lying(fit.part, rest, along - own + quarter * math.pi / 2, 0.0, 0.0, table_m)
            T[:2, 3] += middle - _footprint(fit.part, T)[0]
            yield replace(fit, T_base_part=T)


def turned_alike(fit: Fit, others: Iterable[Fit], near_m: float) -> list[Fit]:
    """The part where it lies, turned as these are, each way once, if its outside is the same so, to `near_m`."""
    out = [fit]
    for other in others:
        T = inverse(fit.T_base_part) @ other.T_base_part if other.part is fit.part else None
        settled = None if T is None else same_outside(fit.part, T, near_m)
        if settled is not None:
            out = once([*out, replace(fit, T_base_part=fit.T_base_part @ settled)])
    return out[1:]


def _footprint(part: PartModel, T: Array) -> tuple[Array, float]:
    """((2,) the middle of what it covers from above, the direction of its length in rad)."""
    corners = part.surface.corners.reshape(-1, 3) @ T[:2, :3].T + T[:2, 3]
    _, axes = np.linalg.eigh(np.cov(corners.T))
    return (corners.min(axis=0) + corners.max(axis=0)) / 2, math.atan2(axes[1, 1], axes[0, 1])
