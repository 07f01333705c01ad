"""What was found against what is there: right, wrong, refused; how far off; and whether covariances are honest.

A found brick is right if kind and colour are those of a true brick whose middle is within half a pitch and whose yaw,
by its symmetry, within 10°. Anything else that is found is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.model.perception.findings import Brick, Located, Refused
from falsework.perception.scenes.scene import SceneBrick
from falsework.perception.scenes.truth import BrickTruth

NEAR_PITCHES = 0.5
NEAR_YAW = math.radians(10.0)
INSIDE_95 = 7.815  # χ² of three: x, y, yaw


@dataclass(slots=True)
class Score:
    """Counts over many frames; errors of the bricks that were found right."""

    frames: int = 0
    visible: int = 0  # bricks ≥ 70 % visible that are not ambiguous
    recalled: int = 0
    refused: int = 0  # of those: said to be undecidable
    partly: int = 0  # bricks 30 to 70 % visible that are not ambiguous
    partly_recalled: int = 0
    ambiguous: int = 0
    ambiguous_wrong: int = 0  # a wrong brick was found where an ambiguous one lies
    found: int = 0
    wrong: int = 0
    errors_m: list[float] = field(default_factory=list)
    yaws_deg: list[float] = field(default_factory=list)
    squares: list[float] = field(default_factory=list)  # of errors, by their covariances
    cpu_s: float = 0.0

    def add(self, truth: Sequence[BrickTruth], found: Sequence[Located], refused: Sequence[Refused]) -> None:
        """Count one frame, or several views of one scene."""
        self.frames += 1
        self.found += len(found)
        right: dict[int, Located] = {}
        wrong: list[Located] = []
        for one in found:
            match = next((n for n, two in enumerate(truth) if n not in right and is_right(one, two.brick)), None)
            if match is None:
                wrong.append(one)
            else:
                right[match] = one
        self.wrong += len(wrong)
        for number, one in enumerate(truth):
            self._count(one, right.get(number), wrong, refused)

    def _count(
        self, truth: BrickTruth, right: Located | None, wrong: Sequence[Located], refused: Sequence[Refused]
    ) -> None:
        if right is not None:
            off, turned = error(right, truth.brick)
            self.errors_m.append(float(np.linalg.norm(off)))
            self.yaws_deg.append(math.degrees(abs(turned)))
            e = np.array([*off, turned])
            self.squares.append(float(e @ np.linalg.pinv(right.covariance) @ e))
        if truth.ambiguous:
            self.ambiguous += 1
            self.ambiguous_wrong += right is None and any(overlap(one, truth.brick) for one in wrong)
        elif truth.visible >= 0.7:
            self.visible += 1
            self.recalled += right is not None
            self.refused += right is None and any(_speaks_of(one, truth.brick) for one in refused)
        elif truth.visible >= 0.3:
            self.partly += 1
            self.partly_recalled += right is not None

    @property
    def recall(self) -> float:
        return self.recalled / max(1, self.visible)

    @property
    def wrong_share(self) -> float:
        """Of all that was found."""
        return self.wrong / max(1, self.found)

    @property
    def covered(self) -> float:
        """Share of truths inside the 95 % ellipse of x, y, yaw."""
        return float(np.mean(np.array(self.squares) < INSIDE_95)) if self.squares else 0.0

    def quantiles(self) -> str:
        """Errors of place and yaw: the median, and what 95 of 100 are below."""
        if not self.errors_m:
            return "nothing was found"
        place, yaw = np.quantile(self.errors_m, [0.5, 0.95]) * 1e3, np.quantile(self.yaws_deg, [0.5, 0.95])
        return f"{place[0]:.2f} / {place[1]:.2f} mm, {yaw[0]:.2f} / {yaw[1]:.2f}°"


def is_right(found: Brick, true: SceneBrick) -> bool:
    """Whether a brick is what was found, and near to where."""
    if not same_kind(found.kind, true.kind) or found.color != true.color or not true.upright:
        return False
    off, turned = error(found, true)
    height = abs(found.middle_m[2] - true.T_base_brick[2, 3])
    pitch = true.kind.measures.pitch_m
    return bool(np.linalg.norm(off) < NEAR_PITCHES * pitch and abs(turned) < NEAR_YAW and height < 0.5 * pitch)


def same_kind(one: BrickType, other: BrickType) -> bool:
    """The same, lying along either axis."""
    sides = ({one.length, one.width}, {other.length, other.width})
    return sides[0] == sides[1] and (one.system, one.family, one.plates) == (other.system, other.family, other.plates)


def error(found: Brick, true: SceneBrick) -> tuple[Array, float]:
    """(2,) m between the middles, and rad between the long sides, by the symmetry of the kind."""
    off: Array = (found.middle_m - true.middle_m)[:2]
    yaws = [math.atan2(T[1, 0], T[0, 0]) for T in (found.T_base_brick, true.T_base_brick)]
    turned = yaws[0] - yaws[1]
    if (found.kind.length > found.kind.width) != (true.kind.length > true.kind.width):
        turned += math.pi / 2
    every = math.pi / 2 if true.kind.length == true.kind.width else math.pi
    return off, turned - every * round(turned / every)


def overlap(found: Brick, true: SceneBrick) -> bool:
    """Whether a found brick lies where a true one lies, by their middles and lengths."""
    reach = 0.5 * (min(found.kind.size_m[:2]) + min(true.kind.size_m[:2])) * 0.9
    apart = found.middle_m - (true.middle_m - true.T_base_brick[:3, 2] * 0.5 * true.kind.size_m[2])
    return bool(np.linalg.norm(apart[:2]) < reach + 0.5 * _longer(true) and abs(apart[2]) < 0.5 * true.kind.size_m[2])


def _longer(brick: SceneBrick) -> float:
    return abs(brick.kind.size_m[0] - brick.kind.size_m[1])


def _speaks_of(refused: Refused, true: SceneBrick) -> bool:
    near = float(np.linalg.norm(refused.where_m[:2] - true.middle_m[:2])) < max(true.kind.size_m[:2])
    return near or any(is_right(one, true) for rival in refused.rivals for one in rival)
