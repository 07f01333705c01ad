"""Meshes that are bad in every way: mended with a word about it, or refused with the place."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from falsework.geometry.mending.crossings import wound
from falsework.geometry.mending.repair import closed
from falsework.geometry.shapes.solids import bulk
from falsework.geometry.shapes.triangulation import filled
from falsework.model.shapes import Mesh

BALL = trimesh.creation.icosphere(subdivisions=3, radius=0.5)


def soup(shape: trimesh.Trimesh) -> tuple[np.ndarray, np.ndarray]:
    """Triangles that share nothing."""
    return shape.triangles.reshape(-1, 3), np.arange(3 * len(shape.faces)).reshape(-1, 3)


@pytest.mark.parametrize(("apart", "told"), [(3e-7, "1e-06"), (3e-6, "1e-05"), (2e-5, "0.0001")])
def test_corners_that_do_not_quite_meet_are_welded_as_far_as_it_takes(apart: float, told: str) -> None:
    vertices, triangles = soup(BALL)
    moved = vertices + np.random.default_rng(0).uniform(-apart, apart, vertices.shape) / np.sqrt(12)
    mesh, notes = closed(moved, triangles, apart=True)
    assert bulk(mesh).volume_m3 == pytest.approx(BALL.volume, rel=1e-3)
    assert [note for note in notes if note.endswith(f"vertices up to {told} of the size apart")]


def test_corners_far_from_each_other_are_not_welded() -> None:
    vertices, triangles = soup(BALL)
    moved = vertices + np.random.default_rng(0).normal(0, 1e-2, vertices.shape)
    with pytest.raises(ValueError, match=r"the surface|not flat"):
        closed(moved, triangles)


def test_a_surface_that_passes_through_itself_is_refused_with_the_place() -> None:
    # the cap of a ball pushed through its bottom
    vertices = BALL.vertices.copy()
    vertices[vertices[:, 2] > 0.3, 2] -= 1.0
    with pytest.raises(ValueError, match=r"passes through itself near \(.*\): [0-9.]+% of what it encloses"):
        closed(vertices, BALL.faces)


@pytest.mark.parametrize(
    "shape",
    [
        trimesh.creation.box((1, 2, 3)),
        BALL,
        trimesh.creation.annulus(0.5, 1.0, 1.0, sections=40),
        trimesh.creation.torus(1.0, 0.3, 40, 20),
        trimesh.creation.box((3, 3, 3)).difference(trimesh.creation.box((1, 1, 1))),
    ],
    ids=["box", "ball", "pipe", "ring", "hollow"],
)
def test_a_sound_surface_winds_once_about_its_inside_along_every_line(shape: trimesh.Trimesh) -> None:
    found = wound(np.asarray(shape.vertices), np.asarray(shape.faces))
    assert found.odd == 0.0 and found.sound > 0.0
    sides = np.ptp(shape.vertices, axis=0)
    lines = min(64, max(8, int(4 * np.sqrt(len(shape.faces)))))
    assert found.sound * sides[0] * sides[1] / lines**2 == pytest.approx(shape.volume, rel=0.05)


def test_two_balls_that_overlap_wind_twice_about_what_they_share() -> None:
    # unlike shells of one part, which are united before they are looked at
    vertices = np.concatenate([BALL.vertices, BALL.vertices + np.array([0.5, 0.0, 0.0])])
    faces = np.concatenate([BALL.faces, BALL.faces + len(BALL.vertices)])
    found = wound(vertices, faces)
    # two balls of radius 1/2 whose centres are 1/2 apart share a lens of 5π/96; each is π/6
    lens, both = 5 * np.pi / 96, 2 * np.pi / 6
    assert found.odd / (found.sound + found.odd) == pytest.approx(lens / (both - lens), rel=0.1)


def test_a_hole_with_very_many_edges_is_capped_in_a_time_that_grows_with_them() -> None:
    turns = 2 * np.pi * np.arange(30_000) / 30_000
    around = np.column_stack([np.cos(turns), np.sin(turns), 0 * turns]).astype(np.float32).astype(float)
    cut = filled(around, [range(len(around))])
    assert len(cut) == len(around) - 2
    area = 0.5 * np.linalg.norm(
        np.cross(around[cut[:, 1]] - around[cut[:, 0]], around[cut[:, 2]] - around[cut[:, 0]]), axis=1
    )
    assert area.sum() == pytest.approx(np.pi, rel=1e-6)


def test_a_large_figure_with_holes_is_cut_the_same_way_round() -> None:
    turns = 2 * np.pi * np.arange(5_000) / 5_000
    ring = np.column_stack([np.cos(turns), np.sin(turns), 0 * turns])
    points = np.concatenate([ring, 0.5 * ring])
    cut = filled(points, [range(5_000), range(9_999, 4_999, -1)])
    across = np.cross(points[cut[:, 1]] - points[cut[:, 0]], points[cut[:, 2]] - points[cut[:, 0]])[:, 2]
    assert (across > 0).all() and 0.5 * across.sum() == pytest.approx(0.75 * np.pi, rel=1e-5)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e5])
def test_mending_does_not_depend_on_how_large_things_are(scale: float) -> None:
    vertices, triangles = soup(BALL)
    mesh, _ = closed(scale * vertices, triangles[1:])
    assert bulk(mesh).volume_m3 == pytest.approx(BALL.volume * scale**3, rel=1e-3)


def test_a_hundred_thousand_slivers_are_no_trouble() -> None:
    turns = 2 * np.pi * np.arange(25_000) / 25_000
    pin = trimesh.creation.cylinder(radius=1.0, height=1.0, sections=25_000)
    assert len(pin.faces) == 4 * len(turns)
    mesh, notes = closed(*soup(pin), apart=True)
    assert bulk(mesh).volume_m3 == pytest.approx(np.pi, rel=1e-6) and notes == []


def test_a_part_may_be_thousands_of_pieces() -> None:
    cube = trimesh.creation.box((1, 1, 1))
    vertices = np.concatenate([cube.vertices + np.array([2.0 * k, 0, 0]) for k in range(3_000)])
    faces = np.concatenate([cube.faces + 8 * k for k in range(3_000)])
    mesh, notes = closed(vertices, faces)
    assert bulk(mesh).volume_m3 == pytest.approx(3_000.0) and notes == [] and isinstance(mesh, Mesh)
