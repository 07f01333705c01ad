"""A task of the benchmark: a product, loose bricks strewn beside the plate, and what differs from task to task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from falsework.execution.control.finger_room import FingerRoom
from falsework.execution.control.ordering import Asked, Orders
from falsework.execution.control.settings import ControlSettings
from falsework.execution.tiers.products import HANGING, product
from falsework.execution.tiers.settings import TierSettings, usual_tiers
from falsework.geometry.contacts.ground import bounds_m
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import GROUND_NAME, Assembly
from falsework.model.catalogue import BrickSystem, BrickType, systems
from falsework.model.errors import BadInput
from falsework.model.part import Part
from falsework.model.poses import about, inverse
from falsework.model.robots.cell import Camera, Cell, CellArm, Feeder
from falsework.model.shapes import BrickShape
from falsework.perception.cameras.simulated import looking_at
from falsework.planning.plan import plan
from falsework.robots.cells.kinds import new_cell

PLATE_STUDS = 16  # of the building plate, each way
TRIES, LAYOUTS = 500, 50  # places for a brick, and layouts of all
PRODUCTS = 2000  # that are drawn until one can be built; of tier 4 one in forty
TRAY_M, TRAY_ASIDE_M, TRAY_BACK_M, PLATE_ASIDE_M = (0.40, 0.26), 0.30, 0.03, 0.02
CAMERA_M = 0.55  # above the table
WRIST_M, WRIST_SEES_M = (0.10, 0.0, -0.10), 0.02  # from the point between the fingers, and how far beyond it it looks
CAMERA_ASIDE = 2 / 3  # of the way from the arm's front to a tray: its camera sees the plate too, and registers on it


@dataclass(frozen=True, slots=True, eq=False)
class BuildTask:
    """What is to be built, from what, where."""

    tier: int
    number: int
    cell: Cell
    product: Assembly
    loose: dict[str, Array]  # T_world_part of the product's bricks as they lie before
    seed: int = 0
    settings: TierSettings = field(default_factory=usual_tiers)  # of what else is drawn


def building_cell(
    kind: str = "panda", studs: int = PLATE_STUDS, measures: BrickSystem | None = None, trays: int = 1
) -> Cell:
    """The benchmark's cell: an arm, a plate in front of it, a tray beside it for loose bricks, a camera over each,
    and one on the wrist.

    >>> [camera.name for camera in building_cell().cameras]
    ['over plate', 'over table', 'wrist of arm']
    """
    made = new_cell(kind)
    plate = measures or systems()["duplo"]
    half = 0.5 * studs * plate.pitch_m
    structure = np.eye(4)
    structure[:3, 3] = (-half, -half - PLATE_ASIDE_M, plate.plate_m)
    room = np.array([[0.0, 0.0, 0.0], [2 * half, 2 * half, 0.35]])
    aside = max(TRAY_ASIDE_M, half + PLATE_ASIDE_M + TRAY_M[1] / 2 + 0.02)
    places = {"table": aside, "other table": -aside - 2 * PLATE_ASIDE_M}
    beside = dict(list(places.items())[:trays])
    cameras = [_over("over plate", (0.0, -PLATE_ASIDE_M))]
    cameras += [_over(f"over {name}", (-TRAY_BACK_M, y * CAMERA_ASIDE), across=True) for name, y in beside.items()]
    cameras += [_on_wrist(arm) for arm in made.arms]
    feeders = tuple(Feeder(name, _at(-TRAY_BACK_M, y), TRAY_M, "tray") for name, y in beside.items())
    return Cell("duplo", made.arms, feeders, structure, room, table=made.table, cameras=tuple(cameras))


def _at(x: float, y: float) -> Array:
    T = np.eye(4)
    T[:2, 3] = x, y
    return T


def _over(name: str, at: tuple[float, float], across: bool = False) -> Camera:
    """A camera that looks down, its x along the world's x, or `across`, along the world's y."""
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    if across:
        T[:2, :2] = [[0.0, 1.0], [1.0, 0.0]]
    T[:3, 3] = (*at, CAMERA_M)
    return Camera(name, T, 56.0, (640, 480))


def _on_wrist(arm: CellArm) -> Camera:
    """A camera beside the hand, square to the way the fingers close, that sees what they hold and the plate below."""
    toward = np.array([0.0, 0.0, WRIST_SEES_M])
    return Camera(
        f"wrist of {arm.name}",
        arm.tool.T_flange_tool @ looking_at(np.array(WRIST_M), toward),
        60.0,
        (320, 240),
        arm.name,
    )


def build_task(
    tier: int, number: int, seed: int = 0, cell: Cell | None = None, settings: TierSettings | None = None
) -> BuildTask:
    """The task with this number, of the usual settings unless told.

    >>> task = build_task(2, 0)
    >>> len(task.loose) == len(task.product.parts)
    True
    """
    rng, told = np.random.default_rng([seed, tier, number]), settings or usual_tiers()
    cell = cell or building_cell()
    can_be_built = _goes_from_pieces if tier == HANGING else _goes_one_by_one
    drawn = (on_plate(product(tier, rng, told)) for _ in range(PRODUCTS))
    made = next((one for one in drawn if can_be_built(one, cell)), None)
    if made is None:
        raise BadInput(f"bricks_{tier}: none of {PRODUCTS} products of tier {tier} can be built by this arm")
    return BuildTask(tier, number, cell, made, strewn(made, cell.feeders, rng, told), seed, told)


def _goes_one_by_one(assembly: Assembly, cell: Cell) -> bool:
    """Whether one hand can build it brick by brick; some can only be built from pieces that are put together apart."""
    check = FingerRoom(assembly, cell.arms[0].tool)
    if not check.comes_apart():
        return False
    found = plan(assembly, rules="bricks", grasps="side", groups=False, checks=[check])
    return found.status == "complete" and all(len(step.parts) <= 1 for step in found.plan.steps)


def _goes_from_pieces(assembly: Assembly, cell: Cell) -> bool:
    """Whether one hand can build it, if it puts pieces together apart, and only then."""
    orders = Orders(assembly, cell.arms[0].tool, 1, ControlSettings())
    singly, from_pieces = (orders.plan(Asked(pieces=pieces)) for pieces in (False, True))
    return singly.status == "infeasible" and orders.is_followed(from_pieces, hands=1)


def on_plate(assembly: Assembly, studs: int = PLATE_STUDS) -> Assembly:
    """A product of bricks in the middle of a square plate whose least corner is the origin."""
    shape = assembly.parts[0].shape
    assert isinstance(shape, BrickShape)
    measures = shape.kind.measures
    low, high = bounds_m(assembly)
    span = np.rint((high - low)[:2] / measures.pitch_m).astype(int)
    shift = np.eye(4)
    shift[:3, 3] = np.append(((studs - span) // 2) * measures.pitch_m, 0.0) - low
    parts = tuple(replace(part, T_world_part=shift @ part.T_world_part) for part in assembly.parts)
    below = np.eye(4)
    below[2, 3] = -measures.plate_m
    kind = BrickType(measures.name, "baseplate", studs, studs, 1, studs)
    plate = make_part(GROUND_NAME, BrickShape(kind), below)
    return assembly.changed(parts=parts, ground_part=replace(plate, color="gray"), loads=(), fixed=frozenset())


def strewn(
    assembly: Assembly, feeders: Sequence[Feeder], rng: np.random.Generator, settings: TierSettings | None = None
) -> dict[str, Array]:
    """Bricks at random on trays, turned at random, with room for fingers around each; the first tray first."""
    apart_m = (settings or usual_tiers()).apart_m
    waiting = list(assembly.parts)
    found: dict[str, Array] = {}
    for feeder in feeders:
        lying = _on_tray(waiting, feeder, rng, apart_m)
        found |= lying
        waiting = [part for part in waiting if part.name not in lying]
        if not waiting:
            return found
    raise BadInput(
        f"{len(waiting)} of {len(assembly.parts)} bricks find no room on the cell's trays, with a finger's width "
        "around each; give a cell with more feeders, or larger ones"
    )


def _on_tray(parts: Sequence[Part], feeder: Feeder, rng: np.random.Generator, apart_m: float) -> dict[str, Array]:
    """All of them, or of several layouts the one with most."""
    best: dict[str, Array] = {}
    for _ in range(LAYOUTS):
        found = _layout(parts, feeder, rng, apart_m)
        if len(found) > len(best):
            best = found
        if len(best) == len(parts):
            break
    return best


def _layout(parts: Sequence[Part], feeder: Feeder, rng: np.random.Generator, apart_m: float) -> dict[str, Array]:
    """As many as find room, large ones first."""
    half = np.array(feeder.size_m) / 2
    taken: list[tuple[Array, float]] = []
    found: dict[str, Array] = {}
    for part in sorted(parts, key=lambda part: -_radius(part)):
        middle = _free_place(half, _radius(part), taken, rng, apart_m)
        if middle is None:
            continue
        taken.append((middle, _radius(part)))
        T = np.eye(4)
        T[:3, :3] = about(2, float(rng.uniform(0, 360)))
        T[:3, 3] = np.append(middle, 0.0) - T[:3, :3] @ np.append(_sides(part) / 2, 0.0)
        found[part.name] = feeder.T_world_feeder @ T
    return found


def free_place(
    part: Part, feeders: Sequence[Feeder], assembly: Assembly, lying: dict[str, Array], rng: np.random.Generator
) -> Array:
    """(4, 4) a place on a tray for one more brick, among bricks of an assembly that lie somewhere; as `strewn` does."""
    for feeder in feeders:
        away = inverse(feeder.T_world_feeder)
        taken = []
        for name, T in lying.items():
            other = assembly.parts[assembly.index[name]]
            middle = away @ T @ np.append(_sides(other) / 2, [0.0, 1.0])
            taken.append((middle[:2], _radius(other)))
        middle = _free_place(np.array(feeder.size_m) / 2, _radius(part), taken, rng, usual_tiers().apart_m)
        if middle is not None:
            T = np.eye(4)
            T[:3, 3] = np.append(middle - _sides(part) / 2, 0.0)
            return np.asarray(feeder.T_world_feeder @ T)
    raise BadInput("there is no room on the cell's trays for one more brick, with a finger's width around it")


def _sides(part: Part) -> Array:
    assert isinstance(part.shape, BrickShape)
    return np.array(part.shape.kind.size_m[:2])


def _radius(part: Part) -> float:
    """Of the circle around a brick, from above."""
    return 0.5 * float(np.linalg.norm(_sides(part)))


def _free_place(
    half: Array, radius: float, taken: Sequence[tuple[Array, float]], rng: np.random.Generator, apart_m: float
) -> Array | None:
    """(2,) the middle of a circle that is clear of all others; None where none is found."""
    if (half <= radius).any():
        return None
    for _ in range(TRIES):
        middle: Array = rng.uniform(-half + radius, half - radius)
        if all(np.linalg.norm(middle - other) > radius + reach + apart_m for other, reach in taken):
            return middle
    return None
