"""`falsework scenes`: a data set whose truth fits its pictures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from falsework.cli import main
from falsework.formats.perception.frame_folders import read_frame
from falsework.perception.scenes.dataset import samples

parquet = pytest.importorskip("pyarrow.parquet")


def test_a_set_of_scenes_is_written_with_its_truth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "scenes",
        "--count",
        "1",
        "--views",
        "2",
        "--seed",
        "7",
        "--out",
        str(tmp_path),
        "--off",
        "0.001",
        "--turned",
        "0.2",
        "--json",
    ]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["scenes"], told["frames"], told["seeds"]) == (1, 2, [7, 7])
    bricks, frames = (parquet.read_table(tmp_path / f"{name}.parquet").to_pylist() for name in ("bricks", "frames"))
    assert told["bricks"] == len(bricks) and {row["seed"] for row in bricks} == {7}
    for row in frames:
        frame = read_frame(tmp_path / row["folder"])
        true = np.array(row["T_base_cam"]).reshape(4, 4)
        assert np.linalg.norm(frame.T_base_cam[:3, 3] - true[:3, 3]) == pytest.approx(0.001, rel=1e-6)
        labels = np.array(Image.open(tmp_path / row["folder"] / "labels.png")).astype(int) - 3
        for number, brick in enumerate(one for one in bricks if one["frame"] == row["frame"]):
            assert brick["pixels"] == (labels == number).sum()


def test_products_say_what_should_be_there(tmp_path: Path) -> None:
    assert main(["scenes", "--count", "2", "--kind", "products", "--noise", "0", "--out", str(tmp_path)]) == 0
    frames = parquet.read_table(tmp_path / "frames.parquet").to_pylist()
    expected = parquet.read_table(tmp_path / "expected.parquet").to_pylist()
    for row in frames:
        assert row["step"] == sum(one["seed"] == row["seed"] for one in expected)
        assert (row["fault"] is None) == (row["faulty"] is None)


def test_the_frame_of_a_seed_is_the_same_in_any_set() -> None:
    (one,), (two,) = samples(3), samples(3)
    assert np.array_equal(one.frame.rgb, two.frame.rgb) and np.array_equal(one.frame.depth_m, two.frame.depth_m)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--count", "1"], "name a folder: --out DIR"),
        (["--out", "{out}", "--kind", "strwn"], "did you mean 'strewn'"),
        (["--out", "{out}", "--off", "1mm"], "--off"),
        (["--out", "{out}", "--off", "-1", "--count", "1"], "-1"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["scenes", *(word.format(out=tmp_path) for word in words)]) == 2
    assert message in capsys.readouterr().err
