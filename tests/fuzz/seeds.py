"""One good file of every format, to be damaged."""

from __future__ import annotations

import io
import json
from hashlib import sha256
from typing import Any

import numpy as np
import trimesh

from tests.corpus.bricks import compas_cube
from tests.corpus.meshes import TETRAHEDRON

NATIVE = """\
format: falsework-assembly/1
units: mm
ground: table:0.4
materials: {oak: {density: 700}}
parts:
- {name: a, brick: brick_2x4, studs: [3, 0, 6], turn: 90}
- {name: b, box: [200, 100, 60], at: [0, 0, 60], material: oak}
- {name: h, polygon: [[0, 0], [10, 0], [0, 10]], depth: 1, color: red, mass: 2}
fixed: [a]
loads: [{part: b, force: [0, 0, -5], at: [100, 50, 120]}]
hinges: [{parts: [h, b], at: [0, 0, 0], axis: [0, 1, 0]}]
"""
ARCH = """\
format: falsework-assembly/1
parts:
- {name: left, box: [1, 1, 2], at: [0, 0, 0]}
- {name: right, box: [1, 1, 2], at: [3, 0, 0]}
- {name: lintel, box: [4, 1, 1], at: [0, 0, 2]}
fixed: [left, right]
"""
PRODUCT = "blocks:\n- {name: a, type: brick_2x2, pos: [0.0, 0.148, 0.0191], rotation: [0, 0, 90]}\n"
TASK = json.dumps({str(n): {"x": n, "y": 0, "z": n, "ori": n % 2, "brick_id": 2} for n in range(3)})
TOPOLOGY = json.dumps(
    {
        "schema": "bricksim/lego_topology@2",
        "parts": [{"id": n, "type": "brick", "payload": {"L": 2, "W": 4, "H": 3, "color": [0, 0, 9]}} for n in (0, 1)],
        "connections": [
            {"stud_id": 0, "stud_iface": 1, "hole_id": 1, "hole_iface": 0, "offset": [0, 2], "yaw": 0},
        ],
        "pose_hints": [{"part": 0, "pos": [0, 0, 0], "rot": [1, 0, 0, 0]}],
    }
)
LDRAW = """\
0 FILE main.ldr
1 4 0 -24 0 1 0 0 0 1 0 0 0 1 3001.dat
0 STEP
1 0x2AB12F0 100 0 0 0 0 -1 0 1 0 1 0 0 sub.ldr
0 FILE sub.ldr
1 16 0 -24 0 1 0 0 0 1 0 0 0 1 3039.dat
"""
COLLECTION = json.dumps({"one": {"bricks": "2x4 (0,0,0)\n2x2 (0,0,1)\n"}, "two": {"bricks": "1x1 (0,0,0)\n"}})
_CUBE = trimesh.creation.box()


def arch_plan() -> dict[str, Any]:
    """A plan for ARCH: the lintel comes from above and is let go."""
    above, final = np.eye(4), np.eye(4)
    above[2, 3], final[2, 3] = 9.0, 2.0
    return {
        "format": "falsework-plan/1",
        "assembly": {
            "path": "r.yaml",
            "sha256": sha256(ARCH.encode()).hexdigest(),
            "fixed": ["left", "right"],
            "ground": "none",
            "scale": 1.0,
        },
        "rules": {
            "name": "holds", "robots": 2, "regrasp": False, "paths": "straight", "mu": 0.55, "model": "blocks",
            "cone": "8", "gravity": [0, 0, -9.81],
        },
        "status": "complete",
        "steps": [
            {"action": "place", "part": "lintel", "held": ["lintel"], "path": [above.tolist(), final.tolist()]},
            {"action": "release", "part": "lintel", "held": []},
        ],
    }  # fmt: skip


def _voxels() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.ones((3, 2, 2), dtype=bool))
    return stream.getvalue()


GOOD = {
    "a.yaml": NATIVE.encode(),
    "r.yaml": ARCH.encode(),
    "p.yaml": PRODUCT.encode(),
    "w.txt": b"2x4 (0,0,0)\n1x2 (1,1,1)\n",
    "m.mpd": LDRAW.encode(),
    "t.json": TASK.encode(),
    "b.json": TOPOLOGY.encode(),
    "c.json": compas_cube().encode(),
    "m.obj": TETRAHEDRON.encode(),
    "m.ply": _CUBE.export(file_type="ply"),
    "m.stl": _CUBE.export(file_type="stl"),
    "m.glb": _CUBE.export(file_type="glb"),
}
VOXELS = {"v.npy": _voxels()}  # not an assembly, but `convert --bricks` takes it
SEVERAL = {"s.json": COLLECTION.encode()}  # to be picked from with #key
EVERY = {**GOOD, **VOXELS, **SEVERAL}
PLAN = {"plan.json": json.dumps(arch_plan()).encode()}  # stands beside r.yaml
