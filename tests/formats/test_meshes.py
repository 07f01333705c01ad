"""Folders and files of meshes."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh

from falsework.formats import detect, load
from falsework.formats.meshes.assemblies import natural_key
from falsework.model.errors import BadFile, BadInput
from falsework.model.poses import fixed_axes_rotation
from tests.corpus.meshes import TETRAHEDRON

Put = Callable[[str, str], Path]


def _cube(at: tuple[float, float, float] = (0, 0, 0), side: float = 1.0) -> trimesh.Trimesh:
    cube = trimesh.creation.box(extents=[side] * 3)
    cube.apply_translation(np.array(at) + side / 2)
    return cube


@pytest.mark.parametrize("ending", ["obj", "stl", "ply", "glb"])
def test_a_cube_weighs_the_same_in_every_format(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"cube.{ending}"
    _cube((1, 2, 3)).export(path)
    assembly = load(path)
    assert detect(path) == assembly.source == "mesh-file"
    assert assembly.names == ("cube",)
    assert assembly.mass_kg == pytest.approx(1000.0)
    assert assembly.coms_m[0] == pytest.approx([1.5, 2.5, 3.5])
    assert not assembly.is_grounded


def test_the_ending_of_the_name_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "cube.dat"
    path.write_bytes(_cube().export(file_type="stl"))
    assert detect(path) == "mesh-file"


def test_ascii_stl_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cube.stl"
    path.write_text(_cube().export(file_type="stl_ascii"))
    assert load(path).mass_kg == pytest.approx(1000.0)


def test_objects_of_one_file_are_parts(put: Put) -> None:
    second = TETRAHEDRON.replace("f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4", "f 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8")
    second = second.replace("v 0 0 1", "v 0 0 2")
    assembly = load(put("pair.obj", f"o low\n{TETRAHEDRON}o high\n{second}"))
    assert assembly.names == ("low", "high")
    assert assembly.masses_kg == pytest.approx([1000 / 6, 2000 / 6])


def test_nodes_of_a_glb_are_parts_in_their_places(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    move = np.eye(4)
    move[:3, 3] = 0, 0, 5
    scene.add_geometry(_cube(), node_name="a", geom_name="cube")
    scene.add_geometry(_cube(), node_name="b", geom_name="other", transform=move)
    scene.export(tmp_path / "two.glb")
    assembly = load(tmp_path / "two.glb")
    assert set(assembly.names) == {"a", "b"}
    assert assembly.coms_m[assembly.index["b"]] == pytest.approx([0.5, 0.5, 5.5])


def test_a_folder_gives_one_part_a_file_in_natural_order(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        _cube((number, 0, 0)).export(tmp_path / f"{number}.obj")
    (tmp_path / "notes.txt").write_text("not a mesh")
    assembly = load(tmp_path)
    assert assembly.source == "mesh-folder"
    assert assembly.names == ("1", "2", "10")


def test_natural_order_reads_numbers_as_numbers() -> None:
    assert sorted(["b10", "b9", "a", "10", "9", "b"], key=natural_key) == ["9", "10", "a", "b", "b9", "b10"]


def test_scale_is_metres_per_unit(tmp_path: Path) -> None:
    _cube((1, 0, 0)).export(tmp_path / "cube.obj")
    assembly = load(tmp_path / "cube.obj", scale=0.1)
    assert assembly.mass_kg == pytest.approx(1.0)
    assert assembly.coms_m[0] == pytest.approx([0.15, 0.05, 0.05])


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf])
def test_a_scale_that_is_not_positive_is_refused(put: Put, scale: float) -> None:
    with pytest.raises(BadInput, match="scale: found"):
        load(put("t.obj", TETRAHEDRON), scale=scale)


def test_a_planar_hole_is_capped_with_one_warning_for_all_parts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("a", "b"):
        cube = _cube()
        cube.update_faces(np.arange(len(cube.faces)) < 11)
        cube.export(tmp_path / f"{name}.obj")
    with caplog.at_level(logging.WARNING, logger="falsework.formats"):
        assembly = load(tmp_path)
    assert assembly.masses_kg == pytest.approx([1000.0, 1000.0])
    (record,) = caplog.records
    assert "cap" in record.getMessage()
    assert record.getMessage().endswith("parts a, b")


def test_config_puts_each_mesh_in_its_assembled_pose(tmp_path: Path) -> None:
    for name in ("0", "1"):
        _cube().export(tmp_path / f"{name}.obj")
    states = {"0": {"final_state": [0, 0, 0]}, "1": {"final_state": [2, 0, 1, 0, 0, math.pi / 2]}}
    (tmp_path / "config.json").write_text(json.dumps(states))
    assembly = load(tmp_path, scale=0.5)
    assert assembly.coms_m == pytest.approx(np.array([[0.25, 0.25, 0.25], [0.75, 0.25, 0.75]]))


def test_euler_angles_turn_about_fixed_axes_in_order() -> None:
    """About x by a quarter: z goes to −y; then about z by a quarter: −y goes to x."""
    turned = fixed_axes_rotation([math.pi / 2, 0, math.pi / 2]) @ [0, 0, 1]
    assert turned == pytest.approx([1, 0, 0], abs=1e-12)


def test_a_mesh_without_volume_is_named(tmp_path: Path) -> None:
    (tmp_path / "0.obj").write_text(TETRAHEDRON)
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n")
    with pytest.raises(BadFile, match=r"flat\.obj: part 'flat' has no defined volume"):
        load(tmp_path)


def test_material_files_are_not_opened(put: Put) -> None:
    path = put("t.obj", "mtllib ../../etc/passwd\nusemtl none\n" + TETRAHEDRON)
    assert load(path).mass_kg == pytest.approx(1000 / 6)


def test_published_blocks_load(shared: Path) -> None:
    counts = {"tetris-1": 12, "tetris-2": 17, "tetris-3": 14, "rulin": 38, "dome": 73, "arch": 9}
    for name, count in counts.items():
        assembly = load(shared / "blocks" / name)
        assert assembly.names == tuple(str(number) for number in range(count))
        assert str(assembly.ground) == "none"


def test_the_published_beam_fits_together(shared: Path) -> None:
    """Both uprights stand on the floor beside the base, and each carries its crossbeam at one height."""
    assembly = load(shared / "cad" / "beam", scale=0.01)
    bounds = {}
    for part in assembly.parts:
        vertices = part.shape.vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]  # type: ignore[union-attr]
        bounds[part.name] = np.array([vertices.min(axis=0), vertices.max(axis=0)])
    assert [bounds[name][0, 2] for name in "236"] == pytest.approx([0, 0, 0], abs=1e-5)
    assert bounds["0"][0, 2] == pytest.approx(bounds["1"][0, 2])
    for beam, upright in (("0", "2"), ("1", "3")):
        assert bounds[beam][:, 0] == pytest.approx(bounds[upright][:, 0], abs=1e-5)
        assert bounds[beam][0, 2] < bounds[upright][1, 2] < bounds[beam][1, 2]
