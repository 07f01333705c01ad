"""Plan files, `falsework-plan/1`: what they are about, and reading them. Written by `plan_writing`.

The assembly is named relative to the plan file, with a hash of its bytes (a folder: of its meshes' names and bytes,
sorted by name), so that a plan says for certain what it builds.

Every key may be left out that not every plan needs. Among them:

    start          parts in place and held at the beginning, and T_world_assembly if they do not lie as in the file
    target         the parts that are there in the end, if not all
    subassemblies  parts that are placed as one: how they are put together before, on the one that is held fast
    proof          where there is no plan: of which plans, and how
    steps[].grasped     of parts placed as one: the one that a hand carries them all by, or all, each in a hand
    steps[].press       how a brick is pressed home
    steps[].secured     what keeps parts together while they are turned over
    steps[].margin_deg  how far what is there may be tilted then
    rules.grasps, rules.require_connected
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from falsework.formats.limits import MAX_MESH_BYTES
from falsework.formats.loading import load, split_source
from falsework.formats.meshes import folder_files
from falsework.formats.node import Node
from falsework.formats.parsing import load_json
from falsework.formats.text import read_bytes, read_text
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.errors import BadFile, BadInput, did_you_mean, shown
from falsework.model.plan import (
    ACTIONS,
    GRASP_KINDS,
    GRASPINGS,
    NOTHING,
    PATH_KINDS,
    PLAN_FORMAT,
    PROOF_KINDS,
    RULE_SETS,
    SECURED,
    STATUSES,
    Grasp,
    Plan,
    Press,
    Proof,
    Rules,
    Source,
    Start,
    Step,
    Subassembly,
)
from falsework.model.provenance import Provenance

MODELS = ("auto", "blocks", "cra", "snapfit", "bricksim", "stablelego")
MAX_STEPS = 400_000
MAX_POSES = 2_000  # of one path
RIGID = 1e-6  # how far R·Rᵀ may be from the identity

_STEP_KEYS = (
    "action", "part", "parts", "held", "path", "T_world_assembly", "utilization", "grasp", "robot", "press", "secured",
    "margin_deg", "grasped",
)  # fmt: skip
_RULE_KEYS = (
    "name", "robots", "regrasp", "paths", "mu", "model", "cone", "gravity", "press_n", "grasps", "require_connected",
)  # fmt: skip
_PLAN_KEYS = (
    "format", "assembly", "rules", "status", "proof", "start", "target", "steps", "subassemblies", "provenance",
)  # fmt: skip
_SOURCE_KEYS = ("path", "sha256", "fixed", "ground", "scale", "allow_overlap")
_PROVENANCE_KEYS = ("version", "input_sha256", "settings", "seed", "wall_s")


def source_of(source: str | Path, assembly: Assembly, scale: float = 1.0) -> Source:
    """What a plan says of the assembly it was made for, read from `source` with this scale."""
    return Source(
        str(source),
        digest(source),
        tuple(name for name in assembly.names if name in assembly.fixed),
        assembly.ground,
        scale,
        assembly.allow_overlap_m,
    )


def digest(source: str | Path) -> str:
    """The SHA-256 of a file's bytes; of a folder, of its meshes' names and bytes in the order of their names."""
    path, _ = split_source(source)
    if not path.is_dir():
        return sha256(read_bytes(path, MAX_MESH_BYTES)).hexdigest()
    total = sha256()
    for file in sorted(folder_files(path), key=lambda file: file.name):
        total.update(file.name.encode())
        total.update(read_bytes(file, MAX_MESH_BYTES))
    return total.hexdigest()


def load_assembly(plan: Plan) -> Assembly:
    """The assembly that a plan read from a file builds; BadFile if it is not the one it was made for."""
    source = plan.source
    if source is None:
        raise BadInput("the plan names no assembly")
    found = digest(source.path)
    if found != source.sha256:
        raise BadFile(source.path, "", f"has changed since the plan was made: sha256 {found}, expected {source.sha256}")
    return load(
        source.path,
        fixed=source.fixed,
        ground=source.ground,
        friction=plan.rules.mu,
        scale=source.scale,
        allow_overlap_m=source.allow_overlap_m,
    )


def read_plan(path: str | Path) -> Plan:
    """The plan in a file; its source's path is as seen from here."""
    file = Path(path)
    root = load_json(file, read_text(file))
    if root["format"].value != PLAN_FORMAT:
        raise root["format"].expected(repr(PLAN_FORMAT))
    root.only(_PLAN_KEYS)
    source = _source(root["assembly"])
    steps = tuple(_step(node) for node in root["steps"].elements(MAX_STEPS))
    provenance, target, apart = root.get("provenance"), root.get("target"), root.get("subassemblies")
    with root.blamed():
        return Plan(
            _rules(root["rules"]),
            _word(root["status"], STATUSES),
            steps,
            Provenance() if provenance is None else _provenance(provenance),
            replace(source, path=_seen_from(file.parent, source.path)),
            _start(root.get("start")),
            None if target is None else _names(target),
            () if apart is None else tuple(_subassembly(node) for node in apart.elements(MAX_STEPS)),
            _proof(root.get("proof")),
        )


def _proof(node: Node | None) -> Proof | None:
    if node is None:
        return None
    node.only(("by", "why", "groups", "directions"))
    groups, directions = node.get("groups"), node.get("directions")
    return Proof(
        _word(node["by"], PROOF_KINDS),
        node["why"].text(),
        groups is not None and groups.flag(),
        None if directions is None or directions.value is None else directions.whole(0, 1 << 32),
    )


def _subassembly(node: Node) -> Subassembly:
    node.only(("parts", "fast", "steps"))
    steps = tuple(_step(step) for step in node["steps"].elements(MAX_STEPS))
    with node.blamed():
        return Subassembly(_names(node["parts"]), node["fast"].name(), steps)


def _start(node: Node | None) -> Start:
    if node is None:
        return NOTHING
    node.only(("installed", "held", "T_world_assembly"))
    held, pose = node.get("held"), node.get("T_world_assembly")
    return Start(_names(node["installed"]), () if held is None else _names(held), None if pose is None else _pose(pose))


def _seen_from(folder: Path, relative: str) -> str:
    path, mark, key = relative.rpartition("#")
    if mark and path and not (folder / relative).exists():
        return f"{folder / path}#{key}"
    return str(folder / relative)


def _word(node: Node, allowed: tuple[Any, ...]) -> Any:
    value = node.text()
    if value not in allowed:
        raise node.wrong(f"found {shown(value)}; {did_you_mean(value, allowed)}")
    return value


def _source(node: Node) -> Source:
    node.only(_SOURCE_KEYS)
    path = node["path"].text()
    if not path or not path.isprintable() or Path(path).is_absolute():
        raise node["path"].expected("the path of the assembly, relative to this file")
    digits = node["sha256"].text()
    if len(digits) != 64 or not set(digits) <= set("0123456789abcdef"):
        raise node["sha256"].expected("64 hexadecimal digits")
    fixed, scale, overlap = node.get("fixed"), node.get("scale"), node.get("allow_overlap")
    return Source(
        path,
        digits,
        () if fixed is None else _names(fixed),
        _ground(node.get("ground")),
        1.0 if scale is None else scale.positive(),
        None if overlap is None else overlap.number(0),
    )


def _ground(node: Node | None) -> Ground:
    if node is None:
        return Ground()
    with node.blamed():
        return Ground.parsed(node.text())


def _rules(node: Node) -> Rules:
    node.only(_RULE_KEYS)
    usual = Rules()
    keys = ("regrasp", "gravity", "press_n", "mu", "grasps", "require_connected")
    regrasp, gravity, press, mu, grasps, connected = (node.get(key) for key in keys)
    pull = usual.gravity if gravity is None else tuple(gravity.numbers(3))
    return Rules(
        _word(node["name"], RULE_SETS),
        node["robots"].whole(1, 1000),
        usual.regrasp if regrasp is None else regrasp.flag(),
        _word(node["paths"], PATH_KINDS),
        usual.mu if mu is None else mu.number(0, 1e3),
        _word(node["model"], MODELS),
        _word(node["cone"], ("8", "exact")),
        (pull[0], pull[1], pull[2]),
        None if press is None else press.number(0),
        usual.grasps if grasps is None else _word(grasps, GRASPINGS),
        usual.require_connected if connected is None else connected.flag(),
    )


def _names(node: Node) -> tuple[str, ...]:
    names = tuple(element.name() for element in node.elements())
    if len(set(names)) < len(names):
        raise node.wrong("names a part twice")
    return names


def _step(node: Node) -> Step:
    node.only(_STEP_KEYS)
    action = _word(node["action"], ACTIONS)
    keys = ("path", "T_world_assembly", "utilization", "robot", "secured", "margin_deg", "grasped")
    path, pose, share, robot, secured, margin, grasped = (node.get(key) for key in keys)
    with node.blamed():
        return Step(
            action,
            _parts(node),
            _names(node["held"]),
            None if path is None else np.stack([_pose(one) for one in _poses(path)]),
            None if pose is None else _pose(pose),
            None if share is None else share.number(0),
            _grasp(node.get("grasp")),
            None if robot is None else robot.name(),
            _press(node.get("press")),
            None if secured is None else _word(secured, SECURED),
            None if margin is None else margin.number(0),
            () if grasped is None else _names(grasped),
        )


def _poses(path: Node) -> list[Node]:
    poses = path.elements(MAX_POSES)
    if not poses:
        raise path.expected("one pose or more")
    return poses


def _parts(node: Node) -> tuple[str, ...]:
    """`part`, or `parts` whose first, where `part` is there too, is that one."""
    part, parts = node.get("part"), node.get("parts")
    if parts is None:
        return () if part is None else (part.name(),)
    names = _names(parts)
    if not names:
        raise parts.expected("the names of the parts that move together")
    if part is not None and part.name() != names[0]:
        raise part.wrong(f"found {shown(part.name())}, expected the first of parts, {shown(names[0])}")
    return names


def _pose(node: Node) -> Array:
    """A 4x4 matrix of a rotation and a translation, rows first."""
    rows = node.elements()
    if len(rows) != 4:
        raise node.expected("four rows of four numbers")
    pose = np.array([row.numbers(4) for row in rows])
    turn = pose[:3, :3]
    if np.abs(turn @ turn.T - np.eye(3)).max() > RIGID or np.linalg.det(turn) < 0 or pose[3].tolist() != [0, 0, 0, 1]:
        raise node.wrong("expected a rotation, a translation and the last row 0, 0, 0, 1")
    return pose


def _grasp(node: Node | None) -> Grasp | None:
    if node is None:
        return None
    node.only(("kind", "point", "closing", "approach", "width"))
    with node.blamed():
        vectors = [np.array(node[key].numbers(3)) for key in ("point", "closing", "approach")]
        return Grasp(vectors[0], vectors[1], vectors[2], node["width"].positive(), _word(node["kind"], GRASP_KINDS))


def _press(node: Node | None) -> Press | None:
    if node is None:
        return None
    node.only(("force", "point", "utilization", "joints"))
    share, joints = node.get("utilization"), node.get("joints")
    rows = [] if joints is None else joints.elements()
    return Press(
        np.array(node["force"].numbers(3)),
        np.array(node["point"].numbers(3)),
        None if share is None else share.number(0),
        tuple(_joint(row) for row in rows),
    )


def _joint(node: Node) -> tuple[str, str, float]:
    node.only(("parts", "utilization"))
    names = _names(node["parts"])
    if len(names) != 2:
        raise node["parts"].expected("two names")
    return names[0], names[1], node["utilization"].number(0)


def _provenance(node: Node) -> Provenance:
    node.only(_PROVENANCE_KEYS)
    version, digits, settings, seed, wall = (node.get(key) for key in _PROVENANCE_KEYS)
    return Provenance(
        "unknown" if version is None else version.text(),
        None if digits is None else digits.text(),
        {} if settings is None else settings.mapping(),
        None if seed is None else seed.whole(-(2**63), 2**63),
        None if wall is None else wall.number(0, 1e12),
    )
