"""Colours that files name."""

from __future__ import annotations

import pytest

from falsework.studio.colors import BRICKS, color_of, part_color
from tests.conftest import brick


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("red", "#c4392f"),
        (" Red ", "#c4392f"),
        ("#a1b2c3", "#a1b2c3"),
        ("#fa0", "#ffaa00"),
        ("salmon", "#f06d61"),
        ("url(javascript:alert(1))", None),
        ("#12345", None),
        ("", None),
        (None, None),
    ],
)
def test_a_colour_is_read_or_left(text: str | None, expected: str | None) -> None:
    assert color_of(text) == expected


def test_a_part_without_a_colour_gets_one_of_ours() -> None:
    assert part_color(brick("a", "brick_2x4", 0, 0, 0), len(BRICKS)) == BRICKS[0]
