"""Cells, `falsework-cell/1`, in YAML or JSON. Written by `formats.robots.cell_writing`.

    format: falsework-cell/1
    name: two pandas
    units: m                         # of every length below: m (default), cm, mm, in, ft
    arms:                            # one or more; `falsework cell --list` names arms and tools
    - {name: left, arm: panda, tool: panda-hand, at: [0, 0.4, 0], turn: -90}
    - {name: right, arm: my.urdf, base: base_link, flange: tool0, payload: 3,   # or MJCF (.xml), or TOML as ours are
       tool: {kind: suction, …}, home: [0, -45, 0, -135, 0, 90, 45]}            # degrees; lengths where a joint slides
    structure: {at: [0.5, 0, 0], turn: 0, size: [0.4, 0.4, 0.5]}    # where assemblies stand, and the room for them:
                                     # a size about and above that place, or room: [[lowest corner], [highest corner]]
    table: {at: [0.4, 0, 0], size: [1.6, 1.2], thickness: 0.05}     # at: the middle of its upper face
    feeders:                         # one or more
    - {name: tray, kind: tray, at: [0.5, 0.4, 0], turn: 0, size: [0.5, 0.3], lie: stable, gap: 0.02, parts: [a, b]}
    - {name: hatch, kind: station, at: [0.2, -0.3, 0], size: [0.2, 0.2]}
    obstacles:
    - {name: wall, box: [2, 0.05, 1], at: [-1, 1, 0]}               # shapes as in falsework-assembly/1
    cameras:
    - {name: above, at: [0.5, 0, 1.2], look_at: [0.5, 0, 0], view: 60, pixels: [640, 480]}
    - {name: wrist, arm: left, at: [0.05, 0, 0], view: 60, pixels: [640, 480]}   # on the flange, looking along its z
    rotary: {at: [0.5, 0, 0], range: [-180, 180], speed: 60}        # a turntable under the structure; degrees
            # with tilt: {radius: 0.3, axis: 90, range: [-90, 90], speed: 30, clamp: 500}, a positioner: its plate tilts
            # about a level axis, clamps hold all parts meanwhile with so many newtons
    safety: {box: [[-0.5, -0.6, 0], [0.8, 0.6, 0.7]], force: 40, speed: 0.25}   # what no controller may exceed: where
                                     # tool points are, N on a tool, lengths a second; share: of the arms' own limits

Where something stands: `at` and one of `turn` (degrees about z) or `quaternion` (w, x, y, z); or `pose`, three or four
rows of its matrix. Parts lie on feeders `assembled`, turned as they will be in the structure (default), or `stable`, on
the face on which they rest best. A `tray` holds all its parts side by side, a `station` shows one at a time.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np

from falsework.formats.basics.mender import Mender
from falsework.formats.basics.node import Node
from falsework.formats.basics.parsing import load_json, load_yaml
from falsework.formats.basics.text import read_text
from falsework.formats.native.poses import POSE_KEYS, read_pose
from falsework.formats.native.shapes import SHAPE_KEYS, read_shape, unit_of
from falsework.formats.robots.catalogue import arm_named, read_arm, read_tool, tool_named, tool_of
from falsework.formats.robots.urdf import read_urdf
from falsework.lazy import upstairs
from falsework.model.arrays import Array
from falsework.model.errors import shown
from falsework.model.robots.arm import Arm
from falsework.model.robots.cell import (
    FEEDER_KINDS,
    LIES,
    ArmFile,
    Camera,
    Cell,
    CellArm,
    Feeder,
    Obstacle,
    Rotary,
    Table,
)
from falsework.model.robots.safety import Safety
from falsework.model.robots.tilting import Tilt
from falsework.model.robots.tool import Tool
from falsework.model.shapes import box

FORMAT = "falsework-cell/1"
FILES = (".urdf", ".xml", ".mjcf", ".toml")  # that an arm may be in
_TOP_KEYS = (
    "format", "name", "units", "arms", "structure", "table", "feeders", "obstacles", "cameras", "rotary", "safety",
)  # fmt: skip
_PLACE_KEYS = tuple(key for key in POSE_KEYS if key != "studs")
_SOLID = box((1.0, 1.0, 1.0))  # what is placed is no brick


def load_cell(path: str | Path) -> Cell:
    """A cell from its file; BadFile says what is wrong with it, and where.

    >>> len(load_cell("examples/two-panda.cell.yaml").arms)
    2
    """
    file = Path(path)
    text = read_text(file)
    root = load_json(file, text) if text.lstrip().startswith("{") else load_yaml(file, text)
    return _cell(root)


def _cell(root: Node) -> Cell:
    if root["format"].value != FORMAT:
        raise root["format"].expected(repr(FORMAT))
    root.only(_TOP_KEYS)
    unit = unit_of(root)
    name, table, rotary, structure = (root.get(key) for key in ("name", "table", "rotary", "structure"))
    safety = root.get("safety")
    if structure is not None:
        structure.only((*_PLACE_KEYS, "size", "room"))
    with root.blamed():
        return Cell(
            name=root.path.stem if name is None else name.name(),
            arms=tuple(_arm(node, unit) for node in root["arms"].elements()),
            feeders=tuple(_feeder(node, unit) for node in _listed(root, "feeders")),
            T_world_structure=np.eye(4) if structure is None else _placed(structure, unit),
            room_m=None if structure is None else _room(structure, unit),
            table=None if table is None else _table(table, unit),
            obstacles=tuple(_obstacle(node, unit) for node in _listed(root, "obstacles")),
            cameras=tuple(_camera(node, unit) for node in _listed(root, "cameras")),
            rotary=None if rotary is None else _rotary(rotary, unit),
            safety=None if safety is None else _safety(safety, unit),
        )


def _listed(root: Node, key: str) -> list[Node]:
    node = root.get(key)
    return [] if node is None else node.elements()


def _placed(node: Node, unit: float) -> Array:
    with node.blamed():
        return read_pose(node, _SOLID, unit)


def _three(node: Node, unit: float) -> tuple[float, float, float]:
    x, y, z = (unit * value for value in node.numbers(3))
    return x, y, z


def _two(node: Node, unit: float) -> tuple[float, float]:
    x, y = (unit * value for value in node.numbers(2))
    return x, y


def _room(node: Node, unit: float) -> Array | None:
    size, room = node.get("size"), node.get("room")
    if size is not None and room is not None:
        raise node.wrong("found size and room, expected one of them")
    if size is not None:
        x, y, z = _three(size, unit)
        if min(x, y, z) <= 0:
            raise size.wrong(f"found {size.value}, expected three numbers above 0")
        return np.array([[-x / 2, -y / 2, 0.0], [x / 2, y / 2, z]])
    if room is None:
        return None
    corners = room.table(3)
    if len(corners) != 2:
        raise room.expected("a lowest and a highest corner")
    return corners * unit


def _arm(node: Node, unit: float) -> CellArm:
    node.only(("name", "arm", "base", "flange", "tool", "home", "payload", *_PLACE_KEYS))
    with node.blamed():
        arm, file = _kind(node)
        payload, home = node.get("payload"), node.get("home")
        if payload is not None:
            arm = dataclasses.replace(arm, payload_kg=payload.positive())
        positions = np.zeros(0)
        if home is not None:
            turns = [joint.kind == "revolute" for joint in arm.joints]
            stated = home.numbers(len(turns))
            positions = np.array([math.radians(q) if turn else unit * q for q, turn in zip(stated, turns, strict=True)])
        return CellArm(node["name"].name(), arm, _tool(node["tool"]), _placed(node, unit), positions, file)


def _kind(node: Node) -> tuple[Arm, ArmFile | None]:
    """One of our arms by its name, or one from a file below the cell's folder."""
    named = node["arm"].text()
    suffix = Path(named).suffix.lower()
    base, flange = (None if (one := node.get(key)) is None else one.name() for key in ("base", "flange"))
    if suffix not in FILES:
        if base or flange:
            raise node.wrong("only an arm from a file has a base and a flange to name")
        with node["arm"].blamed():
            return arm_named(named), None
    path = _below(node["arm"])
    file = ArmFile(named, base, flange)
    if suffix == ".toml":
        return read_arm(path), file
    if suffix == ".urdf":
        return read_urdf(path, base, flange), file
    arm: Arm = upstairs("read_mjcf_arm")(path, base, flange)
    return arm, file


def _below(node: Node) -> Path:
    """The file that a relative path names; nothing outside the cell's own folder is opened."""
    written = Path(node.text())
    if written.is_absolute() or ".." in written.parts:
        raise node.wrong(f"found {shown(node.value)}, which leaves this file's folder; expected a path below it")
    return node.path.parent / written


def _tool(node: Node) -> Tool:
    if isinstance(node.value, dict):
        return tool_of(node)
    if node.text().endswith(".toml"):
        return read_tool(_below(node))
    with node.blamed():
        return tool_named(node.text())


def _table(node: Node, unit: float) -> Table:
    node.only(("at", "size", "thickness"))
    thickness = node.get("thickness")
    with node.blamed():
        at, size = _three(node["at"], unit), _two(node["size"], unit)
        return Table(at, size) if thickness is None else Table(at, size, unit * thickness.positive())


def _feeder(node: Node, unit: float) -> Feeder:
    node.only(("name", "kind", "size", "lie", "parts", "gap", *_PLACE_KEYS))
    kind, lie, parts, gap = (node.get(key) for key in ("kind", "lie", "parts", "gap"))
    with node.blamed():
        return Feeder(
            node["name"].name(),
            _placed(node, unit),
            _two(node["size"], unit),
            "tray" if kind is None else kind.word(FEEDER_KINDS),
            "assembled" if lie is None else lie.word(LIES),
            () if parts is None else parts.names(),
            0.02 if gap is None else unit * gap.number(0),
        )


def _obstacle(node: Node, unit: float) -> Obstacle:
    node.only(("name", "depth", *_PLACE_KEYS, *SHAPE_KEYS))
    name = node["name"].name()
    with node.blamed():
        shape = read_shape(node, name, unit, Mender(node.path))
        return Obstacle(name, shape, read_pose(node, shape, unit))


def _camera(node: Node, unit: float) -> Camera:
    node.only(("name", "arm", "look_at", "view", "pixels", *_PLACE_KEYS))
    arm, target = node.get("arm"), node.get("look_at")
    with node.blamed():
        T = _placed(node, unit) if target is None else _looking(node, target, unit)
        across, down = node["pixels"].wholes(2, 1, 20_000)
        owner = None if arm is None else arm.name()
        return Camera(node["name"].name(), T, node["view"].number(0.1, 179.0), (across, down), owner)


def _looking(node: Node, target: Node, unit: float) -> Array:
    """A pose whose z axis points at a place, x level and to the right."""
    if any(node.get(key) is not None for key in ("turn", "quaternion", "pose", "arm")):
        raise node.wrong("found look_at, expected it with at alone")
    T = np.eye(4)
    T[:3, 3] = _three(node["at"], unit)
    z = np.array(_three(target, unit)) - T[:3, 3]
    length = float(np.linalg.norm(z))
    if not length > 0:
        raise target.wrong("is where the camera itself is, expected another place")
    z /= length
    x = np.cross(z, [0.0, 0.0, 1.0])
    x = np.array([1.0, 0.0, 0.0]) if np.linalg.norm(x) < 1e-9 else x / np.linalg.norm(x)
    T[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    return T


def _rotary(node: Node, unit: float) -> Rotary:
    node.only(("at", "range", "speed", "tilt"))
    limits, speed, tilt = node.get("range"), node.get("speed"), node.get("tilt")
    with node.blamed():
        lower, upper = (-180.0, 180.0) if limits is None else limits.numbers(2)
        rate = 60.0 if speed is None else speed.positive()
        return Rotary(
            _three(node["at"], unit),
            math.radians(lower),
            math.radians(upper),
            math.radians(rate),
            None if tilt is None else _tilt(tilt, unit),
        )


def _tilt(node: Node, unit: float) -> Tilt:
    node.only(("radius", "axis", "range", "speed", "clamp"))
    axis, limits, speed, clamp = (node.get(key) for key in ("axis", "range", "speed", "clamp"))
    usual = Tilt(1.0)
    with node.blamed():
        lower, upper = (-90.0, 90.0) if limits is None else limits.numbers(2)
        return Tilt(
            unit * node["radius"].positive(),
            math.radians(lower),
            math.radians(upper),
            usual.speed if speed is None else math.radians(speed.positive()),
            usual.axis if axis is None else math.radians(axis.number()),
            usual.clamp_n if clamp is None else clamp.positive(),
        )


def _safety(node: Node, unit: float) -> Safety:
    node.only(("box", "force", "speed", "share"))
    box, force, speed, share = (node.get(key) for key in ("box", "force", "speed", "share"))
    usual = Safety()
    with node.blamed():
        corners = [] if box is None else [_three(corner, unit) for corner in box.elements()]
        if box is not None and len(corners) != 2:
            raise box.expected("two corners, the lowest and the highest")
        low, high = corners or (usual.low_m, usual.high_m)
        return Safety(
            low,
            high,
            usual.force_n if force is None else force.positive(),
            None if speed is None else unit * speed.positive(),
            usual.share if share is None else share.positive(),
        )
