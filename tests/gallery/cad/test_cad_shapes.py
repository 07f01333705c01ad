"""CAD shapes: closed, of the right volume, and their parts leave as is declared without entering each other."""

from __future__ import annotations

import math

import numpy as np
import pytest

from falsework import gallery
from falsework.gallery.cad import cad_shape, cad_shapes
from falsework.gallery.cad.declared import Made
from falsework.gallery.cad.fasteners import cap_screw, countersunk_screw, dowel, hexagon_nut, washer
from falsework.gallery.cad.gears import gear, gear_area, gear_outline
from falsework.gallery.cad.threads import SIZES, external_profile, internal_profile, mean_square_radius, threaded_rod
from falsework.gallery.cad.workpieces import GRID_M, ball, circle, common, cylinder, finished, prism, rectangle, turned
from falsework.geometry.shapes.solids import bulk, is_closed
from falsework.model.errors import BadInput
from tests.gallery.cad.overlaps import overlaps, solids_of, struck_on_the_way

VARIANTS: list[tuple[str, dict[str, float]]] = [
    *((name, {}) for name in cad_shapes()),
    ("shaft-in-plate", {"facets": 24, "hole_facets": 40}),
    ("shaft-in-plate", {"facets": 40, "hole_facets": 24, "play": 2e-5}),
    ("nut-and-bolt", {"size": 3, "length": 0.012, "facets": 24, "play": 2e-5}),
    ("nut-and-bolt", {"facets": 110, "play": 8e-6}),
    ("loose-burr", {"locked": 1}),
    ("loose-burr", {"play": 0.0}),
    ("bracket", {"threaded": 1, "play": 5e-5, "size": 6, "facets": 24}),
    ("thrust-bearing", {"play": 1e-5}),
    ("nested-boxes", {"boxes": 6, "play": 1e-4}),
    ("hinge", {"knuckles": 5, "play": 1e-4}),
    ("ball-in-socket", {"captive": 1, "play": 1e-5}),
]


def around(facets: int) -> float:
    """The area of a polygon with its corners on the unit circle."""
    return facets / 2 * math.sin(2 * math.pi / facets)


@pytest.mark.parametrize(("name", "parameters"), VARIANTS)
def test_parts_fit_and_leave_as_declared(name: str, parameters: dict[str, float]) -> None:
    made = cad_shape(name, **parameters)
    assert not overlaps(made)
    assert not struck_on_the_way(made)
    leaving = [one.part for one in made.declared.order]
    assert len(set(leaving)) == len(leaving) and set(leaving) | made.declared.fasteners <= set(made.assembly.names)
    assert made.declared.locked or len(leaving) == len(made.assembly.parts) - 1


@pytest.mark.parametrize("name", cad_shapes())
def test_every_part_is_closed_and_can_be_made_by_name(name: str) -> None:
    assembly = gallery.make(name)
    for part in assembly.parts:
        assert is_closed(part.shape.triangles)  # type: ignore[union-attr]
    truth, declared = gallery.truth(name), cad_shape(name).declared
    assert truth.why and (truth.hands is None) == (not declared.feasible)


def test_locked_ones_say_so() -> None:
    assert gallery.truth("ball-in-socket", captive=1).unbuildable.startswith("cannot leave: ball")
    assert "across, back, front" in gallery.truth("loose-burr", locked=1).unbuildable


def test_a_bolt_with_forty_thousand_faces_has_them() -> None:
    faces = sum(len(part.shape.triangles) for part in gallery.make("nut-and-bolt", facets=110).parts)  # type: ignore[union-attr]
    assert 39_000 < faces < 41_000


def test_volumes_of_sawn_and_turned_bodies_are_those_of_their_polygons() -> None:
    facets = 24
    plate = prism(rectangle(0, 0, 0.1, 0.1), 0.0, 0.01, [circle(0.01, facets, (0.05, 0.05))])
    assert plate.volume() == pytest.approx(0.01 * (0.01 - around(facets) * 1e-4), rel=1e-6)
    cone = turned([(0.0, 0.0), (0.02, 0.0), (0.01, 0.03), (0.0, 0.03)], facets)
    frustum = 0.03 / 3 * (0.02**2 + 0.02 * 0.01 + 0.01**2)
    assert cone.volume() == pytest.approx(around(facets) * frustum, rel=1e-6)
    assert ball(0.01, 256).volume() == pytest.approx(4 / 3 * math.pi * 1e-6, rel=1e-3)
    assert dowel(0.005, 0.0, 0.03, facets).volume() == pytest.approx(around(facets) * 25e-6 * 0.03, rel=1e-6)


def test_volumes_of_small_hardware() -> None:
    facets, metric = 32, SIZES[16]
    hole, outside, thick = (1e-3 * length for length in metric.washer)
    ring = around(facets) * (outside**2 - hole**2) / 4 * thick
    assert washer(metric, 0.0, facets).volume() == pytest.approx(ring, rel=1e-6)
    sunk = around(facets) * (0.008 / 3 * (4 + 2 + 1) * 0.008**2 + 0.022 * 0.008**2)
    assert countersunk_screw(metric, 0.03, facets).volume() == pytest.approx(sunk, rel=1e-6)
    nut = hexagon_nut(metric, 0.0, facets, 0.0, threaded=False).volume()
    prism_of_nut = math.sqrt(3) / 2 * 0.024**2 * 0.0148 - around(facets) * 0.008**2 * 0.0148
    assert 0.95 * prism_of_nut < nut < prism_of_nut  # its corners are taken off
    socket = math.sqrt(3) / 2 * 0.014**2 * 0.008
    bevelled = 0.0012 / 3 * (0.008**2 + 0.008 * 0.0068 + 0.0068**2)
    cap = around(facets) * (0.012**2 * 0.016 + 0.008**2 * (0.05 - 0.0012) + bevelled) - socket
    assert cap_screw(metric, 0.05, facets).volume() == pytest.approx(cap, rel=1e-6)


@pytest.mark.parametrize("size", SIZES)
def test_the_volume_of_a_thread_is_its_length_by_its_mean_square_radius(size: int) -> None:
    metric, facets = SIZES[size], 48
    length = 6.3 * metric.pitch * 1e-3
    blank = np.array([(0.0, 0.0), (size * 1e-3, 0.0), (size * 1e-3, length), (0.0, length)])
    expected = around(facets) * mean_square_radius(external_profile(metric)) * length
    assert threaded_rod(metric, blank, facets).volume() == pytest.approx(expected, rel=2e-3)


def test_thread_profiles_are_those_of_the_standard() -> None:
    """M16 x 2: d₃ 13.546, D₁ 13.835 mm (ISO 724)."""
    screw, nut = external_profile(SIZES[16]), internal_profile(SIZES[16], 0.0)
    assert screw[:, 1].max() == nut[:, 1].max() == pytest.approx(0.008)
    assert 2e3 * screw[:, 1].min() == pytest.approx(13.546, abs=1e-3)
    assert 2e3 * nut[:, 1].min() == pytest.approx(13.835, abs=1e-3)
    assert internal_profile(SIZES[16], 1e-5)[:, 1] == pytest.approx(nut[:, 1] + 2e-5)  # flanks of 30°


@pytest.mark.parametrize(("teeth", "backlash"), [(17, 0.0), (24, 4e-5), (60, 1e-5)])
def test_the_area_of_a_gear_is_that_of_its_involutes(teeth: int, backlash: float) -> None:
    x, y = gear_outline(0.002, teeth, 300, backlash).T
    area = 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert area == pytest.approx(gear_area(0.002, teeth, backlash), rel=1e-6)
    coarse = gear(0.002, teeth, 0.0, 0.01, 0.004, 48, backlash).volume() / 0.01
    assert coarse == pytest.approx(area - around(48) * 0.004**2, rel=2e-3)


def test_the_play_of_a_tight_thread_is_kept_however_it_is_turned() -> None:
    """By an independent library: nut and bolt are never nearer than is said, and not much farther."""
    fcl = pytest.importorskip("fcl")
    made = cad_shape("nut-and-bolt", size=16, length=0.03, play=8e-6, facets=48)
    bolt, nut = (_fcl_body(fcl, part.shape) for part in made.assembly.parts)
    (motion,) = made.declared.order[0].way
    for share in (0.0, 0.001, 0.0123, 0.1):
        pose = motion.pose(share)
        nut.setTransform(fcl.Transform(pose[:3, :3], pose[:3, 3]))
        gap = fcl.distance(bolt, nut, fcl.DistanceRequest(), fcl.DistanceResult())
        assert 7.9e-6 < gap < 4e-5


def _fcl_body(fcl: object, mesh: object) -> object:
    model = fcl.BVHModel()  # type: ignore[attr-defined]
    model.beginModel(len(mesh.vertices), len(mesh.triangles))  # type: ignore[attr-defined]
    model.addSubModel(mesh.vertices, mesh.triangles)  # type: ignore[attr-defined]
    model.endModel()
    return fcl.CollisionObject(model, fcl.Transform())  # type: ignore[attr-defined]


def test_corners_lie_on_a_grid_so_that_processors_agree() -> None:
    mesh = finished(common(cylinder(0.01, 0.0, 0.02, 30), cylinder(0.01, 0.005, 0.03, 17)))
    assert np.abs(mesh.vertices / GRID_M - np.round(mesh.vertices / GRID_M)).max() < 1e-3
    assert bulk(mesh).volume_m3 > 0


def test_no_burr_stick_that_is_locked_can_begin_to_slide() -> None:
    made = cad_shape("loose-burr", locked=1, play=0.0)
    opens = cad_shape("loose-burr", play=0.0)
    assert not _slides(made) and _slides(opens) == {"key"}


def _slides(made: Made) -> set[str]:
    solids = solids_of(made)
    ways = [sign * axis for axis in np.eye(3) for sign in (1e-3, -1e-3)]
    free = set()
    for name, solid in solids.items():
        rest = [other for one, other in solids.items() if one != name]
        moved = [solid.translate(way) for way in ways]
        free |= {name} if any(all(common(one, other).volume() < 1e-12 for other in rest) for one in moved) else set()
    return free


def test_a_name_that_is_not_there_is_told_with_the_nearest() -> None:
    with pytest.raises(BadInput, match=r"unknown kind 'bayonett'; did you mean 'bayonet'\?"):
        gallery.make("bayonett")
    with pytest.raises(BadInput, match="nut-and-bolt: size: found 25, expected a whole number from 3 to 20"):
        gallery.make("nut-and-bolt", size=25)
