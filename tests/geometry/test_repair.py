"""Surfaces as files have them come out closed and outward, or are refused with the reason."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.geometry.shapes.repair import closed
from falsework.geometry.shapes.solids import bulk, is_closed, joined, surface
from falsework.model.arrays import Array, Ints
from falsework.model.shapes import Mesh, Polygon, Polyhedron, box

BOX = surface(box((1.0, 2.0, 3.0)))
ANGLE = surface(Polygon(np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2.0)]), 1.0))


def ring() -> Mesh:
    """A square pipe along z: outer side 4, inner side 2, height 1."""
    outer = np.array([(-2, -2), (2, -2), (2, 2), (-2, 2.0)])
    corners = np.concatenate([np.c_[k * outer, np.full(4, z)] for z in (0.0, 1.0) for k in (1.0, 0.5)])
    faces = []
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)):
        faces += [
            (a, b, b + 8, a + 8),
            (b + 4, a + 4, a + 12, b + 12),
            (b, a, a + 4, b + 4),
            (a + 8, b + 8, b + 12, a + 12),
        ]
    return surface(Polyhedron(corners, tuple(faces)))


def check(vertices: Array, triangles: Ints, volume: float) -> list[str]:
    mesh, warnings = closed(vertices, triangles)
    assert is_closed(mesh.triangles)
    assert bulk(mesh).volume_m3 == pytest.approx(volume)
    return warnings


def test_sound_surface_stays_as_it_is() -> None:
    mesh, warnings = closed(ANGLE.vertices, ANGLE.triangles)
    assert warnings == []
    assert np.array_equal(mesh.triangles, ANGLE.triangles)
    assert np.array_equal(mesh.vertices, ANGLE.vertices)


def test_triangle_soup_is_welded() -> None:
    soup = BOX.vertices[BOX.triangles].reshape(-1, 3)
    noise = np.random.default_rng(0).uniform(-1e-8, 1e-8, soup.shape)
    assert check(soup + noise, np.arange(36).reshape(-1, 3), 6.0) == ["welded 28 coincident vertices"]


def test_degenerate_and_double_triangles_are_dropped() -> None:
    extra = np.array([[0, 0, 1], [2, 3, 3]])
    triangles = np.concatenate([BOX.triangles, extra, BOX.triangles[:1]])
    assert check(BOX.vertices, triangles, 6.0) == ["dropped 2 degenerate triangles", "dropped 1 double triangle"]


def test_wall_inside_that_faces_both_ways_is_dropped() -> None:
    upper = Mesh(BOX.vertices + np.array([0.0, 0.0, 3.0]), BOX.triangles)
    both = joined([BOX, upper])
    warnings = check(both.vertices, both.triangles, 12.0)
    assert warnings == ["welded 4 coincident vertices", "dropped 4 double triangles"]


@pytest.mark.parametrize("missing", range(0, 12, 2))
def test_missing_face_of_a_box_is_capped(missing: int) -> None:
    triangles = np.delete(BOX.triangles, [missing, missing + 1], axis=0)
    assert check(BOX.vertices, triangles, 6.0) == ["capped 1 planar hole"]


def test_missing_non_convex_face_is_capped() -> None:
    side = ANGLE.vertices[ANGLE.triangles][:, :, 1]
    triangles = ANGLE.triangles[(side > -0.5).any(axis=1)]
    assert len(triangles) == len(ANGLE.triangles) - 4
    assert check(ANGLE.vertices, triangles, 3.0) == ["capped 1 planar hole"]


def test_missing_ring_between_two_rims_is_capped_as_a_ring() -> None:
    pipe = ring()
    top = (pipe.vertices[pipe.triangles][:, :, 2] == 1.0).all(axis=1)
    assert check(pipe.vertices, pipe.triangles[~top], 12.0) == ["capped 1 planar hole"]


def test_holes_that_touch_in_a_corner_are_capped_apart() -> None:
    triangles = np.delete(BOX.triangles, [0, 5], axis=0)
    assert check(BOX.vertices, triangles, 6.0) == ["capped 2 planar holes"]


def test_edge_that_is_split_on_one_side_only_is_closed() -> None:
    # the middle of edge 0-1 is a corner of the bottom's triangles, not of the front's
    a, b, c = next(t for t in BOX.triangles.tolist() if {0, 1} <= set(t))
    while {a, b} != {0, 1}:
        a, b, c = b, c, a
    others = [t for t in BOX.triangles.tolist() if t not in ([a, b, c], [b, c, a], [c, a, b])]
    vertices = np.concatenate([BOX.vertices, [0.5 * (BOX.vertices[0] + BOX.vertices[1])]])
    assert check(vertices, np.array([*others, [a, 8, c], [8, b, c]]), 6.0) == ["capped 1 planar hole"]


@pytest.mark.parametrize("seed", range(5))
def test_triangles_wound_at_random_are_turned(seed: int) -> None:
    flip = np.random.default_rng(seed).random(len(ANGLE.triangles)) < 0.4
    triangles = np.where(flip[:, None], ANGLE.triangles[:, ::-1], ANGLE.triangles)
    warnings = check(ANGLE.vertices, triangles, 3.0)
    assert any(warning.startswith("turned") for warning in warnings)


def test_surface_inside_out_is_turned() -> None:
    assert check(BOX.vertices, BOX.triangles[:, ::-1], 6.0) == ["turned the surface the right side out"]


@pytest.mark.parametrize("inward", [False, True])
def test_wall_of_a_cavity_faces_into_it(inward: bool) -> None:
    inner = Mesh(0.5 * BOX.vertices + np.array([0.25, 0.5, 0.75]), BOX.triangles[:, ::-1] if inward else BOX.triangles)
    both = joined([BOX, inner])
    warnings = check(both.vertices, both.triangles, 6.0 * (1 - 0.125))
    assert bool(warnings) != inward


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_repair_does_not_depend_on_scale(scale: float) -> None:
    soup = scale * BOX.vertices[BOX.triangles[2:]].reshape(-1, 3)
    assert check(soup, np.arange(30).reshape(-1, 3), 6.0 * scale**3) == [
        "welded 22 coincident vertices",
        "capped 1 planar hole",
    ]


def test_vertices_that_nothing_uses_are_left_out() -> None:
    mesh, warnings = closed(np.concatenate([BOX.vertices, [[9.0, 9.0, 9.0]]]), BOX.triangles)
    assert len(mesh.vertices) == 8
    assert warnings == []


def _moebius() -> tuple[Array, Ints]:
    turns = np.arange(6) * np.pi / 3
    edge = [
        (np.cos(t) * (3 + s * np.cos(t / 2)), np.sin(t) * (3 + s * np.cos(t / 2)), s * np.sin(t / 2))
        for t in turns
        for s in (-1, 1)
    ]
    strip = [(2 * k, 2 * k + 2, 2 * k + 1) for k in range(5)] + [(2 * k + 1, 2 * k + 2, 2 * k + 3) for k in range(5)]
    return np.array(edge), np.array([*strip, (10, 1, 11), (11, 1, 0)])


@pytest.mark.parametrize(
    ("vertices", "triangles", "message"),
    [
        (BOX.vertices, np.delete(BOX.triangles, [0, 1, 4], axis=0), r"a hole with 5 edges is not flat"),
        (*_moebius(), r"no outside"),
        (BOX.vertices, np.concatenate([BOX.triangles, [[0, 1, 6]]]), r"the surface stays open|not flat"),
        (BOX.vertices, np.array([[0, 0, 1], [1, 1, 2]]), r"three different corners"),
        (BOX.vertices, np.array([[0, 1, 2], [2, 1, 0]]), r"encloses no volume"),
        (
            BOX.vertices[:, [0, 1, 1]] * [1, 1, 0],
            BOX.triangles,
            r"encloses no volume|three different corners|stays open",
        ),
        (np.full((4, 3), np.nan), np.array([[0, 1, 2]]), r"finite vertices"),
        (BOX.vertices, np.array([[0, 1, 99]]), r"faces over vertices 0 to 7"),
        (BOX.vertices, np.zeros((0, 3), dtype=int), r"faces over vertices"),
    ],
)
def test_surface_without_a_volume_is_refused(vertices: Array, triangles: Ints, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        closed(vertices, triangles)
