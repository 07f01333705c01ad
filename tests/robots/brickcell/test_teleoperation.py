"""A person's keys and mouse move a hand, and what happens is kept as an episode."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from falsework.gallery import make
from falsework.model.errors import BadInput
from falsework.robots.brickcell.cell_world import CellWorld
from falsework.robots.brickcell.episodes import Episodes
from falsework.robots.brickcell.teleoperation import SPEED_M_S, Teleoperation
from falsework.robots.cells.kinds import new_cell


@pytest.fixture(scope="module")
def cell() -> CellWorld:
    return CellWorld(new_cell("panda"), make("duplo-single"))


def test_keys_move_the_hand_in_the_axes_of_the_base(cell: CellWorld) -> None:
    hand = Teleoperation(cell, "arm")
    base = cell.arm("arm").placed.T_world_base[:3, :3]
    step = SPEED_M_S * cell.world.settings.frame_s
    for key, way in (("w", (1, 0, 0)), ("d", (0, -1, 0)), ("r", (0, 0, 1))):
        before = cell.aim("arm")[:3, 3]
        assert hand.frame(key)
        assert cell.aim("arm")[:3, 3] - before == pytest.approx(base @ np.array(way) * step, abs=1e-7)


def test_opposite_keys_and_both_turns_leave_it_where_it_is(cell: CellWorld) -> None:
    before = cell.aim("arm")
    Teleoperation(cell, "arm").frame("wsqe")
    assert cell.aim("arm") == pytest.approx(before, abs=1e-12)


def test_a_mouse_does_not_drag_it_faster_than_keys(cell: CellWorld) -> None:
    before = cell.aim("arm")[:3, 3]
    Teleoperation(cell, "arm").frame(drag_m=np.array([0.0, 0.0, 0.2]))
    step = SPEED_M_S * cell.world.settings.frame_s
    assert np.linalg.norm(cell.aim("arm")[:3, 3] - before) == pytest.approx(step, abs=1e-7)


def test_the_hand_closes_once_for_each_time_its_key_goes_down(cell: CellWorld) -> None:
    hand = Teleoperation(cell, "arm")
    told = []
    for keys in (" ", " ", "", " "):
        hand.frame(keys)
        told.append(hand.closed)
    assert told == [True, True, True, False]


def test_what_is_driven_is_kept_as_an_episode_and_what_went_wrong_is_not(cell: CellWorld, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    episodes = Episodes(tmp_path)
    hand = Teleoperation(cell, "arm", episodes)
    for keep in (True, False):
        hand.begin("lift the hand")
        for _ in range(5):
            hand.frame("r")
        assert hand.picture()["recording"]
        hand.end(keep=keep)
    assert len(episodes) == 1
    rows = parquet.read_table(tmp_path / "data" / "chunk-000" / "episode_000000.parquet").to_pydict()
    assert len(rows["action"]) == 5
    assert rows["next.done"] == [False] * 4 + [True]
    assert json.loads((tmp_path / "meta" / "tasks.jsonl").read_text())["task"] == "lift the hand"


def test_a_picture_has_bricks_where_they_are_and_can_be_sent_as_json(cell: CellWorld) -> None:
    seen = json.loads(json.dumps(Teleoperation(cell, "arm").picture()))
    (brick,) = seen["bricks"]
    assert np.array(brick["T_world_part"]) == pytest.approx(cell.T_world_part(brick["name"])[:3])
    assert len(seen["arms"]["arm"]) == len(cell.arm("arm").placed.home) + 2


@pytest.mark.parametrize(
    ("do", "told"),
    [
        (lambda hand: hand.frame("x"), "there is no key 'x'"),
        (lambda hand: hand.frame(drag_m=np.array([0.0, np.nan, 0.0])), "three numbers in m"),
        (lambda hand: hand.begin("anything"), "no folder for episodes"),
        (lambda hand: hand.end(), "no episode is being recorded"),
    ],
)
def test_what_makes_no_sense_is_refused(cell: CellWorld, do: object, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        do(Teleoperation(cell, "arm"))  # type: ignore[operator]
