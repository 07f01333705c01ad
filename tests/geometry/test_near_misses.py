"""What nearly touches is found where something falls, with the gap that would do."""

from __future__ import annotations

import numpy as np
import pytest

from falsework import check
from falsework.gallery import make
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.contacts.near_misses import isolated
from falsework.model.assembly import Assembly, Ground
from falsework.model.near_misses import NearMisses
from falsework.model.shapes import Polyhedron, box
from falsework.verdicts.missing_contacts import sentence
from tests.geometry.assemblies import assembled, at

CUBE = box((0.2, 0.2, 0.2))
TIP = Polyhedron(
    np.array([[0, 0, 0], [0.1, 0.1, 0.2], [-0.1, 0.1, 0.2], [-0.1, -0.1, 0.2], [0.1, -0.1, 0.2]]),
    ((0, 2, 1), (0, 3, 2), (0, 4, 3), (0, 1, 4), (1, 2, 3, 4)),
)


def on_zero(*placed: tuple[object, np.ndarray]) -> Assembly:
    """Parts named by their numbers, 0 fixed."""
    return assembled(*placed).changed(fixed=frozenset("0"))  # type: ignore[arg-type]


def missing(assembly: Assembly, **asked: object) -> NearMisses:
    verdict = check(assembly, **asked)  # type: ignore[arg-type]
    assert verdict.answer == "unstable" and verdict.missing is not None
    return verdict.missing


def test_a_part_that_floats_a_tenth_of_a_millimetre_above_another_is_told_so() -> None:
    floating = on_zero((CUBE, at()), (CUBE, at(z=0.2001)))
    found = missing(floating)
    assert found.isolated == ("1",)
    assert [(one.part, one.other, one.side) for one in found.pairs] == [("1", "0", "above")]
    assert found.pairs[0].apart_m == pytest.approx(1e-4, rel=1e-9)
    assert found.gap_m == 1e-4
    assert sentence(found) == "1 touches nothing; it is 0.1 mm above 0: if they are meant to touch, set --gap 0.0001"
    assert check(floating, gap=found.gap_m).answer == "stable"


def test_the_gap_that_is_told_is_that_of_the_support_and_not_of_the_neighbour() -> None:
    found = missing(on_zero((box((0.6, 0.2, 0.2)), at()), (CUBE, at(z=0.2001)), (CUBE, at(x=0.203, z=0.2))))
    assert found.gap_m == 1e-4
    assert {(one.part, one.other) for one in found.pairs} == {("1", "0"), ("1", "2")}


def test_of_a_pile_the_widest_gap_on_the_way_down_is_told() -> None:
    pile = on_zero((CUBE, at()), (CUBE, at(z=0.2003)), (CUBE, at(z=0.4004)))
    found = missing(pile)
    assert found.isolated == ("1", "2")
    assert found.gap_m == 3e-4
    assert sentence(found).startswith("1, 2 touch nothing; 2 pairs nearly touch, 0.1 to 0.3 mm apart: if")
    assert check(pile, gap=found.gap_m).answer == "stable"


def test_a_corner_that_hangs_over_a_face_is_near_too() -> None:
    found = missing(on_zero((box((1.0, 1.0, 0.1)), at(-0.5, -0.5, -0.1)), (TIP, at(z=2e-4))))
    assert [(one.other, one.side) for one in found.pairs] == [("0", "above")]
    assert found.pairs[0].apart_m == pytest.approx(2e-4, rel=1e-6)
    assert found.gap_m == 2e-4


def test_what_is_far_from_all_others_is_told_the_distance_but_no_gap() -> None:
    found = missing(on_zero((CUBE, at()), (CUBE, at(z=0.25))))
    assert found.gap_m is None
    assert sentence(found) == "1 touches nothing; it is 50 mm above 0"
    assert sentence(missing(on_zero((CUBE, at()), (CUBE, at(z=5.0))))) == "1 touches nothing"


def test_what_stands_on_a_table_only_nearly_is_told_of_the_ground() -> None:
    found = missing(grounded(assembled((CUBE, at()), (CUBE, at(x=1.0, z=1e-4))), Ground("table")))
    assert [(one.part, one.other) for one in found.pairs] == [("1", "ground")]


def test_absent_parts_are_not_near() -> None:
    tower = on_zero((CUBE, at()), (CUBE, at(z=0.2)), (CUBE, at(z=0.4001)))
    assert missing(tower, absent=["1"]).pairs[0].other == "0"
    assert missing(tower).pairs[0].other == "1"


def test_what_falls_over_although_it_touches_is_not_told_of_gaps() -> None:
    found = missing(on_zero((CUBE, at()), (CUBE, at(x=0.15, z=0.2))))
    assert not found and sentence(found) == ""


def test_bricks_of_one_grid_touch_or_do_not() -> None:
    stairs = make("brick-stairs", steps=20)
    assert not missing(stairs)


def test_nothing_is_looked_for_where_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    def looked(*_: object) -> NearMisses:
        raise AssertionError("it stands")

    monkeypatch.setattr("falsework.verdicts.check.near_misses", looked)
    assert check(on_zero((CUBE, at()), (CUBE, at(z=0.2)))).missing is None


def test_joined_parts_are_not_isolated() -> None:
    row = on_zero((CUBE, at()), (CUBE, at(z=0.2)), (CUBE, at(z=0.6)))
    assert isolated(row, interfaces(row), 0b111) == ("2",)
    assert isolated(row, interfaces(row), 0b011) == ()


def test_a_staggered_dome_read_without_its_gap_is_told_the_gap_it_needs() -> None:
    dome = make("staggered-dome", rings=10, segments=80, radius=3.8, thickness=0.1, opening=12.0)
    found = missing(dome.changed(gap_m=None), also=False)
    assert len(found.pairs) == 2 * 9 * 80
    assert found.gap_m == pytest.approx(float(dome.gap_m), rel=0.05)  # type: ignore[arg-type]
    assert check(dome, also=False, gap=found.gap_m).answer == "stable"
