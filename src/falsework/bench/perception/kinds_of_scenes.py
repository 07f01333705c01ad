"""Strewn bricks, with noise as stated and doubled, from one side and two; and scenes of the harder kinds."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from falsework.bench.perception.scoring import Score
from falsework.bench.rows import Row
from falsework.model.perception.findings import Plate, Workplace
from falsework.model.perception.palette import SIX_COLORS
from falsework.perception.cameras.noise import Noise
from falsework.perception.locator.locating import locate
from falsework.perception.scenes.dataset import Sample, samples
from falsework.perception.scenes.scene import Scene
from falsework.perception.scenes.truth import BrickTruth

KINDS = ("duplo:brick_2x2", "duplo:brick_2x4")
OFF = {"extrinsics_m": 0.001, "extrinsics_deg": 0.2}
TARGET = "recall ≥ 99 %, wrong ≤ 0.5 %, refused ≤ 0.5 %; ambiguous: none wrong; ≤ 0.4 / 1 mm, 0.5 / 1.5°"


@dataclass(frozen=True, slots=True)
class _Case:
    name: str
    kind: str
    seed: int
    few: int  # scenes by default
    many: int  # with --full
    noise: float = 1.0
    views: int = 1
    target: str = ""


CASES = (
    _Case("strewn", "strewn", 10_000, 30, 1400, target=TARGET),
    _Case("noise doubled", "strewn", 20_000, 10, 200, noise=2.0, target="wrong ≤ 1 %"),
    _Case("two views", "strewn", 30_000, 10, 200, views=2, target="recall of those 30 to 70 % visible ≥ 90 %"),
    _Case("on a studded plate", "plate", 40_000, 4, 50),
    _Case("one colour", "one-color", 50_000, 4, 50),
    _Case("white on white", "white", 60_000, 4, 50),
    _Case("glossy", "glossy", 70_000, 4, 50),
    _Case("toppled, no bricks", "clutter", 80_000, 4, 50),
    _Case("empty table", "empty", 90_000, 3, 20),
)


def rows(full: bool) -> Iterator[Row]:
    """A row for each kind of scene."""
    for case in CASES:
        yield _row(case, case.many if full else case.few)


def place_of(scene: Scene) -> Workplace:
    """Where bricks lie, as whoever looks may know it."""
    plate = scene.plate
    return Workplace(0.0, () if plate is None else (Plate(plate.kind, plate.T_base_brick, plate.color),))


def score_of(seeds: Sequence[int], kind: str, noise: Noise, views: int = 1) -> Score:
    """Locate all that can be located in the scenes of these seeds."""
    score = Score()
    for seed in seeds:
        seen = samples(seed, kind, noise, views)
        scene = seen[0].scene
        start = time.process_time()
        sight = locate([one.frame for one in seen], place_of(scene), KINDS, SIX_COLORS)
        score.cpu_s += time.process_time() - start
        score.add(_truth(seen), sight.found, sight.refused)
    return score


def _truth(seen: Sequence[Sample]) -> Sequence[BrickTruth]:
    """What the first view shows; where there are more, what is ambiguous in all of them."""
    first, *others = (one.truth for one in seen)
    if not others:
        return first
    clear = [not all(one.ambiguous for one in together) for together in zip(first, *others, strict=True)]
    return [replace(one, rivals=()) if known else one for one, known in zip(first, clear, strict=True)]


def _row(case: _Case, scenes: int) -> Row:
    score = score_of(
        range(case.seed, case.seed + scenes), case.kind, replace(Noise().times(case.noise), **OFF), case.views
    )
    each = 1e3 * score.cpu_s / max(1, score.found)
    figure = f"recall {100 * score.recall:.1f} %, wrong {100 * score.wrong_share:.2f} %"
    if case.views > 1:
        figure = f"recall of partly visible {100 * score.partly_recalled / max(1, score.partly):.1f} %, {figure}"
    figure += f", refused {100 * score.refused / max(1, score.visible):.1f} %; {score.quantiles()}"
    notes = {
        "scenes": scenes, "seeds": f"{case.seed} to {case.seed + scenes - 1}", "noise": case.noise,
        "visible": score.visible, "recalled": score.recalled, "refused": score.refused, "found": score.found,
        "wrong": score.wrong, "ambiguous": score.ambiguous, "ambiguous_wrong": score.ambiguous_wrong,
        "inside_95": round(score.covered, 4), "ms_a_brick": round(each, 1), "figures": figure,
    }  # fmt: skip
    return Row(case.name, 1e3 * score.cpu_s / max(1, score.frames), notes=notes, target=case.target, figure=figure)
