"""Mesh files and folders that hold no solid."""

from __future__ import annotations

import json
import struct
from pathlib import Path

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
# Three triangles that share an edge: no way of capping makes them enclose anything.
_FAN = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n"


def _glb(document: dict[str, object]) -> bytes:
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sIII4s", b"glTF", 2, 20 + len(text), len(text), b"JSON") + text


_GREEDY = {
    "asset": {"version": "2.0"},
    "accessors": [{"componentType": 5126, "count": 4_000_000_000, "type": "VEC3"}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    "nodes": [{"mesh": 0}],
    "scenes": [{"nodes": [0]}],
}
_PLY = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"

BINARIES: dict[str, tuple[str, bytes]] = {
    "obj without faces": ("points.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"),
    "obj without vertices": ("faces.obj", b"f 1 2 3\n"),
    "obj face out of range": ("range.obj", TETRAHEDRON.replace("f 2 3 4", "f 2 3 40").encode()),
    "obj vertex is nan": ("nan.obj", TETRAHEDRON.replace("v 1 0 0", "v nan 0 0").encode()),
    "obj vertex is text": ("text.obj", TETRAHEDRON.replace("v 1 0 0", "v one 0 0").encode()),
    "obj vertex of two": ("short.obj", TETRAHEDRON.replace("v 1 0 0", "v 1 0").encode()),
    "obj flat": ("flat.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n"),
    "obj that cannot be capped": ("fan.obj", _FAN.encode()),
    "obj too far away": ("far.obj", TETRAHEDRON.replace("v 1 0 0", "v 1e30 0 0").encode()),
    "stl cut short": ("cut.stl", b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0"),
    "stl without triangles": ("none.stl", b" " * 80 + struct.pack("<I", 0)),
    "ply without faces": ("points.ply", (_PLY + "end_header\n0 0 0\n1 0 0\n0 1 0\n").encode()),
    "ply cut in its header": ("header.ply", _PLY[:60].encode()),
    "ply that promises too much": (
        "greedy.ply",
        (_PLY.replace("vertex 3", "vertex 4000000000") + "end_header\n0 0 0\n").encode(),
    ),
    "glb cut short": ("cut.glb", _glb(_GREEDY)[:30]),
    "glb of a header": ("header.glb", b"glTF\x02\x00\x00\x00"),
    "glb that promises too much": ("greedy.glb", _glb(_GREEDY)),
    "glb of nothing": ("nothing.glb", _glb({"asset": {"version": "2.0"}})),
}


def made(folder: Path) -> list[tuple[str, Path]]:
    """Folders of meshes that are no assembly."""
    state = {"final_state": [0, 0, 0, 0, 0, 0]}
    configs = {
        "config without a part": {"1": state},
        "config with a part too many": {"0": state, "1": state, "2": state},
        "config without a final state": {"0": state, "1": {"initial_state": [0] * 6}},
        "config of four numbers": {"0": state, "1": {"final_state": [0, 0, 0, 0]}},
        "config of text": {"0": state, "1": {"final_state": "here"}},
    }
    cases = []
    for kind, config in configs.items():
        home = _folder(folder, kind, {"0.obj": TETRAHEDRON, "1.obj": TETRAHEDRON, "config.json": json.dumps(config)})
        cases.append((kind, home))
    cases.append(("two meshes of one name", _folder(folder, "stems", {"0.obj": TETRAHEDRON, "0.OBJ": TETRAHEDRON})))
    cases.append(("folder with an open mesh", _folder(folder, "open", {"0.obj": TETRAHEDRON, "1.obj": _FAN})))
    cases.append(("folder with a broken mesh", _folder(folder, "broken", {"0.obj": TETRAHEDRON, "1.obj": "nothing\n"})))
    return cases


def _folder(folder: Path, name: str, files: dict[str, str]) -> Path:
    home = folder / name.replace(" ", "_")
    home.mkdir(parents=True)
    for file, text in files.items():
        (home / file).write_text(text)
    return home
