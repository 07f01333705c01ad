"""Bodies that can move: what never changes about them, and where they are now."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.collapse.hulls import Hulls, hulls
from falsework.collapse.initial import hinge_points
from falsework.collapse.plane import mid_plane
from falsework.geometry.shapes.tolerances import gaps_of
from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Hinges


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """An assembly as rigid bodies of convex pieces; arrays run over `Assembly.bodies`."""

    assembly: Assembly
    hulls: Hulls
    hinges: Hinges
    masses_kg: Array  # (b,)
    inertias: Array  # (b, 3, 3) kg m², part axes
    radii_m: Array  # (b,) reach from the centre of mass
    gaps_m: Array  # (b,) what is no further from it at the start touches
    size_m: float  # largest extent of the assembly, its ground not counted
    friction: Array  # (p,) of a contact with each piece, where it is the first of the two
    apart: Bools  # (b, b) bodies that share a hinge do not collide
    hinge_arms: Array  # (h, 2 points, 2 bodies, 3) part axes, from the centres of mass
    plane_y: float | None  # of a plane problem, see `plane`

    @staticmethod
    def of(assembly: Assembly, hinges: Hinges, *, solid: bool = False) -> World:
        """`solid`: not to be taken for a plane problem, as something will push across."""
        bodies = assembly.bodies
        made = hulls(assembly)
        radii = np.array([body.radius_m for body in bodies])
        count, movable = len(bodies), len(assembly.parts)
        friction = np.full(len(made.body), assembly.friction)
        if assembly.ground_part is not None and assembly.ground.friction is not None:
            friction[made.body == movable] = assembly.ground.friction
        apart = np.zeros((count, count), dtype=bool)
        apart[hinges.bodies[:, 0], hinges.bodies[:, 1]] = True
        centres = assembly.coms_m
        turns = assembly.poses[:, :3, :3]
        ends = hinge_points(assembly, hinges)[:, :, None, :] - centres[hinges.bodies][:, None, :, :]
        parts = made.corner_body < movable
        placed = np.einsum("vij,vj->vi", turns[made.corner_body], made.corners) + centres[made.corner_body]
        return World(
            assembly,
            made,
            hinges,
            assembly.masses_kg,
            np.array([body.inertia_part_kgm2 for body in bodies]),
            radii,
            gaps_of(assembly, 2 * radii),
            float(np.ptp(placed[parts], axis=0).max()),
            friction,
            apart | apart.T,
            np.einsum("hbji,hpbj->hpbi", turns[hinges.bodies], ends),
            None if solid else mid_plane(assembly, made, hinges),
        )


@dataclass(slots=True, eq=False)
class Bodies:
    """Where the bodies are, how they move, and which of them may; changed by steps and by events."""

    turns: Array  # (b, 3, 3)
    centres: Array  # (b, 3) of mass
    velocities: Array  # (b, 6) of the centres of mass and angular, world axes; those of the step before
    there: Bools  # (b,)
    free: Bools  # (b,)
    since_s: Array  # (b,) half the step that the velocities are of: how long ago they were those of the moment

    @staticmethod
    def at_rest(assembly: Assembly, there: Bools, free: Bools) -> Bodies:
        poses, count = assembly.poses, len(assembly.bodies)
        turns, centres = np.array(poses[:, :3, :3]), np.array(assembly.coms_m)
        return Bodies(turns, centres, np.zeros((count, 6)), there.copy(), free.copy(), np.zeros(count))

    def poses(self, assembly: Assembly) -> Array:
        """(parts, 4, 4) T_world_part."""
        count = len(assembly.parts)
        local = np.array([part.com_part_m for part in assembly.parts])
        poses = np.zeros((count, 4, 4))
        poses[:, :3, :3], poses[:, 3, 3] = self.turns[:count], 1.0
        poses[:, :3, 3] = self.centres[:count] - np.einsum("nij,nj->ni", self.turns[:count], local)
        return poses
