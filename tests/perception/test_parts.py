"""Parts that are no bricks are found by their meshes, or refused; never guessed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Detection, LocatedPart, Refused
from falsework.model.shapes import Mesh, box
from falsework.perception.looking import locate
from falsework.perception.parts.alike import Fit, coincide
from falsework.perception.parts.fitting import PartEstimator, locate_parts
from falsework.perception.parts.templates import PartModel, lying
from falsework.perception.parts.twins import each_shape_once, is_symmetry, moved_onto, same_outside
from falsework.perception.scenes.scene import Thing
from tests.perception.eyes import frame, place, scene

BEAM, BLOCK = PartModel("beam", box((0.09, 0.03, 0.02))), PartModel("block", box((0.05, 0.04, 0.03)))


def turned(x: float, y: float, z: float, yaw: float) -> Array:
    T = np.eye(4)
    T[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
    T[:3, 3] = x, y, z
    return T


BEAM_AT, BLOCK_AT = turned(-0.1, 0.02, 0.0, 0.5), turned(0.0, -0.08, 0.0, 1.1)
TABLE = scene(
    things=(
        Thing("a", "box", (0.09, 0.03, 0.02), (0.7, 0.2, 0.2), BEAM_AT),
        Thing("b", "box", (0.05, 0.04, 0.03), (0.2, 0.2, 0.7), BLOCK_AT),
        Thing("ball", "ball", (0.02,), (0.7, 0.7, 0.2), turned(0.04, 0.08, 0.02, 0.0)),
    )
)


def middle(part: PartModel, T: Array) -> Array:
    return np.asarray(T[:3, :3] @ part.middle_m + T[:3, 3])


def test_parts_are_found_on_a_table_and_what_is_no_part_is_refused() -> None:
    sight = locate_parts(frame(TABLE), place(TABLE), [BEAM, BLOCK])
    assert sight.registered
    found = {one.name: one for one in sight.found}
    assert sorted(found) == ["beam", "block"]
    for model, T in ((BEAM, BEAM_AT), (BLOCK, BLOCK_AT)):
        one = found[model.name]
        assert np.linalg.norm(middle(model, one.T_base_part) - middle(model, T)) < 0.0015
        along = one.T_base_part[:2, 0]
        assert abs(np.cross([*along, 0], [*T[:2, 0], 0])[2]) < math.sin(math.radians(2.5))
        assert np.linalg.eigvalsh(one.covariance).min() > 0
    assert [one.why for one in sight.refused if "no part explains" in one.why]
    assert np.linalg.norm(sight.refused[0].where_m[:2] - (0.04, 0.08)) < 0.012


def test_two_parts_of_one_look_are_refused_by_name() -> None:
    twin = PartModel("twin", box((0.09, 0.03, 0.02)))
    sight = locate_parts(frame(TABLE), place(TABLE), [BEAM, twin])
    assert not sight.found
    assert any("beam" in one.why and "twin" in one.why for one in sight.refused)


def moved_and_rounded(shape: Mesh, T: Array) -> Mesh:
    points = np.round(shape.vertices @ T[:3, :3].T + T[:3, 3], 7)
    return Mesh(points, shape.triangles)


def test_parts_of_one_shape_filed_elsewhere_are_told_by_the_names_that_are_left() -> None:
    wedge = Mesh(
        np.array([(0, 0, 0), (0.09, 0, 0), (0, 0.03, 0), (0, 0, 0.02), (0.09, 0, 0.02), (0, 0.03, 0.02)], float),
        np.array([(0, 2, 1), (3, 4, 5), (0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4), (2, 0, 3), (2, 3, 5)]),
    )
    T = turned(0.4, -0.2, 0.3, 0.9) @ np.diag([1.0, -1.0, -1.0, 1.0])
    first, second = PartModel("first", wedge), PartModel("second", moved_and_rounded(wedge, T))
    mirrored = PartModel("mirrored", Mesh(wedge.vertices * (1, -1, 1), wedge.triangles[:, ::-1]))
    groups = each_shape_once([first, second, BLOCK, mirrored])  # a wedge turned over is its own mirror image
    assert [one.name for one in groups] == ["first", "block"]
    assert [one.name for one in groups[0].twins] == ["second", "mirrored"]
    twin = groups[0].twins[0]
    placed = second.surface.vertices @ twin.T_part_twin[:3, :3].T + twin.T_part_twin[:3, 3]
    assert first.surface.unsigned(placed).distances.max() < 2e-5


def test_shapes_that_differ_by_a_hundredth_or_by_a_mirror_are_two() -> None:
    corner = np.array([(0, 0, 0), (0.09, 0, 0), (0, 0.04, 0), (0, 0, 0.02)], float)
    faces = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    hand = PartModel("hand", Mesh(corner, faces))
    other = PartModel("other", Mesh(corner * (1, 1, -1), faces[:, ::-1]))
    longer = PartModel("longer", Mesh(corner * (1.01, 1, 1), faces))
    assert moved_onto(hand, other) is None
    assert moved_onto(hand, longer) is None


def test_two_of_a_kind_get_a_name_each_and_a_third_is_one_too_many() -> None:
    bars = [turned(-0.1, 0.02, 0.0, 0.5), turned(0.0, -0.08, 0.0, 1.1), turned(0.04, 0.08, 0.0, 0.1)]
    things = tuple(Thing(str(k), "box", (0.09, 0.03, 0.02), (0.7, 0.2, 0.2), T) for k, T in enumerate(bars))
    there = scene(things=things)
    kinds = each_shape_once([BEAM, PartModel("twin", box((0.09, 0.03, 0.02)))])
    sight = locate_parts(frame(there), place(there), kinds)
    assert sorted(one.name for one in sight.found) == ["beam", "twin"]
    assert [one.why for one in sight.refused] == ["one more beam than there are"]


def test_a_symmetry_of_a_part_is_told_from_a_turn_that_looks_much_the_same() -> None:
    bar = PartModel("bar", box((0.09, 0.02, 0.0225)))
    over = np.diag([1.0, -1.0, -1.0, 1.0])
    over[:3, 3] = 0.001, 0.02, 0.0225  # a millimetre off, as fits are
    onto_its_side = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0.021], [0, 1, 0, 0], [0, 0, 0, 1]])
    assert is_symmetry(bar, over)
    assert not is_symmetry(bar, onto_its_side)
    here = Fit(bar, np.eye(4))
    assert coincide(here, Fit(bar, over))
    assert not coincide(here, Fit(bar, onto_its_side))


def drilled() -> PartModel:
    """A bar with a slot 3 mm deep in one of its wide faces, near an end: turned about, its outside is the same."""
    slot = np.array([(0.06, 0.01), (0.075, 0.01), (0.075, 0.02), (0.06, 0.02)])
    outer = np.array([(0, 0), (0.09, 0), (0.09, 0.03), (0, 0.03)])
    rings = [
        np.column_stack([ring, np.full(4, z)]) for ring, z in ((outer, 0), (outer, 0.02), (slot, 0.02), (slot, 0.017))
    ]
    quads = [(0, 3, 2, 1), (12, 13, 14, 15)]
    for low, high in ((0, 4), (4, 8), (8, 12)):
        inward = low == 8
        for a in range(4):
            b = (a + 1) % 4
            quads.append((low + b, low + a, high + a, high + b) if inward else (low + a, low + b, high + b, high + a))
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    return PartModel("drilled", Mesh(np.vstack(rings), triangles))


def test_a_turn_that_leaves_the_outside_is_told_from_one_that_does_not() -> None:
    part = drilled()
    over = np.diag([-1.0, -1.0, 1.0, 1.0])
    over[:3, 3] = 0.0905, 0.0297, 0.0
    assert not is_symmetry(part, over)
    settled = same_outside(part, over, 5e-4)
    assert settled is not None
    assert np.allclose(settled[:3, 3], (0.09, 0.03, 0.0), atol=1e-4)
    onto_its_side = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0.03], [0, 1, 0, 0], [0, 0, 0, 1]])
    assert same_outside(part, onto_its_side, 5e-4) is None


def test_a_part_that_depth_tells_but_for_a_slot_is_found_with_every_turn_that_it_may_have() -> None:
    there = scene(things=(Thing("a", "box", (0.09, 0.03, 0.02), (0.7, 0.2, 0.2), BEAM_AT),))
    (found,) = locate_parts(frame(there), place(there), [drilled()]).found
    poses = [found.T_base_part, *found.alike]
    assert len(poses) == 4
    assert all(np.linalg.norm(middle(BEAM, T)[:2] - middle(BEAM, BEAM_AT)[:2]) < 0.0015 for T in poses)
    assert sum(np.trace(T[:3, :3].T @ BEAM_AT[:3, :3]) > 2.9 for T in poses) == 1


@pytest.mark.parametrize(("side", "high"), [(0.02, 0.0225), (0.0225, 0.02)])
def test_a_bar_is_told_by_the_side_it_lies_on(side: float, high: float) -> None:
    bar = PartModel("bar", box((0.09, 0.02, 0.0225)))
    there = scene(things=(Thing("a", "box", (0.09, side, high), (0.7, 0.2, 0.2), BEAM_AT),))
    (found,) = locate_parts(frame(there), place(there), [bar]).found
    upward = int(np.argmax(np.abs(found.T_base_part[2, :3])))
    assert (0.09, 0.02, 0.0225)[upward] == high


def test_a_box_lies_on_any_of_its_six_faces() -> None:
    assert len(BEAM.rests) == 6
    T = lying(BEAM, BEAM.rests[0], 0.3, 0.1, 0.2, 0.05)
    assert np.allclose(middle(BEAM, T)[:2], (0.1, 0.2))
    lowest = (BEAM.surface.corners.reshape(-1, 3) @ T[2, :3] + T[2, 3]).min()
    assert lowest == pytest.approx(0.05)
    with pytest.raises(BadInput, match="found a size of 9001 mm"):
        PartModel("tower", box((9.0, 0.1, 0.1)))


def test_an_estimator_takes_a_mask_and_a_name() -> None:
    seen = frame(TABLE)
    estimator = PartEstimator(place(TABLE), [BEAM, BLOCK])
    mask = np.zeros(seen.depth_m.shape, bool)
    assert isinstance(estimator.estimate(seen, Detection("beam", mask)), Refused)
    T = np.linalg.inv(seen.T_base_cam)
    at = seen.K @ (T[:3, :3] @ middle(BLOCK, BLOCK_AT) + T[:3, 3])
    u, v = np.rint(at[:2] / at[2]).astype(int)
    blue = seen.rgb[..., 2].astype(int) - seen.rgb[..., 0] > 30
    mask[v - 50 : v + 50, u - 50 : u + 50] = blue[v - 50 : v + 50, u - 50 : u + 50]
    told = estimator.estimate(seen, Detection("block", mask))
    assert isinstance(told, LocatedPart)
    assert np.linalg.norm(middle(BLOCK, told.T_base_part) - middle(BLOCK, BLOCK_AT)) < 0.002
    with pytest.raises(BadInput, match="no part has that name"):
        estimator.estimate(seen, Detection("girder", mask))


def test_locate_finds_the_parts_of_an_assembly() -> None:
    assembly = Assembly.from_boxes([[0.09, 0.03, 0.02], [0.05, 0.04, 0.03]], [[0, 0, 0.01], [0, 1, 0.015]])
    names = sorted(part.name for part in assembly.parts)
    looked = locate(frame(TABLE), parts=assembly, plates=place(TABLE).plates)
    assert sorted(one.name for one in looked.parts) == names
    assert sorted(row["name"] for row in looked.as_dict()["parts"]) == names
    assert looked.found == ()
    with pytest.raises(BadInput, match="found in one frame"):
        locate([frame(TABLE), frame(TABLE)], parts=assembly)
