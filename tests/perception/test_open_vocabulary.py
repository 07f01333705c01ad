"""The chain of prompt, boxes, masks and filters: its plumbing, with tiny models that this test writes.

Their weights are random: nothing here says how well real ones see.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from falsework.model.errors import BadInput
from falsework.model.perception.findings import Brick, Detection, Refused
from falsework.model.perception.frames import Frame
from falsework.perception.cameras.noise import Noise
from falsework.perception.open_vocabulary.filters import MaskFilters, measured, nearest_color, objection
from falsework.perception.scenes.dataset import Sample, samples

ANYTHING = MaskFilters((1e-6, 10.0), 1e6, 1e-6, 1, color_off=10.0)


@pytest.fixture(scope="module")
def sample() -> Sample:
    return samples(2, "apart", Noise.none())[0]


def test_masks_of_bricks_pass_and_are_measured(sample: Sample) -> None:
    """Seen from above, a brick shows its upper side and a little of its flanks."""
    for number, truth in enumerate(sample.truth):
        if truth.visible < 0.99:
            continue
        mask = sample.drawn.labels == number
        one = measured(sample.frame, mask, MaskFilters().colors)
        assert one is not None and objection(one, int(mask.sum()), MaskFilters()) == ""
        long, short = sorted(truth.brick.kind.size_m[:2], reverse=True)
        assert long - 0.002 < one.long_m < long + 0.016 and short - 0.002 < one.short_m < short + 0.016
        assert one.color == truth.brick.color


def test_masks_that_are_no_bricks_are_refused_with_a_reason(sample: Sample) -> None:
    labels = sample.drawn.labels
    told = MaskFilters()
    table = labels == -1
    assert "size" in objection(measured(sample.frame, table, told.colors), int(table.sum()), told)
    few = np.zeros_like(table)
    few[5, 5:9] = True
    assert "pixels" in objection(measured(sample.frame, few, told.colors), 4, told)
    strip = np.zeros_like(table)
    strip[200:223, 200:290] = True
    assert "as long as wide" in objection(measured(sample.frame, strip, told.colors), int(strip.sum()), told)
    narrow = MaskFilters(colors=("blue",), color_off=0.1)
    red = next(n for n, one in enumerate(sample.scene.bricks) if one.color == "red")
    mask = labels == red
    assert "too far" in objection(measured(sample.frame, mask, narrow.colors), int(mask.sum()), narrow)
    assert (
        measured(Frame(sample.frame.rgb, 0 * sample.frame.depth_m, sample.frame.K, np.eye(4)), mask, ("red",)) is None
    )


def test_colours_are_told_apart_at_any_brightness() -> None:
    for share in (0.3, 1.0):
        assert nearest_color(share * np.array([242.0, 196, 41]), ("yellow", "orange", "white"))[0] == "yellow"


def _write_models(folder: Path) -> None:
    """GroundingDINO and SAM with a handful of random weights, and a vocabulary of two words."""
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    words = [f"[unused{n}]" for n in range(1100)]
    special = {0: "[PAD]", 100: "[UNK]", 101: "[CLS]", 102: "[SEP]", 103: "[MASK]", 1012: ".", 1029: "?"}
    for number, word in {**special, 1050: "lego", 1051: "block"}.items():  # GroundingDINO counts on these numbers
        words[number] = word
    (folder / "vocab.txt").write_text("\n".join(words))
    tokens = transformers.BertTokenizer(vocab=str(folder / "vocab.txt"))
    text = transformers.BertConfig(
        vocab_size=1100, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=64,
    )  # fmt: skip
    picture = transformers.SwinConfig(
        image_size=64, patch_size=4, embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 1, 2, 2], window_size=4,
        out_features=["stage2", "stage3", "stage4"],
    )  # fmt: skip
    dino = transformers.GroundingDinoConfig(
        backbone_config=picture, text_config=text, d_model=32, encoder_layers=1, decoder_layers=2,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, num_queries=12,
        num_feature_levels=3, max_text_len=32,
    )  # fmt: skip
    sized = transformers.GroundingDinoImageProcessorPil(size={"shortest_edge": 64, "longest_edge": 96})
    transformers.GroundingDinoForObjectDetection(dino).save_pretrained(folder / "boxes")
    transformers.GroundingDinoProcessor(sized, tokens).save_pretrained(folder / "boxes")
    seen = transformers.SamVisionConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, image_size=64, patch_size=16, mlp_dim=16,
        output_channels=8, window_size=2, global_attn_indexes=[0], num_pos_feats=4,
    )  # fmt: skip
    asked = transformers.SamPromptEncoderConfig(hidden_size=8, image_size=64, patch_size=16, mask_input_channels=4)
    drawn = transformers.SamMaskDecoderConfig(
        hidden_size=8, mlp_dim=16, num_hidden_layers=1, num_attention_heads=2, iou_head_hidden_dim=8
    )
    sam = transformers.SamConfig(vision_config=seen, prompt_encoder_config=asked, mask_decoder_config=drawn)
    padded = transformers.SamImageProcessorPil(size={"longest_edge": 64}, pad_size={"height": 64, "width": 64})
    transformers.SamModel(sam).save_pretrained(folder / "masks")
    transformers.SamProcessor(padded).save_pretrained(folder / "masks")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    _write_models(folder)
    return folder


class AtOrigin:
    """A pose estimator that says the same of every mask but small ones."""

    def estimate(self, frame: Frame, detection: Detection) -> Brick | Refused:
        from falsework.model.catalogue import brick_type

        if detection.mask.sum() < 100:
            return Refused("too small", np.zeros(3))
        return Brick(brick_type(detection.name), detection.color or "red", np.eye(4))


@pytest.mark.filterwarnings("ignore")
def test_a_prompt_goes_all_the_way_to_poses(models: Path, sample: Sample) -> None:
    from falsework.perception.open_vocabulary.prompted import PromptedDetector, prompted_poses

    detector = PromptedDetector(models / "boxes", models / "masks", threshold=0.0, filters=ANYTHING)
    boxes, scores = detector.boxes_of(sample.frame)
    assert boxes.shape == (len(scores), 4) and len(scores) and (np.diff(scores) <= 0).all()
    found = detector.detect(sample.frame)
    assert found and all(one.mask.shape == (480, 640) and one.mask.any() for one in found)
    assert sum(one.mask.astype(int) for one in found).max() <= 1  # type: ignore[union-attr]
    again = detector.detect(sample.frame)
    assert [one.mask.sum() for one in again] == [one.mask.sum() for one in found]
    assert len(prompted_poses(sample.frame, detector, AtOrigin())) == len(found)
    strict = PromptedDetector(models / "boxes", models / "masks", threshold=0.0)
    assert len(strict.detect(sample.frame)) + len(strict.refused) == len(boxes) and all(strict.refused)


@pytest.mark.filterwarnings("ignore")
def test_folders_without_a_model_are_refused(models: Path, tmp_path: Path) -> None:
    from falsework.perception.open_vocabulary.prompted import PromptedDetector

    with pytest.raises(BadInput, match="holds no model"):
        PromptedDetector(tmp_path, models / "masks")
    with pytest.raises(BadInput, match="no model of the kind"):
        PromptedDetector(models / "masks", models / "masks")
    with pytest.raises(BadInput, match="expected words"):
        PromptedDetector(models / "boxes", models / "masks", prompt=" ")
    with pytest.raises(BadInput, match="sides that grow"):
        MaskFilters((0.1, 0.05))
