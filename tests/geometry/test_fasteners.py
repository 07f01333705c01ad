"""Screws, nuts, pins and washers are known by their shape and place; what only looks like them is not."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.gallery.cad import cad_shape, cad_shapes
from falsework.gallery.cad.assembling import on_table, part
from falsework.gallery.cad.cad_set import cad_set
from falsework.gallery.cad.fasteners import cap_screw, countersunk_screw, dowel, hexagon_nut, hexagon_screw, washer
from falsework.gallery.cad.gears import gear
from falsework.gallery.cad.threads import SIZES
from falsework.gallery.cad.workpieces import (
    Solid,
    ball,
    circle,
    cuboid,
    cut,
    cylinder,
    hexagon,
    prism,
    rectangle,
    shifted,
    tube,
    turned,
    united,
)
from falsework.geometry.fasteners import Fastener, fasteners
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly
from falsework.model.shapes import Mesh

M8 = SIZES[8]


def found(*parts: tuple[str, Solid]) -> dict[str, Fastener]:
    return {one.part: one for one in fasteners(on_table(part(name, solid) for name, solid in parts))}


def plate(low: float, high: float, hole: float, facets: int = 32) -> Solid:
    return prism(rectangle(-0.04, -0.03, 0.04, 0.03), low, high, [circle(hole, facets)] if hole else [])


def turned_over(assembly: Assembly, seed: int) -> Assembly:
    """Somewhere else, turned anyhow, and scaled: names, axes and sizes tell nothing."""
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    scale, names = float(rng.uniform(0.1, 30.0)), rng.permutation(len(assembly.parts))
    parts = []
    for number, one in zip(names, assembly.parts, strict=True):
        mesh = one.shape
        assert isinstance(mesh, Mesh)
        parts.append(make_part(f"{number:02}", Mesh(scale * mesh.vertices @ turn.T + 5.0, mesh.triangles), np.eye(4)))
    return Assembly(tuple(parts))


@pytest.mark.parametrize("name", cad_shapes())
def test_the_fasteners_of_every_shape_are_found_and_nothing_else(name: str) -> None:
    made = cad_shape(name)
    assert {one.part for one in fasteners(made.assembly)} == made.declared.fasteners


@pytest.mark.parametrize("number", [9, 23, 41, 58, 77])
def test_the_fasteners_of_the_set_are_found_and_nothing_else(number: int) -> None:
    made = cad_set()[number].made()
    assert {one.part for one in fasteners(made.assembly)} == made.declared.fasteners


@pytest.mark.parametrize("seed", range(3))
def test_names_places_and_sizes_tell_nothing(seed: int) -> None:
    made = cad_shape("bracket", threaded=seed % 2, facets=24, play=5e-5)
    again = turned_over(made.assembly, seed)
    kinds = {one.part: one.kind for one in fasteners(again)}
    expected = {one.part: one.kind for one in fasteners(made.assembly)}
    renamed = {new.name: old.name for new, old in zip(again.parts, made.assembly.parts, strict=True)}
    assert {renamed[name]: kind for name, kind in kinds.items()} == expected
    assert sorted(expected.values()) == ["nut", "nut", "screw", "screw", "washer", "washer"]


@pytest.mark.parametrize("facets", [12, 16, 64])
@pytest.mark.parametrize("threaded", [False, True])
def test_a_bolted_joint_is_told_with_what_it_clamps(facets: int, threaded: bool) -> None:
    screw = hexagon_screw(M8, 0.035, facets, threaded)
    joint = found(
        ("below", plate(0.0, 0.01, 0.0045)),
        ("above", plate(0.01, 0.02, 0.0045)),
        ("a", screw),
        ("b", washer(M8, 0.02, facets)),
        ("c", hexagon_nut(M8, 0.0216, facets, 1e-4, threaded)),
    )
    assert {name: one.kind for name, one in joint.items()} == {"a": "screw", "b": "washer", "c": "nut"}
    assert all(set(one.clamps) == {"below", "above"} for one in joint.values())
    assert joint["a"].axis == pytest.approx([0, 0, 1], abs=1e-3)  # from the head, which is below, to the tip
    assert joint["a"].radius_m == pytest.approx(0.004, rel=0.02)


@pytest.mark.parametrize(
    "screw", [cap_screw(M8, 0.02, 24), countersunk_screw(M8, 0.02, 24), hexagon_screw(M8, 0.012, 24)]
)
def test_screws_have_heads_of_many_kinds(screw: Solid) -> None:
    assert found(("plate", plate(0.004, 0.03, 0.004)), ("it", screw))["it"].kind == "screw"


def test_a_short_pin_as_thick_as_it_is_long_has_an_axis_still() -> None:
    """Its moments of inertia are all alike at a length of √3 radii; its faces tell the axis."""
    pin = dowel(0.005, 0.0, 0.0101, 24)
    assert found(("plate", plate(0.0, 0.02, 0.005, 24)), ("it", pin))["it"].kind == "pin"


HOLE = plate(0.0, 0.01, 0.005)
LOOK_ALIKES: dict[str, list[Solid]] = {
    "a rod that lies beside a plate": [plate(0.0, 0.01, 0.0), shifted(cylinder(0.005, 0.0, 0.04, 24), 0.0475)],
    "a column on a plate": [plate(0.0, 0.01, 0.0), cylinder(0.005, 0.01, 0.05, 24)],
    "a leg with a tenon": [
        HOLE,
        turned([(0, 0), (0.005, 0), (0.005, 0.01), (0.01, 0.01), (0.01, 0.08), (0, 0.08)], 24),
    ],
    "a tall leg in a shallow hole": [HOLE, cylinder(0.005, 0.0, 0.08, 24)],
    "a square peg": [HOLE, cuboid((-0.0034, -0.0034, 0.0), (0.0034, 0.0034, 0.02))],
    "a ball": [HOLE, shifted(ball(0.005, 24), z=0.005)],
    "a shaft with a collar": [
        HOLE,
        turned(
            [
                (0, 0),
                (0.005, 0),
                (0.005, 0.01),
                (0.008, 0.01),
                (0.008, 0.014),
                (0.005, 0.014),
                (0.005, 0.03),
                (0, 0.03),
            ],
            24,
        ),
    ],
    "a disc on a pin": [HOLE, tube(0.012, 0.005, 0.01, 0.013, 24)],
    "a hexagonal plate on a column": [
        HOLE,
        prism(hexagon(0.018), 0.01, 0.018, [circle(0.005, 24)]),
        cylinder(0.005, 0.0, 0.09, 24),
    ],
    "a gear on a screw": [HOLE, gear(0.001, 20, 0.01, 0.018, 0.005, 24, 1e-5)],
    "a bush": [plate(0.0, 0.03, 0.008), tube(0.008, 0.005, 0.0, 0.03, 24)],
    "a post as large as what it is in": [
        prism(circle(0.02, 24), 0.0, 0.02, [circle(0.015, 24)]),
        cylinder(0.015, 0.0, 0.02, 24),
    ],
    "a bent rod": [HOLE, united([cylinder(0.005, 0.0, 0.03, 24), cuboid((0.0, -0.003, 0.025), (0.03, 0.003, 0.03))])],
    "a box with a round hole": [
        HOLE,
        cut(cuboid((-0.02, -0.02, 0.01), (0.02, 0.02, 0.02)), cylinder(0.005, 0.0, 0.05, 24)),
    ],
}


@pytest.mark.parametrize("what", LOOK_ALIKES)
def test_what_only_looks_like_a_fastener_is_none(what: str) -> None:
    assert not found(*((f"{k}", solid) for k, solid in enumerate(LOOK_ALIKES[what])))
