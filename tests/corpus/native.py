"""Files of our own format that say something impossible."""

from __future__ import annotations

from typing import Any

_CORNERS = "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]"


def _file(parts: str = "[{name: a, box: [1, 1, 1]}]", **top: Any) -> str:
    rest = "".join(f"{key}: {value}\n" for key, value in top.items())
    return f"format: falsework-assembly/1\n{rest}parts: {parts}\n"


def _part(fields: str) -> str:
    return _file(f"[{{name: a, {fields}}}]")


_NATIVE = {
    "unknown version": "format: falsework-assembly/9\nparts: []\n",
    "no parts key": "format: falsework-assembly/1\n",
    "no parts": _file("[]"),
    "parts is a mapping": _file("{a: 1}"),
    "part is text": _file("[a]"),
    "unknown top key": _file(frictoin=0.5),
    "unknown part key": _part("box: [1, 1, 1], colour: red"),
    "unknown unit": _file(units="parsec"),
    "no name": _file("[{box: [1, 1, 1]}]"),
    "empty name": _file("[{name: '', box: [1, 1, 1]}]"),
    "name is a number with a point": _file("[{name: 1.5, box: [1, 1, 1]}]"),
    "name with a line break": _file('[{name: "a\\nb", box: [1, 1, 1]}]'),
    "name too long": _file(f"[{{name: {'a' * 2000}, box: [1, 1, 1]}}]"),
    "duplicate names": _file("[{name: a, box: [1, 1, 1]}, {name: a, box: [1, 1, 1], at: [5, 0, 0]}]"),
    "part called ground": _file("[{name: ground, box: [1, 1, 1]}]", ground="table"),
    "no shape": _part("at: [0, 0, 0]"),
    "two shapes": _part("box: [1, 1, 1], brick: brick_2x4"),
    "negative side": _part("box: [1, -1, 1]"),
    "zero side": _part("box: [1, 0, 1]"),
    "side is text": _part("box: [1, one, 1]"),
    "side is true": _part("box: [1, true, 1]"),
    "two sides": _part("box: [1, 1]"),
    "side 1e999": _part("box: [1, 1e999, 1]"),
    "too far away": _part("box: [1, 1, 1], at: [1e9, 0, 0]"),
    "polyhedron of one face": _part(f"polyhedron: {{vertices: {_CORNERS}, faces: [[0, 1, 2]]}}"),
    "open polyhedron": _part(
        f"polyhedron: {{vertices: {_CORNERS}, faces: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [0, 1, 3]]}}"
    ),
    "inside out polyhedron": _part(
        f"polyhedron: {{vertices: {_CORNERS}, faces: [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]}}"
    ),
    "face of two": _part(f"polyhedron: {{vertices: {_CORNERS}, faces: [[0, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}}"),
    "face index out of range": _part(
        f"polyhedron: {{vertices: {_CORNERS}, faces: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 9]]}}"
    ),
    "negative face index": _part(
        f"polyhedron: {{vertices: {_CORNERS}, faces: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, -1]]}}"
    ),
    "ragged vertices": _part("polyhedron: {vertices: [[0, 0, 0], [1, 0]], faces: [[0, 1, 2]]}"),
    "no pieces": _part("pieces: []"),
    "open mesh": _part(f"mesh: {{vertices: {_CORNERS}, triangles: [[0, 2, 1], [0, 1, 3], [0, 3, 2]]}}"),
    "mesh of fractions": _part(f"mesh: {{vertices: {_CORNERS}, triangles: [[0, 2, 0.5]]}}"),
    "clockwise polygon": _part("polygon: [[0, 0], [0, 1], [1, 0]]"),
    "polygon of two": _part("polygon: [[0, 0], [1, 0]]"),
    "negative depth": _part("polygon: [[0, 0], [1, 0], [0, 1]], depth: -1"),
    "depth of a box": _part("box: [1, 1, 1], depth: 1"),
    "missing mesh": _part("mesh: nowhere.obj"),
    "mesh outside the folder": _part("mesh: ../../../etc/passwd"),
    "mesh by absolute path": _part("mesh: /etc/passwd"),
    "mesh path with a nul": _part('mesh: "a\\0b"'),
    "mesh is not a mesh": _part("mesh: part.yaml"),
    "brick at 45 degrees": _part("brick: brick_2x4, studs: [0, 0, 0], turn: 45"),
    "unknown brick": _part("brick: brick_two_by_four"),
    "brick of no studs": _part("brick: brick_0x4"),
    "brick of a million studs": _part("brick: brick_9999999x4"),
    "brick between studs": _part("brick: brick_2x4, studs: [0.5, 0, 0]"),
    "box on studs": _part("box: [1, 1, 1], studs: [0, 0, 0]"),
    "two poses": _part("box: [1, 1, 1], at: [0, 0, 0], studs: [0, 0, 0]"),
    "sheared pose": _part("box: [1, 1, 1], pose: [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]"),
    "mirrored pose": _part("box: [1, 1, 1], pose: [[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]"),
    "pose of two rows": _part("box: [1, 1, 1], pose: [[1, 0, 0, 0], [0, 1, 0, 0]]"),
    "quaternion of length two": _part("box: [1, 1, 1], quaternion: [2, 0, 0, 0]"),
    "zero mass": _part("box: [1, 1, 1], mass: 0"),
    "negative density": _part("box: [1, 1, 1], density: -7"),
    "unknown material": _part("box: [1, 1, 1], material: unobtainium"),
    "material and density": _part("box: [1, 1, 1], material: {name: oak, density: 700}, density: 700"),
    "inertia that is negative": _part("box: [1, 1, 1], inertia: [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]"),
    "unknown fixed part": _file(fixed="[b]"),
    "fixed is text": _file(fixed="a"),
    "negative friction": _file(friction=-0.1),
    "friction is text": _file(friction="sticky"),
    "gravity of two": _file(gravity="[0, -9.81]"),
    "unknown ground": _file(ground="lava"),
    "baseplate under blocks": _file(ground="baseplate"),
    "friction of a baseplate": _file(ground="'baseplate:0.3'"),
    "ground friction is text": _file(ground="'table:rough'"),
    "load on nothing": _file(loads="[{part: b, force: [0, 0, 1]}]"),
    "load of two numbers": _file(loads="[{part: a, force: [0, 0]}]"),
    "hinge on one part": _file(hinges="[{parts: [a], at: [0, 0, 0]}]"),
    "hinge about nothing": _file(hinges="[{parts: [a, a], at: [0, 0, 0], axis: [0, 0, 0]}]"),
}

TEXTS = {kind: ("part.yaml", text) for kind, text in _NATIVE.items()}
