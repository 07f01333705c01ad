"""Elevations: every part is there, to scale, and thrust lines stay within the parts that they cross."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from falsework import gallery, interfaces, load, margins
from falsework.cli import main
from falsework.model.errors import BadInput
from falsework.model.state import State
from falsework.studio.elevation import MARGIN, WIDTH, elevation

SVG = "{http://www.w3.org/2000/svg}"


def drawn(path: Path) -> ElementTree.Element:
    assert main(["margins", "examples/arch.yaml", "--only", "thrust", "--svg", str(path)]) == 0
    return ElementTree.fromstring(path.read_text(encoding="utf-8"))


def test_every_part_is_drawn_to_scale_with_both_lines_of_thrust(tmp_path: Path) -> None:
    root, arch = drawn(tmp_path / "arch.svg"), load("examples/arch.yaml")
    outlines = root.findall(f"{SVG}path")[:13]
    assert [path.findtext(f"{SVG}title") for path in outlines] == list(arch.names)
    corners = np.array([re.findall(r"(-?[\d.]+),(-?[\d.]+)", path.get("d", ""))[:4] for path in outlines], dtype=float)
    assert np.ptp(corners[:, :, 0]) == pytest.approx(WIDTH - 2 * MARGIN, rel=1e-4)
    words = "".join(root.itertext())
    assert "least thrust 277 N" in words and "greatest 469 N" in words and "500 mm" in words
    rings = root.findall(f"{SVG}circle")
    found = margins(arch, only="thrust").thrusts[0]
    assert found.least is not None and found.least.line is not None
    assert found.greatest is not None and found.greatest.line is not None
    assert len(rings) == len(found.least.line.hinges) + len(found.greatest.line.hinges)
    assert len(root.findall(f"{SVG}polygon")) == 2  # the heads of two reactions
    told = [mark.findtext(f"{SVG}title", "") for mark in root.findall(f"{SVG}g")]
    assert len(told) == 12 and told[0].startswith("right - stone-1: ")  # the resultant of every joint


def test_what_is_not_plane_is_refused() -> None:
    dome = gallery.make("dome")
    with pytest.raises(BadInput, match="an elevation shows plane assemblies under gravity; here contacts or loads"):
        elevation(dome, interfaces(dome), State.complete(dome), "dome")


def test_the_same_drawing_on_paper_has_its_scale_and_its_words(tmp_path: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    pytest.importorskip("reportlab")
    path = tmp_path / "arch.pdf"
    assert main(["margins", "examples/arch.yaml", "--only", "thrust", "--pdf", str(path)]) == 0
    page = pypdf.PdfReader(path).pages[0]
    words = page.extract_text()
    assert "500 mm" in words and "least thrust 277 N" in words and "greatest 469 N" in words
    assert float(page.mediabox.width) == pytest.approx(841.89, abs=0.1)
