"""A task of the benchmark: a product, loose bricks strewn beside the plate, and what differs from task to task."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from falsework.execution.tiers.products import product
from falsework.geometry.contacts.ground import bounds_m
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import GROUND_NAME, Assembly
from falsework.model.catalogue import BrickType, systems
from falsework.model.poses import about
from falsework.model.robots.cell import Camera, Cell, Feeder
from falsework.model.shapes import BrickShape
from falsework.robots.cells.kinds import new_cell

PLATE_STUDS = 16  # of the building plate, each way
APART_M = 0.012  # between the circles around loose bricks: a finger fits between any two
TRIES = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class BuildTask:
    """What is to be built, from what, where."""

    tier: int
    number: int
    cell: Cell
    product: Assembly
    loose: dict[str, Array]  # T_world_part of the product's bricks as they lie before
    seed: int = 0


def building_cell() -> Cell:
    """The benchmark's cell: a Panda, a plate in front of it, a table beside it for loose bricks, a camera over each."""
    made = new_cell("panda")
    plate = systems()["duplo"]
    half = 0.5 * PLATE_STUDS * plate.pitch_m
    structure = np.eye(4)
    structure[:3, 3] = (-half, -half - 0.02, plate.plate_m)
    T = np.eye(4)
    T[:3, 3] = (0.0, 0.30, 0.0)
    room = np.array([[0.0, 0.0, 0.0], [2 * half, 2 * half, 0.35]])
    cameras = (_over("over plate", (0.0, -0.02), 0.55), _over("over table", (0.0, 0.30), 0.55))
    return Cell(
        "duplo",
        made.arms,
        (Feeder("table", T, (0.34, 0.26), "tray"),),
        structure,
        room,
        table=made.table,
        cameras=cameras,
    )


def _over(name: str, at: tuple[float, float], height: float) -> Camera:
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = (*at, height)
    return Camera(name, T, 56.0, (640, 480))


def build_task(tier: int, number: int, seed: int = 0, cell: Cell | None = None) -> BuildTask:
    """The task with this number.

    >>> task = build_task(2, 0)
    >>> len(task.loose) == len(task.product.parts)
    True
    """
    rng = np.random.default_rng([seed, tier, number])
    cell = cell or building_cell()
    made = on_plate(product(tier, rng))
    return BuildTask(tier, number, cell, made, strewn(made, cell.feeders[0], rng), seed)


def on_plate(assembly: Assembly, studs: int = PLATE_STUDS) -> Assembly:
    """A Duplo product in the middle of a square plate whose least corner is the origin."""
    measures = systems()["duplo"]
    span = np.rint(bounds_m(assembly)[1, :2] / measures.pitch_m).astype(int)
    shift = np.eye(4)
    shift[:2, 3] = ((studs - span) // 2) * measures.pitch_m
    parts = tuple(replace(part, T_world_part=shift @ part.T_world_part) for part in assembly.parts)
    below = np.eye(4)
    below[2, 3] = -measures.plate_m
    plate = make_part(GROUND_NAME, BrickShape(BrickType("duplo", "baseplate", studs, studs, 1, studs)), below)
    return assembly.changed(parts=parts, ground_part=replace(plate, color="gray"))


def strewn(assembly: Assembly, feeder: Feeder, rng: np.random.Generator) -> dict[str, Array]:
    """Bricks at random on a tray, turned at random, with room for fingers around each."""
    half = np.array(feeder.size_m) / 2
    placed: list[tuple[Array, float]] = []
    found: dict[str, Array] = {}
    for part in assembly.parts:
        assert isinstance(part.shape, BrickShape)
        length, width, _ = part.shape.kind.size_m
        radius = 0.5 * float(np.hypot(length, width))
        for _ in range(TRIES):
            middle = rng.uniform(-half + radius, half - radius)
            if all(np.linalg.norm(middle - other) > radius + reach + APART_M for other, reach in placed):
                break
        else:
            raise RuntimeError(f"{len(assembly.parts)} bricks find no room on the tray")
        placed.append((middle, radius))
        T = np.eye(4)
        T[:3, :3] = about(2, float(rng.uniform(0, 360)))
        T[:3, 3] = np.append(middle, 0.0) - T[:3, :3] @ np.array([length / 2, width / 2, 0.0])
        found[part.name] = feeder.T_world_feeder @ T
    return found
