"""Random pushes of loose bricks onto studs, tables and walls, by bare forces, springs and hands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.brickworld.world import World
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.catalogue import FAMILIES, brick_type
from falsework.model.errors import Undecided
from falsework.model.part import Part
from falsework.model.shapes import BrickShape
from tests.brickworld.overlaps import depth_m

SIZES = ((1, 1), (1, 2), (1, 4), (1, 8), (2, 2), (2, 3), (2, 4), (2, 6), (2, 8), (4, 4))
FRAMES = 12
WAYS = ("force", "corner", "guide", "drag", "wall")


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """What is pushed, where and how."""

    seed: int
    loose: str
    below: str
    way: str
    newtons: float
    gap_m: float
    yaw: float
    offset: tuple[float, float]

    def __str__(self) -> str:
        place = f"{1e3 * self.gap_m:.3g} mm from {self.below}, yaw {self.yaw:.3g}, offset {self.offset}"
        return f"seed {self.seed}: {self.loose} {self.way} {self.newtons:.3g} N, {place}"


def case(seed: int) -> Case:
    """Forces of 0.1 to 50 N, evenly by their logarithm, gaps of 0 to 20 mm, all families and both makes."""
    rng = np.random.default_rng(seed)
    make = "" if rng.random() < 0.8 else "duplo:"
    loose, below = (_kind(rng, make, number) for number in (0, 1))
    gap = float(rng.choice([0.0, rng.uniform(0.0, 1e-3), rng.uniform(0.0, 0.02)]))
    yaw = float(rng.choice([0.0, np.pi / 2, rng.uniform(-np.pi, np.pi)]))
    offset = rng.integers(-2, 3, 2).astype(float) if rng.random() < 0.5 else rng.uniform(-2.0, 2.0, 2)
    newtons = float(np.exp(rng.uniform(np.log(0.1), np.log(50.0))))
    spot = (float(offset[0]), float(offset[1]))
    return Case(seed, loose, below, str(rng.choice(WAYS)), newtons, gap, yaw, spot)


def _kind(rng: np.random.Generator, make: str, number: int) -> str:
    family = str(rng.choice([one for one in FAMILIES if one != "baseplate"]))
    a, b = SIZES[int(rng.integers(len(SIZES)))]
    if family == "slope":
        a = max(a, 2)
    return "table" if number and rng.random() < 0.2 else f"{make}{family}_{a}x{b}"


def world_of(one: Case) -> World:
    """A loose brick above, or beside, a fixed one that stands on a table; or above the bare table."""
    kind = brick_type(one.loose)
    parts: list[Part] = []
    top = 0.0
    if one.below != "table":
        lower = brick_type(one.below)
        parts.append(make_part("fixed", BrickShape(lower), np.eye(4)))
        top = lower.size_m[2] + (lower.measures.stud_height_m if lower.has_studs else 0.0)
    pose = np.eye(4)
    c, s = np.cos(one.yaw), np.sin(one.yaw)
    pose[:2, :2] = [[c, -s], [s, c]]
    shift = np.array(one.offset) * kind.measures.pitch_m
    pose[:3, 3] = (*shift, top + one.gap_m)
    if one.way == "wall":
        reach = (pose[:3, :3] @ (np.array(kind.size_m) * _corners()).T).T
        left = 0.0 if one.below == "table" else float(brick_type(one.below).size_m[0])
        pose[:3, 3] = (left - float(reach[:, 0].min()) + one.gap_m, shift[1], 1e-4)
    parts.append(make_part("loose", BrickShape(kind), pose))
    fixed = frozenset({"fixed"}) if one.below != "table" else frozenset()
    return World(grounded(Assembly(tuple(parts)), Ground("table")).changed(fixed=fixed))


def _corners() -> Array:
    return np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)


def pushed(one: Case, frames: int = FRAMES) -> tuple[float, str]:
    """The deepest overlap of any frame, m; and what the engine said where it gave up."""
    world = world_of(one)
    number = world.number("loose")
    body = world.assembly.bodies[number]
    size = np.array(body.shape.kind.size_m)  # type: ignore[union-attr]
    along = np.array([-1.0, 0.0, 0.0]) if one.way == "wall" else np.array([0.0, 0.0, -1.0])
    local = np.array([size[0], size[1], size[2]]) * ([0.9, 0.9, 1.0] if one.way == "corner" else [0.5, 0.5, 1.0])
    if one.way == "wall":
        local = size / 2
    if one.way == "drag":
        centre = body.com_world_m
        world.drag("loose", centre + 0.1 * along, stiffness_n_m=10.0 * one.newtons)
    if one.way == "guide":
        world.guide("loose", along, body.com_world_m)
    worst = 0.0
    try:
        for _ in range(frames):
            if one.way != "drag":
                pose = world.poses()[number]
                world.apply_force("loose", one.newtons * along, pose[:3, :3] @ local + pose[:3, 3])
            world.step()
            worst = max(worst, depth_m(world))
    except Undecided as why:
        return worst, str(why)
    return worst, ""
