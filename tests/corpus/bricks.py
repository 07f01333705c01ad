"""Files of the brick formats that say something impossible."""

from __future__ import annotations

import json
from typing import Any


def _product(**changes: Any) -> str:
    block = {"name": "a", "type": "brick_2x2", "color": "red", "pos": [0.0, 0.0, 0.0], "rotation": [0, 0, 0]}
    kept = {key: value for key, value in {**block, **changes}.items() if value is not None}
    second = {**block, "name": "b", "pos": [0.064, 0.0, 0.0]}
    third = {**block, "name": "c", "pos": [0.128, 0.0, 0.0]}
    return json.dumps({"blocks": [second, third, kept]})


def _task(**changes: Any) -> str:
    brick = {"x": 0, "y": 0, "z": 0, "ori": 0, "brick_id": 2}
    return json.dumps({"1": {key: value for key, value in {**brick, **changes}.items() if value is not None}})


def _connection(stud: int, hole: int, offset: list[int], yaw: int = 0) -> dict[str, Any]:
    return {"stud_id": stud, "stud_iface": 1, "hole_id": hole, "hole_iface": 0, "offset": offset, "yaw": yaw}


def _topology(**changes: Any) -> str:
    payload = {"L": 2, "W": 4, "H": 3, "color": [1, 2, 3]}
    topology = {
        "schema": "bricksim/lego_topology@2",
        "parts": [{"id": number, "type": "brick", "payload": payload} for number in range(3)],
        "connections": [_connection(0, 1, [0, 2]), _connection(1, 2, [0, 2])],
        "pose_hints": [{"part": 0, "pos": [0, 0, 0], "rot": [1, 0, 0, 0]}],
    }
    return json.dumps({**topology, **changes})


def _topology_part(**payload: Any) -> str:
    full = {"L": 2, "W": 4, "H": 3, "color": [1, 2, 3], **payload}
    return _topology(parts=[{"id": 0, "type": "brick", "payload": full}], connections=[])


def _hint(**changes: Any) -> str:
    return _topology(pose_hints=[{"part": 0, "pos": [0, 0, 0], "rot": [1, 0, 0, 0], **changes}])


def compas_cube(**changes: Any) -> str:
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    block = {
        "vertex": {str(number): dict(zip("xyz", corner, strict=True)) for number, corner in enumerate(corners)},
        "face": {
            str(number): face
            for number, face in enumerate(
                [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
            )
        },
        **changes,
    }
    nodes = {"0": {"block": {"data": block}}}
    graph = {"data": {"graph": {"data": {"node": nodes}}}}
    return json.dumps({"dtype": "compas_assembly.datastructures/Assembly", **graph})


_CYCLE = [_connection(0, 1, [0, 2]), _connection(0, 2, [0, -2]), _connection(1, 2, [0, 0])]

TEXTS: dict[str, tuple[str, str]] = {
    "text cut short": ("cut.txt", "2x4 (0,0,0)\n2x4 (0,0"),
    "text between studs": ("between.txt", "2x4 (0.5,0,0)\n"),
    "text with a word": ("word.txt", "2x4 (0,0,0)\nroof\n"),
    "text with two coordinates": ("two.txt", "2x4 (0,0)\n"),
    "text brick of no studs": ("none.txt", "2x4 (0,0,1)\n0x4 (0,0,0)\n"),
    "text coordinate of 5000 digits": ("far.txt", f"2x4 ({'9' * 5000},0,0)\n"),
    "text side of seven digits": ("wide.txt", "9999999x4 (0,0,0)\n"),
    "collection without a key": ("several.json", json.dumps({"a": {"bricks": "1x1 (0,0,0)"}, "b": {"bricks": ""}})),
    "collection of a number": ("odd.json", json.dumps([{"bricks": 3}])),
    "collection with an empty text": ("hollow.json", json.dumps([{"bricks": ""}])),
    "product at 45 degrees": ("part.yaml", _product(rotation=[0, 0, 45])),
    "product tilted": ("part.yaml", _product(rotation=[90, 0, 0])),
    "product off the lattice": ("part.yaml", _product(pos=[0.004, 0.0, 0.0])),
    "product between layers": ("part.yaml", _product(pos=[0.0, 0.0, 0.008])),
    "product of unknown type": ("part.yaml", _product(type="arch_2x2")),
    "product with a misspelt key": ("part.yaml", _product(rotaion=[0, 0, 90])),
    "product without a position": ("part.yaml", _product(pos=None)),
    "product with two coordinates": ("part.yaml", _product(pos=[0.0, 0.0])),
    "product with a duplicate name": ("part.yaml", _product(name="b")),
    "product without blocks": ("part.yaml", "blocks: []\n"),
    "product of text": ("part.yaml", "blocks: none\n"),
    "task with an unknown id": ("task.json", _task(brick_id=77)),
    "task without an id": ("task.json", json.dumps({"1": {"brick_id": 2, "x": 0}})),
    "task turned by 45 degrees": ("task.json", _task(ori=45)),
    "task between studs": ("task.json", _task(x=0.5)),
    "task with a text coordinate": ("task.json", _task(y="0")),
    "task without a layer": ("task.json", _task(z=None)),
    "task of mixed entries": ("task.json", json.dumps({"1": {"brick_id": 2}, "2": 5})),
    "topology of an unknown schema": ("topology.json", _topology(schema="bricksim/lego_topology@7")),
    "topology without parts": ("topology.json", _topology(parts=[], connections=[], pose_hints=[])),
    "topology with a duplicate id": (
        "topology.json",
        _topology(parts=[{"id": 0, "type": "brick", "payload": {"L": 2, "W": 2, "H": 3}}] * 2, connections=[]),
    ),
    "topology of an unknown part type": ("topology.json", _topology(parts=[{"id": 0, "type": "gear", "payload": {}}])),
    "topology with a negative side": ("topology.json", _topology_part(L=-2)),
    "topology with a side of zero": ("topology.json", _topology_part(H=0)),
    "topology with a bright colour": ("topology.json", _topology_part(color=[300, 0, 0])),
    "topology joined to nothing": ("topology.json", _topology(connections=[_connection(0, 9, [0, 0])])),
    "topology joined to itself": ("topology.json", _topology(connections=[_connection(1, 1, [0, 0])])),
    "topology joined beside": ("topology.json", _topology(connections=[_connection(0, 1, [2, 0])])),
    "topology with five quarter turns": ("topology.json", _topology(connections=[_connection(0, 1, [0, 0], 5)])),
    "topology joined upside down": (
        "topology.json",
        _topology(connections=[{**_connection(0, 1, [0, 0]), "stud_iface": 0}]),
    ),
    "topology whose cycle does not close": ("topology.json", _topology(connections=_CYCLE)),
    "topology in two pieces": ("topology.json", _topology(connections=[_connection(0, 1, [0, 0])])),
    "topology without hints": ("topology.json", _topology(pose_hints=[])),
    "topology with two hints for a part": (
        "topology.json",
        _topology(pose_hints=[{"part": 0, "pos": [0, 0, 0], "rot": [1, 0, 0, 0]}] * 2),
    ),
    "topology with hints that disagree": (
        "topology.json",
        _topology(pose_hints=[{"part": part, "pos": [0, 0, 0], "rot": [1, 0, 0, 0]} for part in (0, 1)]),
    ),
    "topology hint of no rotation": ("topology.json", _hint(rot=[0, 0, 0, 0])),
    "topology hint of two numbers": ("topology.json", _hint(pos=[0, 0])),
    "compas but no assembly": ("mesh.json", json.dumps({"dtype": "compas.datastructures/Mesh", "data": {}})),
    "compas without blocks": ("compas.json", compas_cube().replace('"block"', '"blob"')),
    "compas without nodes": ("compas.json", compas_cube().replace('"node"', '"edge"')),
    "compas without faces": ("compas.json", compas_cube(face={})),
    "compas with an unknown vertex": ("compas.json", compas_cube(face={str(n): [0, 1, 99] for n in range(4)})),
    "compas left open": ("compas.json", compas_cube(face={str(n): [0, 1, 3, 2] for n in range(4)})),
    "compas with a text coordinate": ("compas.json", compas_cube(vertex={"0": {"x": "left", "y": 0, "z": 0}})),
}

OVERLAPS: dict[str, tuple[str, str]] = {
    "text bricks in one place": ("same.txt", "2x4 (0,0,0)\n2x4 (0,0,0)\n"),
    "text bricks half in one another": ("half.txt", "2x4 (0,0,0)\n2x4 (1,1,0)\n"),
    "task bricks in one place": (
        "same.json",
        json.dumps({n: {"x": 0, "y": 0, "z": 0, "ori": 0, "brick_id": 2} for n in ("1", "2")}),
    ),
    "boxes in one another": (
        "boxes.yaml",
        "format: falsework-assembly/1\nparts: [{name: a, box: [1, 1, 1]}, {name: b, box: [1, 1, 2], at: [0, 0, .5]}]\n",
    ),
}
