"""The referee of pictures: what could be seen at all. It knows the scene, and no locator.

Of every brick it says which share of its picture is visible, and whether the picture could be of another packing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array
from falsework.model.poses import inverse
from falsework.perception.cameras.simulated import View
from falsework.perception.scenes.ambiguity import FEWEST_PIXELS, rival_packings
from falsework.perception.scenes.drawing import Drawn, Stage
from falsework.perception.scenes.scene import Scene, SceneBrick
from falsework.perception.scenes.windows import around, cut_out


@dataclass(frozen=True, slots=True, eq=False)
class BrickTruth:
    """What there is to know of a brick in one view."""

    brick: SceneBrick
    visible: float  # share of the pixels that it would have alone, within and beyond the picture
    pixels: int  # that show it
    pixels_per_stud: float
    rivals: tuple[tuple[SceneBrick, ...], ...]  # other packings, without this brick, that look the same

    @property
    def ambiguous(self) -> bool:
        return bool(self.rivals)


def truth_of(
    scene: Scene, view: View, fewest: int = FEWEST_PIXELS, drawn: Drawn | None = None
) -> tuple[BrickTruth, ...]:
    """What there is to know of every brick: visible share, pixels, rival packings of fewer than `fewest` pixels.

    >>> from falsework.perception.scenes.random_scenes import random_scene
    >>> told = truth_of(*random_scene(3))
    >>> all(0 <= one.visible <= 1 for one in told)
    True
    """
    whole = drawn or Stage.of(scene).drawn(view.K, view.T_base_cam, view.pixels, colour=False)
    shown = np.bincount(whole.labels[whole.labels >= 0], minlength=len(scene.bricks))
    alone = [_pixels_alone(brick, view) for brick in scene.bricks]
    visible = [min(1.0, shown[n] / alone[n]) if alone[n] else 0.0 for n in range(len(scene.bricks))]
    rivals = rival_packings(scene, view, visible, fewest)
    return tuple(
        BrickTruth(brick, visible[n], int(shown[n]), _pixels_per_stud(brick, view), rivals[n])
        for n, brick in enumerate(scene.bricks)
    )


def _pixels_alone(brick: SceneBrick, view: View) -> int:
    """How many pixels it would have if it were alone, and the picture without end."""
    rows, columns = around(brick, view, margin=2, clipped=False)
    part = cut_out(view, rows, columns)
    alone = Stage.of(Scene((brick,), table=None)).drawn(part.K, part.T_base_cam, part.pixels, colour=False)
    return int((alone.labels == 0).sum())


def _pixels_per_stud(brick: SceneBrick, view: View) -> float:
    away = inverse(view.T_base_cam)[:3] @ np.append(brick.middle_m, 1.0)
    return float(math.sqrt(view.K[0, 0] * view.K[1, 1]) * brick.kind.measures.pitch_m / max(away[2], 1e-6))


def same_place(one: SceneBrick, other: SceneBrick, within_m: float = 1e-4) -> bool:
    """Whether two bricks are of one kind and at one place, by any turn that does not show."""
    if one.kind != other.kind or one.color != other.color:
        return False
    return bool(np.linalg.norm(one.middle_m - other.middle_m) < within_m and symmetric_yaw_off(one, other) < 1e-3)


def symmetric_yaw_off(one: SceneBrick, other: SceneBrick) -> float:
    """Angle (rad) between two bricks of one kind, turned about z, that shows: square ones repeat every quarter turn."""
    R: Array = one.T_base_brick[:3, :3].T @ other.T_base_brick[:3, :3]
    every = math.pi / 2 if one.kind.length == one.kind.width else math.pi
    if one.kind.family == "slope":
        every = 2 * math.pi
    yaw = math.atan2(R[1, 0], R[0, 0])
    return abs(yaw - every * round(yaw / every))
