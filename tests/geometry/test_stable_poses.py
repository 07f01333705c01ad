"""How assemblies lie on a table."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.gallery import make
from falsework.geometry.contacts.ground import bounds_m
from falsework.geometry.stable_poses import stable_poses
from falsework.model.catalogue import brick_type
from falsework.model.errors import BadInput
from falsework.model.shapes import BrickShape, Polyhedron, box
from tests.geometry.assemblies import assembled, at, moved, tilted


def test_a_cube_lies_on_each_face_alike() -> None:
    poses = stable_poses(assembled((box((2.0, 2.0, 2.0)), tilted(1))), 1, keep=9)
    assert [pose.probability for pose in poses] == pytest.approx([1 / 6] * 6)
    assert [pose.margin_m for pose in poses] == pytest.approx([1.0] * 6)
    assert [pose.tilt_rad for pose in poses] == pytest.approx([np.pi / 4] * 6)


def test_a_flat_slab_mostly_lies_flat() -> None:
    poses = stable_poses(assembled((box((4.0, 3.0, 0.5)), at())), 1, keep=6)
    assert sum(pose.probability for pose in poses) == pytest.approx(1.0)
    flat = [pose for pose in poses if pose.height_m == pytest.approx(0.25)]
    assert len(flat) == 2 and poses[0] in flat and poses[1] in flat
    assert poses[0].margin_m == pytest.approx(1.5)


def test_a_leaning_prism_falls_off_the_foot_that_does_not_carry_it() -> None:
    """Sheared so far that its centre of mass is beyond the edge of its foot: four sides are left to lie on."""
    cube = box((1.0, 1.0, 1.0))
    sheared = cube.vertices + np.outer(cube.vertices[:, 2], [1.5, 0.0, 0.0])
    poses = stable_poses(assembled((Polyhedron(sheared, cube.faces), at())), 1, keep=9)
    assert len(poses) == 4
    assert sum(pose.probability for pose in poses) == pytest.approx(1.0)
    tilts = [pose.T_world_assembly[:3, 2] for pose in poses]  # where the foot's normal points
    assert max(abs(tilt[2]) for tilt in tilts) < 0.9


def test_laid_down_nothing_is_below_the_table_and_the_centre_is_over_the_facet() -> None:
    assembly = make("burr-puzzle").changed(ground_part=None)
    for pose in stable_poses(assembly, (1 << 6) - 1):
        turned = moved(assembly, pose.T_world_assembly)
        assert bounds_m(turned)[0, 2] == pytest.approx(0.0, abs=1e-12)
        centre = turned.masses_kg @ turned.coms_m / turned.masses_kg.sum()
        assert centre == pytest.approx([0.0, 0.0, pose.height_m], abs=1e-12)


def test_probabilities_do_not_depend_on_how_it_is_given() -> None:
    one = make("bird-house").changed(ground_part=None, fixed=frozenset())
    other = moved(one, tilted(8), 3.0)
    there = (1 << len(one.parts)) - 1
    first, second = stable_poses(one, there), stable_poses(other, there)
    assert [p.probability for p in first] == pytest.approx([p.probability for p in second], abs=1e-9)
    assert [3 * p.margin_m for p in first] == pytest.approx([p.margin_m for p in second])


def test_parts_that_are_not_there_do_not_count() -> None:
    pair = assembled((box((1.0, 1.0, 1.0)), at()), (box((1.0, 1.0, 1.0)), at(z=1.0)))
    assert stable_poses(pair, 1)[0].height_m == pytest.approx(0.5)
    assert stable_poses(pair, 3)[0].margin_m == pytest.approx(0.5)
    with pytest.raises(BadInput, match="no part is installed"):
        stable_poses(pair, 0)


def test_a_brick_upside_down_lies_on_its_studs() -> None:
    kind = brick_type("brick_2x4")
    poses = stable_poses(assembled((BrickShape(kind), tilted(4))), 1, keep=None)
    up = tilted(4)[:3, 2]
    turned = next(pose for pose in poses if pose.T_world_assembly[2, :3] @ up < -1 + 1e-9)
    upright = next(pose for pose in poses if pose.T_world_assembly[2, :3] @ up > 1 - 1e-9)
    assert upright.height_m == pytest.approx(0.5 * kind.size_m[2])
    assert turned.height_m == pytest.approx(0.5 * kind.size_m[2] + kind.measures.stud_height_m)
    assert turned.margin_m == pytest.approx(0.5 * kind.measures.pitch_m + kind.measures.stud_radius_m, rel=0.05)
    assert sum(pose.probability for pose in poses) == pytest.approx(1.0)
