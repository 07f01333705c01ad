"""The model refuses what no part, assembly or state can be, and says why."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.model.arrays import frozen
from falsework.model.assembly import Assembly, Ground, Hinge, Load
from falsework.model.catalogue import BrickType, brick_type
from falsework.model.errors import BadInput, BadPart, did_you_mean, one_line, shown
from falsework.model.part import Part
from falsework.model.plan import Plan, Rules, Step
from falsework.model.shapes import Mesh, Polygon, Polyhedron, box, corners
from falsework.model.state import State
from tests.conftest import brick
from tests.statics.structures import block, stack


def part(**changes: object) -> Part:
    fields = {
        "name": "a",
        "shape": box((1, 1, 1)),
        "T_world_part": np.eye(4),
        "mass_kg": 1.0,
        "com_part_m": np.full(3, 0.5),
        "inertia_part_kgm2": np.eye(3) / 6,
    }
    return Part(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mass_kg": 0.0}, "mass_kg: found 0.0, expected a positive number"),
        ({"mass_kg": np.nan}, "mass_kg: found nan"),
        ({"mass_kg": np.inf}, "mass_kg: found inf"),
        ({"name": ""}, "name: found '', expected a name"),
        ({"T_world_part": np.diag([1.0, 1, 2, 1])}, "expected a rotation and a finite translation"),
        ({"T_world_part": np.diag([1.0, 1, -1, 1])}, "expected a rotation and a finite translation"),
        ({"T_world_part": np.full((4, 4), np.nan)}, "expected a rotation and a finite translation"),
        ({"T_world_part": np.eye(3)}, "numbers of the right shape"),
        ({"com_part_m": [0, 0, np.inf]}, "expected finite numbers"),
    ],
)
def test_impossible_parts_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(BadPart, match=message):
        part(**changes)


def test_arrays_of_the_model_cannot_be_written_to() -> None:
    one = part()
    with pytest.raises(ValueError, match="read-only"):
        one.T_world_part[0, 3] = 1.0


def test_a_frozen_array_does_not_follow_its_source() -> None:
    source = np.zeros(3)
    kept = frozen(source)
    view = source[:]
    view.setflags(write=False)
    followed = frozen(view)
    source[0] = 1.0
    assert kept[0] == 0.0
    assert followed[0] == 0.0
    assert frozen(kept) is kept


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"parts": ()}, "needs at least one part"),
        ({"parts": (part(), part())}, "part name 'a' is used 2 times"),
        ({"fixed": frozenset({"b"})}, "fixed: there is no part 'b'"),
        ({"loads": (Load("b", np.zeros(3)),)}, "load: there is no part 'b'"),
        ({"friction": -0.1}, "friction: found -0.1"),
        ({"friction": np.nan}, "friction: found nan"),
        ({"gravity": np.array([0, 0, np.nan])}, "gravity: expected three finite numbers"),
        ({"hinges": (Hinge("a", "z", np.zeros(3), np.array([0, 1.0, 0])),)}, "hinge: there is no part 'z'"),
    ],
)
def test_impossible_assemblies_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Assembly(**{"parts": (part(),), **fields})  # type: ignore[arg-type]


def test_loads_and_hinges_must_be_finite() -> None:
    with pytest.raises(BadInput, match="expected three finite numbers"):
        Load("a", np.array([0, 0, np.inf]))
    with pytest.raises(BadInput, match="unit axis"):
        Hinge("a", "b", np.zeros(3), np.array([0, 2.0, 0]))


def test_masks_name_parts_in_order() -> None:
    pile = stack([0.1, 0.1, 0.1])
    bits = pile.mask(["3", "1"])
    assert bits == 0b1010
    assert pile.named(bits) == ("1", "3")
    with pytest.raises(BadInput, match="there is no part '9'"):
        pile.mask(["9"])


def test_only_installed_parts_can_be_held_and_fixed_parts_cannot_be_absent() -> None:
    with pytest.raises(BadInput, match="only hold parts that are installed"):
        State(installed=0b01, held=0b10)
    with pytest.raises(BadInput, match="fixed parts cannot be absent: 0"):
        State.complete(stack([0.1]), absent=1)


@pytest.mark.parametrize(
    "name", ["brick_2x4", "plate_1x6", "tile_2x2", "slope_2x4_flat1", "duplo:brick_2x2", "brick_1x1x5"]
)
def test_brick_names_come_back(name: str) -> None:
    assert str(brick_type(name)) == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("brik_2x4", "did you mean 'brick'"),
        ("brick_0x4", "brick length: found 0, expected a whole number from 1 to 128"),
        ("brick_2x4000", "brick width: found 4000"),
        ("lego:brick_2x4", "brick system 'lego'"),
        ("2by4", "expected a name like brick_2x4"),
        ("slope_2x4_flat2", "slope flat rows: found 2, expected 0 to 1"),
    ],
)
def test_unknown_bricks_are_explained(name: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        brick_type(name)


@pytest.mark.parametrize(("name", "grams"), [("1x1", 0.43), ("1x8", 3.03), ("8x1", 3.03), ("2x4", 2.16), ("2x6", 3.23)])
def test_weighed_bricks_have_their_weight(name: str, grams: float) -> None:
    assert brick_type(name).mass_kg == pytest.approx(grams * 1e-3)


def test_the_fit_is_near_every_weighed_brick() -> None:
    measures = brick_type("2x4").measures
    a, b, c = measures.brick_fit_g
    for (small, large), grams in measures.brick_mass_g:
        assert a * small * large + b * (small + large) + c == pytest.approx(grams, rel=0.1)


def test_a_slope_weighs_between_a_plate_and_the_brick_it_is_cut_from() -> None:
    slope, whole, plate = (brick_type(name).mass_kg for name in ("slope_2x4_flat1", "brick_2x4", "plate_2x4"))
    assert plate < slope < whole


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mesh(np.zeros((3, 3)), np.zeros((1, 3))), "four vertices or more"),
        (lambda: Mesh(np.full((4, 3), np.nan), [[0, 1, 2]]), "NaN or infinity"),
        (lambda: Mesh(np.eye(4, 3), [[0, 1, 9]]), "faces over vertices 0 to 3"),
        (lambda: Polyhedron(np.eye(4, 3), ((0, 1, 2),)), "four faces or more"),
        (lambda: Polygon([[0, 0], [1, 0]]), "three corners or more"),
        (lambda: Polygon([[0, 0], [0, 1], [1, 0]]), "counter-clockwise"),
        (lambda: Polygon([[0, 0], [1, 0], [0, 1]], depth_m=0), "positive depth"),
    ],
)
def test_impossible_shapes_are_refused(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]


@pytest.mark.parametrize("one", [block("b", (0, 0, 0), (1, 2, 3)), brick("b", "brick_2x4", 0, 0, 0)])
def test_the_radius_reaches_the_farthest_corner(one: Part) -> None:
    size = np.ptp(corners(one.shape), axis=0)
    assert one.radius_m == pytest.approx(np.linalg.norm(size) / 2)


def test_steps_know_their_actions() -> None:
    with pytest.raises(BadInput, match="expected place, hold, release or reorient"):
        Step("throw", ("a",))  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="names no part"):
        Step("place")


def test_messages_stay_on_one_line() -> None:
    assert one_line("a\nb\x00") == "a\\nb\\x00"
    assert shown("x" * 100).endswith("…")
    assert shown(10**5000) == "a int too long to print"
    assert did_you_mean("chek", ["check", "info"]) == "did you mean 'check'?"
    assert did_you_mean("zzz", ["check", "info"]) == "expected one of: check, info"


def test_brick_types_are_values() -> None:
    assert BrickType("system", "brick", 2, 4, 3) == brick_type("2x4")


def test_what_came_together_is_held_by_one_hand() -> None:
    steps = (
        Step("place", ("a",), held=("a",)),
        Step("place", ("b", "c"), held=("a", "b", "c")),
        Step("release", ("a",), held=("b", "c")),
    )
    assert Plan(Rules(), "complete", steps).max_held == 2


@pytest.mark.parametrize("ground", [Ground(), Ground("baseplate"), Ground("table"), Ground("table", 1 / 3)])
def test_a_ground_written_is_the_ground_read(ground: Ground) -> None:
    assert Ground.parsed(str(ground)) == ground


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("sea", "found 'sea', expected baseplate, table, table:MU or none"),
        ("", "found '', expected baseplate"),
        ("table:x", "table: found 'x', expected a number that is 0 or more"),
        ("table:", "table: found '', expected a number"),
        ("table:-1", "table: found -1.0, expected a number that is 0 or more"),
        ("table:nan", "table: found nan, expected a number"),
        ("baseplate:0.4", "found a friction for baseplate, but only a table has one of its own"),
    ],
)
def test_no_other_ground_is_read(text: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        Ground.parsed(text)
