"""`python -m falsework.geometry.distance.warm`: compile what works on surfaces now, not at the first question."""

from __future__ import annotations

import numpy as np

from falsework.geometry.distance.bvh import built
from falsework.geometry.distance.clouds import FACING, sweepable
from falsework.geometry.distance.fields import field_of
from falsework.geometry.distance.free_motion import free_motion
from falsework.geometry.distance.orbits import can_meet, seen_along
from falsework.geometry.distance.surface import surface_of
from falsework.geometry.distance.two_surfaces import least_distance, near_pairs
from falsework.geometry.surfaces.recognition import MANY, recognised
from falsework.model.shapes import Mesh, box


def warm() -> None:
    """Ask each of them about a cube, and what a drum of many facets is."""
    cube = surface_of(box((1.0, 1.0, 1.0)))
    points = np.array([[2.0, 0.5, 0.5], [0.5, 0.5, 0.5]])
    cube.signed(points)
    cube.rays(points, points)
    cube.crossings(points, points)
    least_distance(cube, cube, np.eye(4))
    near_pairs(cube, cube, np.eye(4), 0.1)
    field_of(cube, 8).at(points)
    free_motion(cube, cube, np.eye(4)[None], 0.1)
    tree = sweepable(built(cube.vertices, cube.faces, 1, FACING))
    seen = seen_along(tree, np.eye(3, 4), 0.1)
    can_meet(tree, tree, seen, seen, (0.1, 1.0, 1e-9), 100)
    recognised(_drum(MANY // 4))


def _drum(facets: int) -> Mesh:
    """A cylinder about z, four triangles a facet."""
    turns = 2 * np.pi * np.arange(facets) / facets
    ring = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(facets)])
    at, ahead = np.arange(facets), np.roll(np.arange(facets), -1)
    low, high = np.full(facets, 2 * facets), np.full(facets, 2 * facets + 1)
    ends = [np.column_stack([low, ahead, at]), np.column_stack([high, at + facets, ahead + facets])]
    sides = [np.column_stack([at, ahead, ahead + facets]), np.column_stack([at, ahead + facets, at + facets])]
    up = np.array([[0.0, 0.0, 1.0]])
    vertices = np.concatenate([ring, ring + up, 0 * up, up])
    return Mesh(vertices, np.concatenate([*sides, *ends]))


if __name__ == "__main__":
    warm()
