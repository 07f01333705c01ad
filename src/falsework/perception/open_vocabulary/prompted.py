"""Detections of what a prompt names, by models of others: GroundingDINO or OWLv2 for boxes, SAM for masks.

Models and their processors are read from local folders, as transformers saves them; nothing is ever fetched. Falsework
ships no weights: with those of the authors this is seed 004's chain, and how well it sees is theirs to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.errors import BadInput, shown
from falsework.model.extras import library
from falsework.model.perception.findings import Brick, Detection, LocatedPart, Refused
from falsework.model.perception.frames import Frame
from falsework.model.ports import Detector, PoseEstimator
from falsework.perception.open_vocabulary.filters import MaskFilters, measured, objection


@dataclass
class PromptedDetector:
    """A `Detector`: prompt → boxes with scores → masks → filters, the surest first; masks do not overlap.

    `name` is what the detections are called: a kind of brick, for an estimator of poses.
    """

    boxes: str | Path  # a folder with a model that finds boxes for words
    masks: str | Path  # a folder with a SAM model
    prompt: str = "lego block"
    name: str = "duplo:brick_2x4"
    threshold: float = 0.3
    most: int = 40
    filters: MaskFilters = field(default_factory=MaskFilters)
    refused: list[str] = field(default_factory=list, init=False)  # why masks of the last frame were left out

    def __post_init__(self) -> None:
        if not self.prompt.strip() or not 0 <= self.threshold < 1 or self.most < 1:
            raise BadInput("prompted detector: expected words, a threshold from 0 to 1 and one box or more")
        self._box_model, self._box_processor = _loaded(self.boxes, "AutoModelForZeroShotObjectDetection")
        self._mask_model, self._mask_processor = _loaded(self.masks, "AutoModelForMaskGeneration")

    def detect(self, frame: Frame) -> tuple[Detection, ...]:
        """What the prompt names, as far as it passes the filters."""
        boxes, scores = self.boxes_of(frame)
        self.refused = []
        if not len(boxes):
            return ()
        taken = np.zeros(frame.depth_m.shape, dtype=bool)
        found = []
        for mask, score in zip(self._masks_of(frame, boxes), scores.tolist(), strict=True):
            own: Bools = mask & ~taken
            measure = measured(frame, own, self.filters.colors)
            why = objection(measure, int(own.sum()), self.filters)
            if why or measure is None:
                self.refused.append(why)
                continue
            taken |= own
            found.append(Detection(self.name, own, score, measure.color))
        return tuple(found)

    def boxes_of(self, frame: Frame) -> tuple[Array, Array]:
        """(n, 4) boxes, left, top, right, bottom in pixels, and (n,) scores, the surest first."""
        torch, image = library("torch"), library("PIL.Image").fromarray(np.array(frame.rgb))
        words = self.prompt.strip().lower().rstrip(".")
        grounded = "grounding" in type(self._box_model).__name__.lower()
        asked = self._box_processor(images=image, text=f"{words}." if grounded else [[words]], return_tensors="pt")
        with torch.no_grad():
            answer = self._box_model(**asked)
        sizes = [(frame.height, frame.width)]
        if grounded:
            told = self._box_processor.post_process_grounded_object_detection(
                answer, asked["input_ids"], threshold=self.threshold, text_threshold=0.0, target_sizes=sizes
            )[0]
        else:
            told = self._box_processor.post_process_grounded_object_detection(
                answer, threshold=self.threshold, target_sizes=sizes
            )[0]
        scores = np.asarray(told["scores"], dtype=float)
        boxes = np.asarray(told["boxes"], dtype=float).reshape(-1, 4)
        boxes = np.clip(boxes, 0, [frame.width - 1, frame.height - 1] * 2)
        order = [n for n in np.argsort(-scores, kind="stable") if (boxes[n, 2:] - boxes[n, :2] >= 2).all()][: self.most]
        return boxes[order], np.clip(scores[order], 0, 1)

    def _masks_of(self, frame: Frame, boxes: Array) -> Sequence[Bools]:
        torch, image = library("torch"), library("PIL.Image").fromarray(np.array(frame.rgb))
        asked = self._mask_processor(image, input_boxes=[boxes.tolist()], return_tensors="pt")
        with torch.no_grad():
            answer = self._mask_model(**asked, multimask_output=False)
        masks = self._mask_processor.post_process_masks(
            answer.pred_masks, asked["original_sizes"], asked["reshaped_input_sizes"]
        )[0]
        return list(np.asarray(masks[:, 0], dtype=bool))


def prompted_poses(frame: Frame, detector: Detector, estimator: PoseEstimator) -> list[Brick | LocatedPart | Refused]:
    """The whole chain: what was detected, each with its pose, or refused."""
    return [estimator.estimate(frame, one) for one in detector.detect(frame)]


def _loaded(folder: str | Path, kind: str) -> tuple[Any, Any]:
    """A model and its processor from a folder of the user's; BadInput where there is none that can be read."""
    transformers, _ = library("transformers"), library("torch")
    path = Path(folder)
    if not (path / "config.json").is_file():
        raise BadInput(
            f"{path}: holds no model: expected a folder with config.json and weights, as transformers saves it"
        )
    try:
        model = getattr(transformers, kind).from_pretrained(path, local_files_only=True).eval()
        processor = transformers.AutoProcessor.from_pretrained(path, local_files_only=True, backend="pil")
    except (OSError, ValueError, KeyError, TypeError) as why:
        raise BadInput(f"{path}: no model of the kind that is needed ({shown(str(why))})") from why
    return model, processor
