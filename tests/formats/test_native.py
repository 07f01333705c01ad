"""Our own format, read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from falsework.formats import load
from falsework.model.assembly import Ground
from falsework.model.errors import BadFile
from falsework.model.part import Part
from falsework.model.shapes import BrickShape, ConvexPieces, Mesh, Polygon, Polyhedron
from tests.corpus.meshes import TETRAHEDRON

Put = Callable[[str, str], Path]

HEAD = "format: falsework-assembly/1\n"
CORNERS = "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]"
SIDES = "[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]"


def _one(put: Put, fields: str, head: str = "") -> Part:
    (part,) = load(put("a.yaml", f"{HEAD}{head}parts:\n- {{name: a, {fields}}}\n")).parts
    return part


def test_a_box_has_its_minimum_corner_at_the_origin_of_its_frame(put: Put) -> None:
    part = _one(put, "box: [2, 1, 1], at: [0, 0, 5]")
    assert isinstance(part.shape, Polyhedron)
    assert part.mass_kg == pytest.approx(2000.0)
    assert part.com_world_m == pytest.approx([1, 0.5, 5.5])


def test_units_are_of_every_length(put: Put) -> None:
    part = _one(put, "box: [200, 100, 100], at: [0, 0, 500]", "units: mm\n")
    assert part.mass_kg == pytest.approx(2.0)
    assert part.com_world_m == pytest.approx([0.1, 0.05, 0.55])


def test_bricks_stand_on_studs_and_plates_by_their_footprints_corner(put: Put) -> None:
    part = _one(put, "brick: brick_2x4, studs: [3, 1, 6], turn: 90")
    assert isinstance(part.shape, BrickShape)
    # Turned by a quarter it covers x from 3 to 7 and y from 1 to 3 studs.
    assert part.com_world_m == pytest.approx([0.040, 0.016, 6 * 0.0032 + 0.0048])


@pytest.mark.parametrize("turn", [0, 90, 180, 270, -90])
def test_a_turned_brick_keeps_its_corner(put: Put, turn: int) -> None:
    part = _one(put, f"brick: brick_2x4, studs: [0, 0, 0], turn: {turn}")
    low = np.min([part.T_world_part[:2, :2] @ c for c in ((0, 0), (0.016, 0), (0, 0.032), (0.016, 0.032))], axis=0)
    assert low + part.T_world_part[:2, 3] == pytest.approx([0, 0])


@pytest.mark.parametrize(
    ("fields", "kind", "volume"),
    [
        (f"polyhedron: {{vertices: {CORNERS}, faces: {SIDES}}}", Polyhedron, 1 / 6),
        (f"pieces: [{{vertices: {CORNERS}, faces: {SIDES}}}]", ConvexPieces, 1 / 6),
        (f"mesh: {{vertices: {CORNERS}, triangles: {SIDES}}}", Mesh, 1 / 6),
        ("polygon: [[0, 0], [1, 0], [0, 1]], depth: 2", Polygon, 1.0),
        ("polygon: [[0, 0], [1, 0], [0, 1]]", Polygon, 0.5),
    ],
)
def test_every_shape_has_its_volume(put: Put, fields: str, kind: type, volume: float) -> None:
    part = _one(put, fields)
    assert isinstance(part.shape, kind)
    assert part.mass_kg == pytest.approx(1000 * volume)


def test_turn_of_a_polygon_is_counter_clockwise_in_its_plane(put: Put) -> None:
    part = _one(put, "polygon: [[0, 0], [1, 0], [0, 1]], turn: 90")
    assert part.T_world_part[:3, :3] @ [1, 0, 0] == pytest.approx([0, 0, 1])


def test_turn_of_a_block_is_about_z(put: Put) -> None:
    part = _one(put, "box: [1, 1, 1], turn: 45")
    assert part.T_world_part[:3, :3] @ [1, 0, 0] == pytest.approx([np.sqrt(0.5), np.sqrt(0.5), 0])


def test_quaternion_and_pose_say_the_same(put: Put) -> None:
    half = np.sqrt(0.5)
    by_quaternion = _one(put, f"box: [1, 1, 1], at: [1, 2, 3], quaternion: [{half}, {half}, 0, 0]")
    by_pose = _one(put, "box: [1, 1, 1], pose: [[1, 0, 0, 1], [0, 0, -1, 2], [0, 1, 0, 3]]")
    assert by_quaternion.T_world_part == pytest.approx(by_pose.T_world_part)


def test_what_a_part_weighs(put: Put) -> None:
    oak = "materials: {oak: {density: 700}}\n"
    assert _one(put, "box: [1, 1, 1], material: oak", oak).mass_kg == pytest.approx(700)
    assert _one(put, "box: [1, 1, 1], density: 2400").mass_kg == pytest.approx(2400)
    assert _one(put, "box: [1, 1, 1], material: {name: lead, density: 11340}").material.name == "lead"
    part = _one(put, "box: [1, 1, 1], mass: 6, com: [0.5, 0.5, 0.1], inertia: [[2, 0, 0], [0, 2, 0], [0, 0, 3]]")
    assert part.mass_kg == 6
    assert part.com_part_m.tolist() == [0.5, 0.5, 0.1]
    assert part.inertia_part_kgm2[2, 2] == 3


def test_a_mesh_file_is_read_beside_the_assembly_in_its_own_units(put: Put) -> None:
    put("parts/t.obj", TETRAHEDRON)
    assert _one(put, "mesh: parts/t.obj").mass_kg == pytest.approx(1000 / 6)
    assert _one(put, "mesh: {file: parts/t.obj, units: cm}").mass_kg == pytest.approx(1e-3 / 6)


def test_a_mesh_that_a_link_leads_out_of_the_folder_to_is_refused(put: Put, tmp_path: Path) -> None:
    outside = put("outside/t.obj", TETRAHEDRON)
    put("home/a.yaml", f"{HEAD}parts:\n- {{name: a, mesh: t.obj}}\n")
    (tmp_path / "home" / "t.obj").symlink_to(outside)
    with pytest.raises(BadFile, match=r"a\.yaml: parts\[0\]\.mesh: found 't\.obj', which leaves this file's folder"):
        load(tmp_path / "home" / "a.yaml")


def test_everything_around_the_parts(put: Put) -> None:
    text = f"""{HEAD}friction: 0.7
gravity: [0, 0, -1.62]
ground: table:0.4
allow_overlap: 0.001
parts:
- {{name: 1, box: [1, 1, 1], fixed: true, color: red}}
- {{name: b, box: [1, 1, 1], at: [0, 0, 1]}}
- {{name: c, box: [1, 1, 1], at: [0, 0, 2]}}
fixed: [c]
loads:
- {{part: b, force: [1, 2, 3]}}
- {{part: b, force: [0, 0, -1], at: [0, 0, 2]}}
hinges:
- {{parts: [1, b], at: [0, 0, 1]}}
- {{parts: [b, c], at: [0, 0, 2], axis: [3, 0, 4]}}
"""
    assembly = load(put("a.yaml", text))
    assert assembly.friction == 0.7
    assert assembly.gravity.tolist() == [0, 0, -1.62]
    assert assembly.ground == Ground("table", 0.4)
    assert assembly.allow_overlap_m == 0.001
    assert assembly.fixed == {"1", "c"}
    assert assembly.parts[0].color == "red"
    assert assembly.loads[0].point_m is None
    assert assembly.loads[1].force_n.tolist() == [0, 0, -1]
    assert assembly.hinges[0].axis.tolist() == [0, 1, 0]
    assert assembly.hinges[1].axis == pytest.approx([0.6, 0, 0.8])


def test_json_is_read_as_well(put: Put) -> None:
    text = '{"format": "falsework-assembly/1", "parts": [{"name": "a", "box": [1, 1, 1]}]}'
    assert load(put("a.json", text)).source == "falsework-assembly/1"


def test_a_misspelt_key_is_answered_with_the_right_one(put: Put) -> None:
    with pytest.raises(BadFile, match=r"parts\[0\]: unknown key 'colr'; did you mean 'color'\?"):
        _one(put, "box: [1, 1, 1], colr: red")
