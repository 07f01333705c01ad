"""Distances on grids: within the bound that is stated, the same from disk, refused where they would be too large."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from falsework.geometry.distance import fields
from falsework.geometry.distance.fields import Field, field_of, interpolated_plainly
from falsework.geometry.distance.surface import Surface
from falsework.kernels import keeping
from falsework.model.errors import BadInput
from tests.geometry.distance.meshes import ball, nut


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FALSEWORK_CACHE", "off")


def _around(surface: Surface, count: int) -> np.ndarray:
    low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
    return np.random.default_rng(4).uniform(1.3 * low - 0.3 * high, 1.3 * high - 0.3 * low, (count, 3))


@pytest.mark.parametrize("surface", [ball(12, 15), nut(1.0, 0.4, 0.8, 0.01, around=20)], ids=["ball", "nut"])
def test_distances_are_within_the_error_that_is_stated(surface: Surface) -> None:
    field, points = field_of(surface, 32), _around(surface, 3000)
    found, exact = field.at(points), surface.signed(points)
    assert (np.abs(found.distances - exact.distances) <= found.errors + 1e-6).all()
    near = np.abs(exact.distances) < 0.05 * np.ptp(surface.vertices, axis=0).max()
    inside = (np.abs(points) < 1.0).all(axis=1)
    assert found.errors[near & inside] == pytest.approx(field.error_m)


def test_finer_grids_err_less() -> None:
    surface = ball(12, 15)
    points = surface.corners.mean(axis=1) * 1.01
    exact = surface.signed(points).distances
    errors = [np.abs(field_of(surface, cells).at(points).distances - exact).max() for cells in (16, 32, 64)]
    assert errors[0] > 1.5 * errors[1] > 2.25 * errors[2]


def test_gradients_are_those_of_what_is_interpolated_and_lead_away() -> None:
    field = field_of(ball(12, 15), 32)
    points = np.random.default_rng(2).normal(size=(200, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    found = field.at(points)
    assert ((found.gradients * points).sum(axis=1) > 0.85).all()  # facets of 15 a round lean by 12 degrees
    step = 1e-6
    for axis in range(3):
        aside = points + step * np.eye(3)[axis]
        slopes = (field.at(aside).distances - found.distances) / step
        assert np.median(np.abs(slopes - found.gradients[:, axis])) < 1e-4


def test_outside_of_the_grid_the_surface_is_asked() -> None:
    field = field_of(ball(12, 15), 16)
    far = field.at([[5.0, 0.0, 0.0]])
    assert far.errors[0] == 0.0
    assert far.distances[0] == field.surface.signed([[5.0, 0.0, 0.0]]).distances[0]
    assert far.gradients[0] == pytest.approx([1, 0, 0], abs=0.05)


def test_compiled_and_plain_interpolation_agree() -> None:
    pytest.importorskip("numba")
    field = field_of(ball(12, 15), 24)
    points = np.random.default_rng(3).uniform(-1.0, 1.0, (500, 3))
    quick, slow = field.at(points), interpolated_plainly(field.grid, points)
    for one, other in zip(quick, slow, strict=True):
        assert one == pytest.approx(other, abs=1e-12)


def test_a_field_is_made_once_and_found_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FALSEWORK_CACHE", str(tmp_path))
    monkeypatch.setattr(keeping, "WORTH_S", 0.0)
    surface, made = ball(6, 7), []
    making = fields._made
    monkeypatch.setattr(fields, "_made", lambda *asked: made.append(asked) or making(*asked))
    first, again = _fresh(surface), _fresh(surface)
    assert len(made) == 1
    assert np.array_equal(first.grid.fine, again.grid.fine)
    entry = next(tmp_path.iterdir())
    entry.write_bytes(entry.read_bytes()[:-100])
    assert np.array_equal(_fresh(surface).grid.fine, first.grid.fine)
    assert len(made) == 2


def _fresh(surface: Surface) -> Field:
    return fields._field.__wrapped__(surface, 16, 0.05)


@pytest.mark.parametrize(
    ("cells", "band", "told"),
    [(4, 0.05, "expected 8 to 1024 cells"), (2000, 0.05, "1024"), (32, 0.0, "a band of 0 to 1"), (1024, 1.0, "fewer")],
)
def test_fields_that_are_too_large_or_none_are_refused(cells: int, band: float, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        field_of(ball(4, 5), cells, band)
