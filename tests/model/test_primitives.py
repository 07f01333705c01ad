"""Analytic surfaces behind triangles: what a mesh may say of them, and what it may not."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from falsework.model.shapes import Mesh
from falsework.model.surfaces import Primitive

TETRAHEDRON = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]


def floor(*triangles: int) -> Primitive:
    return Primitive("plane", np.zeros(3), np.array([0.0, 0.0, -1.0]), np.array(triangles))


def test_surfaces_are_over_triangles_that_are_there() -> None:
    assert Mesh(*TETRAHEDRON, (floor(0),)).primitives[0].kind == "plane"
    with pytest.raises(ValueError, match="primitives over triangles 0 to 3"):
        Mesh(*TETRAHEDRON, (floor(4),))


def test_surfaces_travel_with_their_mesh() -> None:
    sent = pickle.loads(pickle.dumps(Mesh(*TETRAHEDRON, (floor(0),))))
    assert sent.primitives[0].kind == "plane" and not sent.primitives[0].triangles.flags.writeable
