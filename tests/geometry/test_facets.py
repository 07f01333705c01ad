"""Flat faces of surfaces, warped and curved ones included."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.geometry.shapes.facets import Facets, facets
from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array
from falsework.model.shapes import Mesh, Polygon, Polyhedron, box
from tests.geometry.assemblies import tilted


def prism(sides: int, depth: float = 1.0) -> Mesh:
    turns = 2 * np.pi * np.arange(sides) / sides
    return surface(Polygon(np.c_[np.cos(turns), np.sin(turns)], depth))


def turned(mesh: Mesh, pose: Array, scale: float = 1.0) -> Mesh:
    return Mesh(scale * mesh.vertices @ pose[:3, :3].T + pose[:3, 3], mesh.triangles)


def check_consistent(mesh: Mesh, found: Facets) -> None:
    """Loops enclose the facets' areas, facets close up, and all triangles are in one."""
    enclosed = np.bincount(found.loop_facets, weights=found.loop_areas, minlength=len(found))
    assert enclosed == pytest.approx(found.areas, rel=1e-6)
    assert (found.facet_of >= 0).all()
    assert (found.normals * found.areas[:, None]).sum(axis=0) == pytest.approx(
        np.zeros(3), abs=1e-6 * found.areas.sum()
    )
    assert np.linalg.norm(found.normals, axis=1) == pytest.approx(np.ones(len(found)))


def test_box_has_six_outward_quadrilaterals() -> None:
    mesh = surface(box((1.0, 2.0, 3.0)))
    found = facets(mesh)
    check_consistent(mesh, found)
    assert sorted(found.areas) == pytest.approx([2, 2, 3, 3, 6, 6])
    assert np.diff(found.loop_starts).tolist() == [4] * 6
    middle = np.array([0.5, 1.0, 1.5])
    assert ((found.centres - middle) * found.normals).sum(axis=1) == pytest.approx(
        np.abs(found.centres - middle).max(axis=1)
    )
    assert found.offsets == pytest.approx((found.normals * found.centres).sum(axis=1))


def test_angle_has_one_facet_a_side_though_its_ends_are_not_convex() -> None:
    mesh = surface(Polygon(np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2.0)]), 1.0))
    found = facets(turned(mesh, tilted(3)))
    check_consistent(mesh, found)
    assert len(found) == 8
    assert sorted(np.diff(found.loop_starts)) == [4] * 6 + [6] * 2


def test_face_with_a_hole_has_an_outline_and_a_hole() -> None:
    outer = np.array([(-2, -2), (2, -2), (2, 2), (-2, 2.0)])
    corners = np.concatenate([np.c_[k * outer, np.full(4, z)] for z in (0.0, 1.0) for k in (1.0, 0.5)])
    faces = []
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)):
        faces += [(a, b, b + 8, a + 8), (b + 4, a + 4, a + 12, b + 12)]
        faces += [(b, a, a + 4, b + 4), (a + 8, b + 8, b + 12, a + 12)]
    mesh = surface(Polyhedron(corners, tuple(faces)))
    found = facets(mesh)
    check_consistent(mesh, found)
    assert len(found) == 10
    ends = np.flatnonzero(found.areas > 11)
    for end in ends:
        assert found.loop_areas[found.loop_facets == end] == pytest.approx([16.0, -4.0])


def test_warped_quadrilateral_is_one_facet() -> None:
    block = box((1.0, 1.0, 1.0))
    vertices = block.vertices.copy()
    vertices[6] += [2e-4, -1e-4, 3e-4]
    found = facets(surface(Polyhedron(vertices, block.faces)))
    assert len(found) == 6
    vertices[6] += [0.0, 0.0, 0.05]
    assert len(facets(surface(Polyhedron(vertices, block.faces)))) > 6


@pytest.mark.parametrize("sides", [12, 200, 2000])
def test_slowly_turning_prism_keeps_its_sides_apart(sides: int) -> None:
    mesh = prism(sides)
    found = facets(mesh)
    check_consistent(mesh, found)
    assert len(found) == sides + 2
    stray = (mesh.vertices[mesh.triangles] - found.centres[found.facet_of][:, None]) * found.normals[found.facet_of][
        :, None
    ]
    assert np.abs(stray.sum(axis=2)).max() < 1e-9


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_facets_do_not_depend_on_scale_or_pose(scale: float) -> None:
    noise = np.random.default_rng(0).uniform(-1e-5, 1e-5, (24, 3))
    mesh = prism(12)
    rough = Mesh(mesh.vertices + noise, mesh.triangles)
    moved = turned(rough, tilted(5, (3.0 * scale, 0.0, -scale)), scale)
    assert len(facets(moved)) == len(facets(rough)) == 14
    assert sorted(facets(moved).areas / scale**2) == pytest.approx(sorted(facets(rough).areas))


def test_triangles_without_area_are_in_no_facet() -> None:
    mesh = surface(box((1.0, 1.0, 1.0)))
    a, b, c = mesh.triangles[0]
    vertices = np.concatenate([mesh.vertices, [0.5 * (mesh.vertices[a] + mesh.vertices[b])]])
    triangles = np.concatenate([mesh.triangles[1:], [[a, 8, c], [8, b, c], [a, b, 8]]])
    found = facets(Mesh(vertices, triangles))
    assert found.facet_of[-1] == -1
    assert found.areas.sum() == pytest.approx(6.0)


def test_faces_that_meet_in_a_corner_only_are_two_facets() -> None:
    near, far = box((1.0, 1.0, 1.0)), box((1.0, 1.0, 1.0))
    both = np.concatenate([near.vertices, far.vertices + np.array([1.0, 1.0, 0.0])])
    same = {8: 2, 12: 6}  # the shared edge
    faces = [*near.faces, *(tuple(same.get(k + 8, k + 8) for k in face) for face in far.faces)]
    found = facets(surface(Polyhedron(both, tuple(faces))))
    assert len(found) == 12
    assert found.areas == pytest.approx(np.ones(12))
    assert np.diff(found.loop_starts).tolist() == [4] * 12
