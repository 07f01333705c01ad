"""Reading fifty parts with half a million faces, and finding their contacts, for the first and the second time."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from falsework.bench.cad.errands import sent
from falsework.bench.rows import Row, Skipped
from falsework.formats import load
from falsework.gallery.cad.fasteners import hexagon_nut, hexagon_screw
from falsework.gallery.cad.threads import SIZES
from falsework.gallery.cad.workpieces import circle, finished, prism, rectangle, shifted
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.shapes import Mesh

PAIRS, FACETS, PLAY = (6, 4), 64, 1e-4
THICK, PITCH, LENGTH = 0.01, 0.03, 0.035
PATIENCE_S = 200.0


def rows() -> Iterator[Row | Skipped]:
    """Two plates bolted together at 24 places: each time in a process of its own."""
    case = "50 parts, 500,000 faces: load and contacts"
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as known:
        faces = _written(Path(folder))
        for time_, target in (("first time", "≤ 10 s"), ("second time", "≤ 1 s")):
            errand = sent(loaded, folder, patience_s=PATIENCE_S, known=known)
            if errand.told is None:
                yield Skipped(f"{case}, {time_}", errand.why)
                return
            spent = errand.told["cpu_s"]
            notes = {"faces": faces, **errand.told}
            yield Row(f"{case}, {time_}", 1e3 * spent, None, "", notes, target, f"{spent:.1f} s")


def loaded(folder: str) -> dict[str, Any]:
    start = time.process_time()
    assembly = load(folder)
    read = time.process_time() - start
    joints = interfaces(assembly)
    spent = time.process_time() - start
    return {"cpu_s": spent, "read_s": read, "parts": len(assembly.parts), "contacts": len(joints.patches)}


def _written(folder: Path) -> int:
    """The faces that were written."""
    metric = SIZES[8]
    places = [(PITCH * (x + 0.5), PITCH * (y + 0.5)) for x in range(PAIRS[0]) for y in range(PAIRS[1])]
    outline = rectangle(0.0, 0.0, PITCH * PAIRS[0], PITCH * PAIRS[1])
    holes = [circle(0.0045, FACETS, place) for place in places]
    screw, nut = hexagon_screw(metric, LENGTH, FACETS), hexagon_nut(metric, 2 * THICK, FACETS, PLAY)
    solids = {f"plate-{k}": prism(outline, k * THICK, (k + 1) * THICK, holes) for k in range(2)}
    for number, place in enumerate(places):
        solids[f"screw-{number}"] = shifted(screw, *place)
        solids[f"nut-{number}"] = shifted(nut, *place)
    meshes = {name: finished(solid) for name, solid in solids.items()}
    for name, mesh in meshes.items():
        (folder / f"{name}.stl").write_bytes(_stl(mesh))
    return sum(len(mesh.triangles) for mesh in meshes.values())


def _stl(mesh: Mesh) -> bytes:
    """Binary STL: 80 bytes of anything, the count, then a normal, three corners and two bytes a face."""
    corners: Array = mesh.vertices[mesh.triangles]
    faces = np.zeros(len(corners), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])
    faces["corners"] = corners
    return bytes(80) + np.uint32(len(corners)).tobytes() + faces.tobytes()
