"""Shafts in holes as designers draw them, cut into facets as files have them: accepted, and told how they fit."""

from __future__ import annotations

import logging

import numpy as np
import pytest
import trimesh

from falsework.geometry.contacts.fits import fits
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.contacts.overlap import sharings
from falsework.geometry.mending.repair import closed
from falsework.geometry.shapes.sagittas import sagittas
from falsework.geometry.shapes.solids import make_part
from falsework.geometry.summary import info
from falsework.model.assembly import Assembly
from falsework.model.errors import Overlap
from falsework.model.part import Part
from falsework.model.shapes import Mesh
from tests.geometry.assemblies import tilted


def part(name: str, shape: trimesh.Trimesh, turn: float = 0.0, pose: np.ndarray | None = None) -> Part:
    shape.apply_transform(trimesh.transformations.rotation_matrix(turn, [0, 0, 1]))
    return make_part(name, closed(shape.vertices, shape.faces)[0], np.eye(4) if pose is None else pose)


def pin_in_plate(
    diameter_mm: float, pin_facets: int, hole_facets: int, turn: float = 0.0, pose: np.ndarray | None = None
) -> Assembly:
    """A pin of 30 mm in a hole of 10 mm diameter."""
    plate = trimesh.creation.annulus(r_min=0.005, r_max=0.02, height=0.01, sections=hole_facets)
    pin = trimesh.creation.cylinder(radius=diameter_mm / 2000, height=0.03, sections=pin_facets)
    return Assembly((part("plate", plate, pose=pose), part("pin", pin, turn, pose)), fixed=frozenset(["plate"]))


def ungrouped(assembly: Assembly) -> np.ndarray:
    return np.full(len(assembly.bodies), -1)


@pytest.mark.parametrize(("pin", "hole"), [(64, 16), (16, 64), (16, 16), (64, 64), (200, 16), (20, 33)])
@pytest.mark.parametrize("turn", [0.0, 0.07])
def test_a_pin_in_a_hole_of_its_diameter_is_accepted_whatever_the_facets(pin: int, hole: int, turn: float) -> None:
    assembly = pin_in_plate(10.0, pin, hole, turn)
    interfaces(assembly)
    (fit,) = fits(assembly)
    assert (fit.kind, fit.first, fit.second) == ("nominal", "plate", "pin")
    assert abs(fit.play_m) < 1e-9 and fit.diameter_m == pytest.approx(0.01)


def test_what_facets_reach_into_each_other_is_what_their_arcs_stand_before_them() -> None:
    # the middle of a facet of the hole is 5 mm · (1 − cos(π/16)) nearer to the axis than its corners
    (sharing,) = sharings(pin_in_plate(10.0, 64, 16), np.full(2, -1))
    assert sharing.depth_m == pytest.approx(0.005 * (1 - np.cos(np.pi / 16)), rel=0.02)
    assert sharing.facets_m >= sharing.depth_m


@pytest.mark.parametrize("facets", [16, 64, 256])
def test_the_sagitta_of_a_facet_is_that_of_its_arc(facets: int) -> None:
    pin = trimesh.creation.cylinder(radius=1.0, height=1.0, sections=facets)
    found = sagittas(pin.vertices, pin.faces)
    upright = np.abs(pin.face_normals[:, 2]) < 0.5
    assert found[upright] == pytest.approx(np.full(upright.sum(), 1 - np.cos(np.pi / facets)), rel=0.04)
    assert not found[~upright].any()


@pytest.mark.parametrize("pose", [np.eye(4), tilted(2, (1.0, 2.0, -3.0))], ids=["straight", "tilted"])
@pytest.mark.parametrize(
    ("diameter_mm", "kind"), [(10.04, "press"), (10.02, "press"), (10.0, "nominal"), (9.98, "loose"), (9.8, "loose")]
)
def test_play_is_the_difference_of_diameters(diameter_mm: float, kind: str, pose: np.ndarray) -> None:
    (fit,) = fits(pin_in_plate(diameter_mm, 64, 48, pose=pose))
    assert fit.kind == kind
    assert fit.play_m == pytest.approx((10.0 - diameter_mm) / 1000, abs=1e-9)


def test_a_press_fit_is_accepted_and_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        interfaces(pin_in_plate(10.06, 64, 64))
    assert "parts overlap by up to" in caplog.text and "taken for fits: plate - pin" in caplog.text


def test_what_facets_alone_do_is_not_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        interfaces(pin_in_plate(10.0, 64, 16))
    assert caplog.text == ""


def test_what_is_too_thick_for_any_fit_is_refused_with_its_depth() -> None:
    with pytest.raises(Overlap, match=r"'plate' and 'pin' overlap by 0\.00") as refused:
        interfaces(pin_in_plate(10.4, 64, 64))
    assert refused.value.depth_m == pytest.approx(0.0002, rel=0.2)
    interfaces(pin_in_plate(10.4, 64, 64).changed(allow_overlap_m=1.01 * refused.value.depth_m))


def test_fits_are_told_by_info_in_order_of_parts() -> None:
    told = info(pin_in_plate(9.8, 64, 64)).as_dict()["fits"]
    sizes = {"play_m": pytest.approx(2e-4), "diameter_m": pytest.approx(0.01)}
    assert told == [{"parts": ["plate", "pin"], "kind": "loose", **sizes}]


def test_faces_of_a_tenon_that_is_too_thick_by_little_press_on_its_mortise() -> None:
    # 20 µm too thick on either side of a slot of 10 mm
    slot = trimesh.creation.box((0.03, 0.03, 0.02)).difference(
        trimesh.creation.box((0.01, 0.04, 0.02), trimesh.transformations.translation_matrix([0, 0, 0.005]))
    )
    tenon = trimesh.creation.box((0.01004, 0.01, 0.03), trimesh.transformations.translation_matrix([0, 0, 0.01]))
    assembly = Assembly((part("slot", slot), part("tenon", tenon)), fixed=frozenset(["slot"]))
    normals = np.abs(interfaces(assembly).patches.normals)
    assert (normals[:, 0] > 0.99).sum() == 2 and (normals[:, 2] > 0.99).sum() == 1
    (fit,) = fits(assembly)
    assert fit.kind == "overlap" and fit.play_m == pytest.approx(-2e-5, rel=0.1)


def test_bricks_and_boxes_have_no_fits() -> None:
    boxes = Assembly.from_boxes([1, 1, 1], [[0, 0, 0], [0, 0, 1]])
    assert fits(boxes) == () and "fits" not in info(boxes).as_dict()


def test_a_shaft_beside_its_hole_is_no_fit() -> None:
    plate = trimesh.creation.annulus(r_min=0.005, r_max=0.02, height=0.01, sections=64)
    pin = trimesh.creation.cylinder(radius=0.005, height=0.03, sections=64)
    pin.apply_translation([0.001, 0.0, 0.02])
    assembly = Assembly((part("plate", plate), part("pin", pin)))
    assert fits(assembly) == ()


def test_meshes_keep_apart_what_is_flat_and_what_is_round() -> None:
    # a prism of twelve sides in a round hole is flat, and what its corners share with the hole grazes
    prism = pin_in_plate(10.0, 12, 64)
    assert isinstance(prism.parts[1].shape, Mesh) and fits(prism) == ()
