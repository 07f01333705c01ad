"""STEP files: names from the tree, colours, units and densities as declared, and the surfaces behind the triangles.

The files in `step/` were written by Open CASCADE: `press.step` in millimetres, `inches.step` in inches, `drum.step` in
metres, one of its faces in another colour and its density told.
"""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from falsework.formats.cad import step
from falsework.formats.cad.names import _each_once
from falsework.formats.detection import detect
from falsework.formats.loading import load
from falsework.formats.saving import save
from falsework.geometry.shapes.solids import bulk
from falsework.model.assembly import Assembly
from falsework.model.errors import BadFile, BadInput, MissingExtra
from falsework.model.part import Part
from falsework.model.shapes import Mesh
from falsework.model.surfaces import Primitive

FILES = Path(__file__).parent / "step"
FACETS = 63  # around a full circle, as the kernel cuts it


@cache
def read(name: str) -> Assembly:
    pytest.importorskip("cascadio")
    return load(FILES / name)


def inscribed(edges: int) -> float:
    """The area of a polygon with so many edges in a circle of radius 1."""
    return 0.5 * edges * np.sin(2 * np.pi / edges)


def mesh_of(part: Part) -> Mesh:
    assert isinstance(part.shape, Mesh) and part.shape.primitives
    return part.shape


def off(surface: Primitive, points: np.ndarray) -> np.ndarray:
    """How far points (n, 3) are from a surface: its equation, written down once more."""
    arms = points - surface.point
    along = arms @ surface.axis
    across = np.linalg.norm(arms - along[:, None] * surface.axis, axis=1)
    match surface.kind:
        case "plane":
            return np.abs(along)
        case "cylinder":
            return np.abs(across - surface.radius_m)
        case "sphere":
            return np.abs(np.hypot(across, along) - surface.radius_m)
        case "cone":
            return np.abs(across - along * np.tan(surface.half_angle_rad)) * np.cos(surface.half_angle_rad)
        case "torus":
            return np.abs(np.hypot(across - surface.ring_m, along) - surface.radius_m)


def test_parts_are_named_by_their_place_in_the_tree() -> None:
    # the instance of the pair has no name of its own: it is the product's
    assert read("press.step").names == ("disc", "pin", "pair of pins/left", "pair of pins/pin")


def test_colours_are_those_of_the_file() -> None:
    assert [part.color for part in read("press.step").parts] == ["#008000", "#3333cc", "#3333cc", "#3333cc"]


def test_instances_lie_where_the_assembly_puts_them() -> None:
    # the second pin of the pair is shifted by 15 mm along x, then the pair turned by 90 degrees and shifted by 50 mm
    turned = read("press.step").parts[3]
    assert turned.com_world_m == pytest.approx([0.05, 0.015, 0.015], abs=1e-5)


def test_instances_of_one_product_share_their_shape() -> None:
    parts = read("press.step").parts
    assert parts[1].shape is parts[2].shape is parts[3].shape


def test_lengths_are_in_the_unit_that_the_file_declares() -> None:
    assert mesh_of(read("press.step").parts[1]).vertices.max(axis=0) == pytest.approx([0.005, 0.005, 0.03], rel=1e-3)
    assert mesh_of(read("inches.step").parts[0]).vertices.max(axis=0)[2] == pytest.approx(0.012, rel=1e-6)
    assert mesh_of(read("drum.step").parts[0]).vertices.max(axis=0)[2] == 2.0


def test_a_shaft_weighs_what_its_facets_enclose() -> None:
    expected = 1000.0 * 0.03 * 0.005**2 * inscribed(FACETS)
    assert read("press.step").parts[1].mass_kg == pytest.approx(expected, rel=1e-5)
    assert expected == pytest.approx(1000.0 * 0.03 * np.pi * 0.005**2, rel=2e-3)


def test_the_density_is_the_one_that_the_file_tells() -> None:
    drum = read("drum.step").parts[0]
    assert drum.material.name == "steel" and drum.material.density_kg_m3 == pytest.approx(7850.0)
    assert drum.mass_kg == pytest.approx(7850.0 * bulk(mesh_of(drum)).volume_m3)


@pytest.mark.parametrize("file", ["press.step", "inches.step", "drum.step"])
def test_every_triangle_stands_for_a_surface_that_its_corners_lie_on(file: str) -> None:
    for part in read(file).parts:
        mesh = mesh_of(part)
        size = float(np.ptp(mesh.vertices, axis=0).max())
        told = np.concatenate([surface.triangles for surface in mesh.primitives])
        assert np.array_equal(np.sort(told), np.arange(len(mesh.triangles)))
        for surface in mesh.primitives:
            corners = mesh.vertices[mesh.triangles[surface.triangles]].reshape(-1, 3)
            assert len(corners) and off(surface, corners).max() < 1e-6 * size


def test_surfaces_are_the_ones_that_were_drawn() -> None:
    kinds = {part.name: sorted(one.kind for one in mesh_of(part).primitives) for part in read("inches.step").parts}
    assert kinds == {"cone": ["cone", "plane", "plane"], "ball": ["sphere"], "ring": ["torus"]}
    cone = next(one for one in mesh_of(read("inches.step").parts[0]).primitives if one.kind == "cone")
    assert cone.half_angle_rad == pytest.approx(np.arctan2(6, 12)) and cone.point == pytest.approx([0, 0, 0.02])
    round_ones = [one for one in mesh_of(read("press.step").parts[0]).primitives if one.kind == "cylinder"]
    assert [one.radius_m for one in round_ones] == pytest.approx([0.02, 0.005])
    assert [one.convex for one in round_ones] == [True, False]  # a rim and a hole


@pytest.mark.parametrize("file", ["press.step", "inches.step"])
def test_planes_face_out_of_the_material(file: str) -> None:
    for part in read(file).parts:
        for plane in (one for one in mesh_of(part).primitives if one.kind == "plane"):
            corners = mesh_of(part).vertices[mesh_of(part).triangles[plane.triangles]]
            across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            assert (across @ plane.axis > 0).all()


def test_balls_and_rings_are_convex() -> None:
    assert all(mesh_of(part).primitives[0].convex for part in read("inches.step").parts)


def test_a_part_of_two_colours_has_the_colour_of_most_of_it_and_all_its_surfaces() -> None:
    drum = read("drum.step").parts[0]
    assert drum.color == "#0000ff"
    assert sorted(one.kind for one in mesh_of(drum).primitives) == ["cylinder", "plane", "plane"]


def test_step_is_recognised_by_content(tmp_path: Path) -> None:
    shutil.copy(FILES / "press.step", tmp_path / "press.txt")
    assert detect(tmp_path / "press.txt") == "step"


def test_a_folder_may_hold_step_files_beside_meshes(tmp_path: Path) -> None:
    pytest.importorskip("cascadio")
    shutil.copy(FILES / "drum.step", tmp_path / "drum.STP")
    (tmp_path / "wedge.obj").write_text("v 9 0 0\nv 8 0 0\nv 9 1 0\nv 9 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    assert load(tmp_path).names == ("drum", "wedge")


def test_an_assembly_among_the_files_of_a_folder_keeps_its_names(tmp_path: Path) -> None:
    pytest.importorskip("cascadio")
    shutil.copy(FILES / "press.step", tmp_path / "left.step")
    assert load(tmp_path).names[:2] == ("left/disc", "left/pin")


def test_names_that_come_several_times_are_numbered_and_stay_apart_from_others() -> None:
    assert _each_once(["pin", "nut", "pin", "pin-1"]) == ["pin-2", "nut", "pin-3", "pin-1"]


def test_surfaces_are_the_same_after_our_own_format(tmp_path: Path) -> None:
    whole = read("press.step")
    save(whole, tmp_path / "press.json")
    for one, other in zip(whole.parts, load(tmp_path / "press.json").parts, strict=True):
        for told, again in zip(mesh_of(one).primitives, mesh_of(other).primitives, strict=True):
            for name in Primitive.__slots__:
                assert np.array_equal(getattr(told, name), getattr(again, name)), name


def test_what_is_no_surface_is_refused_by_its_place(tmp_path: Path) -> None:
    path = tmp_path / "press.json"
    save(read("press.step"), path)
    path.write_text(path.read_text().replace('"cylinder"', '"cilinder"', 1))
    with pytest.raises(BadFile, match=r"parts\[0\]\.mesh\.surfaces\[0\]\.kind: .*did you mean 'cylinder'"):
        load(path)


def test_a_folder_of_meshes_cannot_say_what_triangles_stand_for(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="which surfaces triangles stand for"):
        save(read("drum.step"), tmp_path / "parts")


def test_scale_is_refused_for_a_file_that_says_its_unit() -> None:
    with pytest.raises(BadFile, match="step has its own unit"):
        load(FILES / "press.step", scale=0.001)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[: len(text) // 2], r"press\.step: is a damaged STEP file: Line [0-9]+: Incorrect syntax"),
        (lambda text: text.replace("#3", "#9"), r"is a damaged STEP file: found [0-9]+ references to what is"),
        (lambda text: re.sub(r"(?s)DATA;.*ENDSEC;", "DATA;\nENDSEC;", text), r"is a damaged STEP file|holds no solids"),
        (
            lambda text: text.replace("CLOSED_SHELL", "OPEN_SHEL"),
            r"damaged STEP file|holds no solids|no defined volume",
        ),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(tmp_path: Path, damage: object, message: str) -> None:
    pytest.importorskip("cascadio")
    path = tmp_path / "press.step"
    path.write_text(damage((FILES / "press.step").read_text()))  # type: ignore[operator]
    with pytest.raises(BadFile, match=message) as caught:
        load(path)
    assert "\n" not in str(caught.value)


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"needs cascadio.*falsework\[cad\]"):
        load(FILES / "press.step")
