"""Large assemblies on a table: parts touch each other as without it, and the table as all at once would tell."""

from __future__ import annotations

import numpy as np
import pytest

import falsework.geometry.contacts.keeping as keeping
from falsework.bench.round_shapes import placed, rod, turned
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.contacts.on_table import interfaces_on_table
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly, Ground


def test_what_lies_on_a_table_is_found_part_by_part_as_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = turned([(0.101, 0), (0.2, 0), (0.2, 0.1), (0.101, 0.1)], 24, ring=True)
    parts = (
        make_part("ring", ring, placed()),
        make_part("pin", rod(0.1, 0.3, 32), placed(0, 0, 0.15)),
        make_part("cap", rod(0.15, 0.05, 20), placed(0.01, 0, 0.325)),
    )
    lying = grounded(Assembly(parts, friction=0.4), Ground("table"))
    whole = interfaces(lying)
    monkeypatch.setattr(keeping, "LARGE", 0)
    monkeypatch.setenv("FALSEWORK_CACHE", "off")
    by_parts = interfaces_on_table(lying)
    assert whole.patches.bodies.tolist() == by_parts.patches.bodies.tolist() and len(whole.patches) > 60
    for name in ("points", "normals", "friction", "starts"):
        assert np.array_equal(getattr(whole.patches, name), getattr(by_parts.patches, name))
    assert [one.bodies for one in whole.curved] == [one.bodies for one in by_parts.curved]
