"""What a group touches at a pose, or nearly does: rows of limits on its small motions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.distance.surface import Surface
from falsework.geometry.distance.two_surfaces import near_pairs
from falsework.geometry.shapes.planes import cross
from falsework.geometry.ways.surfaces.samples import Samples
from falsework.geometry.ways.surfaces.scenes import Scene, placing
from falsework.model.arrays import Array, Bools, Ints

TOLD = 1e-2  # of the band: nearer than this, an edge or a corner has no direction of its own
COARSE = 0.15  # rows that differ by less say the same
HALF_BASE = 64  # of the numbers that cells are told apart by; rows are no longer than a few units


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """What is near a group: a small twist t (v, ω about its middle, turns in units of its reach) keeps it out if
    rows · t ≥ −gaps. World axes."""

    rows: Array  # (k, 6)
    gaps: Array  # (k,) m; negative where it is in already
    weights: Array  # (k,) areas that rows stand for
    points: Array  # (k, 3) where

    @property
    def deepest_m(self) -> float:
        """How deep the group is in another body, by what was sampled; not positive where it is not."""
        return float(-self.gaps.min(initial=0.0))

    def few(self) -> Limits:
        """Of rows that say nearly the same the one with the least gap."""
        order = np.argsort(self.gaps, kind="stable")
        cells = np.rint(self.rows[order] / COARSE).astype(np.int64) + HALF_BASE
        _, first = np.unique(cells @ (2 * HALF_BASE) ** np.arange(6), return_index=True)
        return self.chosen(order[np.sort(first)])

    def within(self, gap_m: float) -> Limits:
        """What is no further than a gap."""
        return self.chosen(np.flatnonzero(self.gaps <= gap_m))

    def chosen(self, kept: Ints) -> Limits:
        """Some of the rows."""
        return Limits(self.rows[kept], self.gaps[kept], self.weights[kept], self.points[kept])

    def joined(self, others: Limits) -> Limits:
        """These rows and others."""
        return Limits(
            np.concatenate([self.rows, others.rows]),
            np.concatenate([self.gaps, others.gaps]),
            np.concatenate([self.weights, others.weights]),
            np.concatenate([self.points, others.points]),
        )


def limits(scene: Scene, pose: Array, band_m: float) -> Limits:
    """What the group at a pose is nearer to than a band."""
    middle = pose[:3, :3] @ scene.middle + pose[:3, 3]
    rows, gaps, weights, places = [np.zeros((0, 6))], [np.zeros(0)], [np.zeros(0)], [np.zeros((0, 3))]
    for one, k, other in scene.near(pose, band_m):
        T_world_one = pose @ one.T_first_body
        for samples, T_samples, surface, T_surface, sign in (
            (one.samples, T_world_one, other.surface, other.T_world_body, 1.0),
            (other.samples, other.T_world_body, one.surface, T_world_one, -1.0),
        ):
            points, normals, near_m, areas = _touches(samples, surface, np.linalg.inv(T_surface) @ T_samples, band_m)
            points = points @ T_surface[:3, :3].T + T_surface[:3, 3]
            normals = sign * normals @ T_surface[:3, :3].T
            rows.append(np.concatenate([normals, cross((points - middle) / scene.reach_m, normals)], axis=1))
            gaps.append(near_m + one.excess_m[k])
            weights.append(areas)
            places.append(points)
    return Limits(np.concatenate(rows), np.concatenate(gaps), np.concatenate(weights), np.concatenate(places))


def _touches(
    samples: Samples, surface: Surface, T_surface_samples: Array, band_m: float
) -> tuple[Array, Array, Array, Array]:
    """Points (k, 3), normals (k, 3) that push the samples away from the surface, gaps (k,), areas (k,)."""
    turn, shift = T_surface_samples[:3, :3], T_surface_samples[:3, 3]
    points = samples.points @ turn.T + shift
    low, high = surface.vertices.min(axis=0) - band_m, surface.vertices.max(axis=0) + band_m
    rows = np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))
    found = surface.within(points[rows], band_m)
    near = found.faces >= 0
    rows, points = rows[near], points[rows[near]]
    gaps, nearest, features = found.distances[near], found.points[near], found.features[near]
    own = samples.normals[rows] @ turn.T
    normals = surface.normals(found)[near]
    away = points - nearest
    apart = np.abs(gaps) > TOLD * band_m
    safe = np.where(gaps == 0, 1.0, gaps)[:, None]
    on_face, from_face = features == 0, samples.areas[rows] > 0
    # the way between the two is the push; where they touch at an edge of the surface, the sample's own face tells it
    normals = np.where((apart & ~on_face)[:, None], away / safe, normals)
    normals = np.where((~apart & ~on_face & from_face)[:, None], -own, normals)
    told: Bools = on_face | apart | from_face
    told &= samples.touchable(rows, -(normals @ turn))
    return points[told], normals[told], gaps[told], samples.areas[rows[told]]


def crossing_edges(scene: Scene, pose: Array, band_m: float) -> Limits:
    """Rows of pairs of triangles whose nearest points lie on edges of both: what no point of either finds.

    For bodies of few and large faces; of the shrunk surfaces, which are apart where the bodies touch.
    """
    middle = pose[:3, :3] @ scene.middle + pose[:3, 3]
    rows, gaps, places = [np.zeros((0, 6))], [np.zeros(0)], [np.zeros((0, 3))]
    for one, k, other in scene.near(pose, band_m):
        T_world_one = pose @ one.T_first_body
        pairs = near_pairs(one.shrunk[k], other.surface, placing(one, other, pose), band_m)
        away = pairs.points[:, 0] - pairs.points[:, 1]
        length = np.linalg.norm(away, axis=1)
        told = length > 1e-3 * scene.depth_m
        points, normals = pairs.points[told, 0], away[told] / length[told, None]
        points = points @ T_world_one[:3, :3].T + T_world_one[:3, 3]
        normals = normals @ T_world_one[:3, :3].T
        rows.append(np.concatenate([normals, cross((points - middle) / scene.reach_m, normals)], axis=1))
        gaps.append(length[told] - 0.5 * scene.depth_m)
        places.append(points)
    return Limits(np.concatenate(rows), np.concatenate(gaps), np.zeros(sum(map(len, gaps))), np.concatenate(places))
