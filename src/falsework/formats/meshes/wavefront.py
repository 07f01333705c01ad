"""OBJ files: vertices, faces and objects; normals, textures, materials and groups are passed over.

Most are plain: vertices of three numbers and triangles, counted from 1. These are read all at once, any other line by
line.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from falsework.formats.basics.limits import MAX_TRIANGLES, within
from falsework.formats.basics.surfaces import Surface
from falsework.geometry.shapes.planes import loop_area
from falsework.geometry.shapes.triangulation import triangulated
from falsework.model.arrays import Array
from falsework.model.errors import BadFile, shown

WORDS = frozenset(b"v vn vt vp f o g s l p usemtl mtllib".split())
PASSED_OVER = frozenset(b"vn vt vp us mt".split()) | {b"# ", b"s ", b"g "}  # how lines begin that a plain file may have

Loop = tuple[int, ...]


def read_obj(path: Path, data: bytes) -> list[Surface]:
    """The objects that have faces, in the file's order; faces before the first `o` belong to an object without name."""
    plain = _plain(data)
    return _by_lines(path, data) if plain is None else [plain]


def _plain(data: bytes) -> Surface | None:
    """The only object of a plain file; None of any other, also of one with something wrong in it."""
    lines = data.split(b"\n")
    points, loops = ([line[2:] for line in lines if line[:2] == word] for word in (b"v ", b"f "))
    others = (line[:2] for line in lines if line[:2] not in (b"v ", b"f ", b"", b"\r"))
    if not (loops and len(loops) <= MAX_TRIANGLES and all(word in PASSED_OVER for word in others)):
        return None
    if not all(len(line.split()) == 3 for of_one_kind in (points, loops) for line in of_one_kind):
        return None
    try:
        vertices = np.array(b" ".join(points).split(), dtype=np.float64).reshape(-1, 3)
        corners = [word.partition(b"/")[0] for line in loops for word in line.split()]
        faces = np.array(corners, dtype=np.int64)
    except (ValueError, OverflowError):
        return None
    if not (np.isfinite(vertices).all() and 0 < faces.min() <= faces.max() <= len(vertices)):
        return None
    used, rows = np.unique(faces - 1, return_inverse=True)
    return Surface("", vertices[used], rows.reshape(-1, 3))


def _by_lines(path: Path, data: bytes) -> list[Surface]:
    points: list[tuple[float, float, float]] = []
    objects: dict[str, list[Loop]] = {"": []}
    loops = objects[""]
    corners = 0
    for number, line in enumerate(data.replace(b"\\\n", b" ").split(b"\n"), start=1):
        words = line.split()
        if not words:
            continue
        if words[0] == b"v":
            points.append(_point(path, number, words))
        elif words[0] == b"f":
            loops.append(_loop(path, number, words, len(points)))
            corners += len(words) - 3
            if corners > MAX_TRIANGLES:
                within(path, f"line {number}", "triangles", corners, MAX_TRIANGLES)
        elif words[0] == b"o":
            loops = objects.setdefault(b" ".join(words[1:]).decode("utf-8", "replace"), [])
    vertices = np.array(points, dtype=np.float64).reshape(-1, 3)
    return [_surface(path, name, vertices, faces) for name, faces in objects.items() if faces]


def _point(path: Path, number: int, words: list[bytes]) -> tuple[float, float, float]:
    try:
        x, y, z = float(words[1]), float(words[2]), float(words[3])
    except (ValueError, IndexError) as why:
        raise _expected(path, number, words, "a vertex like v 1.0 0.5 0.0") from why
    return x, y, z


def _loop(path: Path, number: int, words: list[bytes], known: int) -> Loop:
    """Vertices of a face, counted from 0; the file counts from 1, or from −1 backwards."""
    try:
        written = [int(word.partition(b"/")[0]) for word in words[1:]]
    except ValueError as why:
        raise _expected(path, number, words, "a face like f 1 2 3") from why
    if len(written) < 3:
        raise _expected(path, number, words, "three corners or more")
    for index in written:
        if index == 0 or index > MAX_TRIANGLES * 3 or index < -known:
            raise BadFile(path, f"line {number}", f"found vertex {index}, which is not there")
    return tuple(index - 1 if index > 0 else known + index for index in written)


def _surface(path: Path, name: str, vertices: Array, faces: list[Loop]) -> Surface:
    used, loops = _compact(faces)
    if used[-1] >= len(vertices):
        raise BadFile(path, name, f"found a face over vertex {used[-1] + 1}, but there are {len(vertices)} vertices")
    points = vertices[used]
    if not np.isfinite(points).all():
        raise BadFile(path, name, "found a vertex that is NaN or infinite, expected finite coordinates")
    try:
        with np.errstate(all="ignore"):
            return Surface(name, points, triangulated(points, _spread(points, loops)))
    except (ValueError, RuntimeError) as why:
        raise BadFile(path, name, f"found a face that cannot be cut into triangles: {why}") from why


def _compact(faces: list[Loop]) -> tuple[list[int], list[Loop]]:
    """The vertices that faces use, in order, and the faces over these."""
    used = sorted({index for face in faces for index in face})
    row = {index: number for number, index in enumerate(used)}
    return used, [tuple(row[index] for index in face) for face in faces]


def _spread(points: Array, loops: list[Loop]) -> list[Loop]:
    """The loops, those without area as triangles: they cannot be cut and are dropped when the surface is mended."""
    spread: list[Loop] = []
    for loop in loops:
        if len(loop) > 3 and not loop_area(points[list(loop)]).any():
            spread.extend((loop[0], second, third) for second, third in pairwise(loop[1:]))
        else:
            spread.append(loop)
    return spread


def _expected(path: Path, number: int, words: list[bytes], wanted: str) -> BadFile:
    line = b" ".join(words)[:100].decode("utf-8", "replace")
    return BadFile(path, f"line {number}", f"found {shown(line)}, expected {wanted}")
