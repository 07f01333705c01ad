"""What machine code fits and grows is what the plain code does, on every kind of form and where none fits."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.bench.round_shapes import ball, rod, turned
from falsework.geometry.surfaces.fitting import KINDS, Seen, compiles, fitted
from falsework.geometry.surfaces.forms import Round
from falsework.geometry.surfaces.growing import grown
from falsework.geometry.surfaces.smooth_facets import SmoothFacets, smooth_facets
from falsework.model.arrays import Ints
from falsework.model.shapes import Mesh

pytestmark = pytest.mark.skipif(not compiles(), reason="needs the extra fast")
FRUSTUM = [(0.0, 0.0), (0.2, 0.0), (0.1, 0.3), (0.0, 0.3)]
SHAPES = {"cylinder": rod(0.1, 0.4, 40), "cone": turned(FRUSTUM, 36), "sphere": ball(0.15, 32)}


def askew(mesh: Mesh, seed: int) -> Mesh:
    """Turned and shifted, as nothing in a file lies along an axis."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    return Mesh(mesh.vertices @ turn.T + rng.normal(size=3), mesh.triangles)


def side_of(mesh: Mesh) -> tuple[SmoothFacets, Ints]:
    """The facets of a surface, and those of its largest smooth piece."""
    facets = smooth_facets(mesh)
    linked = np.flatnonzero(np.diff(facets.link_starts) > 0)
    return facets, max(facets.pieces(linked), key=len)


def seen_of(facets: SmoothFacets, near: Ints) -> Seen:
    corners = facets.vertices[facets.corners_of(near)]
    return Seen(corners, facets.normals[near], facets.areas[near], facets.centres[near])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_form_is_fitted(shape: str, kind: Round) -> None:
    """And none where the shape is of another kind."""
    for seed in range(5):
        facets, piece = side_of(askew(SHAPES[shape], seed))
        near = piece[: 12 + 5 * seed]
        plain = fitted(kind, seen_of(facets, near), facets.exact_m, many=False)
        quick = fitted(kind, seen_of(facets, near), facets.exact_m, many=True)
        assert (plain is None) == (quick is None)
        if shape == kind:
            assert plain is not None
        if plain is not None and quick is not None:
            assert quick.heights(facets.vertices) == pytest.approx(plain.heights(facets.vertices), abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_facets_are_on_it(shape: str) -> None:
    facets, piece = side_of(askew(SHAPES[shape], 7))
    kind: Round = next(one for one in KINDS if one == shape)
    form = fitted(kind, seen_of(facets, piece), facets.exact_m, many=False)
    assert form is not None
    seed, slack = piece[:1], 1e-6
    for heights in ((-slack, slack), (-1.0, slack)):
        plain, quick = (grown(facets, piece, seed, form, 1.0, heights, many) for many in (False, True))
        assert np.array_equal(plain, quick)
        assert len(plain) == len(piece)
    for sign, heights in ((-1.0, (-slack, slack)), (1.0, (0.5, 1.0))):  # facing the other way; elsewhere
        plain, quick = (grown(facets, piece, seed, form, sign, heights, many) for many in (False, True))
        assert np.array_equal(plain, quick) and plain.tolist() == seed.tolist()
