"""`plan` with a question that makes no sense writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from falsework.cli import main


def test_bad_input_leaves_no_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text("format: falsework-assembly/1\nparts: [{name: a, box: [1, 1, 1]}]\n")
    assert main(["plan", str(tmp_path / "a.yaml"), "--out", str(tmp_path / "made")]) == 2
    assert "nothing is fixed and there is no ground" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]
