"""Surfaces as files have them come out closed and outward, or are refused with the reason."""

from __future__ import annotations

import re
from itertools import pairwise

import manifold3d
import numpy as np
import pytest
import trimesh

from falsework.geometry.mending.repair import closed
from falsework.geometry.shapes.solids import bulk, is_closed, joined, surface
from falsework.model.arrays import Array, Ints
from falsework.model.shapes import Mesh, Polygon, Polyhedron, box
from falsework.model.surfaces import Primitive

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


def test_an_edge_that_is_split_on_one_side_only_is_split_on_the_other() -> None:
    # the middle of edge 0-1 is a corner of the bottom's triangles, not of the front's
    a, b, c = next(t for t in BOX.triangles.tolist() if {0, 1} <= set(t))
    while {a, b} != {0, 1}:
        a, b, c = b, c, a
    others = [t for t in BOX.triangles.tolist() if t not in ([a, b, c], [b, c, a], [c, a, b])]
    vertices = np.concatenate([BOX.vertices, [0.5 * (BOX.vertices[0] + BOX.vertices[1])]])
    assert check(vertices, np.array([*others, [a, 8, c], [8, b, c]]), 6.0) == ["mended 1 T-junction"]


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
        (BOX.vertices, np.delete(BOX.triangles, [0, 1, 4], axis=0), r"a hole with 5 edges near \(.*\) is not flat"),
        (*_moebius(), r"no outside"),
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


def cylinder(walls: int, bottom: int, top: int, inner: float = 0.0) -> tuple[Array, Ints]:
    """A cylinder, or a pipe, of radius and height 1: how many edges its walls and its caps have around."""
    vertices: list[Array] = []
    triangles: list[Array] = []

    def add(corners: Array, faces: Array) -> None:
        triangles.append(faces + sum(map(len, vertices)))
        vertices.append(corners)

    for radius in (1.0, inner) if inner else (1.0,):
        around = _ring(walls, radius)
        k = np.arange(walls)
        low, ahead = k, (k + 1) % walls
        quads = np.stack([low, ahead, ahead + walls, low, ahead + walls, low + walls], axis=1).reshape(-1, 3)
        add(
            np.concatenate([np.c_[around, 0 * k], np.c_[around, 0 * k + 1]]), quads if radius == 1.0 else quads[:, ::-1]
        )
    for edges, height in ((bottom, 0.0), (top, 1.0)):
        loops = [_ring(edges, 1.0), *([_ring(walls, inner)[::-1]] if inner else [])]
        flat = np.concatenate(loops)
        cut = np.asarray(manifold3d.triangulate(loops), dtype=np.int64)
        add(np.c_[flat, np.full(len(flat), height)], cut if height else cut[:, ::-1])
    return np.concatenate(vertices), np.concatenate(triangles)


def _ring(edges: int, radius: float) -> Array:
    turns = 2 * np.pi * np.arange(edges) / edges
    return radius * np.c_[np.cos(turns), np.sin(turns)]


def _area(edges: int) -> float:
    """Of the polygon with so many edges in a circle of radius 1."""
    return 0.5 * edges * np.sin(2 * np.pi / edges)


@pytest.mark.parametrize("inner", [0.0, 0.5])
@pytest.mark.parametrize(("walls", "bottom", "top"), [(96, 12, 96), (96, 12, 12), (12, 96, 96), (24, 96, 12)])
def test_long_edges_against_several_short_ones_make_no_solid_of_another_weight(
    walls: int, bottom: int, top: int, inner: float
) -> None:
    vertices, triangles = cylinder(walls, bottom, top, inner)
    rng = np.random.default_rng(0)
    for _ in range(4):
        order = rng.permutation(len(vertices))
        shuffled = np.argsort(order)[triangles][rng.permutation(len(triangles))]
        mesh, warnings = closed(vertices[order], shuffled)
        assert bulk(mesh).volume_m3 == pytest.approx(_area(walls) * (1 - inner**2), rel=1e-9)
        assert [warning.split()[0] for warning in warnings] == ["welded", "capped"]


@pytest.mark.parametrize("seed", range(4))
def test_edges_that_end_anywhere_along_each_other_are_mended(seed: int) -> None:
    # each face of the box cut into strips, across or along, none fitting its neighbours
    rng = np.random.default_rng(seed)
    vertices, triangles = [], []
    for face in box((1.0, 2.0, 3.0)).faces:
        a, b, c, d = np.roll(BOX.vertices[list(face)], seed, axis=0)
        cuts = np.concatenate([[0.0], np.sort(rng.uniform(0.05, 0.95, 6)), [1.0]])
        for low, high in pairwise(cuts):
            start = len(vertices)
            vertices += [a + low * (b - a), a + high * (b - a), d + high * (c - d), d + low * (c - d)]
            triangles += [[start, start + 1, start + 2], [start, start + 2, start + 3]]
    warnings = check(np.array(vertices), np.array(triangles), 6.0)
    assert any(re.fullmatch(r"mended [0-9]+ T-junctions", warning) for warning in warnings)
    assert not any("capped" in warning for warning in warnings)


def test_a_small_hole_that_is_not_flat_is_filled_and_a_large_one_refused() -> None:
    ball = trimesh.creation.icosphere(subdivisions=4)
    at_pole = int(np.argmax(ball.vertices[:, 2]))
    small = (ball.faces != at_pole).all(axis=1)
    mesh, warnings = closed(ball.vertices, ball.faces[small])
    assert bulk(mesh).volume_m3 == pytest.approx(ball.volume, rel=1e-3)
    assert warnings == ["filled 1 small hole that is not flat"] or warnings == ["capped 1 planar hole"]
    wavy = ball.vertices * (1 + 0.05 * np.sin(5 * np.arctan2(ball.vertices[:, 1], ball.vertices[:, 0])))[:, None]
    with pytest.raises(ValueError, match=r"a hole with [0-9]+ edges near \(.*\) is not flat"):
        closed(wavy, ball.faces[ball.vertices[ball.faces][:, :, 2].mean(axis=1) < 0.4])


def test_a_stray_triangle_is_dropped() -> None:
    warnings = check(BOX.vertices, np.concatenate([BOX.triangles, [[0, 1, 6]]]), 6.0)
    assert warnings == ["capped 1 planar hole", "dropped 2 double triangles"]


def test_a_fin_of_several_triangles_is_dropped() -> None:
    fin = Mesh(np.array([(1, 0, 0), (1, 2, 0), (2, 2, 0), (3, 1, 0), (2, 0, 0.0)]), [[0, 4, 3], [0, 3, 2], [0, 2, 1]])
    both = joined([BOX, fin])
    assert "dropped 1 surface without volume" in check(both.vertices, both.triangles, 6.0)


def test_surfaces_that_pass_through_each_other_are_united() -> None:
    through = Mesh(BOX.vertices * [3.0, 0.25, 0.25] + [-1.0, 0.5, 0.5], BOX.triangles)
    both = joined([BOX, through])
    # a bar of 3 x 0.5 x 0.75 through the box, which is 1 thick there
    warnings = check(both.vertices, both.triangles, 6.0 + 2 * 0.5 * 0.75)
    assert warnings == ["united 2 surfaces that pass through each other"]


def test_a_surface_half_inside_another_is_no_cavity() -> None:
    # the box around the bar lies inside that of the angle, the bar half outside its matter
    bar = Mesh(BOX.vertices * 0.25 + [1.2, -0.25, 0.6], BOX.triangles)
    both = joined([Mesh(ANGLE.vertices, ANGLE.triangles), bar])
    solid = trimesh.Trimesh(ANGLE.vertices, ANGLE.triangles).union(trimesh.Trimesh(bar.vertices, bar.triangles))
    check(both.vertices, both.triangles, solid.volume)


def test_what_triangles_stand_for_is_kept_whatever_is_done_to_them() -> None:
    vertices, triangles = cylinder(96, 12, 96)
    upright = np.abs(vertices[triangles][:, :, 2].mean(axis=1) - 0.5) < 0.4
    wall = Primitive("cylinder", np.zeros(3), np.array([0.0, 0.0, 1.0]), np.flatnonzero(upright), radius_m=1.0)
    mesh, _ = closed(vertices, triangles, (wall,))
    standing = np.ptp(mesh.vertices[mesh.triangles][:, :, 2], axis=1) > 0.5
    assert np.array_equal(mesh.primitives[0].triangles, np.flatnonzero(standing)) and standing.sum() == 192
