"""Seed 004's product YAML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from falsework.formats import load
from falsework.model.errors import BadFile
from falsework.model.shapes import BrickShape

Put = Callable[[str, str], Path]

# Seven bricks in the manner of the seed's listing: a quarter-stud phase in y, two layers.
PRODUCT = """\
blocks:
- {name: 2x2_1, type: brick_2x2, color: yellow, pos: [0.0, 0.148, 0.0], rotation: [0, 0, 90]}
- {name: 2x2_2, type: brick_2x2, color: green, pos: [0.032, 0.148, 0.0], rotation: [0, 0, 0]}
- {name: 4x2_3, type: brick_4x2, color: yellow, pos: [0.016, 0.116, 0.0], rotation: [0, 0, 0]}
- {name: 2x2_4, type: brick_2x2, color: blue, pos: [-0.032, 0.116, 0.0], rotation: [0, 0, 0]}
- {name: 2x2_5, type: brick_2x2, color: red, pos: [0.0, 0.116, 0.0191], rotation: [0, 0, 0]}
- {name: 2x2_7, type: brick_2x2, color: blue, pos: [0.032, 0.148, 0.0191], rotation: [0, 0, 0]}
- {name: 2x2_9, type: brick_2x2, color: blue, pos: [0.0, 0.148, 0.0191], rotation: [0, 0, 90]}
"""


def _corners(path: Path) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Lowest and highest corner of every brick's body."""
    found = {}
    for part in load(path).parts:
        assert isinstance(part.shape, BrickShape)
        box = np.array([np.zeros(3), part.shape.kind.size_m]) @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
        found[part.name] = (box.min(axis=0), box.max(axis=0))
    return found


def test_positions_are_centres_in_the_plane_and_bottoms_in_height(put: Put) -> None:
    corners = _corners(put("p.yaml", PRODUCT))
    low, high = corners["4x2_3"]
    assert low == pytest.approx([-0.016, 0.100, 0.0], abs=1e-9)
    assert high == pytest.approx([0.048, 0.132, 0.0192], abs=1e-9)


def test_layers_are_counted_and_stand_on_the_catalogues_lattice(put: Put) -> None:
    assert _corners(put("p.yaml", PRODUCT))["2x2_5"][0][2] == pytest.approx(0.0192, abs=1e-12)


def test_a_quarter_turn_swaps_the_footprint(put: Put) -> None:
    text = "blocks:\n- {name: a, type: brick_4x2, pos: [0, 0, 0], rotation: [0, 0, 90]}\n"
    low, high = _corners(put("p.yaml", text))["a"]
    assert high - low == pytest.approx([0.032, 0.064, 0.0192])
    assert (low + high)[:2] == pytest.approx([0.0, 0.0])


def test_every_quarter_turn_keeps_the_centre(put: Put) -> None:
    for angle in (-90, 0, 90, 180, 270, 360):
        text = f"blocks:\n- {{name: a, type: brick_4x2, pos: [0.3, -0.2, 0], rotation: {angle}}}\n"
        low, high = _corners(put("p.yaml", text))["a"]
        assert (low + high)[:2] / 2 == pytest.approx([0.3, -0.2])


def test_bricks_are_duplo_on_a_baseplate_with_names_and_colours(put: Put) -> None:
    assembly = load(put("p.yaml", PRODUCT))
    assert assembly.source == "product-yaml"
    assert str(assembly.ground) == "baseplate"
    assert assembly.names[0] == "2x2_1"
    assert assembly.parts[1].color == "green"
    assert {str(part.shape.kind) for part in assembly.parts if isinstance(part.shape, BrickShape)} == {
        "duplo:brick_2x2",
        "duplo:brick_4x2",
    }


def test_small_errors_of_position_are_rounded_away(put: Put) -> None:
    shaken = PRODUCT.replace("[0.0, 0.116, 0.0191]", "[0.0006, 0.1155, 0.0195]")
    low = _corners(put("p.yaml", shaken))["2x2_5"][0]
    assert low == pytest.approx(_corners(put("q.yaml", PRODUCT))["2x2_5"][0], abs=2e-4)


def test_the_brick_off_the_lattice_is_named(put: Put) -> None:
    shifted = PRODUCT.replace("[0.0, 0.116, 0.0191]", "[0.004, 0.116, 0.0191]")
    with pytest.raises(BadFile, match=r"p\.yaml: blocks\[4\]\.pos: x is 3\.\d mm off the lattice"):
        load(put("p.yaml", shifted))


def test_a_brick_at_45_degrees_is_refused_in_the_words_of_the_style_guide(put: Put) -> None:
    turned = PRODUCT.replace("[-0.032, 0.116, 0.0], rotation: [0, 0, 0]", "[-0.032, 0.116, 0.0], rotation: [0, 0, 45]")
    with pytest.raises(BadFile, match=r"blocks\[3\]\.rotation: 45 is not a multiple of 90 degrees; bricks sit on"):
        load(put("bridge.yaml", turned))
