"""The page of a cell: its arms as the capsules and hulls that collisions are computed with."""

from __future__ import annotations

from functools import cache

import numpy as np

from falsework.geometry.shapes.convex_pieces import hull, pieces_of
from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.figures import count, length, mass
from falsework.model.provenance import Provenance
from falsework.model.robots.cell import ROTARY, Cell, CellArm, Rotary
from falsework.model.shapes import box
from falsework.robots.cells.feeding import waiting_places
from falsework.robots.cells.survey import SurveyedCell
from falsework.robots.collision.surroundings import table_corners
from falsework.robots.kinematics.kinematics import Kinematics
from falsework.studio.drawing import drawing
from falsework.studio.provenance import provenance_rows
from falsework.studio.scene import Column, Headline, Parts, Role, Scene, SceneMesh, Table

ARM_COLORS = ("#e07b39", "#3978b5", "#4f9d69", "#9a5ba5")
TOOL_COLOR, TABLE_COLOR, OBSTACLE_COLOR, FEEDER_COLOR = "#444a52", "#b9ae98", "#8a8f96", "#d9c65d"
RINGS, ROUND = 6, 16  # of a drawn ball
FEEDER_M = 0.004  # how thick feeders are drawn
DISC_M, RISEN_M, TURNTABLE_COLOR = 0.2, 0.001, "#7d8a92"  # of a turntable: its radius where nobody says, how high, how


class Things:
    """Named solids, one after the other."""

    def __init__(self) -> None:
        self.meshes: list[SceneMesh] = []
        self.names: list[str] = []
        self.labels: list[str] = []
        self.colors: list[str] = []
        self.poses: list[Array] = []
        self.roles: list[Role] = []
        self.masses: list[float] = []

    def add(
        self,
        name: str,
        label: str,
        solids: list[SceneMesh],
        T: Array,
        color: str,
        role: Role = "fixed",
        mass_kg: float = 0.0,
    ) -> None:
        if solids:
            self.meshes.append(_joined(solids))
            self.names.append(name)
            self.labels.append(label)
            self.colors.append(color)
            self.poses.append(T)
            self.roles.append(role)
            self.masses.append(mass_kg)

    def parts(self) -> Parts:
        poses = np.array(self.poses)
        many = len(poses)
        return Parts(
            tuple(self.names), tuple(self.labels), np.arange(many), poses, poses[:, :3, 3], np.array(self.masses),
            tuple(self.colors), tuple(self.roles), np.zeros(many, bool),
        )  # fmt: skip


def cell_scene(
    surveyed: SurveyedCell, title: str, assembly: Assembly | None = None, provenance: Provenance | None = None
) -> Scene:
    """The scene of `falsework cell`, arms where they wait; an assembly complete and, once more, where its parts wait.

    >>> import falsework
    >>> cell_scene(falsework.cell(new="two-panda"), "two pandas").headline.word
    '2 arms'
    """
    cell = surveyed.cell
    things = Things()
    if cell.table is not None:
        things.add("table", "table", [hull_mesh(table_corners(cell))], np.eye(4), TABLE_COLOR, "ground")
    for obstacle in cell.obstacles:
        solids = [hull_mesh(piece.vertices) for piece in pieces_of(obstacle.shape).all]
        things.add(obstacle.name, "obstacle", solids, obstacle.T_world_obstacle, OBSTACLE_COLOR)
    add_feeders(things, cell)
    if cell.rotary is not None:
        add_turntable(things, cell, cell.rotary)
    for number, one in enumerate(cell.arms):
        _arm(things, one, ARM_COLORS[number % len(ARM_COLORS)])
    if assembly is not None:
        _structure(things, cell, assembly)
    covered = surveyed.coverage
    share = f"{100 * covered.share:.0f} % of what was asked for is in reach"
    return Scene(
        kind="info",
        title=title,
        headline=Headline("yes" if covered.share == 1 else "open", count(len(cell.arms), "arm"), share),
        meshes=tuple(things.meshes),
        parts=things.parts(),
        facts=_facts(surveyed),
        tables=(_arms_table(surveyed),),
        provenance=provenance_rows(provenance),
    )


def _arm(things: Things, one: CellArm, color: str) -> None:
    links = one.T_world_base @ Kinematics(one.arm).links(one.home)
    for link in range(len(links)):
        solids = [capsule_mesh(c.start_m, c.end_m, c.radius_m) for c in one.arm.capsules if c.link == link]
        called = "base" if link == 0 else one.arm.joints[link - 1].name
        things.add(f"{one.name}/{called}", one.arm.name, solids, links[link], color)
    flange = links[-1] @ one.arm.T_last_flange
    for body in one.tool.bodies:
        corners = body.at(one.tool.opening_m[1])
        things.add(f"{one.name}/{body.name}", one.tool.name, [hull_mesh(corners)], flange, TOOL_COLOR)


def add_feeders(things: Things, cell: Cell) -> None:
    """The feeders of a cell as plates."""
    for feeder in cell.feeders:
        x, y = feeder.size_m
        plate = surface(box((x, y, FEEDER_M)))
        mesh = SceneMesh(plate.vertices - (x / 2, y / 2, FEEDER_M), plate.triangles)
        T = feeder.T_world_feeder.copy()
        T[2, 3] += FEEDER_M / 2
        things.add(feeder.name, feeder.kind, [mesh], T, FEEDER_COLOR)


def add_turntable(things: Things, cell: Cell, rotary: Rotary) -> None:
    """The turntable of a cell as a disc under the room of its structure, with as many corners as it has angles.

    Or the plate of a positioner.
    """
    if rotary.tilt is not None:
        plate = hull_mesh(rotary.tilt.plate_m)
        things.add(ROTARY, "positioner", [plate], rotary.as_arm.T_world_base, TURNTABLE_COLOR)
        return
    out = DISC_M if cell.room_m is None else 0.5 * float(np.hypot(*np.ptp(cell.room_m, axis=0)[:2]))
    angles = np.arange(12) * (np.pi / 6)
    rim = out * np.column_stack([np.cos(angles), np.sin(angles)])
    disc = np.concatenate([np.column_stack([rim, np.full(12, z)]) for z in (-FEEDER_M, RISEN_M)])
    things.add(ROTARY, "turntable", [hull_mesh(disc)], rotary.as_arm.T_world_base, TURNTABLE_COLOR)


def _structure(things: Things, cell: Cell, assembly: Assembly) -> None:
    drawn = drawing(assembly)
    waiting = waiting_places(cell, assembly)
    for number, part in enumerate(assembly.parts):
        mesh = drawn.meshes[drawn.parts.mesh[number]]
        look = (drawn.parts.labels[number], [mesh])
        color, role = drawn.parts.color[number], drawn.parts.role[number]
        placed = cell.T_world_structure @ part.T_world_part
        things.add(part.name, *look, placed, color, role, part.mass_kg)
        where = waiting.get(part.name, ())
        if len(where) == 1 and next(f for f in cell.feeders if f.name == where[0].feeder).kind == "tray":
            things.add(f"{part.name} waiting", *look, where[0].T_world_part, color, "free", part.mass_kg)


def _facts(surveyed: SurveyedCell) -> tuple[tuple[str, str], ...]:
    covered = surveyed.coverage
    together = covered.side_by_side
    return (
        ("Places in reach", f"{100 * float(covered.places.any(axis=0).mean()):.0f} %"),
        ("Feeders in reach", f"{100 * float(covered.feeders.any(axis=0).mean()):.0f} %"),
        *((("Side by side", f"{100 * together:.0f} %"),) if together is not None else ()),
        *((("Too heavy", ", ".join(covered.too_heavy[:5])),) if covered.too_heavy else ()),
        *((("Layouts tried", count(surveyed.layouts)),) if surveyed.layouts else ()),
    )


def _arms_table(surveyed: SurveyedCell) -> Table:
    arms, covered = surveyed.cell.arms, surveyed.coverage
    return Table(
        "Arms",
        (
            Column("Arm", "text", tuple(one.name for one in arms)),
            Column("Kind", "text", tuple(one.arm.name for one in arms)),
            Column("Tool", "text", tuple(one.tool.name for one in arms)),
            Column("Reach", "text", tuple("" if one.arm.reach_m is None else length(one.arm.reach_m) for one in arms)),
            Column(
                "Payload", "text", tuple("" if one.arm.payload_kg is None else mass(one.arm.payload_kg) for one in arms)
            ),
            Column("Places", "share", tuple(float(row.mean()) for row in covered.places)),
            Column("Feeders", "share", tuple(float(row.mean()) for row in covered.feeders)),
        ),
        "Shares of the places, and of the parts where they wait, that each arm works at without touching anything.",
    )


def hull_mesh(corners: Array) -> SceneMesh:
    """The hull of some points."""
    solid = hull(corners)
    return SceneMesh(solid.vertices, solid.triangles)


def capsule_mesh(start: Array, end: Array, radius: float) -> SceneMesh:
    """All points within a radius of a line."""
    ball = radius * _ball()
    if np.allclose(start, end, atol=1e-9):
        return hull_mesh(start + ball)
    return hull_mesh(np.concatenate([start + ball, end + ball]))


@cache
def _ball() -> Array:
    """(n, 3) points of a ball of radius 1."""
    tilts = np.pi * (np.arange(1, RINGS) / RINGS)
    turns = 2 * np.pi * np.arange(ROUND) / ROUND
    rings = [[np.sin(t) * np.cos(u), np.sin(t) * np.sin(u), np.cos(t)] for t in tilts for u in turns]
    return np.array([*rings, [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])


def _joined(solids: list[SceneMesh]) -> SceneMesh:
    before = np.cumsum([0] + [len(one.vertices) for one in solids[:-1]])
    triangles = [one.triangles + shift for one, shift in zip(solids, before, strict=True)]
    return SceneMesh(np.concatenate([one.vertices for one in solids]), np.concatenate(triangles))
