"""Contacts do not depend on order, pose or scale, and agree with the plain pairwise method."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from falsework.bench.pairwise import pairwise_patches
from falsework.geometry.contacts.flat.planar import PlanarContacts
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces, Patches
from falsework.model.shapes import Mesh
from tests.geometry.assemblies import (
    arch,
    areas,
    assembled,
    assert_same_patches,
    bond,
    cut_box,
    moved,
    reordered,
    tetrominoes,
    tilted,
)

MADE: dict[str, Callable[[], Assembly]] = {
    "bond": lambda: bond(3, 3, 3),
    "arch": lambda: arch(11),
    "tetrominoes": lambda: tetrominoes(7, 6, np.random.default_rng(1)),
    "more tetrominoes": lambda: tetrominoes(6, 8, np.random.default_rng(2)),
    "cut box": lambda: cut_box(12, np.random.default_rng(3)),
    "more cut box": lambda: cut_box(20, np.random.default_rng(4)),
}


@pytest.fixture(params=MADE.values(), ids=MADE.keys())
def made(request: pytest.FixtureRequest) -> Assembly:
    assembly: Assembly = request.param()
    return assembly


def contacts(assembly: Assembly) -> Patches:
    return PlanarContacts().find(assembly, Interfaces.none()).patches


def test_plain_pairwise_method_finds_the_same(made: Assembly) -> None:
    turned = moved(made, tilted(1))
    assert_same_patches(contacts(turned), pairwise_patches(turned), 1e-3)


def test_voussoirs_touch_their_neighbours_only() -> None:
    found = contacts(arch(11))
    assert found.bodies.tolist() == [[k, k + 1] for k in range(10)]
    assert areas(found) == pytest.approx([0.2 * 0.3] * 10)


def test_patches_run_counter_clockwise_in_planes_between_the_bodies(made: Assembly) -> None:
    found = contacts(moved(made, tilted(5)))
    assert (areas(found) > 0).all()
    for k, normal in enumerate(found.normals):
        corners = found.points[found.starts[k] : found.starts[k + 1]]
        assert len(corners) >= 3
        assert np.ptp(corners @ normal) < 1e-9


@pytest.mark.parametrize("seed", [0, 1])
def test_order_of_parts_does_not_matter(made: Assembly, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(made.parts))
    assert_same_patches(contacts(reordered(made, order)), contacts(made), 1e-9, names=order)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_pose_and_scale_do_not_matter(made: Assembly, scale: float) -> None:
    pose = tilted(7, (20.0 * scale, -5.0 * scale, 3.0 * scale))
    there = contacts(moved(made, pose, scale))
    points = (there.points - pose[:3, 3]) @ pose[:3, :3] / scale
    back = Patches(there.bodies, there.normals @ pose[:3, :3], there.friction, there.starts, points)
    assert_same_patches(back, contacts(made), 1e-7)


@pytest.mark.parametrize("noise", [1e-8, 1e-6])
def test_how_exactly_the_file_was_written_does_not_matter(made: Assembly, noise: float) -> None:
    rng = np.random.default_rng(8)
    exact = moved(made, np.eye(4))
    rough = []
    for part in exact.parts:
        mesh = part.shape
        assert isinstance(mesh, Mesh)
        rough.append(
            (Mesh(mesh.vertices + rng.uniform(-noise, noise, mesh.vertices.shape), mesh.triangles), part.T_world_part)
        )
    assert_same_patches(contacts(assembled(*rough)), contacts(exact), 1e-3)
