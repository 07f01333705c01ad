"""What a group touches at a pose, or nearly does: rows of limits on its small motions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from falsework.geometry.distance.surface import Surface
from falsework.geometry.distance.two_surfaces import near_pairs
from falsework.geometry.shapes.planes import cross
from falsework.geometry.ways.surfaces.samples import Samples
from falsework.geometry.ways.surfaces.scenes import Scene, placing
from falsework.geometry.ways.surfaces.smooth_normals import smooth_normals
from falsework.model.arrays import Array, Bools, Ints

SMOOTH = 0.8  # cosine between the way to an edge and the smooth normal there, from which the edge is none
SURE = 0.02  # of the band: how deep inside a point is taken to be without another look
TOLD = 1e-2  # of the band: nearer than this, an edge or a corner has no direction of its own
COARSE = 0.15  # rows that differ by less say the same
HALF_BASE = 64  # of the numbers that cells are told apart by; rows are no longer than a few units


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """What is near a group: a small twist t (v, ω about its middle, turns in units of its reach) keeps it out if
    rows · t ≥ −gaps. World axes."""

    rows: Array  # (k, 6)
    felt: Array  # (k, 6) the same with the normals of flat facets: on the whole they tell slopes better
    gaps: Array  # (k,) m; negative where it is in already
    weights: Array  # (k,) areas that rows stand for; 0 where an edge touches
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
        return Limits(*(value[kept] for value in self.arrays))

    def joined(self, others: Limits) -> Limits:
        """These rows and others."""
        return joined([self, others])

    @property
    def arrays(self) -> tuple[Array, ...]:
        return self.rows, self.felt, self.gaps, self.weights, self.points


NOTHING = Limits(np.zeros((0, 6)), np.zeros((0, 6)), np.zeros(0), np.zeros(0), np.zeros((0, 3)))


def limits(scene: Scene, pose: Array, band_m: float) -> Limits:
    """What the group at a pose is nearer to than a band."""
    middle = pose[:3, :3] @ scene.middle + pose[:3, 3]
    found = [NOTHING]
    for one, k, other in scene.near(pose, band_m):
        T_world_one = pose @ one.T_first_body
        for samples, T_samples, surface, T_surface, sign in (
            (one.samples, T_world_one, other.surface, other.T_world_body, 1.0),
            (other.samples, other.T_world_body, one.surface, T_world_one, -1.0),
        ):
            touches = _touches(samples, surface, np.linalg.inv(T_surface) @ T_samples, band_m)
            points = touches.points @ T_surface[:3, :3].T + T_surface[:3, 3]
            arms = (points - middle) / scene.reach_m
            rows, felt = (
                _rows(sign * normals @ T_surface[:3, :3].T, arms) for normals in (touches.smooth, touches.flat)
            )
            found.append(Limits(rows, felt, touches.gaps + one.excess_m[k], touches.areas, points))
    return joined(found)


def joined(limits: Sequence[Limits]) -> Limits:
    """The rows of all."""
    return Limits(*(np.concatenate(values) for values in zip(*(one.arrays for one in limits), strict=True)))


def _rows(normals: Array, arms: Array) -> Array:
    return np.concatenate([normals, cross(arms, normals)], axis=1)


class _Touches(NamedTuple):
    """Points (k, 3), normals (k, 3) that push the samples away from the surface, gaps (k,), areas (k,)."""

    points: Array
    smooth: Array
    flat: Array
    gaps: Array
    areas: Array


def _touches(samples: Samples, surface: Surface, T_surface_samples: Array, band_m: float) -> _Touches:
    """Of the samples that are nearer to the surface than a band, those that it can push on."""
    turn, shift = T_surface_samples[:3, :3], T_surface_samples[:3, 3]
    points = samples.points @ turn.T + shift
    low, high = surface.box[0] - band_m, surface.box[1] + band_m
    inside = (points >= low) & (points <= high)
    rows = np.flatnonzero(inside[:, 0] & inside[:, 1] & inside[:, 2])  # much quicker than all(axis=1)
    found = surface.within(points[rows], band_m)
    near = found.faces >= 0
    rows, points = rows[near], points[rows[near]]
    gaps, nearest, features = found.distances[near], found.points[near], found.features[near]
    doubtful = np.flatnonzero(gaps < -SURE * band_m)  # far from the surface its normals may tell the wrong side
    gaps[doubtful[~surface.inside(points[doubtful])]] *= -1.0
    own = samples.normals[rows] @ turn.T
    normals = smooth_normals(surface, found.faces[near], nearest)
    safe = np.where(gaps == 0, 1.0, gaps)[:, None]
    between = (points - nearest) / safe
    apart = np.abs(gaps) > TOLD * band_m
    on_face = (features == 0) | ((between * normals).sum(axis=1) > SMOOTH)
    from_face = samples.areas[rows] > 0
    # the way between the two is the push; where they touch at an edge of the surface, the sample's own face tells it
    normals = np.where((apart & ~on_face)[:, None], between, normals)
    normals = np.where((~apart & ~on_face & from_face)[:, None], -own, normals)
    told: Bools = on_face | apart | from_face
    told &= samples.touchable(rows, -(normals @ turn))
    flat, areas = surface.face_normals[found.faces[near]], np.where(features == 0, samples.areas[rows], 0.0)
    return _Touches(points[told], normals[told], flat[told], gaps[told], areas[told])


def crossing_edges(scene: Scene, pose: Array, band_m: float) -> Limits:
    """Rows of pairs of triangles whose nearest points lie on edges of both: what no point of either finds.

    For bodies of few and large faces; of the shrunk surfaces, which are apart where the bodies touch.
    """
    middle = pose[:3, :3] @ scene.middle + pose[:3, 3]
    found = [NOTHING]
    for one, k, other in scene.near(pose, band_m):
        T_world_one = pose @ one.T_first_body
        pairs = near_pairs(one.shrunk[k], other.surface, placing(one, other, pose), band_m)
        away = pairs.points[:, 0] - pairs.points[:, 1]
        length = np.linalg.norm(away, axis=1)
        told = length > 1e-3 * scene.depth_m
        points, normals = pairs.points[told, 0], away[told] / length[told, None]
        points = points @ T_world_one[:3, :3].T + T_world_one[:3, 3]
        normals = normals @ T_world_one[:3, :3].T
        rows = _rows(normals, (points - middle) / scene.reach_m)
        gaps = length[told] - 0.5 * scene.depth_m
        found.append(Limits(rows, rows, gaps, np.zeros(len(rows)), points))
    return joined(found)
