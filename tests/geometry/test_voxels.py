"""Solids as cells: known volumes, rays that meet edges, solids that overlap."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from falsework.geometry.shapes.solids import make_part
from falsework.geometry.shapes.voxels import voxels
from falsework.model.assembly import Assembly
from falsework.model.shapes import Mesh, Shape, box


def placed(shape: Shape, *at: float, name: str = "a") -> Assembly:
    pose = np.eye(4)
    pose[:3, 3] = at or (0.0, 0.0, 0.0)
    return Assembly((make_part(name, shape, pose),))


def mesh(made: trimesh.Trimesh) -> Mesh:
    return Mesh(np.asarray(made.vertices), np.asarray(made.faces))


def test_a_box_of_whole_cells_is_those_cells() -> None:
    assert voxels(placed(box((3.0, 2.0, 4.0)), 7.0, -3.0, 1.0), (1.0, 1.0, 1.0)).shape == (3, 2, 4)
    assert voxels(placed(box((3.0, 2.0, 4.0))), (1.0, 1.0, 1.0)).all()


def test_cells_less_than_half_full_stay_empty() -> None:
    found = voxels(placed(box((3.0, 2.0, 1.4))), (1.0, 1.0, 1.0))
    assert found.shape == (3, 2, 2)
    assert found[:, :, 0].all()
    assert not found[:, :, 1].any()
    assert voxels(placed(box((3.0, 2.0, 1.6))), (1.0, 1.0, 1.0)).all()


def test_cells_that_are_just_half_full_are_all_full() -> None:
    """Walls whose faces run through the middle of cells, far from the origin: rounding must not pick among them."""
    found = voxels(placed(box((4.0, 0.5, 7.3)), 1e3 / 3, 1e3 / 7, 1e3 / 9), (1.0, 1.0, 0.1))
    assert found.shape == (4, 1, 73)
    assert found.all()


def test_rays_along_edges_and_through_corners_are_inside_or_outside() -> None:
    """Triangles whose edges run exactly below the rays: at quarters of a cell, straight and diagonal."""
    made = trimesh.creation.box((4.0, 4.0, 4.0)).subdivide().subdivide().subdivide().subdivide()
    assert voxels(placed(mesh(made)), (0.5, 0.5, 0.5)).all()


@pytest.mark.parametrize("cell", [0.11, 0.07])
def test_a_ball_has_its_volume(cell: float) -> None:
    ball = trimesh.creation.icosphere(4, radius=1.0)
    found = voxels(placed(mesh(ball)), (cell, cell, cell * 1.2))
    assert found.sum() * 1.2 * cell**3 == pytest.approx(4 / 3 * np.pi, rel=0.02)
    assert np.array_equal(found, found[::-1])  # it is centred


def test_a_hole_stays_empty_and_an_overlap_counts_once() -> None:
    ring = voxels(placed(mesh(trimesh.creation.annulus(1.0, 2.0, 1.0))), (0.25, 0.25, 0.25))
    assert not ring[6:10, 6:10].any()
    first, second = placed(box((2.0, 1.0, 1.0))), placed(box((2.0, 1.0, 1.0)), 1.0, 0.0, 0.0, name="b")
    both = Assembly((*first.parts, *second.parts))
    assert voxels(both, (0.5, 0.5, 0.5)).sum() == 3 * 8
