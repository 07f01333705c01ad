"""Large assemblies on a table: parts touch each other as without it, and the table as all at once would tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import falsework.geometry.contacts.keeping as keeping
import falsework.geometry.contacts.on_table as on_table
from falsework.bench.round_shapes import placed, rod, turned
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.contacts.on_table import interfaces_on_table
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly, Ground
from falsework.model.interfaces import Interfaces


def lying_parts() -> Assembly:
    """A ring on a table, a pin in it, and a cap on the pin."""
    ring = turned([(0.101, 0), (0.2, 0), (0.2, 0.1), (0.101, 0.1)], 24, ring=True)
    parts = (
        make_part("ring", ring, placed()),
        make_part("pin", rod(0.1, 0.3, 32), placed(0, 0, 0.15)),
        make_part("cap", rod(0.15, 0.05, 20), placed(0.01, 0, 0.325)),
    )
    return grounded(Assembly(parts, friction=0.4), Ground("table"))


def assert_same(one: Interfaces, other: Interfaces) -> None:
    assert one.patches.bodies.tolist() == other.patches.bodies.tolist()
    for name in ("points", "normals", "friction", "starts"):
        assert np.array_equal(getattr(one.patches, name), getattr(other.patches, name))
    assert one.ambiguous.bodies.tolist() == other.ambiguous.bodies.tolist()
    assert [curved.bodies for curved in one.curved] == [curved.bodies for curved in other.curved]


def test_what_lies_on_a_table_is_found_part_by_part_as_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lying = lying_parts()
    whole = interfaces(lying)
    monkeypatch.setattr(keeping, "LARGE", 0)
    monkeypatch.setenv("FALSEWORK_CACHE", "off")
    by_parts = interfaces_on_table(lying)
    assert len(whole.patches) > 60
    assert_same(whole, by_parts)


@pytest.mark.parametrize("few", [0, 10**6])
def test_what_parts_have_among_each_other_need_not_be_asked_again(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_table, "FEW", few)
    lying = lying_parts()
    loose = lying.changed(ground=Ground(), ground_part=None)
    assert_same(interfaces(lying), interfaces_on_table(lying, interfaces(loose)))


@pytest.mark.parametrize("few", [0, 10**6])
def test_parts_below_the_top_of_a_table_touch_nothing(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table under the pin's collar: the ring is below it."""
    monkeypatch.setattr(on_table, "FEW", few)
    lying = lying_parts()
    table = lying.ground_part
    assert table is not None
    raised = table.T_world_part.copy()
    raised[2, 3] += 0.3  # the cap alone is above it
    high = lying.changed(ground_part=replace(table, T_world_part=raised))
    found = interfaces_on_table(high, interfaces(lying.changed(ground=Ground(), ground_part=None)))
    assert_same(interfaces_on_table(high), found)
    assert {tuple(pair) for pair in found.patches.bodies.tolist()} == {(2, 3)}
