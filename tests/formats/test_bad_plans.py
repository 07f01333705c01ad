"""Every kind of bad plan file is refused with one line that names it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falsework.cli import main
from falsework.formats.plans.reading import read_plan
from falsework.model.errors import BadFile
from tests.corpus.plans import TEXTS
from tests.fuzz.seeds import ARCH, arch_plan

JUDGED = ("plan by unknown rules",)  # formats does not know which sets there are: whoever judges a plan refuses it


@pytest.mark.parametrize("kind", [kind for kind in TEXTS if kind not in JUDGED])
def test_is_refused_with_one_line_that_names_the_file(kind: str, tmp_path: Path) -> None:
    name, text = TEXTS[kind]
    (tmp_path / name).write_text(text)
    with pytest.raises(BadFile) as refusal:
        read_plan(tmp_path / name)
    message = str(refusal.value)
    assert message.isprintable()
    assert len(message) < 1000
    assert name in message


@pytest.mark.parametrize("kind", TEXTS)
def test_verify_says_so_in_one_line(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, text = TEXTS[kind]
    (tmp_path / name).write_text(text)
    (tmp_path / "r.yaml").write_text(ARCH)
    assert main(["verify", str(tmp_path / name), "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1


def test_the_plan_that_they_were_made_from_is_valid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(arch_plan()))
    (tmp_path / "r.yaml").write_text(ARCH)
    assert main(["verify", str(tmp_path / "plan.json"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["valid"] is True
