"""Nuts come off by the screw that their threads tell, right-hand or left-hand."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.geometry.ways.surfaces.removals import SurfaceRemovals
from falsework.geometry.ways.surfaces.scenes import scene_of
from falsework.geometry.ways.surfaces.search import Search
from falsework.geometry.ways.surfaces.threads import Screw, screws_of, unscrewed
from falsework.model.assembly import Assembly
from falsework.model.shapes import Mesh, box
from falsework.planning.verification.paths import PathJudge
from tests.geometry.filed_parts import nut_on_bolt

BOLT, NUT, BOTH = 0b01, 0b10, 0b11


def assembled(meshes: dict[str, Mesh]) -> Assembly:
    return Assembly(tuple(make_part(name, mesh, np.eye(4)) for name, mesh in meshes.items()))


def mirrored(mesh: Mesh) -> Mesh:
    return Mesh(mesh.vertices * [-1.0, 1.0, 1.0], mesh.triangles[:, ::-1])


@pytest.mark.parametrize("hand", [1, -1])
def test_a_nut_comes_off_by_its_screw(hand: int) -> None:
    """M8 climbs 1.25 mm a turn; a mirrored one does so the other way round."""
    meshes = nut_on_bolt(8, play_m=1e-4, facets=20, bare=0.2)
    assembly = assembled(meshes if hand > 0 else {name: mirrored(mesh) for name, mesh in meshes.items()})
    joints = interfaces(assembly)
    (screw,) = screws_of(assembly, joints, NUT, BOLT)
    assert hand * screw.pitch_m == pytest.approx(1.25e-3, rel=1e-3)
    assert abs(screw.axis[2]) == pytest.approx(1.0, abs=1e-6)
    scene = scene_of(assembly, NUT, BOLT)
    assert scene is not None
    assert Search(scene, screws=[screw]).run().steps == 0  # nothing had to be looked for
    path = SurfaceRemovals(assembly, joints).path(NUT, BOTH)
    assert path is not None and not list(PathJudge(assembly).complaints([1], [0], path, None))


def test_a_nut_sunk_into_its_thread_and_rattling_beside_it_comes_off() -> None:
    """Play in all directions, and 30 µm too deep: pushes from there led nowhere in 3,000 steps."""
    assembly = assembled(nut_on_bolt(16, play_m=1e-4, facets=64, sunk_m=3e-5))
    joints = interfaces(assembly)
    scene = scene_of(assembly, NUT, BOLT)
    assert scene is not None
    assert Search(scene, screws=screws_of(assembly, joints, NUT, BOLT)).run().steps == 0


def test_the_bolt_unscrews_from_its_nut_as_well() -> None:
    assembly = assembled(nut_on_bolt(8, play_m=1e-4, facets=20, bare=0.2))
    joints = interfaces(assembly)
    assert len(screws_of(assembly, joints, BOLT, NUT)) == 1
    assert not screws_of(assembly, joints, BOTH, 0)  # together they need not be unscrewed
    assert not screws_of(assembly, joints, NUT, 0)


def test_a_wrong_screw_leads_nowhere() -> None:
    assembly = assembled(nut_on_bolt(8, play_m=1e-4, facets=20, bare=0.2))
    (screw,) = screws_of(assembly, interfaces(assembly), NUT, BOLT)
    scene = scene_of(assembly, NUT, BOLT)
    assert scene is not None
    wrong = Screw(screw.point, screw.axis, -screw.pitch_m, screw.triangles)
    assert not list(unscrewed(scene, wrong, 1e-3 * scene.reach_m))


def test_what_has_no_thread_has_no_screw() -> None:
    raised = np.eye(4)
    raised[2, 3] = 1.0
    cubes = (make_part("low", box((1, 1, 1)), np.eye(4)), make_part("high", box((1, 1, 1)), raised))
    assert not screws_of(Assembly(cubes), interfaces(Assembly(cubes)), NUT, BOLT)
