"""The published scheme to compare with: welds hold bricks together, and shortcuts make a regular graph."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from falsework.engine.contact import ContactSettings
from falsework.engine.hollow import Mould, moulded, pieces_of_mould
from falsework.engine.welded import regular_pairs, welded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.convex_pieces import Convex
from falsework.model.errors import BadInput
from falsework.model.shapes import BrickShape
from tests.brickworld.scenes import stair
from tests.conftest import brick, on_baseplate


def test_welds_hold_a_stair_to_a_tenth_of_a_millimetre() -> None:
    model = on_baseplate(*stair(5, step=2))
    scene = welded(model, interfaces(model).clutches.bodies, settings=ContactSettings(step_s=1 / 480))
    for _ in range(12):
        scene.step(1 / 60)
    moved = np.abs(scene.poses() - model.poses)[:, :3, 3].max()
    assert 0 < moved < 1e-4


def test_shortcuts_give_every_brick_the_same_degree() -> None:
    pairs = regular_pairs(np.arange(40), 4, np.random.default_rng(0))
    degrees = Counter(number for pair in pairs for number in pair)
    assert set(degrees) == set(range(40))
    assert max(degrees.values()) == 4
    assert sum(degrees.values()) >= 4 * 40 - 6  # two round trips may share an edge
    assert pairs == regular_pairs(np.arange(40), 4, np.random.default_rng(0))


def test_an_odd_degree_is_refused() -> None:
    with pytest.raises(BadInput, match="even number"):
        welded(on_baseplate(*stair(2)), np.zeros((0, 2), dtype=np.int64), degree=3)


def test_moulded_bricks_fit_into_each_other() -> None:
    body, studs = moulded(brick("a", "brick_2x4", 0, 0, 0))
    assert (len(body), len(studs)) == (5, 8)  # walls and top
    assert len(pieces_of_mould(brick("tile", "tile_2x2", 0, 0, 0))) == 5
    assert len(pieces_of_mould(brick("slope", "slope_2x2", 0, 0, 0))) == 3 + 2  # two boxes and a wedge, studs


def test_tubes_and_rounded_studs_touch_each_other() -> None:
    part = brick("a", "brick_2x4", 0, 0, 0)
    assert isinstance(part.shape, BrickShape)
    measures, top = part.shape.kind.measures, part.shape.kind.size_m[2]
    body, studs = moulded(part, Mould(play_m=0.0, edge_m=2e-4, tubes=True))
    tube, stud = body[5], studs[0]
    assert len(body) == 5 + 3 and isinstance(tube, Convex) and isinstance(stud, Convex)
    diagonal = np.array([1.0, 1.0, 0.0]) / np.sqrt(2)
    reach = (tube.vertices @ diagonal).min(), (stud.vertices @ diagonal).max()
    assert reach[0] == pytest.approx(reach[1], abs=1e-9)  # flat toward each other
    highest = stud.vertices[stud.vertices[:, 2] > top + measures.stud_height_m - 1e-9]
    assert np.ptp(highest[:, 0]) < 2 * measures.stud_radius_m - 3e-4
