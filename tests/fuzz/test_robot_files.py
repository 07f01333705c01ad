"""Cells and URDF files that nobody wrote: each is read, or refused in one line."""

from __future__ import annotations

import warnings
from pathlib import Path
from random import Random

import pytest

from falsework.formats.robots.cell_reading import load_cell
from falsework.formats.robots.urdf import read_urdf
from falsework.model.errors import BadInput
from tests.fuzz.damage import damaged
from tests.fuzz.seeds import EVERY

EXAMPLES = Path(__file__).parents[2] / "examples"
MORE = """
obstacles: [{name: wall, box: [2, 0.05, 1], at: [-1, 1, 0]}]
rotary: {at: [0.5, 0, 0], range: [-180, 180], speed: 60, tilt: {radius: 0.3, axis: 90, range: [-90, 90], speed: 30}}
"""
FILES = {
    "cell.yaml": (EXAMPLES / "two-panda.cell.yaml").read_bytes() + MORE.encode(),
    "arm.urdf": (EXAMPLES / "desk-arm.urdf").read_bytes(),
}
TRIES = 80


def refused(path: Path) -> str | None:
    """What is wrong with a file, None where it is read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            load_cell(path) if path.suffix == ".yaml" else read_urdf(path)
    except BadInput as why:
        return str(why)
    return None


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_of_robots_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    told = 0
    for seed in range(TRIES):
        path.write_bytes(damaged(Random(seed), name, FILES[name], list(EVERY.values())))
        line = refused(path)
        if line is not None:
            told += 1
            assert "\n" not in line and len(line) > 10
    assert told > TRIES / 3
