"""Packings fill their container with pieces of four cells, whatever its size."""

from __future__ import annotations

import pytest

from falsework import gallery

CELL_M3 = 0.02**3


@pytest.mark.parametrize(("columns", "rows"), [(2, 2), (2, 3), (3, 3), (5, 5), (7, 6), (12, 12)])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_tray_is_full_of_tetrominoes(columns: int, rows: int, seed: int) -> None:
    packing = gallery.make("tetromino-packing", seed, columns=columns, rows=rows)
    sizes = sorted(round(part.mass_kg / (1000 * CELL_M3)) for part in packing.parts if part.name != "tray")
    assert sum(sizes) == columns * rows
    assert set(sizes[1:]) <= {4}
    assert sizes[0] == columns * rows % 4 or sizes[0] == 4


def test_a_box_is_full_of_tetracubes() -> None:
    packing = gallery.make("polycube-packing", 3)
    sizes = [round(part.mass_kg / (1000 * CELL_M3)) for part in packing.parts if part.name != "box"]
    assert sizes == [4] * 20
