"""Assemblies whose parts lock each other: which of them can leave, judged by the faces they touch with."""

from __future__ import annotations

import numpy as np
import pytest

from falsework import gallery
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly


def blocked(assembly: Assembly, *names: str) -> set[tuple[int, int, int]]:
    """Directions along the axes in which these parts, moved as one, run into another part."""
    patches = interfaces(assembly).patches
    moving = [assembly.index[name] for name in names]
    found = set()
    for (first, second), normal in zip(patches.bodies.tolist(), patches.normals, strict=True):
        if (first in moving) != (second in moving):
            against = normal if first in moving else -normal
            found.add(tuple(int(value) for value in np.rint(against)))
    return found  # type: ignore[return-value]


EVERY_WAY = {(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)}


def test_no_top_bar_of_the_bookshelf_leaves_alone() -> None:
    shelf = gallery.make("locked-bookshelf")
    for bar in ("front", "right", "back", "left"):
        assert blocked(shelf, bar) == EVERY_WAY
    assert gallery.truth("locked-bookshelf").unbuildable


def test_two_top_bars_of_the_bookshelf_leave_together() -> None:
    shelf = gallery.make("locked-bookshelf")
    assert (1, 0, 0) not in blocked(shelf, "front", "right")
    assert (0, 0, 1) not in blocked(shelf, "front", "left")


def test_only_the_key_leaves_the_burr() -> None:
    burr = gallery.make("burr-puzzle")
    free = {name: EVERY_WAY - blocked(burr, name) for name in burr.names}
    assert [name for name, ways in free.items() if ways] == ["key"]
    assert free["key"] == {(1, 0, 0), (-1, 0, 0)}


@pytest.mark.parametrize("closed", [0, 1])
def test_rails_lift_out_of_open_posts_only(closed: int) -> None:
    frame = gallery.make("mortise-frame", closed=closed)
    assert ((0, 0, 1) in blocked(frame, "rail-1")) == bool(closed)
