"""Lines over triangles: how far they run, also where they run along an edge but for rounding."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.geometry.contacts.curved.spans import spans

ACROSS = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # both triangles have the edge from 0 to 3 along the line
ALONG = np.array([[0.0, 3.0, 1.0], [0.0, 1.0, 3.0]])


@pytest.mark.parametrize("off", [0.0, 1e-18, -1e-18, 3e-17, -2e-16])
def test_an_edge_along_a_line_is_on_it_whole_whatever_rounding_makes_of_it(off: float) -> None:
    slanted = ACROSS.copy()
    slanted[0, 1] += off
    slanted[1, 2] += off
    assert spans(slanted, ALONG, 1e-4, 2e-4) == pytest.approx(np.array([[0.0, 3.0]]))
    assert spans(slanted[:1], ALONG[:1], 1e-4, 2e-4) == pytest.approx(np.array([[0.0, 3.0]]))


def test_a_line_across_a_triangle_runs_from_edge_to_edge() -> None:
    assert spans(np.array([[-1.0, 1.0, 1.0]]), np.array([[0.0, 0.0, 2.0]]), 1e-4, 2e-4) == pytest.approx(
        np.array([[0.0, 1.0]])
    )
