"""Cylinders, cones, spheres and threads are recognised from triangles, to rounding, and flat things are not."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from falsework.bench.round_shapes import ball, rod, thread, turned
from falsework.geometry.shapes.equal_shapes import as_moved
from falsework.geometry.surfaces.forms import form_of
from falsework.geometry.surfaces.recognition import recognised
from falsework.model.arrays import Array
from falsework.model.shapes import Mesh, Polygon
from falsework.model.surfaces import Primitive

TURN = Rotation.from_euler("xyz", (0.3, 0.8, -0.5)).as_matrix()
FACETS = [15, 16, 17, 64, 512]


def mesh_of(made: trimesh.Trimesh) -> Mesh:
    return Mesh(np.asarray(made.vertices, dtype=float), np.asarray(made.faces))


def moved(mesh: Mesh, scale: float = 1.0, single: bool = False) -> Mesh:
    vertices = scale * (mesh.vertices @ TURN.T + [1.0, -2.0, 3.0])
    return Mesh(vertices.astype(np.float32).astype(float) if single else vertices, mesh.triangles)


def back(point: Array) -> Array:
    local: Array = (point - [1.0, -2.0, 3.0]) @ TURN
    return local


def only(mesh: Mesh) -> Primitive:
    (found,) = recognised(mesh)
    return found


@pytest.mark.parametrize("facets", FACETS)
def test_a_rod_is_a_cylinder_and_two_flat_ends(facets: int) -> None:
    found = only(moved(rod(0.5, 2.0, facets)))
    assert (found.kind, found.convex, len(found.triangles)) == ("cylinder", True, 2 * facets)
    assert found.radius_m == pytest.approx(0.5, rel=1e-9)
    assert np.abs(TURN.T @ found.axis) == pytest.approx([0, 0, 1], abs=1e-9)
    assert back(found.point)[:2] == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize("facets", [16, 64, 512])
def test_single_precision_is_enough(facets: int) -> None:
    found = only(moved(rod(0.5, 2.0, facets), single=True))
    assert found.kind == "cylinder" and found.radius_m == pytest.approx(0.5, rel=1e-6)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_scale_does_not_matter(scale: float) -> None:
    assert only(moved(ball(0.5, 24), scale)).radius_m == pytest.approx(0.5 * scale, rel=1e-9)


@pytest.mark.parametrize("facets", FACETS)
def test_a_ring_is_a_shaft_and_a_hole(facets: int) -> None:
    ring = turned([(0.3, 0), (0.5, 0), (0.5, 1), (0.3, 1)], facets, ring=True)
    found = sorted(recognised(moved(ring)), key=lambda one: one.radius_m)
    assert [(one.kind, one.convex) for one in found] == [("cylinder", False), ("cylinder", True)]
    assert [one.radius_m for one in found] == pytest.approx([0.3, 0.5], rel=1e-9)


@pytest.mark.parametrize("facets", [16, 20, 64, 128])
def test_a_ball_is_a_sphere(facets: int) -> None:
    found = only(moved(ball(0.5, facets)))
    assert found.kind == "sphere" and back(found.point) == pytest.approx([0, 0, 0], abs=1e-9)
    assert found.radius_m == pytest.approx(0.5, rel=1e-9)


def test_however_its_triangles_lie() -> None:
    assert only(mesh_of(trimesh.creation.icosphere(3, 0.5))).radius_m == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize("facets", FACETS)
@pytest.mark.parametrize("top", [0.0, 0.2])
def test_a_cone_is_one_with_or_without_its_tip(facets: int, top: float) -> None:
    ends = [(top, 1.0), (0, 1.0)] if top else [(0, 1.0)]
    found = only(moved(turned([(0, 0), (0.5, 0), *ends], facets)))
    assert found.kind == "cone"
    assert found.half_angle_rad == pytest.approx(np.arctan(0.5 - top), rel=1e-9)
    assert back(found.point) == pytest.approx([0, 0, 0.5 / (0.5 - top)], abs=1e-8)


def test_surfaces_that_go_on_smoothly_into_each_other_are_told_apart() -> None:
    capsule = mesh_of(trimesh.creation.capsule(1.0, 0.5, count=[32, 32]))
    assert sorted(one.kind for one in recognised(moved(capsule))) == ["cylinder", "sphere", "sphere"]


def test_what_was_cut_off_is_still_a_cylinder() -> None:
    whole = trimesh.creation.cylinder(0.5, 2.0, sections=64)
    cut = whole.slice_plane((0.1234, 0, 0), (-1, 0, 0), cap=True, engine="manifold")
    found = [one for one in recognised(mesh_of(cut)) if one.kind == "cylinder"]
    assert len(found) == 1 and found[0].radius_m == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize("pitch", [0.3, -0.3])
@pytest.mark.parametrize("facets", [16, 64])
def test_flanks_of_a_thread_have_its_pitch(pitch: float, facets: int) -> None:
    made = thread(0.8, 1.0, 0.0, 0.1, abs(pitch), 3, facets)
    if pitch < 0:
        made = Mesh(made.vertices * [1, -1, 1], made.triangles[:, ::-1])
    flanks = [one for one in recognised(moved(made)) if one.kind == "thread"]
    assert [one.pitch_m for one in flanks] == pytest.approx([pitch] * 2, rel=1e-9)
    assert [one.slope for one in flanks] == pytest.approx([0.0] * 2, abs=1e-9)


@pytest.mark.parametrize("facets", [16, 23, 64])
@pytest.mark.parametrize("seed", range(4))
def test_a_rod_that_lies_askew_in_a_file_of_six_digits_is_a_cylinder(facets: int, seed: int) -> None:
    made = rod(0.1, 1.2, facets)
    askew = made.vertices @ Rotation.random(random_state=seed).as_matrix().T + [0.5, -0.3, 0.8]
    told = np.array([[float(f"{x:.6g}") for x in row] for row in askew])
    assert only(Mesh(told, made.triangles)).kind == "cylinder"


@pytest.mark.parametrize("facets", [16, 23, 64])
@pytest.mark.parametrize("pitch", [0.18, 0.22, 0.5])
def test_two_coarse_turns_of_a_fine_thread_with_oblique_flanks_are_one(facets: int, pitch: float) -> None:
    made = thread(0.88, 1.0, 0.0, 0.1, pitch, 2, facets)
    radius = np.linalg.norm(made.vertices[:, :2], axis=1)
    leaning = made.vertices - np.outer(0.47 * radius, [0.0, 0.0, 1.0])
    flanks = [one for one in recognised(moved(Mesh(leaning, made.triangles))) if one.kind == "thread"]
    assert [abs(one.pitch_m) for one in flanks] == pytest.approx([pitch] * 2, rel=1e-9)
    assert [abs(one.slope) for one in flanks] == pytest.approx([0.47] * 2, rel=1e-9)


def test_all_corners_lie_on_what_was_recognised() -> None:
    made = moved(ball(0.3, 32), scale=2.0)
    found = only(made)
    form = form_of(found)
    assert form is not None
    heights = form.heights(made.vertices[made.triangles[found.triangles]].reshape(-1, 3))
    assert np.abs(heights).max() < 1e-12


@pytest.mark.parametrize("sides", [6, 8, 12, 14])
def test_prisms_of_few_sides_are_prisms(sides: int) -> None:
    assert recognised(moved(rod(0.5, 2.0, sides))) == ()


@pytest.mark.parametrize("sides", [6, 12])
def test_flat_pyramids_are_neither_cones_nor_balls(sides: int) -> None:
    assert recognised(turned([(0, 0), (1, 0), (0, 0.1)], sides)) == ()


def test_an_ellipse_is_no_circle() -> None:
    turns = 2 * np.pi * np.arange(64) / 64
    found = recognised(mesh_of(trimesh.creation.icosphere(3, 0.5).apply_scale((1.0, 1.0, 1.3))))
    outline = np.column_stack([np.cos(turns), 1.2 * np.sin(turns)])
    from falsework.geometry.shapes.solids import surface

    assert found == () and recognised(surface(Polygon(outline))) == ()


def test_what_equals_another_but_for_a_motion_is_told_by_that_one() -> None:
    first, rest = rod(0.01, 0.05, 512), ball(0.01, 32)
    second = moved(first, single=True)
    of_first, of_second, of_rest = as_moved((first, second, rest))
    assert of_first is not None and of_second is not None and of_rest is not None
    assert of_first.shape is of_second.shape is first and of_rest.shape is rest
    pose = of_second.pose
    off = first.vertices @ pose[:3, :3].T + pose[:3, 3] - second.vertices
    assert np.abs(off).max() <= 1e-7 * np.abs(second.vertices).max()
    assert np.allclose(pose[:3, :3], TURN, atol=1e-4)


def test_a_mirrored_or_dented_part_is_another_one() -> None:
    first = rod(0.01, 0.05, 512)
    mirrored = Mesh(first.vertices * [-1.0, 1.0, 1.0], first.triangles[:, ::-1])
    inside_out = Mesh(first.vertices * [-1.0, 1.0, 1.0], first.triangles)
    dented = first.vertices.copy()
    dented[0, 2] += 1e-6
    others = (mirrored, inside_out, Mesh(dented, first.triangles))
    found = as_moved((first, *others))
    assert all(moved is not None and moved.shape is other for moved, other in zip(found[1:], others, strict=True))


def test_equal_parts_touch_as_they_do_alone() -> None:
    pegs = [rod(0.01, 0.05, 512), rod(0.01, 0.05, 512)]
    turned_one = moved(pegs[1])
    of_first, of_second = as_moved((pegs[0], turned_one))
    assert of_first is not None and of_second is not None
    (alone,), (shared,) = recognised(turned_one), recognised(of_second.shape)
    axis = of_second.pose[:3, :3] @ shared.axis
    assert abs(float(axis @ alone.axis)) == pytest.approx(1.0, abs=1e-12)
    assert shared.radius_m == pytest.approx(alone.radius_m, rel=1e-9)
    assert np.array_equal(shared.triangles, alone.triangles)
