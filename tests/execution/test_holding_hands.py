"""Products that only a second hand could support: refused before anything moves, with what would have to be held."""

from __future__ import annotations

import pytest

from falsework.execution.building import build
from falsework.gallery.bricklaying import Layout
from falsework.model.assembly import Assembly


def overhanging(steps: int) -> Assembly:
    """Long Duplo bricks, each on the last two studs of the one below: a press on the fourth breaks the joint below."""
    layout = Layout("duplo")
    for step in range(steps):
        layout.piece("brick_4x2", 3 * step, 0, step * layout.measures.plates_per_brick, color="red")
    return layout.on_baseplate()


@pytest.mark.parametrize("cell", ["panda", "two-panda"])
def test_a_build_that_needs_a_hand_to_hold_is_refused_and_says_what_must_be_held(cell: str) -> None:
    done = build(overhanging(4), cell=cell)
    (failure,) = done.built.failures
    assert not done.success and done.built.placed == () and done.scores.violations == 0.0
    assert failure.kind == "no plan"
    assert failure.words.startswith("one hand cannot build it: 2 must be held while 4 is pressed in")
