"""Analytic surfaces behind triangles: what a mesh may say of them, and what it may not."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from falsework.model.primitives import Primitive, Primitives
from falsework.model.shapes import Mesh

TETRAHEDRON = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
FLOOR = Primitive("plane", [0, 0, 0], [0, 0, 1])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("plane", [0, 0, 0], [0, 0, 2]), "an axis of length one"),
        (("plane", [0, 0, np.nan], [0, 0, 1]), "a finite origin"),
        (("cylinder", [0, 0, 0], [0, 0, 1]), "a cylinder of positive radii"),
        (("sphere", [0, 0, 0], [0, 0, 1], np.inf), "a sphere of positive radii"),
        (("torus", [0, 0, 0], [0, 0, 1], 1.0), "a torus of positive radii"),
        (("cone", [0, 0, 0], [0, 0, 1], 0.0, 0.0, 2.0), "a half angle below a right one"),
        (("helix", [0, 0, 0], [0, 0, 1]), "expected one of plane, cylinder"),
    ],
)
def test_impossible_surfaces_are_refused(given: tuple[object, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Primitive(*given)  # type: ignore[arg-type]


def test_a_mesh_says_of_every_triangle_which_surface_it_stands_for_or_of_none() -> None:
    mesh = Mesh(*TETRAHEDRON, Primitives((FLOOR,), [0, -1, -1, -1]))
    assert mesh.primitives is not None and mesh.primitives.of_triangle.tolist() == [0, -1, -1, -1]
    with pytest.raises(ValueError, match="each of 4 triangles, found 2"):
        Mesh(*TETRAHEDRON, Primitives((FLOOR,), [0, 0]))
    with pytest.raises(ValueError, match="numbers of 1 primitives"):
        Primitives((FLOOR,), [1])


def test_surfaces_follow_their_triangles_and_new_triangles_have_none() -> None:
    told = Primitives((FLOOR, Primitive("sphere", [0, 0, 0], [0, 0, 1], 1.0)), [0, 1, -1])
    assert told.chosen(np.array([1, 0, -1, 2])).of_triangle.tolist() == [1, 0, -1, -1]


def test_surfaces_travel_with_their_mesh() -> None:
    sent = pickle.loads(pickle.dumps(Mesh(*TETRAHEDRON, Primitives((FLOOR,), [0, -1, -1, -1]))))
    assert sent.primitives.all[0].kind == "plane" and not sent.primitives.of_triangle.flags.writeable
