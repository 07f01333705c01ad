"""`falsework locate`: from folders of pictures to the answer of the contract."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import falsework
from falsework.cli import main
from falsework.formats.perception.frame_folders import write_frame
from falsework.model.assembly import Assembly
from falsework.model.shapes import BrickShape
from falsework.perception.cameras.noise import Noise
from falsework.perception.cameras.simulated import seen
from falsework.perception.scenes.dataset import samples
from falsework.perception.scenes.products import BuiltScene, FaultKind, built_scene
from falsework.perception.scenes.random_scenes import SceneSettings, random_scene
from falsework.perception.scenes.scene import Scene, SceneBrick


def plate_of(scene: Scene) -> str:
    assert scene.plate is not None
    T = scene.plate.T_base_brick
    yaw = math.degrees(math.atan2(T[1, 0], T[0, 0]))
    return f"{scene.plate.kind}@{T[0, 3]:.9f},{T[1, 3]:.9f},{T[2, 3]:.9f},{yaw:.7f}"


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = main(["locate", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_strewn_bricks_are_found_where_they_lie(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene, view = random_scene(1, SceneSettings(bricks=(4, 4), flush=0, stacked=0))
    write_frame(seen(scene, view, Noise(), np.random.default_rng(1)), tmp_path / "frame")
    words = [
        str(tmp_path / "frame"),
        "--plate",
        plate_of(scene),
        "--png",
        str(tmp_path / "a.png"),
        "--out",
        str(tmp_path),
    ]
    code, told = asked(capsys, *words)
    assert code == 0 and told["registered"] == [True] and not told["refused"] and told["missing"] == []
    assert sorted((one["kind"], one["color"]) for one in told["found"]) == sorted(
        (str(one.kind), one.color) for one in scene.bricks
    )
    for one in told["found"]:
        size = falsework.model.catalogue.brick_type(one["kind"]).size_m
        T = np.array(one["T_world_part"])
        middle = T[:3, :3] @ (np.array(size) / 2) + T[:3, 3]
        assert min(np.linalg.norm(middle - brick.middle_m) for brick in scene.bricks) < 0.0015
        covariance = np.array(one["covariance"])
        assert covariance.shape == (6, 6) and (np.linalg.eigvalsh(covariance) > 0).all()
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG" and (tmp_path / "frame.html").stat().st_size > 1e5


def test_an_empty_table_has_nothing_on_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (sample,) = samples(1, "empty")
    write_frame(sample.frame, tmp_path)
    code, told = asked(capsys, str(tmp_path), "--plate", plate_of(sample.scene))
    assert code == 0 and told["found"] == [] and told["refused"] == []


def an_assembly(bricks: tuple[SceneBrick, ...]) -> Assembly:
    parts = [falsework.make_part(one.name, BrickShape(one.kind), one.T_base_brick, color=one.color) for one in bricks]
    return Assembly(tuple(parts))


def looked_at(built: BuiltScene) -> Any:
    frame = seen(built.scene, built.view, Noise(), np.random.default_rng(0))
    return falsework.locate([frame], expect=an_assembly(built.expected), plates=[plate_of(built.scene)])


@pytest.mark.parametrize("fault", ["missing", "color"])
def test_what_is_wrong_with_a_structure_is_named(fault: FaultKind) -> None:
    built = built_scene(3, fault)
    assert built.fault is not None
    looked = looked_at(built)
    assert built.fault.brick in [name for name, _, _ in looked.missing] or built.fault.brick in looked.unseen
    assert [name for name, _, _ in looked.missing] in ([], [built.fault.brick])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{out}/no"], "is no folder"),
        (["{out}"], "holds no frame"),
        (["{frame}", "--plate", "duplo:brick_2x4@0,0,0"], "expected a baseplate"),
        (["{frame}", "--plate", "duplo:baseplate_8x8"], "its kind and lowest corner"),
        (["{frame}", "--colors", "mauve"], "mauve"),
        (["{frame}", "--kinds", "brick"], "expected a name like"),
        (["{frame}", "--steps", "2"], "steps: found 2"),
        (["{frame}", "--expect", "examples/bridge.txt"], "--plate"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    (sample,) = samples(1, "empty", Noise.none())
    write_frame(sample.frame, tmp_path / "x" / "frame")
    (tmp_path / "y").mkdir()
    assert main(["locate", *(word.format(out=tmp_path / "y", frame=tmp_path / "x") for word in words)]) == 2
    told = capsys.readouterr().err
    assert message in told and told.count("\n") == 1
