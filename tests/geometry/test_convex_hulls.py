"""Hulls of few points by all planes: the same as Qhull's."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from falsework.geometry.shapes.convex_hulls import FEW, FlatHull, Hull, convex_hull
from falsework.model.arrays import Array
from falsework.model.shapes import box


def turned(points: Array, seed: int) -> Array:
    rotation, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return points @ rotation.T + [3.0, -2.0, 5.0]


def prism(corners: int) -> Array:
    angles = 2 * np.pi * np.arange(corners) / corners
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    return np.concatenate([np.column_stack([ring, np.full(corners, z)]) for z in (0.0, 0.7)])


def clouds() -> list[Array]:
    rng = np.random.default_rng(0)
    cuboid = box((1.0, 2.0, 3.0)).vertices
    on_edges = np.concatenate([cuboid, 0.5 * (cuboid[:4] + cuboid[4:]), cuboid.mean(axis=0)[None]])
    return [
        cuboid,
        on_edges,
        np.concatenate([cuboid, cuboid]),
        prism(3),
        prism(12),
        1e-3 * prism(5),
        *(rng.normal(size=(n, 3)) for n in (4, 7, FEW)),
        *(turned(points, seed) for seed in range(3) for points in (cuboid, on_edges, prism(7))),
    ]


def is_closed(hull: Hull) -> bool:
    """Every triangle and its neighbour share the two corners opposite to which they are neighbours."""
    return all(
        set(np.delete(triangle, corner)) <= set(hull.simplices[other])
        for triangle, others in zip(hull.simplices, hull.neighbors, strict=True)
        for corner, other in enumerate(others)
    )


@pytest.mark.parametrize("points", clouds())
def test_it_is_the_hull_that_qhull_finds(points: Array) -> None:
    from scipy.spatial import ConvexHull

    ours, theirs = convex_hull(points), ConvexHull(points)
    size = float(np.ptp(points, axis=0).max())
    assert ours.volume == pytest.approx(theirs.volume, rel=1e-9)
    corners = {tuple(np.round(points[n] / size, 8)) for n in ours.vertices}
    assert corners == {tuple(np.round(points[n] / size, 8)) for n in theirs.vertices}
    assert is_closed(ours)
    assert (points @ ours.equations[:, :3].T + ours.equations[:, 3]).max() <= 1e-7 * size
    normals = {tuple(np.round(normal, 6) + 0.0) for normal in ours.equations[:, :3]}
    assert normals == {tuple(np.round(normal, 6) + 0.0) for normal in theirs.equations[:, :3]}


def test_what_is_flat_has_no_hull() -> None:
    flat = prism(6)[:6]
    for points in (flat, turned(flat, 1), flat[:3], np.zeros((5, 3))):
        with pytest.raises(FlatHull):
            convex_hull(points)


def test_where_rounding_decides_qhull_does() -> None:
    warped = box((1.0, 1.0, 1.0)).vertices + 1e-7 * np.random.default_rng(1).normal(size=(8, 3))
    assert convex_hull(warped).volume == pytest.approx(1.0, abs=1e-6)
    thin = box((1.0, 1.0, 1e-6)).vertices
    assert convex_hull(thin).volume == pytest.approx(1e-6)


def test_few_points_need_no_scipy() -> None:
    code = """if True:
        import sys
        from falsework.geometry.shapes.convex_pieces import pieces_of
        from falsework.model.shapes import box
        pieces_of(box((1.0, 2.0, 3.0)))
        print("scipy" in sys.modules)
    """
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == "False"


@pytest.mark.parametrize("length", [1e2, 1e3, 1e4, 1e5, 1e6, 1e7])
@pytest.mark.parametrize("seed", [None, 0])
def test_a_needle_has_a_hull_too(length: float, seed: int | None) -> None:
    points = box((1.0, 2.0, length)).vertices
    hull = convex_hull(points if seed is None else turned(points, seed))
    assert hull.volume == pytest.approx(2.0 * length, rel=1e-6)
    assert len(hull.vertices) == 8
