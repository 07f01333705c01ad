"""Shared by the tests of the formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def put(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes a small file and gives its path."""

    def written(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return written
