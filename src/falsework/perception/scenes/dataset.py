"""`scenes`: frames of random scenes and the truth about them, as PNG and Parquet; needs pillow and pyarrow.

    frames/000000/    rgb.png, depth.png, camera.yaml: a frame, as `formats.perception.frame_folders` reads it
                      labels.png, 16 bit: 0 background, 1 plate, 2 table, 3 the first brick, …, then things
    bricks.parquet    a row for every brick and frame: kind, colour, pose, visible share, pixels, whether ambiguous
    frames.parquet    a row for every frame: seed, where the camera truly was, settings, the fault that was planted
    expected.parquet  of products: what should be there

The frame of seed S is the same however many are made. Poses are 16 numbers, row after row, in the base's frame.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from falsework.formats.basics.atomic import beside, write_whole
from falsework.formats.perception.frame_folders import png, write_frame
from falsework.model.errors import BadFile, BadInput, did_you_mean, shown
from falsework.model.extras import library
from falsework.model.perception.frames import Frame
from falsework.model.verbs import verb
from falsework.perception.cameras.noise import Noise
from falsework.perception.cameras.simulated import View, noisy
from falsework.perception.scenes.ambiguity import FEWEST_PIXELS
from falsework.perception.scenes.drawing import BACKGROUND, Drawn, Stage
from falsework.perception.scenes.products import FAULTS, BuiltScene, built_scene
from falsework.perception.scenes.random_scenes import SceneSettings, other_view, random_scene
from falsework.perception.scenes.scene import Scene, SceneBrick
from falsework.perception.scenes.truth import BrickTruth, truth_of

KINDS: dict[str, SceneSettings | None] = {
    "strewn": SceneSettings(),
    "apart": SceneSettings(flush=0.0, stacked=0.0),
    "plate": SceneSettings(plate="under", plate_color="gray"),
    "one-color": SceneSettings(colors=("yellow",)),
    "white": SceneSettings(colors=("white",), table_rgb=(0.9, 0.9, 0.88)),
    "glossy": SceneSettings(gloss=0.6),
    "clutter": SceneSettings(toppled=0.2, things=5),
    "empty": SceneSettings(bricks=(0, 0)),
    "products": None,  # half-built, every second one with a fault
}


@dataclass(frozen=True, slots=True)
class SceneSet:
    """What was written.

    >>> SceneSet(Path("out"), "strewn", 2, 2, 30, 4, 10, (0, 1)).frames
    2
    """

    folder: Path
    kind: str
    scenes: int
    frames: int
    bricks: int  # rows: every brick in every frame
    ambiguous: int  # of those
    hidden: int  # of those: less than 30 % visible
    seeds: tuple[int, int]  # the first and the last


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One picture of one scene, and the truth."""

    seed: int
    scene: Scene
    view: View
    frame: Frame
    drawn: Drawn
    truth: tuple[BrickTruth, ...]
    built: BuiltScene | None


@verb()
def scenes(
    folder: str | os.PathLike[str],
    *,
    count: int = 10,
    kind: str = "strewn",
    views: int = 1,
    noise: float = 1.0,
    off_m: float = 0.0,
    turned_deg: float = 0.0,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> SceneSet:
    """Pictures of random scenes, with the truth: what lies where, how much of it is seen, what nobody can tell.

    folder      where they go
    count       of scenes, with the seeds from `seed` on
    kind        strewn, apart, plate, one-color, white, glossy, clutter, empty or products
    views       of each scene; the first from above, the others from a side
    noise       how many times as strong as usual; 0: none
    off_m       by how much the camera is elsewhere than its frame says
    turned_deg  by how much it is turned from that
    progress    called with done and total

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as made:
    ...     scenes(made, count=1, kind="empty").bricks
    0
    """
    arrow, parquet = library("pyarrow"), library("pyarrow.parquet")
    if min(count, views) < 1 or not noise >= 0:
        raise BadInput(f"scenes: found count {count}, views {views}, noise {noise}; expected 1, 1 and 0 or more")
    errs = replace(usual_noise(noise), extrinsics_m=off_m, extrinsics_deg=turned_deg)
    target = Path(folder)
    bricks: list[dict[str, Any]] = []
    frames: list[dict[str, Any]] = []
    expected: list[dict[str, Any]] = []
    for number in range(count):
        for sample in samples(seed + number, kind, errs, views):
            name = f"frames/{len(frames):06d}"
            write_frame(sample.frame, target / name)
            write_whole(target / name / "labels.png", png((sample.drawn.labels - BACKGROUND).astype(np.uint16)))
            bricks += [{"frame": len(frames), "seed": sample.seed, **_brick_row(one)} for one in sample.truth]
            frames.append({"frame": len(frames), "folder": name, "kind": kind, "noise": noise, **_frame_row(sample)})
        if sample.built is not None:
            expected += [{"seed": sample.seed, **_placed(one)} for one in sample.built.expected]
        if progress is not None:
            progress(number + 1, count)
    tables = {"bricks": (bricks, _bricks_schema(arrow)), "frames": (frames, _frames_schema(arrow))}
    if expected:
        tables["expected"] = (expected, _placed_schema(arrow))
    for name, (rows, schema) in tables.items():
        _write(parquet, arrow.Table.from_pylist(rows, schema=schema), target / f"{name}.parquet")
    unclear, hidden = sum(row["ambiguous"] for row in bricks), sum(row["visible"] < 0.3 for row in bricks)
    return SceneSet(target, kind, count, len(frames), len(bricks), unclear, hidden, (seed, seed + count - 1))


def usual_noise(factor: float) -> Noise:
    """The stated noise, so many times as strong; none for 0."""
    return Noise.none() if factor == 0 else Noise().times(factor)


def samples(seed: int, kind: str = "strewn", noise: Noise | None = None, views: int = 1) -> list[Sample]:
    """The frames of one scene, and the truth; all of it follows from the seed.

    >>> samples(5, "empty")[0].truth
    ()
    """
    if kind not in KINDS:
        raise BadInput(f"scenes of kind {shown(kind)}: {did_you_mean(kind, KINDS)}")
    errs = noise or Noise()
    rng = np.random.default_rng([seed, 23])
    settings, built = KINDS[kind], None
    if settings is None:
        fault = None if rng.random() < 0.5 else FAULTS[rng.integers(len(FAULTS))]
        built = built_scene(seed, fault)
        scene, view = built.scene, built.view
    else:
        scene, view = random_scene(seed, settings)
    stage = Stage.of(scene)
    found = []
    for number in range(views):
        if number:
            view = other_view(rng, settings or SceneSettings())
        drawn = stage.drawn(view.K, view.T_base_cam, view.pixels)
        frame = noisy(drawn, view, errs, rng, name=f"view-{number}")
        found.append(Sample(seed, scene, view, frame, drawn, truth_of(scene, view, FEWEST_PIXELS, drawn), built))
    return found


def _placed(brick: SceneBrick) -> dict[str, Any]:
    pose = brick.T_base_brick.ravel().tolist()
    return {"name": brick.name, "kind": str(brick.kind), "color": brick.color, "T_base_brick": pose}


def _brick_row(truth: BrickTruth) -> dict[str, Any]:
    row = {**_placed(truth.brick), "upright": truth.brick.upright, "visible": truth.visible, "pixels": truth.pixels}
    return {**row, "pixels_per_stud": truth.pixels_per_stud, "ambiguous": truth.ambiguous, "rivals": len(truth.rivals)}


def _frame_row(sample: Sample) -> dict[str, Any]:
    fault = None if sample.built is None else sample.built.fault
    plate = sample.scene.plate
    return {
        "seed": sample.seed,
        "camera": sample.frame.camera,
        "K": sample.view.K.ravel().tolist(),
        "T_base_cam": sample.view.T_base_cam.ravel().tolist(),
        "plate": None if plate is None else str(plate.kind),
        "T_base_plate": None if plate is None else plate.T_base_brick.ravel().tolist(),
        "things": len(sample.scene.things),
        "step": None if sample.built is None else sample.built.step,
        "fault": None if fault is None else fault.kind,
        "faulty": None if fault is None else fault.brick,
    }


def _placed_schema(arrow: Any) -> Any:
    text, pose = arrow.string(), arrow.list_(arrow.float64())
    return arrow.schema(
        [("seed", arrow.int64()), ("name", text), ("kind", text), ("color", text), ("T_base_brick", pose)]
    )


def _bricks_schema(arrow: Any) -> Any:
    told = [("upright", arrow.bool_()), ("visible", arrow.float64()), ("pixels", arrow.int32())]
    told += [("pixels_per_stud", arrow.float64()), ("ambiguous", arrow.bool_()), ("rivals", arrow.int32())]
    return arrow.schema([("frame", arrow.int32()), *_placed_schema(arrow), *told])


def _frames_schema(arrow: Any) -> Any:
    text, numbers = arrow.string(), arrow.list_(arrow.float64())
    return arrow.schema(
        [
            ("frame", arrow.int32()), ("folder", text), ("kind", text), ("noise", arrow.float64()),
            ("seed", arrow.int64()), ("camera", text), ("K", numbers), ("T_base_cam", numbers), ("plate", text),
            ("T_base_plate", numbers), ("things", arrow.int32()), ("step", arrow.int32()), ("fault", text),
            ("faulty", text),
        ]
    )  # fmt: skip


def _write(parquet: Any, table: Any, path: Path) -> None:
    making = beside(path)
    try:
        with making.open("wb") as file:  # by itself, arrow refuses names that are no UTF-8
            parquet.write_table(table, file, compression="zstd")
        making.replace(path)
    except OSError as why:
        raise BadFile(path, "", f"cannot be written: {why.strerror or why}") from why
    finally:
        making.unlink(missing_ok=True)
