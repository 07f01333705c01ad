"""Where curved surfaces touch: points, lines and rings, with the normals of the true surfaces."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from falsework.bench.round_shapes import about, ball, placed, rod, turned
from falsework.cli import main
from falsework.formats.saving import save
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.geometry.summary import info
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.interfaces import Interfaces
from falsework.model.shapes import Polygon, Shape, box

ACROSS = about("x", 0.5 * np.pi)
FLOOR = box((4.0, 4.0, 0.1)), placed(-2.0, -2.0, -0.1)


def joints(*parts: tuple[Shape, Array]) -> Interfaces:
    made = tuple(make_part(f"part-{k}", shape, pose) for k, (shape, pose) in enumerate(parts))
    return interfaces(Assembly(made, fixed=frozenset({"part-0"})))


def counted(found: Interfaces) -> dict[str, int]:
    return {kind: count for kind, count in found.counts().items() if count}


@pytest.mark.parametrize("facets", [16, 17, 64])
@pytest.mark.parametrize("phase", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("touching", [True, False])
def test_a_log_lies_on_a_floor_in_one_line_whichever_side_is_down(facets: int, phase: float, touching: bool) -> None:
    log = rod(0.5, 2.0, facets, phase * 2 * np.pi / facets)
    lowest = float((log.vertices @ ACROSS.T)[:, 2].min())
    found = joints(FLOOR, (log, placed(0, 0, -lowest if touching else 0.5, ACROSS)))
    assert counted(found) == {"curved": 1}
    assert found.patches.normals.tolist() == [[0, 0, 1]]
    assert np.sort(found.patches.points[:, 1]) == pytest.approx([-1, 1])
    assert found.patches.points[:, 0] == pytest.approx([0, 0], abs=1e-12)


def test_a_table_under_logs_touches_all_of_them() -> None:
    parts = [make_part(f"{n}", rod(0.5, 2.0, n, 0.03 * n), placed(1.5 * n, 0, 0.5, ACROSS)) for n in (16, 21, 40)]
    from falsework.geometry.contacts.ground import grounded

    assert counted(interfaces(grounded(Assembly(tuple(parts)), Ground("table")))) == {"curved": 3}


@pytest.mark.parametrize("facets", [16, 40])
def test_a_ball_on_the_edge_of_a_box_is_pushed_away_from_its_centre(facets: int) -> None:
    off = 0.5 / np.sqrt(2)
    found = joints((box((2, 2, 2)), placed(0, -1, -2)), (ball(0.5, facets), placed(-off, 0, off, about("x", 0.4))))
    assert counted(found) == {"curved": 1} and found.curved[0].kinds == ("edge", "sphere")
    assert found.patches.points == pytest.approx(np.zeros((1, 3)), abs=1e-9)
    assert found.patches.normals[0] == pytest.approx([-np.sqrt(0.5), 0, np.sqrt(0.5)])


@pytest.mark.parametrize("facets", [16, 40])
def test_a_log_on_two_edges_lies_on_both(facets: int) -> None:
    step = box((1, 2, 1))
    log = rod(0.5, 3.0, facets, 0.1), placed(0, 0, 0.4, ACROSS)
    found = joints((step, placed(0.3, -1, -1)), (step, placed(-1.3, -1, -1)), log)
    assert counted(found) == {"curved": 2}
    assert np.abs(found.patches.normals) == pytest.approx(np.array([[0.6, 0, 0.8]] * 2))
    assert np.abs(found.patches.points) == pytest.approx(np.array([[0.3, 1, 0]] * 4), abs=1e-9)


def test_crossed_logs_touch_in_a_point() -> None:
    found = joints(
        (rod(0.5, 3.0, 24), placed(turn=ACROSS)), (rod(0.3, 3.0, 40), placed(0.2, 0, 0.8, about("y", np.pi / 2)))
    )
    assert counted(found) == {"curved": 1}
    assert found.patches.points == pytest.approx(np.array([[0, 0, 0.5]]), abs=1e-9)
    assert found.patches.normals == pytest.approx(np.array([[0, 0, 1]]), abs=1e-9)


@pytest.mark.parametrize(("facets", "others"), [(16, 16), (16, 20), (64, 48)])
def test_a_shaft_touches_its_hole_all_around(facets: int, others: int) -> None:
    hole = turned([(0.5, -1), (1, -1), (1, 1), (0.5, 1)], others, ring=True, phase=0.1)
    found = joints((hole, placed()), (rod(0.5, 3.0, facets), placed()))
    assert counted(found) == {"curved": 1} and found.curved[0].play_m == 0.0
    assert not found.patches.has_play
    points = found.patches.points
    assert np.hypot(points[:, 0], points[:, 1]) == pytest.approx(np.full(len(points), 0.5))
    assert np.abs(points[:, 2]) == pytest.approx(np.ones(len(points)))


def test_with_play_every_patch_says_how_far_it_has_to_go() -> None:
    hole = turned([(0.51, -1), (1, -1), (1, 1), (0.51, 1)], 32, ring=True)
    found = joints((hole, placed()), (rod(0.5, 3.0, 24), placed(0, -0.01)))
    assert found.curved[0].play_m == pytest.approx(0.02)
    gaps = found.patches.gaps_m
    assert gaps is not None
    assert gaps.min() == pytest.approx(0, abs=1e-4) and gaps.max() == pytest.approx(0.02, rel=1e-2)


def test_a_half_log_lies_on_its_flat_side_and_leans_on_its_round_one() -> None:
    turns = np.pi * np.arange(33) / 32
    half = Polygon(np.column_stack([np.cos(turns), np.sin(turns)]), 1.0)
    found = joints(FLOOR, (half, placed()), (box((1, 1, 1)), placed(1.0, -0.5, 0.0)))
    assert counted(found) == {"contacts": 2, "curved": 1}
    assert found.curved[0].kinds == ("cylinder", "plane")


def test_a_prism_of_twelve_sides_lies_on_one_of_them() -> None:
    found = joints(FLOOR, (rod(0.5, 2.0, 12, np.pi / 12), placed(0, 0, 0.5 * np.cos(np.pi / 12), ACROSS)))
    assert counted(found) == {"contacts": 1}


def test_what_was_assumed_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = Assembly(
        (make_part("floor", *FLOOR), make_part("ball", ball(0.5, 24), placed(0, 0, 0.5))), fixed=frozenset({"floor"})
    )
    told = [{"parts": ["floor", "ball"], "primitives": ["plane", "sphere"], "points": 1}]
    assert info(made).as_dict()["curved"] == told
    save(made, tmp_path / "made.yaml")
    assert main(["check", str(tmp_path / "made.yaml"), "--json", "--out", str(tmp_path / "out")]) == 0
    assert json.loads(capsys.readouterr().out)["curved"] == told
    with np.load(tmp_path / "out" / "certificate.npz") as arrays:
        assert arrays["curved_primitives"].tolist() == [["plane", "sphere"]]
    assert main(["check", str(tmp_path / "made.yaml")]) == 0
    assert "curved     1 contact of surfaces taken for spheres" in capsys.readouterr().out
