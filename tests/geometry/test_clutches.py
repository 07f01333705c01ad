"""Clutches follow from poses alone."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falsework.geometry.contacts.clutches import Grip, clutch_kind
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import components, interfaces
from falsework.model.assembly import Assembly, Ground
from falsework.model.catalogue import systems
from falsework.model.errors import BadInput, Overlap
from falsework.model.part import Part
from tests.conftest import brick, on_baseplate

SYSTEM = systems()["system"]


def whole(length: int, width: int) -> Grip:
    return Grip("system", min(length, width) == 1, length, width, (True, True, True, True))


@pytest.mark.parametrize(("size", "points"), [((1, 1), 4), ((1, 2), 8), ((2, 2), 12), ((2, 4), 24), ((4, 4), 52)])
def test_contact_points_of_a_fully_engaged_brick(size: tuple[int, int], points: int) -> None:
    kind = clutch_kind(whole(*size), SYSTEM)
    assert len(kind.points) == points
    assert kind.studs == size[0] * size[1]


def test_contact_points_lie_on_their_studs_and_push_inward() -> None:
    kind = clutch_kind(whole(4, 4), SYSTEM)
    centres = kind.points + SYSTEM.stud_radius_m * kind.inward
    assert np.linalg.norm(kind.inward, axis=1) == pytest.approx(1.0)
    on_grid = centres / SYSTEM.pitch_m + 0.5
    assert on_grid == pytest.approx(np.rint(on_grid), abs=1e-12)


def test_a_corner_stud_is_gripped_by_two_walls_and_one_tube() -> None:
    kind = clutch_kind(Grip("system", False, 1, 1, (True, False, True, False)), SYSTEM)
    outward = -kind.inward
    expected = np.array([(-1, 0), (0, -1), (np.sqrt(0.5), np.sqrt(0.5))])
    assert outward == pytest.approx(expected)


def test_a_wall_of_two_bricks_on_one_has_three_clutches_and_one_side_contact() -> None:
    joints = interfaces(
        on_baseplate(
            brick("low", "brick_4x2", 2, 0, 0),
            brick("left", "brick_4x2", 0, 0, 3),
            brick("right", "brick_4x2", 4, 0, 3),
        )
    )
    assert joints.clutches.bodies.tolist() == [[0, 1], [0, 2], [3, 0]]
    assert joints.clutches.offsets.tolist()[:2] == [[-2, 0], [2, 0]]
    assert len(joints.patches) == 1
    assert joints.patches.friction[0] == 0.0
    assert joints.patches.normals[0] == pytest.approx([1, 0, 0])


def test_quarter_turns_are_counted_from_the_stud_brick() -> None:
    base = brick("base", "brick_2x4", 0, 0, 0)
    turned = brick("turned", "brick_2x4", 2, 0, 3, 90)  # covers x −2…2, y 0…2
    clutches = interfaces(Assembly((base, turned))).clutches
    assert clutches.turns.tolist() == [1]
    assert clutches.offsets.tolist() == [[2, 0]]
    assert clutches.T_world_clutch[0, :3, 3] == pytest.approx([1 * 0.008, 1 * 0.008, 0.0096])


def test_a_plate_on_a_tile_rests_without_a_clutch() -> None:
    joints = interfaces(on_baseplate(brick("tile", "tile_2x2", 0, 0, 0), brick("plate", "plate_2x2", 0, 0, 1)))
    assert len(joints.clutches) == 1  # the tile on the ground
    assert len(joints.patches) == 1
    assert joints.patches.friction[0] == pytest.approx(0.55)
    assert joints.patches.normals[0] == pytest.approx([0, 0, 1])


def test_a_slope_has_studs_only_where_it_is_flat() -> None:
    slope = brick("slope", "slope_2x2_flat1", 0, 0, 0)
    flat = interfaces(on_baseplate(slope, brick("top", "brick_1x2", 0, 0, 3)))
    assert [2, 0] in flat.clutches.bodies.tolist()
    assert [0, 1] in flat.clutches.bodies.tolist()
    assert len(flat.patches) == 0
    beside = interfaces(Assembly((slope, brick("over", "brick_1x2", 1, 0, 3))))
    assert len(beside.clutches) == 0


def test_a_brick_beside_a_slope_touches_it_without_friction() -> None:
    joints = interfaces(on_baseplate(brick("slope", "slope_2x2_flat1", 0, 0, 0), brick("b", "brick_2x2", -2, 0, 0)))
    assert len(joints.patches) == 1
    assert joints.patches.friction[0] == 0.0


def test_duplo_and_system_do_not_clutch_each_other() -> None:
    assembly = Assembly((brick("duplo", "duplo:brick_2x2", 0, 0, 0), brick("system", "brick_2x2", 9, 9, 0)))
    assert len(interfaces(assembly).clutches) == 0
    assert components(assembly, interfaces(assembly)) == 2


def test_a_brick_at_45_degrees_on_studs_is_refused() -> None:
    with pytest.raises(BadInput, match="a stud of part 'base' stands in part 'turned' off its grid"):
        interfaces(Assembly((brick("base", "brick_4x4", 0, 0, 0), brick("turned", "brick_2x2", 2, 0.5, 3, 45))))


def test_a_brick_half_a_stud_off_is_refused() -> None:
    with pytest.raises(BadInput, match="whole studs, whole plates, quarter turns"):
        interfaces(Assembly((brick("base", "brick_4x4", 0, 0, 0), brick("shifted", "brick_2x2", 0.5, 0, 3))))


@pytest.mark.parametrize(("kind", "x", "y"), [("brick_1x1", 1.5, 1.5), ("tile_1x1", 1.5, 1.0), ("brick_1x4", 1.5, 0.0)])
def test_a_wall_cannot_stand_on_the_middle_of_a_stud(kind: str, x: float, y: float) -> None:
    with pytest.raises(BadInput, match="a stud of part 'base' stands in part 'between' off its grid"):
        interfaces(Assembly((brick("base", "brick_4x4", 0, 0, 0), brick("between", kind, x, y, 3))))


def test_a_brick_may_rest_on_a_rim_beside_the_studs() -> None:
    on_rim = Assembly((brick("base", "brick_2x2", 0, 0, 0), brick("beside", "brick_2x2", 1.85, 0, 3)))
    joints = interfaces(on_rim)
    assert (len(joints.patches), len(joints.clutches)) == (1, 0)


def test_bricks_that_share_space_are_named_with_their_depth() -> None:
    with pytest.raises(Overlap, match=r"'a' and 'b' overlap by 0\.008 m, allowed 0 m") as caught:
        interfaces(Assembly((brick("a", "brick_2x2", 0, 0, 0), brick("b", "brick_2x2", 1, 0, 0))))
    assert caught.value.depth_m == pytest.approx(0.008)


def test_an_accepted_overlap_is_not_refused() -> None:
    parts = (brick("a", "brick_2x2", 0, 0, 0), brick("b", "brick_2x2", 1, 0, 0))
    assert len(interfaces(Assembly(parts, allow_overlap_m=0.01)).clutches) == 0


def test_a_baseplate_on_studs_is_refused() -> None:
    with pytest.raises(BadInput, match="has no holes"):
        interfaces(Assembly((brick("b", "brick_2x2", 0, 0, 0), brick("plate", "baseplate_4x4", 0, 0, 3))))


def test_the_ground_is_body_after_the_parts_and_not_a_part() -> None:
    assembly = on_baseplate(brick("a", "brick_2x4", 5, 5, 0))
    assert len(assembly.parts) == 1
    assert assembly.bodies[1].name == "ground"
    assert interfaces(assembly).clutches.bodies.tolist() == [[1, 0]]


def test_a_part_called_ground_cannot_stand_on_a_baseplate() -> None:
    with pytest.raises(BadInput, match="rename it or use --ground none"):
        on_baseplate(brick("ground", "brick_2x2", 0, 0, 0))


def test_without_its_baseplate_a_model_falls_into_components() -> None:
    parts = tuple(brick(f"b{x}", "brick_2x2", x, 0, 0) for x in (0, 2, 4, 6))
    apart = Assembly(parts)
    assert components(apart, interfaces(apart)) == 4
    together = grounded(apart, Ground("baseplate"))
    assert components(together, interfaces(together)) == 1


def stack() -> list[Part]:
    return [
        brick("a", "brick_2x4", 0, 0, 0),
        brick("b", "brick_2x4", 1, 0, 3),
        brick("c", "brick_1x6", 1, 1, 6),
        brick("d", "plate_2x2", 2, 2, 6),
        brick("e", "brick_2x2", 3, 0, 0),
    ]


def names_and_offsets(assembly: Assembly) -> set[tuple[str, str, int, int, int]]:
    clutches = interfaces(assembly).clutches
    names = [body.name for body in assembly.bodies]
    rows = zip(clutches.bodies, clutches.offsets, clutches.turns, strict=True)
    return {(names[s], names[h], int(o[0]), int(o[1]), int(t)) for (s, h), o, t in rows}


@pytest.mark.parametrize("order", list(itertools.permutations(range(5)))[::17])
def test_clutches_do_not_depend_on_part_order(order: tuple[int, ...]) -> None:
    parts = stack()
    assert names_and_offsets(Assembly(tuple(parts[n] for n in order))) == names_and_offsets(Assembly(tuple(parts)))


@settings(max_examples=20, deadline=None)
@given(st.floats(-np.pi, np.pi), st.floats(-np.pi, np.pi), st.tuples(*[st.floats(-5, 5)] * 3))
def test_clutches_do_not_depend_on_where_the_model_lies(yaw: float, tilt: float, shift: tuple[float, ...]) -> None:
    cy, sy, ct, s_t = np.cos(yaw), np.sin(yaw), np.cos(tilt), np.sin(tilt)
    moved = np.eye(4)
    moved[:3, :3] = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ [[1, 0, 0], [0, ct, -s_t], [0, s_t, ct]]
    moved[:3, 3] = shift
    turned = [
        Part(p.name, p.shape, moved @ p.T_world_part, p.mass_kg, p.com_part_m, p.inertia_part_kgm2) for p in stack()
    ]
    assert names_and_offsets(Assembly(tuple(turned))) == names_and_offsets(Assembly(tuple(stack())))


def test_a_baseplate_under_far_apart_bricks_costs_no_memory() -> None:
    joints = interfaces(on_baseplate(brick("here", "brick_2x2", 0, 0, 0), brick("there", "brick_2x2", 400_000, 0, 0)))
    assert len(joints.clutches) == 2
