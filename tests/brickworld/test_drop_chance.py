"""Drops over drawn tilts: a strong thing never breaks, the same seed gives the same answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from falsework.cli import main
from falsework.gallery import make

pytest.importorskip("mujoco")

from falsework.brickworld.drop_chance import drop_chance
from falsework.model.errors import BadInput


def test_one_brick_cannot_break_however_it_is_dropped() -> None:
    found = drop_chance(make("duplo-single"), 0.05, 3, seconds=0.2)
    assert (found.drops, found.broke) == (3, 0)
    assert found.low == 0.0 and found.high == pytest.approx(1 - 0.025 ** (1 / 3), abs=1e-6)  # Clopper and Pearson


def test_the_same_seed_drops_the_same_way() -> None:
    guitar = make("brick-guitar")
    one, other = (drop_chance(guitar, 0.144, 2, seed=5, seconds=0.3) for _ in range(2))
    assert one == other


def test_tilts_go_with_a_drop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "examples/bridge.txt", "--tilts", "3"]) == 2
    assert "--tilts draws the tilts of a drop: give --drop METRES, and no --tilt" in capsys.readouterr().err
    with pytest.raises(BadInput, match="tilts: found 0, expected a whole number from 1 to 10000"):
        drop_chance(make("duplo-single"), 0.05, 0)
