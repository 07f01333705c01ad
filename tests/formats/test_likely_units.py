"""Meshes of odd sizes are asked about once, with the likely scale; ordinary ones are not."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest

from falsework import gallery
from falsework.formats import load, save
from falsework.formats.likely_units import doubt_about_units
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly
from falsework.model.shapes import box
from tests.geometry.assemblies import at

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ASSEMBLIES = sorted({*EXAMPLES.glob("*.[tyjl]*")} - {*EXAMPLES.glob("*.cell.yaml")})


def bench(unit: float) -> Assembly:
    """1.2 long in metres, in whatever unit."""
    legs = [make_part(name, box((0.04, 0.4, 0.4)), at(x)) for name, x in (("1", 0.1), ("2", 1.0))]
    plank = make_part("3", box((1.2, 0.4, 0.04)), at(z=0.4))
    scaled = []
    for part in (*legs, plank):
        size = part.shape.vertices.max(axis=0) * unit  # type: ignore[union-attr]
        scaled.append(make_part(part.name, box(tuple(size)), at(*(part.T_world_part[:3, 3] * unit))))
    return Assembly(tuple(scaled))


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        (1000.0, "as read it is 1200 m long and weighs .* if the file is in millimetres, set --scale 0.001"),
        (1e5, "if the file is in millimetres, set --scale 0.001"),
        (1e-8, "it is 12 nm long .* with 1e\\+06 it is 12 mm long"),
    ],
)
def test_the_likely_scale_is_told(unit: float, said: str) -> None:
    assert re.search(said, doubt_about_units(bench(unit), 1.0))


@pytest.mark.parametrize("unit", [0.01, 0.1, 1.0, 5.0])
def test_things_of_the_size_of_things_are_not_asked_about(unit: float) -> None:
    assert doubt_about_units(bench(unit), 1.0) == ""


def test_a_scale_that_was_given_is_not_suggested_again() -> None:
    assert "0.001" not in doubt_about_units(bench(1e5), 0.001)
    assert "set --scale 1" in doubt_about_units(bench(1e-6), 1e-6)


@pytest.mark.parametrize("kind", [kind for kind in gallery.kinds() if kind != "random-bricks"])
def test_nothing_of_the_gallery_is_odd(kind: str) -> None:
    assert doubt_about_units(gallery.make(kind), 1.0) == ""


def test_a_folder_of_meshes_in_millimetres_is_asked_about_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    save(bench(1000.0), tmp_path / "bench", "mesh-folder")
    with caplog.at_level(logging.WARNING):
        load(tmp_path / "bench")
    assert len(caplog.messages) == 1 and "set --scale 0.001" in caplog.messages[0]
    caplog.clear()
    load(tmp_path / "bench", scale=0.001)
    assert caplog.messages == []


@pytest.mark.parametrize(
    "path", sorted({*EXAMPLES.glob("*.[tyjl]*")} - {*EXAMPLES.glob("*.cell.yaml")}), ids=lambda path: path.name
)
def test_the_examples_are_read_without_a_word(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    load(path)
    assert caplog.messages == []
