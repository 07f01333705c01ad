"""A group of parts among others that stand still, by their surfaces: whom it may meet, and how deep it may reach."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from falsework.geometry.distance.drawn_overlaps import DEPTH, TOUCH_M, drawn_depth, slimmer
from falsework.geometry.distance.surface import Surface, surface_of
from falsework.geometry.distance.two_surfaces import least_distance
from falsework.geometry.ways.surfaces.samples import Samples, samples_of
from falsework.model.arrays import Array, frozen
from falsework.model.assembly import Assembly
from falsework.model.bits import bits, lowest

AROUND = 0.5  # of a group's reach: how far around it the points of others are looked at closely

COARSE = 4000  # faces

Box = tuple[Array, Array]


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """A body that stands still."""

    number: int
    surface: Surface
    T_world_body: Array
    samples: Samples  # of what is around the group's place
    box: Box  # in the world


@dataclass(frozen=True, slots=True, eq=False)
class Moving:
    """A body of the group."""

    number: int
    surface: Surface
    T_first_body: Array
    samples: Samples
    shrunk: tuple[Surface, ...]  # by what it may reach into each of the still ones
    depths_m: tuple[float, ...]  # what that is
    excess_m: tuple[float, ...]  # half of what it is over the usual: how deep the body is in each of them already


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Poses are those of the group's first body."""

    moving: tuple[Moving, ...]
    still: tuple[Still, ...]
    depth_m: float  # that the group may reach into others where it touches
    middle: Array  # (3,) of the group, in the first body's frame
    reach_m: float  # of the group, from there
    corners: Array  # (n, 3) of the group's hull, in the first body's frame
    final: Array  # (4, 4) where it stands assembled
    out_of: Box | None  # the box of the installed parts that it must leave; None where it is the first

    def box(self, pose: Array) -> Box:
        """Around the group at a pose."""
        placed = self.corners @ pose[:3, :3].T + pose[:3, 3]
        return placed.min(axis=0), placed.max(axis=0)

    def left(self, pose: Array, clear_m: float) -> float:
        """How far the group must still go, along one axis at least, for its box to be apart from the others'."""
        low, high = self.box(pose)
        own = self.box(self.final) if self.out_of is None else self.out_of
        return float(min((own[1] + clear_m - low).min(), (high - own[0] + clear_m).min()))

    def near(self, pose: Array, margin_m: float) -> Iterator[tuple[Moving, int, Still]]:
        """Bodies whose boxes are nearer than a margin, with the number of the still one."""
        for one in self.moving:
            low, high = box_of(one.surface, pose @ one.T_first_body)
            for k, other in enumerate(self.still):
                if (low <= other.box[1] + margin_m).all() and (other.box[0] <= high + margin_m).all():
                    yield one, k, other

    @property
    def is_coarse(self) -> bool:
        """Whether the bodies have so few faces that points on them miss where they meet, and asking is cheap."""
        surfaces = [*(one.surface for one in self.moving), *(other.surface for other in self.still)]
        return sum(len(surface.faces) for surface in surfaces) <= COARSE

    def meets(self, pose: Array) -> bool:
        """Whether the group, at a pose, reaches deeper into another body than it may."""
        return any(
            least_distance(one.shrunk[k], other.surface, placing(one, other, pose), TOUCH_M).distance_m == 0.0
            for one, k, other in self.near(pose, 0.0)
        )


def placing(one: Moving, other: Still, pose: Array) -> Array:
    """(4, 4) from the frame of a still body to that of one that moves."""
    placed: Array = np.linalg.inv(pose @ one.T_first_body) @ other.T_world_body
    return placed


def scene_of(assembly: Assembly, moved: int, rest: int) -> Scene | None:
    """The surfaces of a group and of the bodies that stand still; None where they overlap too much as they stand."""
    poses, first = assembly.poses, lowest(moved)
    final = poses[first]
    placed = [(body, np.linalg.inv(final) @ poses[body]) for body in bits(moved)]
    corners = np.concatenate(
        [hull_corners(surface_of(assembly.bodies[b].shape)) @ T[:3, :3].T + T[:3, 3] for b, T in placed]
    )
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle = 0.5 * (low + high)
    reach = float(np.linalg.norm(corners - middle, axis=1).max())
    centre = final[:3, :3] @ middle + final[:3, 3]
    still = tuple(_standing(assembly, body, centre, (1 + AROUND) * reach) for body in bits(rest))
    moving = []
    for body, T in placed:
        surface = surface_of(assembly.bodies[body].shape)
        allowed = [
            drawn_depth(surface, other.surface, np.linalg.inv(final @ T) @ other.T_world_body) for other in still
        ]
        if any(depth is None for depth in allowed):
            return None
        depths = tuple(depth for depth in allowed if depth is not None)
        slim = tuple(slimmer(surface, depth) for depth in depths)
        excess = tuple(0.5 * (depth - DEPTH * surface.size_m) for depth in depths)
        moving.append(Moving(body, surface, T, all_samples(surface), slim, depths, excess))
    parts = [other.box for other in still if other.number < len(assembly.parts)]
    out_of = (np.min([b[0] for b in parts], axis=0), np.max([b[1] for b in parts], axis=0)) if parts else None
    depth = DEPTH * min(one.surface.size_m for one in moving)
    return Scene(tuple(moving), still, depth, middle, reach, frozen(corners), final, out_of)


def _standing(assembly: Assembly, body: int, centre: Array, around_m: float) -> Still:
    surface, pose = surface_of(assembly.bodies[body].shape), assembly.poses[body]
    own = pose[:3, :3].T @ (centre - pose[:3, 3])
    samples = samples_of(surface, (own - around_m, own + around_m))
    return Still(body, surface, pose, samples, box_of(surface, pose))


@lru_cache(maxsize=1024)
def all_samples(surface: Surface) -> Samples:
    """Of the whole surface."""
    return samples_of(surface)


@lru_cache(maxsize=1024)
def hull_corners(surface: Surface) -> Array:
    """(n, 3) corners of the surface's hull, or all of them where it has none."""
    from scipy.spatial import ConvexHull, QhullError

    used: Array = surface.vertices[np.unique(surface.faces)]
    with suppress(QhullError):  # flat, or next to it
        used = used[ConvexHull(used).vertices]
    corners: Array = frozen(used)
    return corners


def box_of(surface: Surface, pose: Array) -> Box:
    """Along the axes of the world, around a surface at a pose."""
    placed = hull_corners(surface) @ pose[:3, :3].T + pose[:3, 3]
    return placed.min(axis=0), placed.max(axis=0)
