"""A number that two verbs tell of the same thing is the same number, under the same word."""

from __future__ import annotations

import json
import re

import pytest

from falsework.cli import main
from falsework.model.figures import percent, spare
from tests.docs.shown import ROOT

BRIDGE, STAIRS, DUPLO, ARCH = (
    str(ROOT / "examples" / name) for name in ("bridge.txt", "stairs.txt", "duplo-bridge.yaml", "arch.yaml")
)
Said = pytest.CaptureFixture[str]
POWERS = re.compile(r"\de[-+]\d+ ?(%|N|kg|m|s|°)(?![\w/])")  # 8.04e-14 %, 1.221e+05 N


def printed(said: Said, *words: str) -> str:
    assert main(words) in (0, 1)
    return said.readouterr().out


def row(text: str, label: str) -> str:
    return next(line for line in text.splitlines() if line.split()[:1] == [label]).split(None, 1)[1]


def test_a_margin_is_what_is_left_in_every_verb(capsys: Said) -> None:
    used = json.loads(printed(capsys, "check", BRIDGE, "--json"))["utilization"]
    whole = f"{spare(used)}: {percent(used)} of the clutch strength is needed"
    assert row(printed(capsys, "check", BRIDGE), "margin") == whole
    assert row(printed(capsys, "margins", BRIDGE, "--only", "strength"), "strength") == whole
    assert row(printed(capsys, "check", STAIRS), "margin").startswith("none: 106 % of the clutch strength is needed")
    assert row(printed(capsys, "check", ARCH, "--absent", "keystone"), "margin") == "none"
    listed = json.loads(printed(capsys, "new", "brick-bench", "--list", "--json"))["gallery"][0]
    assert listed["margin"] == 1 - listed["utilization"]
    assert spare(listed["utilization"]) in printed(capsys, "new", "brick-bench", "--list")


def test_what_the_joints_of_a_plan_do_is_not_called_a_margin(capsys: Said) -> None:
    """How hard the busiest joint works in one distribution of forces is not how far all of it is from falling."""
    table = printed(capsys, "plan", BRIDGE)
    assert "margin" not in table and "spare" not in table
    assert "joint" in table.splitlines()[1]


@pytest.mark.parametrize(
    "words",
    [
        ("info", BRIDGE),
        ("check", DUPLO),
        ("check", BRIDGE),
        ("margins", DUPLO),
        ("margins", ARCH),
        ("collapse", ARCH, "--absent", "keystone", "--seconds", "0.05"),
        ("plan", DUPLO, "--margins"),
        ("simulate", BRIDGE, "--seconds", "0.1", "--window", "0.05"),
    ],
)
def test_people_are_shown_no_powers_of_ten_beside_a_unit(words: tuple[str, ...], capsys: Said) -> None:
    said = printed(capsys, *words)
    assert POWERS.search(said) is None
    assert not re.search(r"\d%|-0(?![.\d])|\bnan\b|\binf\b", said)
    assert not re.search(r"\b1 (contacts|clutches|parts|steps|hands|evaluations|pairs|samples)\b", said)


def test_the_two_ends_of_what_is_borne_differ_as_they_are_written(capsys: Said) -> None:
    brackets = re.findall(r"bears ([\d.,]+) (\w+), falls at ([\d.,]+) (\w+)", printed(capsys, "margins", BRIDGE))
    assert brackets
    for stands, unit, falls, same in brackets:
        assert unit == same and float(stands.replace(",", "")) < float(falls.replace(",", ""))
