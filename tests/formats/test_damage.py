"""Whatever is done to a good file, it loads or is refused; nothing else happens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from falsework.formats import load
from falsework.model.errors import BadInput
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
_CUBE = trimesh.creation.box()
GOOD = {
    "a.yaml": NATIVE.encode(),
    "p.yaml": PRODUCT.encode(),
    "w.txt": b"2x4 (0,0,0)\n1x2 (1,1,1)\n",
    "m.mpd": LDRAW.encode(),
    "t.json": TASK.encode(),
    "b.json": TOPOLOGY.encode(),
    "m.obj": TETRAHEDRON.encode(),
    "m.ply": _CUBE.export(file_type="ply"),
    "m.stl": _CUBE.export(file_type="stl"),
    "m.glb": _CUBE.export(file_type="glb"),
}


@pytest.mark.parametrize("name", sorted(GOOD))
def test_the_undamaged_file_loads(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(GOOD[name])
    assert load(tmp_path / name).parts


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@pytest.mark.parametrize("name", sorted(GOOD))
@given(
    where=st.floats(0, 1),
    take=st.integers(0, 40),
    put=st.binary(max_size=6) | st.sampled_from([b"-", b"e9", b"[", b"0"]),
)
def test_a_damaged_file_loads_or_is_refused(tmp_path: Path, name: str, where: float, take: int, put: bytes) -> None:
    data = GOOD[name]
    start = int(where * len(data))
    (tmp_path / name).write_bytes(data[:start] + put + data[start + take :])
    _loads_or_is_refused(tmp_path / name)


@pytest.mark.parametrize("name", sorted(GOOD))
def test_a_file_cut_short_loads_or_is_refused(tmp_path: Path, name: str) -> None:
    data = GOOD[name]
    for length in range(0, len(data), max(1, len(data) // 60)):
        (tmp_path / name).write_bytes(data[:length])
        _loads_or_is_refused(tmp_path / name)


def _loads_or_is_refused(path: Path) -> None:
    try:
        assert load(path).parts
    except BadInput as refusal:
        assert str(refusal).isprintable()
        assert path.name in str(refusal)
