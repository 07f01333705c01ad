"""OBJ files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from falsework.formats import load
from falsework.model.errors import BadFile

Put = Callable[[str, str], Path]

CORNERS = "".join(f"v {x} {y} {z}\n" for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)))
CUBE = CORNERS + "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"


@pytest.mark.parametrize(
    "text",
    [
        CUBE,
        CUBE.replace("\n", "\r\n"),
        "# a comment first\n\nmtllib none.mtl\n" + CUBE,
        CUBE.replace("f 1 4 3 2", "f 1/1/1 4/2/1 3//1 2/5"),
        CUBE.replace("f 1 4 3 2", "f -8 -5 -6 -7"),
        CUBE.replace("f 1 4 3 2", "f 1 4 \\\n3 2"),
        CUBE.replace("v 0 0 0\n", "v 0 0 0 0.5 0.5 0.5\n"),
        CUBE + "f 1 2 1\nf 1 1 2 2 1\n",
    ],
    ids=["plain", "crlf", "comments", "slashes", "negative", "continued", "colours", "degenerate"],
)
def test_a_cube_is_a_cube_however_it_is_written(put: Put, text: str) -> None:
    assert load(put("cube.obj", text)).mass_kg == pytest.approx(1000.0)


def test_a_face_may_be_concave(put: Put) -> None:
    """An L of three unit cubes: its two end faces have six corners."""
    outline = ((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2))
    vertices = "".join(f"v {x} {y} {z}\n" for z in (0, 1) for x, y in outline)
    sides = "".join(f"f {k + 1} {(k + 1) % 6 + 1} {(k + 1) % 6 + 7} {k + 7}\n" for k in range(6))
    (part,) = load(put("ell.obj", vertices + "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n" + sides)).parts
    assert part.mass_kg == pytest.approx(3000.0)
    assert part.com_world_m == pytest.approx([5 / 6, 5 / 6, 0.5])


def test_objects_keep_the_files_order_and_may_be_resumed(put: Put) -> None:
    lines = CUBE.splitlines()
    vertices, faces = lines[:8], lines[8:]
    far = [f"v {float(line.split()[1]) + 9} {line.split()[2]} {line.split()[3]}" for line in vertices]
    later = ["f " + " ".join(str(int(word) + 8) for word in face.split()[1:]) for face in faces]
    text = "\n".join([*vertices, *far, "o zeta", *faces[:3], "o alpha", *later, "o zeta", *faces[3:]])
    assembly = load(put("two.obj", text))
    assert assembly.names == ("zeta", "alpha")
    assert assembly.coms_m[:, 0] == pytest.approx([0.5, 9.5])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("f 1 2", r"line 9: found 'f 1 2', expected three corners or more"),
        ("f 1 2 x", r"line 9: found 'f 1 2 x', expected a face like f 1 2 3"),
        ("f 0 1 2", r"line 9: found vertex 0, which is not there"),
        ("f -9 1 2", r"line 9: found vertex -9, which is not there"),
        ("f 1 2 77", r"found a face over vertex 77, but there are 8 vertices"),
        ("v 1 2", r"line 9: found 'v 1 2', expected a vertex like"),
    ],
)
def test_bad_lines_are_named(put: Put, bad: str, message: str) -> None:
    with pytest.raises(BadFile, match=message):
        load(put("bad.obj", f"{CORNERS}{bad}\n{CUBE[len(CORNERS) :]}"))
