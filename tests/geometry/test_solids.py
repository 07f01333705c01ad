"""Mass, centre and inertia against closed forms; surfaces that close."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.geometry.shapes.solids import bulk, is_closed, make_part, surface
from falsework.model.catalogue import brick_type
from falsework.model.errors import BadPart
from falsework.model.part import Material
from falsework.model.shapes import BrickShape, ConvexPieces, Mesh, Polygon, Polyhedron, Shape, box
from tests.geometry.assemblies import tilted


def test_box_has_the_inertia_of_the_textbook() -> None:
    part = make_part("box", box((1.0, 2.0, 3.0)), np.eye(4), material=Material("stone", 2500.0))
    assert part.mass_kg == pytest.approx(15000.0)
    assert part.com_part_m == pytest.approx([0.5, 1.0, 1.5])
    assert part.inertia_part_kgm2 == pytest.approx(15000.0 / 12 * np.diag([13.0, 10.0, 5.0]))


def test_corner_tetrahedron_has_the_moments_of_the_textbook() -> None:
    corner = Polyhedron(
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
    )
    solid = bulk(surface(corner))
    assert solid.volume_m3 == pytest.approx(1 / 6)
    assert solid.centre_m == pytest.approx([0.25] * 3)
    # ∫x² = 1/60 and ∫xy = 1/120 about the corner, less V c² = 1/96 about the centre
    assert np.diag(solid.inertia_m5) == pytest.approx([2 * (1 / 60 - 1 / 96)] * 3)
    assert solid.inertia_m5[0, 1] == pytest.approx(-(1 / 120 - 1 / 96))


def test_extruded_angle_has_the_sum_of_its_legs() -> None:
    outline = np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], dtype=float)
    part = make_part("L", Polygon(outline, 0.5), np.eye(4))
    assert part.mass_kg == pytest.approx(1500.0)
    assert part.com_part_m == pytest.approx([2.5 / 3, 0.0, 2.5 / 3])
    about_y = 1000.0 * (1.0 * (1 + 4) / 12 + 0.5 * (1 + 1) / 12)  # legs 2 × 1 and 1 × 1, each about its own centre
    about_y += 1000.0 * (np.hypot(1 - 2.5 / 3, 0.5 - 2.5 / 3) ** 2 + 0.5 * np.hypot(0.5 - 2.5 / 3, 1.5 - 2.5 / 3) ** 2)
    assert part.inertia_part_kgm2[1, 1] == pytest.approx(about_y)


def test_pieces_weigh_what_the_whole_weighs() -> None:
    halves = [
        box((1.0, 1.0, 2.0)),
        Polyhedron(box((1.0, 1.0, 1.0)).vertices + np.array([1.0, 0.0, 0.0]), box((1, 1, 1)).faces),
    ]
    outline = np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], dtype=float)
    pieces, whole = bulk(surface(ConvexPieces(tuple(halves)))), bulk(surface(Polygon(outline, 1.0)))
    assert pieces.volume_m3 == pytest.approx(whole.volume_m3)
    assert pieces.centre_m - whole.centre_m == pytest.approx([0.0, 0.5, 0.0])  # the prism lies about y = 0
    assert pieces.inertia_m5 == pytest.approx(whole.inertia_m5)


@pytest.mark.parametrize(
    "name", ["brick_2x4", "plate_1x6", "tile_2x2", "slope_2x4_flat1", "slope_1x2_flat0", "duplo:brick_2x2"]
)
def test_bricks_are_closed_bodies_with_their_catalogue_mass(name: str) -> None:
    kind = brick_type(name)
    mesh = surface(BrickShape(kind))
    part = make_part("brick", BrickShape(kind), tilted(1))
    assert is_closed(mesh.triangles)
    assert np.ptp(mesh.vertices, axis=0) == pytest.approx(kind.size_m)
    assert part.mass_kg == pytest.approx(kind.mass_kg)
    assert (np.linalg.eigvalsh(part.inertia_part_kgm2) > 0).all()


def test_cuboid_brick_has_its_centre_at_mid_height() -> None:
    kind = brick_type("brick_2x4")
    length, width, height = kind.size_m
    part = make_part("brick", BrickShape(kind), np.eye(4))
    assert part.com_part_m == pytest.approx(np.array(kind.size_m) / 2)
    expected = part.mass_kg / 12 * np.array([width**2 + height**2, length**2 + height**2, length**2 + width**2])
    assert np.diag(part.inertia_part_kgm2) == pytest.approx(expected)


def test_slope_leans_to_its_high_side() -> None:
    part = make_part("slope", BrickShape(brick_type("slope_2x4_flat1")), np.eye(4))
    length, width, height = brick_type("slope_2x4_flat1").size_m
    assert part.com_part_m[0] < length / 2
    assert part.com_part_m[2] < height / 2
    assert part.com_part_m[1] == pytest.approx(width / 2)


def test_given_mass_scales_the_inertia_only() -> None:
    shape = box((1.0, 2.0, 3.0))
    light, heavy = make_part("a", shape, np.eye(4), mass_kg=1.0), make_part("b", shape, np.eye(4), mass_kg=7.0)
    assert heavy.mass_kg == 7.0
    assert heavy.inertia_part_kgm2 == pytest.approx(7.0 * light.inertia_part_kgm2)
    assert heavy.com_part_m == pytest.approx(light.com_part_m)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_moments_scale_and_do_not_depend_on_where_the_part_lies(scale: float) -> None:
    mesh = surface(Polygon(np.array([(0, 0), (3, 0), (1, 1), (0, 3.0)]), 0.7))
    far = Mesh(scale * (mesh.vertices + np.array([50.0, -20.0, 10.0])), mesh.triangles)
    near, away = bulk(mesh), bulk(far)
    assert away.volume_m3 == pytest.approx(scale**3 * near.volume_m3)
    assert away.inertia_m5 / scale**5 == pytest.approx(near.inertia_m5, abs=1e-9)


def test_non_convex_face_is_filled_not_bridged() -> None:
    star = np.array(
        [(np.cos(a) * r, np.sin(a) * r) for a, r in zip(np.arange(10) * np.pi / 5, [1.0, 0.4] * 5, strict=True)]
    )
    area = 0.5 * float(np.cross(np.c_[star, np.zeros(10)], np.c_[np.roll(star, -1, axis=0), np.zeros(10)])[:, 2].sum())
    assert bulk(surface(Polygon(star, 2.0))).volume_m3 == pytest.approx(2 * area)


def test_same_shape_gives_the_same_surface() -> None:
    shape = box((1.0, 1.0, 1.0))
    assert surface(shape) is surface(shape)
    assert surface(BrickShape(brick_type("2x4"))) is surface(BrickShape(brick_type("2x4")))


def _open_box() -> Polyhedron:
    whole = box((1.0, 1.0, 1.0))
    return Polyhedron(whole.vertices, whole.faces[:5])


def _inside_out() -> Polyhedron:
    whole = box((1.0, 1.0, 1.0))
    return Polyhedron(whole.vertices, tuple(face[::-1] for face in whole.faces))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (_open_box(), r"part 'bad': shape: found 'a surface with open edges', expected a closed surface"),
        (_inside_out(), r"part 'bad': volume: found -1.*turned inside out\?"),
        (Polyhedron(box((1, 1, 1)).vertices * [1, 1, 0], box((1, 1, 1)).faces), r"part 'bad': volume: found 0"),
    ],
)
def test_shape_without_a_volume_is_refused(shape: Shape, message: str) -> None:
    with pytest.raises(BadPart, match=message):
        make_part("bad", shape, np.eye(4))
