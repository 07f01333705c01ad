"""The locator behind the ports: a detector of bricks by colour and depth, an estimator of their poses by outline."""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from falsework.kernels.casting import NOTHING, draw
from falsework.model.catalogue import BrickType, brick_type
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Detection, Located, Refused, Workplace
from falsework.model.perception.frames import Frame
from falsework.model.perception.palette import SIX_COLORS
from falsework.model.poses import inverse
from falsework.perception.locator.judging import judged
from falsework.perception.locator.labels import NO_LABEL, Labels
from falsework.perception.locator.locating import known_kinds, locate, prepared
from falsework.perception.locator.settings import LocatorSettings
from falsework.perception.locator.solids import solid_of
from falsework.perception.locator.supposing import Supposing


@dataclass(frozen=True)
class BrickDetector:
    """A `Detector` of bricks: those that the locator finds, each with the pixels that show it."""

    place: Workplace
    kinds: Sequence[BrickType | str]
    colors: Sequence[str] = SIX_COLORS

    def detect(self, frame: Frame) -> tuple[Detection, ...]:
        """The bricks that are found; their scores are the shares of them that are seen."""
        sight = locate([frame], self.place, self.kinds, self.colors)
        if not sight.found:
            return ()
        depth, ids = np.full(frame.depth_m.shape, np.inf), np.full(frame.depth_m.shape, -1, np.int32)
        faces = np.full(frame.depth_m.shape, NOTHING, np.int8)
        K = np.array([frame.K[0, 0], frame.K[1, 1], frame.K[0, 2], frame.K[1, 2]])
        poses = inverse(sight.T_base_cam[0]) @ np.array([one.T_base_brick for one in sight.found])
        solids = np.array([solid_of(one.kind) for one in sight.found])
        draw(depth, ids, faces, K, solids, np.ascontiguousarray(poses[:, :3]))
        order = sorted(range(len(sight.found)), key=lambda at: -sight.found[at].seen)
        shown = [(sight.found[at], ids == at) for at in order]
        return tuple(Detection(str(one.kind), mask, one.seen, one.color) for one, mask in shown if mask.any())


@dataclass(frozen=True)
class OutlineEstimator:
    """A `PoseEstimator` of bricks that stand upright: supposed within the mask, drawn, fitted, compared with rivals.

    The detection's name is a kind of the catalogue; its colour may be left out.
    """

    place: Workplace
    colors: Sequence[str] = SIX_COLORS
    settings: LocatorSettings = field(default_factory=LocatorSettings)

    def estimate(self, frame: Frame, detection: Detection) -> Located | Refused:
        """Where the brick of that kind is; refused where the mask shows none, or its place is not sure."""
        if detection.mask.shape != frame.depth_m.shape:
            raise BadInput(f"mask: found {detection.mask.shape}, but the frame is {frame.depth_m.shape}")
        kinds = known_kinds([brick_type(detection.name)])
        labels = Labels.of(self.colors if detection.color is None else (detection.color,))
        view = prepared([frame], self.place, kinds, labels)[0]
        masked = replace(view, labels=np.where(detection.mask, view.labels, NO_LABEL).astype(np.int8))
        found, refused = judged(Supposing([masked], self.place, kinds, self.settings), labels)
        if found:
            return max(found, key=lambda one: one[0].worth)[1]
        if refused:
            return refused[0][1]
        return Refused(
            f"no {detection.name} explains what the mask shows", _middle(frame, detection), (), "a view from nearer"
        )


def _middle(frame: Frame, detection: Detection) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    points = frame.points_m()[detection.mask & frame.known]
    if not len(points):
        return np.zeros(3)
    middle = np.append(np.median(points, axis=0), 1.0)
    return np.asarray((frame.T_base_cam @ middle)[:3])
