"""BrickSim topology JSON (`bricksim/lego_topology@2`): parts, stud-to-hole connections, pose hints.

A connection says where a part's holes sit on another part's studs: T_stud_hole = translation by `offset` studs
and the lower part's height, times a turn by `yaw` quarters about z, both parts seen from their minimum corner.
Poses follow by walking the connections from the hinted parts, in whole studs and plates, so that a cycle closes
exactly or not at all. A hint is the pose of the part's bottom centre; hinted parts are fixed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from falsework.formats.basics.brick_parts import BrickMaker, quarter_turn
from falsework.formats.basics.content import Content
from falsework.formats.basics.limits import MAX_COORDINATE
from falsework.formats.basics.node import Node
from falsework.formats.basics.rotations import read_quaternion
from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.model.errors import shown

FORMAT = "bricksim-topology"
SCHEMA = "bricksim/lego_topology@2"
HOLE_INTERFACE, STUD_INTERFACE = 0, 1
HINT_M = 1e-6  # how far two hints of one component may disagree
_FARTHEST = int(MAX_COORDINATE)


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on the lattice: studs, studs, plates, quarter turns; one part's frame seen from another's."""

    x: int
    y: int
    z: int
    turns: int

    def __matmul__(self, other: Spot) -> Spot:
        """The place that `other` names when it is seen from here."""
        x, y = _turned(other.x, other.y, self.turns)
        return Spot(self.x + x, self.y + y, self.z + other.z, (self.turns + other.turns) % 4)

    def inverse(self) -> Spot:
        x, y = _turned(-self.x, -self.y, -self.turns)
        return Spot(x, y, -self.z, -self.turns % 4)


@dataclass(frozen=True, slots=True)
class _Brick:
    name: str
    kind: BrickType
    color: str | None


@dataclass(frozen=True, slots=True)
class _Link:
    """A connection seen from one of its parts."""

    node: Node
    other: str
    other_here: Spot


def looks_like(root: Node) -> bool:
    """Whether a JSON object names a topology schema."""
    return isinstance(root.value, dict) and "lego_topology" in str(root.value.get("schema"))


def read(root: Node) -> Content:
    """The bricks of a topology in the poses that its connections give them."""
    if root["schema"].text() != SCHEMA:
        raise root["schema"].expected(repr(SCHEMA))
    bricks = _bricks(root["parts"])
    links = _links(root["connections"], bricks)
    hints = _hints(root["pose_hints"], bricks)
    poses: dict[str, Array] = {}
    for name, (node, pose) in hints.items():
        if name not in poses:
            spots = _walk(name, links)
            poses.update({other: pose @ _matrix(spot, bricks[name].kind) for other, spot in spots.items()})
        elif np.abs(poses[name] - pose).max() > HINT_M:
            raise node.wrong(
                f"part {name} has a pose hint that contradicts its connections to another part with a hint"
            )
    for name in bricks:
        if name not in poses:
            raise root["pose_hints"].wrong(f"part {shown(name)} is not connected to any part with a pose hint")
    maker = BrickMaker()
    parts = [maker.part(brick.name, brick.kind, poses[brick.name], color=brick.color) for brick in bricks.values()]
    return Content(parts, fixed=frozenset(hints))


def _bricks(table: Node) -> dict[str, _Brick]:
    bricks: dict[str, _Brick] = {}
    for node in table.elements():
        name = str(node["id"].whole(-(2**63), 2**63))
        if name in bricks:
            raise node["id"].wrong(f"part id {name} is used twice; ids must be unique")
        if node["type"].text() != "brick":
            raise node["type"].expected("'brick'")
        payload = node["payload"]
        length, width, plates = (payload[side].whole(1, _FARTHEST) for side in "LWH")
        with payload.blamed():
            kind = BrickType("system", "plate" if plates == 1 else "brick", length, width, plates)
        color = payload.get("color")
        rgb = None if color is None else "#{:02x}{:02x}{:02x}".format(*color.wholes(3, 0, 255))
        bricks[name] = _Brick(name, kind, rgb)
    return bricks


def _links(table: Node, bricks: dict[str, _Brick]) -> dict[str, list[_Link]]:
    links: dict[str, list[_Link]] = {name: [] for name in bricks}
    for node in table.elements():
        lower, upper = (_known(node[key], bricks) for key in ("stud_id", "hole_id"))
        if lower == upper:
            raise node.wrong(f"part {lower} is connected to itself")
        for key, wanted in (("stud_iface", STUD_INTERFACE), ("hole_iface", HOLE_INTERFACE)):
            if node[key].value != wanted:
                raise node[key].expected(str(wanted))
        x, y = node["offset"].wholes(2, -_FARTHEST, _FARTHEST)
        spot = Spot(x, y, bricks[lower].kind.plates, node["yaw"].whole(0, 3))
        if not _share_a_stud(bricks[lower].kind, bricks[upper].kind, spot):
            raise node["offset"].wrong(f"found {[x, y]}, at which no stud of part {lower} meets a hole of part {upper}")
        links[lower].append(_Link(node, upper, spot))
        links[upper].append(_Link(node, lower, spot.inverse()))
    return links


def _known(node: Node, bricks: dict[str, _Brick]) -> str:
    name = str(node.whole(-(2**63), 2**63))
    if name not in bricks:
        raise node.wrong(f"there is no part {name}")
    return name


def _share_a_stud(lower: BrickType, upper: BrickType, spot: Spot) -> bool:
    end_x, end_y = _turned(upper.length, upper.width, spot.turns)
    overlap_x = min(lower.length, max(spot.x, spot.x + end_x)) - max(0, min(spot.x, spot.x + end_x))
    overlap_y = min(lower.width, max(spot.y, spot.y + end_y)) - max(0, min(spot.y, spot.y + end_y))
    return overlap_x > 0 and overlap_y > 0


def _hints(table: Node, bricks: dict[str, _Brick]) -> dict[str, tuple[Node, Array]]:
    """Poses of the hinted parts' minimum corners, by name."""
    hints: dict[str, tuple[Node, Array]] = {}
    for node in table.elements():
        name = _known(node["part"], bricks)
        if name in hints:
            raise node["part"].wrong(f"part {name} has two pose hints, expected one")
        pose = np.eye(4)
        pose[:3, :3] = read_quaternion(node["rot"])
        length, width, _ = bricks[name].kind.size_m
        pose[:3, 3] = np.array(node["pos"].numbers(3)) - pose[:3, :3] @ (length / 2, width / 2, 0.0)
        hints[name] = node, pose
    return hints


def _walk(start: str, links: dict[str, list[_Link]]) -> dict[str, Spot]:
    """Every part that hangs together with `start`, seen from it; breadth first, so that cycles named are short."""
    spots = {start: Spot(0, 0, 0, 0)}
    came_from: dict[str, str] = {}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for link in links[here]:
            spot = spots[here] @ link.other_here
            if link.other not in spots:
                spots[link.other] = spot
                came_from[link.other] = here
                waiting.append(link.other)
            elif spots[link.other] != spot:
                cycle = _cycle(here, link.other, came_from)
                raise link.node.wrong(
                    f"the cycle of parts {'-'.join(cycle)} does not close: this connection puts part {link.other} "
                    f"at {_spelled(spot)}, the others put it at {_spelled(spots[link.other])}"
                )
    return spots


def _cycle(first: str, second: str, came_from: dict[str, str]) -> list[str]:
    """Parts around the cycle that a connection between `first` and `second` closes, the first one again at the end."""
    up, down = _trail(first, came_from), _trail(second, came_from)
    meeting = next(name for name in up if name in set(down))
    return [*up[: up.index(meeting) + 1], *reversed(down[: down.index(meeting)]), first]


def _trail(name: str, came_from: dict[str, str]) -> list[str]:
    trail = [name]
    while trail[-1] in came_from:
        trail.append(came_from[trail[-1]])
    return trail


def _matrix(spot: Spot, kind: BrickType) -> Array:
    pose = quarter_turn(spot.turns)
    measures = kind.measures
    pose[:3, 3] = spot.x * measures.pitch_m, spot.y * measures.pitch_m, spot.z * measures.plate_m
    return pose


def _turned(x: int, y: int, turns: int) -> tuple[int, int]:
    return ((x, y), (-y, x), (-x, -y), (y, -x))[turns % 4]


def _spelled(spot: Spot) -> str:
    return f"({spot.x}, {spot.y}) studs, {spot.z} plates, {spot.turns} quarter turns"
