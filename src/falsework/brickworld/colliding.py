"""The parts of a brick world as the engine collides them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.brickworld.settings import Settings
from falsework.engine.colliders import Box, Collider, colliders
from falsework.engine.groups import Solid
from falsework.engine.hollow import Mould, moulded
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickType
from falsework.model.part import Part
from falsework.model.shapes import BrickShape, corners


def solids(assembly: Assembly, settings: Settings) -> list[Solid]:
    """Of every body; a table is no solid but the floor."""
    return [_solid(assembly, body, settings) for body in assembly.bodies]


def _solid(assembly: Assembly, body: Part, settings: Settings) -> Solid:
    if body is assembly.ground_part and assembly.ground.kind == "table":
        return Solid((), (), assembly.friction)
    friction = assembly.friction
    if body is assembly.ground_part and assembly.ground.friction is not None:
        friction = assembly.ground.friction
    if not isinstance(body.shape, BrickShape):
        return Solid(colliders(body.shape), (), friction)
    if settings.grip is not None:
        grip = settings.grip
        own, each = moulded(body, Mould(grip.play_m, grip.edge_m, tubes=True, aside_m=settings.play_m))
        return Solid(own, each, friction, grip.friction * settings.clutch)
    return Solid(_narrowed(body.shape, settings.play_m), stud_slab(body.shape.kind), friction)


def _narrowed(shape: BrickShape, play_m: float) -> tuple[Collider, ...]:
    """Cuboid bricks are narrower by `play_m` on each side."""
    pieces = colliders(shape)
    if not play_m or shape.kind.family != "brick":
        return pieces
    return tuple(
        replace(one, half_m=one.half_m - (play_m, play_m, 0.0)) if isinstance(one, Box) else one for one in pieces
    )


def stud_slab(kind: BrickType) -> tuple[Box, ...]:
    """All studs of a brick as one flat box, as far as they reach."""
    if not kind.has_studs:
        return ()
    measures = kind.measures
    inset = measures.pitch_m / 2 - measures.stud_radius_m
    length, width = kind.flat * measures.pitch_m, kind.width * measures.pitch_m
    half = np.array([length / 2 - inset, width / 2 - inset, measures.stud_height_m / 2])
    centre = np.array([length / 2, width / 2, kind.size_m[2] + measures.stud_height_m / 2])
    return (Box(centre, np.eye(3), half),)


def floor(assembly: Assembly) -> tuple[float, float] | None:
    """Height and friction of the endless floor: a table's top, or what a baseplate lies on."""
    part = assembly.ground_part
    if part is None:
        return None
    heights = corners(part.shape) @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
    own = assembly.ground.friction
    friction = assembly.friction if own is None else own
    is_table = assembly.ground.kind == "table"
    return float(heights[:, 2].max() if is_table else heights[:, 2].min()), friction
