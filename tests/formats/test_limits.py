"""Files that ask for too much are refused by the limit they pass."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from falsework.formats import load
from falsework.formats.basics import mender, node, parsing
from falsework.formats.bricks import bricktext, stablelego
from falsework.model.errors import BadFile
from tests.corpus.meshes import TETRAHEDRON

Put = Callable[[str, str], Path]


def test_too_many_lines(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bricktext, "MAX_PARTS", 2)
    with pytest.raises(BadFile, match=r"found 3 lines, the limit is 2"):
        load(put("a.txt", "1x1 (0,0,0)\n" * 3))


def test_too_many_bricks(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stablelego, "MAX_PARTS", 1)
    task = {name: {"x": 0, "y": 0, "z": 0, "ori": 0, "brick_id": 2} for name in "ab"}
    with pytest.raises(BadFile, match=r"found 2 parts, the limit is 1"):
        load(put("a.json", json.dumps(task)))


def test_too_many_triangles(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mender, "MAX_TRIANGLES", 6)
    put("folder/0.obj", TETRAHEDRON)
    folder = put("folder/1.obj", TETRAHEDRON).parent
    with pytest.raises(BadFile, match=r"folder: found 8 triangles, the limit is 6"):
        load(folder)


def test_too_many_values(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "MAX_VALUES", 3)
    with pytest.raises(BadFile, match=r"line 1, column \d+: found 4 values, the limit is 3"):
        load(put("a.yaml", "parts: [1, 2, 3]\n"))


def test_too_many_entries() -> None:
    with pytest.raises(BadFile, match=r"found 3 entries, the limit is 2"):
        node.Node(Path("a"), [1, 2, 3]).elements(limit=2)
