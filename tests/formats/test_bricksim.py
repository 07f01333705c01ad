"""BrickSim topologies: poses follow from connections."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from falsework.formats import load
from falsework.formats.bricks.bricksim import Spot
from falsework.model.errors import BadFile
from falsework.model.part import Part
from falsework.model.shapes import BrickShape

Put = Callable[[str, str], Path]


def _brick(number: int, length: int, width: int, plates: int = 3) -> dict[str, Any]:
    return {"id": number, "type": "brick", "payload": {"L": length, "W": width, "H": plates, "color": [0, 85, 191]}}


def _link(stud: int, hole: int, offset: tuple[int, int], yaw: int = 0) -> dict[str, Any]:
    return {"stud_id": stud, "stud_iface": 1, "hole_id": hole, "hole_iface": 0, "offset": list(offset), "yaw": yaw}


def _topology(
    parts: list[dict[str, Any]], links: list[dict[str, Any]], hints: list[dict[str, Any]] | None = None
) -> str:
    default = [{"part": parts[0]["id"], "pos": [0, 0, 0], "rot": [1, 0, 0, 0]}]
    schema = "bricksim/lego_topology@2"
    return json.dumps({"schema": schema, "parts": parts, "connections": links, "pose_hints": hints or default})


def _box(part: Part) -> np.ndarray:
    assert isinstance(part.shape, BrickShape)
    corners = np.array([np.zeros(3), part.shape.kind.size_m]) @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
    return np.array([corners.min(axis=0), corners.max(axis=0)])


def test_a_hint_is_the_pose_of_the_bottoms_centre(put: Put) -> None:
    (part,) = load(put("t.json", _topology([_brick(0, 2, 4)], []))).parts
    assert _box(part) == pytest.approx(np.array([[-0.008, -0.016, 0], [0.008, 0.016, 0.0096]]))


def test_a_part_sits_at_its_offset_on_the_others_studs(put: Put) -> None:
    assembly = load(put("t.json", _topology([_brick(0, 20, 20, 1), _brick(1, 2, 4)], [_link(0, 1, (9, 8))])))
    low, high = _box(assembly.parts[1]) - _box(assembly.parts[0])[0]
    assert low == pytest.approx([0.072, 0.064, 0.0032])
    assert high == pytest.approx([0.088, 0.096, 0.0128])


def test_yaw_turns_about_the_holes_corner(put: Put) -> None:
    """Offset [9, 8] and one quarter turn: x runs from 9 − 4 = 5 to 9 studs, y from 8 to 10."""
    assembly = load(put("t.json", _topology([_brick(0, 20, 20, 1), _brick(1, 2, 4)], [_link(0, 1, (9, 8), 1)])))
    low, high = _box(assembly.parts[1]) - _box(assembly.parts[0])[0]
    assert low[:2] == pytest.approx([0.040, 0.064])
    assert high[:2] == pytest.approx([0.072, 0.080])


def test_hinted_parts_are_fixed_and_there_is_no_ground(put: Put) -> None:
    assembly = load(put("t.json", _topology([_brick(4, 2, 4, 1), _brick(7, 2, 4)], [_link(4, 7, (0, 2))])))
    assert assembly.fixed == {"4"}
    assert assembly.ground_part is None
    assert assembly.names == ("4", "7")
    assert assembly.parts[0].color == "#0055bf"
    assert [str(p.shape.kind) for p in assembly.parts if isinstance(p.shape, BrickShape)] == ["plate_2x4", "brick_2x4"]


def test_the_walk_may_start_from_above(put: Put) -> None:
    parts, links = [_brick(0, 2, 4), _brick(1, 2, 4)], [_link(0, 1, (1, 2), 3)]
    below = load(put("a.json", _topology(parts, links)))
    T_world_upper = below.parts[1].T_world_part.copy()
    centre = T_world_upper @ [0.008, 0.016, 0, 1]
    hint = [{"part": 1, "pos": centre[:3].tolist(), "rot": [math.sqrt(0.5), 0, 0, -math.sqrt(0.5)]}]
    above = load(put("b.json", _topology(parts, links, hint)))
    assert above.poses == pytest.approx(below.poses, abs=1e-12)
    assert above.fixed == {"1"}


def test_poses_move_with_the_hint(put: Put) -> None:
    parts, links = [_brick(0, 2, 4), _brick(1, 2, 4), _brick(2, 1, 6)], [_link(0, 1, (1, 2), 3), _link(1, 2, (1, 0), 1)]
    still = load(put("a.json", _topology(parts, links)))
    hint = [{"part": 0, "pos": [1, 2, 3], "rot": [math.cos(0.3), 0, 0, math.sin(0.3)]}]
    moved = load(put("b.json", _topology(parts, links, hint)))
    motion = moved.poses[0] @ np.linalg.inv(still.poses[0])
    assert moved.poses == pytest.approx(motion @ still.poses, abs=1e-12)


def test_a_cycle_that_closes_is_welcome(put: Put) -> None:
    parts = [_brick(number, 2, 4) for number in range(4)]
    links = [_link(0, 1, (0, -2)), _link(0, 2, (0, 2)), _link(1, 3, (0, 2)), _link(2, 3, (0, -2))]
    assembly = load(put("t.json", _topology(parts, links)))
    assert assembly.poses[3][:3, 3] - assembly.poses[0][:3, 3] == pytest.approx([0, 0, 0.0192])


def test_a_cycle_that_does_not_close_is_refused_by_its_parts(put: Put) -> None:
    parts = [_brick(number, 2, 4) for number in range(5)]
    links = [
        _link(0, 1, (0, -2)),
        _link(0, 2, (0, 2)),
        _link(1, 3, (0, 2)),
        _link(2, 3, (1, -2)),
        _link(3, 4, (0, 0)),
    ]
    with pytest.raises(BadFile, match=r"connections\[3\]: the cycle of parts 2-0-1-3-2 does not close"):
        load(put("t.json", _topology(parts, links)))


def test_spots_form_a_group() -> None:
    one, two = Spot(3, -2, 5, 1), Spot(-7, 4, -1, 3)
    still = Spot(0, 0, 0, 0)
    assert one @ one.inverse() == one.inverse() @ one == still
    assert (one @ two).inverse() == two.inverse() @ one.inverse()
    assert one @ (two @ one) == (one @ two) @ one


def test_the_published_demo_stands_inside_its_plate(shared: Path) -> None:
    assembly = load(shared / "bricksim" / "demo_assembly_structure1.json")
    plate = _box(assembly.parts[0])
    assert plate == pytest.approx(np.array([[-0.08, -0.08, 0], [0.08, 0.08, 0.0032]]))
    for layer, part in enumerate(assembly.parts[1:]):
        low, high = _box(part)
        assert (low[:2] >= plate[0, :2]).all()
        assert (high[:2] <= plate[1, :2]).all()
        assert low[2] == pytest.approx(0.0032 + 0.0096 * layer)
