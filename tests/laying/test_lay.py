"""`lay`: shapes become bricks that stand, proved by the check; what cannot be built is said."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh

from falsework import check, lay
from falsework.formats import dumps, load
from falsework.gallery.joining import joined
from falsework.gallery.tiling import PLAIN, laid
from falsework.geometry.shapes.solids import make_part
from falsework.laying.obstacles import obstacles
from falsework.laying.shape import hollowed
from falsework.laying.strengthening import load_of, strengthened
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.shapes import Mesh, box
from tests.laying.shapes import arm, block, shelf


def torus() -> Assembly:
    """Upright, so that it stands on its rim."""
    made = trimesh.creation.torus(2.0, 0.7)
    made.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [1, 0, 0]))
    return Assembly((make_part("torus", Mesh(np.asarray(made.vertices), np.asarray(made.faces)), np.eye(4)),))


@pytest.mark.parametrize("seed", range(3))
def test_a_torus_is_joined_and_stands(seed: int) -> None:
    found = lay(torus(), studs=16, seed=seed)
    assert found.stands
    assert found.loose == 0
    assert not found.why
    assert found.cells.shape[0] == 16
    assert check(found.assembly).answer == "stable"


def test_a_long_arm_is_laid_anew_until_it_stands() -> None:
    """The first layout falls; the search ends as soon as all the strength, or less, suffices."""
    found = lay(arm(52), seed=0)
    assert found.first_utilization is not None
    assert found.first_utilization > 1
    assert found.stands
    assert found.verdict.utilization is not None
    assert found.verdict.utilization <= 1
    assert 0 < found.tries < 300


@pytest.mark.parametrize("seed", range(3))
def test_a_lower_target_gives_a_stronger_layout(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bond = joined(laid(arm(20), rng, PLAIN), rng, 50)
    better, first, _ = strengthened(bond, rng, 0.6 * load_of(bond).factor, 200)
    assert load_of(better).factor <= 0.6 * first


def test_the_load_is_the_utilization_of_the_check() -> None:
    rng = np.random.default_rng(0)
    bond = joined(laid(arm(12), rng), rng, 50)
    assert check(bond.assembly()).utilization == pytest.approx(load_of(bond).factor, rel=1e-5)


def test_an_arm_that_is_too_long_says_where_it_parts() -> None:
    found = lay(arm(150), tries=3)
    assert found.verdict.answer == "unstable"
    assert len(found.why) == 1
    assert "of the clutch strength is needed in the best of 4 layouts; it parts at joints" in found.why[0]


def test_what_floats_is_named() -> None:
    cells = block(4, 4, 6)
    cells[:, :, 3] = False
    found = lay(cells)
    assert found.verdict.answer == "unstable"
    assert found.why == ("32 cells around x 2, y 2 in layers 4 to 5 float: nothing joins them to the lowest layer",)
    assert found.loose == 1


def test_a_board_is_held_as_far_as_the_longest_brick_reaches() -> None:
    assert obstacles(shelf(7)) == ()
    assert lay(shelf(7)).stands
    (why,) = obstacles(shelf(8))
    assert why.startswith("2 cells around x 9, y 0 in layer 1 cannot be held: no brick of up to 8 studs")
    assert lay(shelf(8)).verdict.answer == "unstable"


def test_the_same_seed_lays_the_same_bricks() -> None:
    first, again, other = (dumps(lay(torus(), studs=12, seed=seed).assembly) for seed in (3, 3, 4))
    assert first == again != other


def test_hollow_keeps_a_wall() -> None:
    wall = hollowed(block(8, 8, 8), 2)
    assert wall.sum() == 8**3 - 4**3
    found = lay(block(8, 8, 8), hollow=1)
    assert found.cells.sum() == 8**3 - 6**3
    assert found.stands
    assert np.array_equal(hollowed(block(3, 3, 3), 2), block(3, 3, 3))


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    lay(arm(150), tries=3, progress=lambda done, total: told.append((done, total)))
    assert told[-3:] == [(0, 3), (1, 3), (2, 3)]


@pytest.mark.parametrize(
    ("shape", "options", "complaint"),
    [
        (np.zeros((2, 2, 2), dtype=bool), {}, "found no full cell"),
        (np.ones((2, 2)), {}, "found 2 dimensions of float64, expected 3 dimensions"),
        (np.ones((100, 100, 100), dtype=bool), {}, "found 1,000,000 full cells, the limit is 400,000"),
        (Assembly((make_part("a", box((1, 1, 1)), np.eye(4)),)), {"studs": 0}, "studs: found 0, expected"),
        (Assembly((make_part("a", box((9, 9, 0.1)), np.eye(4)),)), {"studs": 3}, "no cell is at least half full"),
        (block(2, 2, 2), {"hollow": 0}, "hollow: found 0"),
        (block(2, 2, 2), {"tries": -1}, "tries: found -1"),
    ],
)
def test_wrong_requests_say_what_was_expected(shape: object, options: dict[str, int], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        lay(shape, **options)  # type: ignore[arg-type]


def test_what_could_not_be_joined_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["falsework.laying.lay"], "JOINING_TRIES", 3)
    found = lay(load(Path(__file__).resolve().parents[2] / "examples" / "arch.yaml"), studs=16)
    assert not found.stands
    assert len(found.why) == found.loose
    for complaint in found.why:
        assert re.fullmatch(
            r"(brick \d+ in layer \d+ hangs|bricks .* hang) on nothing in the best of 3 layouts", complaint
        )
    assert any(complaint.startswith("brick ") for complaint in found.why)
    assert any(complaint.startswith("bricks ") for complaint in found.why)
