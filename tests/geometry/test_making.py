"""Assemblies from boxes and meshes: what they weigh, where they are, and what is refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.verdicts.check import check

CUBE = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)]
FACES += [(2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]


def cube(at: tuple[float, float, float] = (0, 0, 0), **more: Any) -> SimpleNamespace:
    """Something with vertices and faces, as trimesh's meshes are."""
    return SimpleNamespace(vertices=CUBE + at, faces=np.array(FACES), **more)


def test_a_box_has_the_mass_centre_and_inertia_of_a_cuboid() -> None:
    (part,) = Assembly.from_boxes([0.2, 0.3, 0.4], [1, 2, 3], density_kg_m3=500.0).parts
    mass = 500.0 * 0.2 * 0.3 * 0.4
    assert part.mass_kg == pytest.approx(mass)
    np.testing.assert_allclose(part.com_world_m, [1, 2, 3])
    by_hand = mass / 12 * np.diag([0.3**2 + 0.4**2, 0.2**2 + 0.4**2, 0.2**2 + 0.3**2])
    np.testing.assert_allclose(part.inertia_part_kgm2, by_hand, atol=1e-12)


def test_boxes_and_meshes_of_the_same_shapes_are_the_same_assembly() -> None:
    boxes = Assembly.from_boxes([1, 1, 1], [[0.5, 0.5, 0.5], [0.9, 0.5, 1.5]], names=["a", "b"], fixed="a", mu=0.4)
    meshes = Assembly.from_trimesh({"a": cube(), "b": cube((0.4, 0, 1))}, fixed="a", mu=0.4)
    assert boxes.names == meshes.names and boxes.fixed == meshes.fixed and boxes.friction == meshes.friction
    np.testing.assert_allclose(boxes.masses_kg, meshes.masses_kg)
    np.testing.assert_allclose(boxes.coms_m, meshes.coms_m, atol=1e-12)
    for load, answer in ((0.0, "stable"), (-3000.0, "unstable")):
        loads = ("b", (0, 0, load), (1.39, 0.5, 2.0))
        assert check(boxes, loads=loads).answer == check(meshes, loads=loads).answer == answer


def test_meshes_in_millimetres_are_scaled_and_keep_their_own_names() -> None:
    small = Assembly.from_trimesh([cube(metadata={"name": "foot"}), cube((0, 0, 1))], scale=1e-3)
    assert small.names == ("foot", "mesh-2")
    assert small.mass_kg == pytest.approx(2e-6)


@pytest.mark.parametrize(
    "masses, expected",
    [(3.0, [3.0, 3.0]), ([3.0, 4.0], [3.0, 4.0]), ({"box-2": 4.0}, [1000.0, 4.0]), (None, [1000.0, 1000.0])],
)
def test_masses_are_given_for_all_each_or_some(masses: Any, expected: list[float]) -> None:
    two = Assembly.from_boxes([1, 1, 1], [[0, 0, 0], [0, 0, 1]], masses_kg=masses)
    np.testing.assert_allclose(two.masses_kg, expected)


def test_a_hole_in_a_mesh_is_capped_and_said(caplog: pytest.LogCaptureFixture) -> None:
    whole, holed = cube(), cube()
    holed.faces = holed.faces[2:]  # one side is missing
    assert Assembly.from_trimesh([holed]).mass_kg == pytest.approx(Assembly.from_trimesh([whole]).mass_kg)
    assert "mesh-1" in caplog.text


def test_an_assembly_is_put_on_a_ground() -> None:
    pair = Assembly.from_boxes([1, 1, 1], [[0, 0, 0.5], [0.4, 0, 1.5]])
    assert check(pair.on("table")).stands
    assert pair.on("table:0.2").ground.friction == 0.2 and pair.on("table").on("none").ground_part is None


@pytest.mark.parametrize(
    "given, message",
    [
        (lambda: Assembly.from_boxes([1, 1, 0], [0, 0, 0]), "sizes_m: found .*, expected lengths above 0"),
        (lambda: Assembly.from_boxes([1, 1, 1], [[0, 0, np.nan]]), "centres_m: .*expected n x 3 finite numbers"),
        (lambda: Assembly.from_boxes(np.ones((2, 3)), np.ones((3, 3))), "found 2 sizes and 3 centres"),
        (lambda: Assembly.from_boxes([1, 1, 1], [0, 0, 0], names=["a", "b"]), "found 2 names for 1 parts"),
        (lambda: Assembly.from_boxes([1, 1, 1], [0, 0, 0], masses_kg={"bx-1": 2}), "did you mean 'box-1'"),
        (lambda: Assembly.from_boxes([1, 1, 1], [0, 0, 0], masses_kg=[1, 2]), "found 2 masses for 1 parts"),
        (lambda: Assembly.from_boxes({"a": [1, 1, 1]}), r"box 'a': found \[1, 1, 1\], expected \(size, centre\)"),
        (lambda: Assembly.from_boxes([1, 1, 1], [0, 0, 0], fixed="foot"), "fixed: there is no part 'foot'"),
        (lambda: Assembly.from_boxes([1, 1, 1], [0, 0, 0], names="a").on("sea"), "found 'sea', expected baseplate"),
        (lambda: Assembly.from_trimesh(cube(), scale=-1), "scale: found -1, expected metres per unit"),
        (lambda: Assembly.from_trimesh({"flat": cube((0, 0, 0)), "b": 3}), "part 'b': mesh: found 3"),
        (lambda: Assembly.from_trimesh(7), "expected meshes, a scene, or meshes by name"),
    ],
)  # fmt: skip
def test_what_makes_no_assembly_is_refused(given: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        given()
