"""How near is touching: by default by the smaller part's size, or as far as is asked for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.contacts.near_misses import touching_range
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, Overlap
from falsework.model.shapes import box
from tests.geometry.assemblies import assembled, at, moved, reordered, tilted

CUBE = box((0.2, 0.2, 0.2))
SIZE_M = 0.2 * math.sqrt(3.0)


def above(height_m: float, gap_m: float | None = None) -> Assembly:
    """A cube over another."""
    return assembled((CUBE, at()), (CUBE, at(z=0.2 + height_m))).changed(gap_m=gap_m)


def leaning(degrees: float, lift_m: float = 0.0) -> Assembly:
    """A cube over another, turned about the middle of its lower face."""
    turn = np.eye(4)
    turn[:3, :3] = Rotation.from_euler("y", degrees, degrees=True).as_matrix()
    return assembled((CUBE, at()), (CUBE, at(0.1, 0.1, 0.2 + lift_m) @ turn @ at(-0.1, -0.1)))


def contacts(assembly: Assembly) -> int:
    return interfaces(assembly).counts()["contacts"]


@pytest.mark.parametrize(("height", "found"), [(0.9e-4, 1), (-0.9e-4, 1), (1.1e-4, 0)])
def test_by_default_parts_touch_up_to_a_ten_thousandth_of_the_smaller_one(height: float, found: int) -> None:
    large = box((2.0, 2.0, 0.2))
    assert contacts(assembled((large, at(-1, -1)), (CUBE, at(z=0.2 + height * SIZE_M)))) == found


def test_what_is_far_away_does_not_decide_what_touches() -> None:
    def beside_a_stranger(height: float) -> Assembly:
        return assembled((CUBE, at()), (CUBE, at(z=0.2 + height * SIZE_M)), (CUBE, at(x=1e3)))

    assert contacts(beside_a_stranger(0.9e-4)) == 1
    assert contacts(beside_a_stranger(1.1e-4)) == 0


def test_a_gap_that_is_asked_for_holds_as_it_is_written() -> None:
    assert contacts(above(1e-4)) == 0
    assert contacts(above(1e-4, gap_m=1e-4)) == 1
    assert contacts(above(1e-4, gap_m=0.99e-4)) == 0
    assert contacts(above(1e-6, gap_m=1e-7)) == 0  # less than by default, too


def test_a_gap_is_for_what_is_sunk_in_as_well() -> None:
    with pytest.raises(Overlap, match="set --gap"):
        interfaces(above(-0.01))
    assert contacts(above(-0.01, gap_m=0.01)) == 1


@pytest.mark.parametrize("gap_m", [0.0, -1e-4, math.nan, math.inf])
def test_a_gap_that_is_no_distance_is_refused(gap_m: float) -> None:
    with pytest.raises(BadInput, match="gap: found"):
        above(0.0, gap_m=gap_m)


def test_the_patch_is_midway_between_faces_that_are_apart() -> None:
    (patch,) = _outlines(above(2e-4, gap_m=2e-4))
    assert patch[:, 2] == pytest.approx([0.2001] * 4, abs=1e-12)


def test_the_normal_of_faces_that_lean_is_midway_between_theirs() -> None:
    lean = math.radians(0.3)
    assembly = leaning(0.3, lift_m=1e-3).changed(gap_m=2e-3)
    found = interfaces(assembly).patches
    assert len(found) == 1
    assert found.normals[0] == pytest.approx([math.sin(lean / 2), 0.0, math.cos(lean / 2)], abs=1e-9)
    heights = found.points @ found.normals[0]
    assert heights == pytest.approx(np.full(len(heights), heights[0]), abs=1e-12)


def test_faces_lean_as_far_as_the_gap_lets_them() -> None:
    widest = 0.2 * math.sin(math.radians(2.0))  # of a wedge that is open on one side, about
    wedge = leaning(2.0, lift_m=0.5 * widest)
    assert contacts(wedge) == 0
    assert contacts(wedge.changed(gap_m=0.9 * widest)) == 0
    assert contacts(wedge.changed(gap_m=1.1 * widest)) == 1


def test_a_gap_wider_than_a_plate_does_not_reach_through_it() -> None:
    plate = box((0.2, 0.2, 0.004))
    stack = assembled((CUBE, at()), (plate, at(z=0.2)), (CUBE, at(z=0.204)))
    joints = interfaces(stack.changed(gap_m=0.1))
    assert joints.patches.bodies.tolist() == [[0, 1], [1, 2]]
    assert touching_range(stack.changed(gap_m=0.1))[1] < 0.004 / 2  # type: ignore[index]


@pytest.mark.parametrize("seed", range(3))
def test_contacts_within_a_gap_do_not_depend_on_place_order_or_unit(seed: int) -> None:
    dome = make("staggered-dome", rings=2)
    scale = 10.0 ** (seed - 1)
    turned = moved(dome, tilted(seed, (1.0, 2.0, 3.0)), scale)
    order = np.random.default_rng(seed).permutation(len(turned.parts))
    plain = dome.changed(ground_part=None).changed(gap_m=dome.gap_m)
    joints = interfaces(reordered(turned, order).changed(gap_m=scale * float(dome.gap_m)))  # type: ignore[arg-type]
    assert joints.counts() == interfaces(plain).counts()


def test_staggered_joints_are_found_all_of_them() -> None:
    rings, segments = 20, 40
    dome = make("staggered-dome", rings=rings, segments=segments, radius=3.8, thickness=0.1, opening=12.0)
    counts = interfaces(dome).counts()
    beside, between, on_table = rings * segments, 2 * (rings - 1) * segments, segments
    assert counts["contacts"] == beside + between + on_table
    assert counts["corners"] == counts["edges"] == counts["ambiguous"] == 0


def _outlines(assembly: Assembly) -> list[Array]:
    found = interfaces(assembly).patches
    return [found.points[found.starts[k] : found.starts[k + 1]] for k in range(len(found))]
