"""Corners are compared with the edges of an outline that count, and with all of those."""

from __future__ import annotations

import numpy as np
import pytest

import falsework.geometry.contacts.long_outlines as long_outlines
from falsework.geometry.contacts.grid_contacts import grid_groups
from falsework.geometry.contacts.incidence import corner_contacts
from falsework.geometry.shapes.features import Features
from falsework.geometry.shapes.placed_solids import scene
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly
from falsework.model.shapes import Polygon, box


def star(points: int) -> Polygon:
    """A prism over a star, with as many dents as points."""
    turns = np.pi * np.arange(2 * points) / points
    radii = np.where(np.arange(2 * points) % 2 == 0, 1.0, 0.7)
    return Polygon(np.column_stack([radii * np.cos(turns), radii * np.sin(turns)]), 0.5)


@pytest.mark.parametrize("points", [40, 101])
def test_strips_of_a_long_outline_find_what_the_whole_outline_finds(
    points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(points)
    parts = [make_part("star", star(points), np.eye(4))]
    for k in range(30):
        pose = np.eye(4)
        x, z = rng.uniform(-1, 1, 2)
        pose[:3, 3] = x, 0.25, z
        parts.append(make_part(f"box-{k}", box((0.05, 0.1, 0.05)), pose))
    features = Features(scene(Assembly(tuple(parts)), grid_groups(Assembly(tuple(parts)))))
    short = corner_contacts(features)
    monkeypatch.setattr(long_outlines, "LONG", 10**9)
    whole = corner_contacts(features)
    assert len(whole[0].pair) + len(whole[1].pair) > 0
    for one, other in zip(short, whole, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            assert np.array_equal(mine, theirs)
