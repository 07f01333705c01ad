"""Files that are well formed and mean something, mostly: random assemblies in the words of each format."""

from __future__ import annotations

import json
from random import Random
from typing import Any

BRICKS = ("brick_2x4", "brick_1x1", "plate_2x2", "slope_2x2_flat1", "tile_1x4", "duplo:brick_2x2", "baseplate_8x8")
PART_NUMBERS = ("3001.dat", "3005.dat", "3020.dat", "3039.dat", "3811.dat", "3437.dat", "3068b.dat", "sub.ldr")
TURNS = (
    "1 0 0 0 1 0 0 0 1",
    "0 0 -1 0 1 0 1 0 0",
    "-1 0 0 0 1 0 0 0 -1",
    "1 0 0 0 0 -1 0 1 0",
    "0.8 0 0.6 0 1 0 -0.6 0 0.8",
)


def well_formed(random: Random) -> tuple[str, bytes]:
    """A file's name and content."""
    name, made = random.choice(
        (("n.json", _native), ("n.txt", _text), ("n.ldr", _ldraw), ("n.obj", _obj), ("n.json", _task))
    )
    return name, made(random).encode()


def _near(random: Random) -> float:
    return random.choice((0, 0, 1, 2, 0.5, random.randint(-4, 4), random.uniform(-3, 3)))


def _native(random: Random) -> str:
    count = random.randint(1, 6)
    names = [str(n) for n in range(count)]
    parts = [{"name": name, **_shape(random), **_place(random)} for name in names]
    document: dict[str, Any] = {"format": "falsework-assembly/1", "parts": parts}
    optional = {
        "fixed": random.sample(names, random.randint(0, count)),
        "ground": random.choice(["none", "table", "table:0.3", "baseplate"]),
        "friction": random.choice([0, 0.5, 3]),
        "gravity": [_near(random) for _ in range(3)],
        "loads": [{"part": random.choice(names), "force": [_near(random) for _ in range(3)]}],
    }
    return json.dumps({**document, **{key: value for key, value in optional.items() if random.random() < 0.4}})


def _shape(random: Random) -> dict[str, Any]:
    side = [random.choice((1, 2, 0.1, random.uniform(0.01, 5))) for _ in range(3)]
    polygon = {"polygon": [[0, 0], [side[0], 0], [side[1], side[2]]], "depth": 1}
    return random.choice(({"box": side}, {"box": side}, {"brick": random.choice(BRICKS)}, polygon))


def _place(random: Random) -> dict[str, Any]:
    at = {"at": [_near(random) for _ in range(3)]}
    return {**at, "turn": random.choice((90, 180, 45, random.uniform(0, 360)))} if random.random() < 0.2 else at


def _text(random: Random) -> str:
    sizes = ((2, 4), (1, 1), (6, 2), (1, 8), (16, 16), (3, 3))
    lines = []
    for _ in range(random.randint(1, 25)):
        length, width = random.choice(sizes)
        x, y, z = (random.randint(0, 9) for _ in range(3))
        lines.append(f"{length}x{width} ({x},{y},{z})\n")
    return "".join(lines)


def _ldraw(random: Random) -> str:
    lines = ["0 FILE main.ldr\n"]
    for _ in range(random.randint(1, 12)):
        x, y, z = (
            random.choice((20 * random.randint(-5, 5), -24 * random.randint(0, 4), _near(random))) for _ in range(3)
        )
        lines.append(f"1 {random.randint(0, 20)} {x} {y} {z} {random.choice(TURNS)} {random.choice(PART_NUMBERS)}\n")
    return "".join([*lines, "0 FILE sub.ldr\n", f"1 16 0 0 0 {random.choice(TURNS)} {random.choice(PART_NUMBERS)}\n"])


def _obj(random: Random) -> str:
    """Boxes one after the other, each an object; now and then a face is missing or a corner is moved."""
    faces = ("1 4 3 2", "5 6 7 8", "1 2 6 5", "2 3 7 6", "3 4 8 7", "4 1 5 8")
    lines = []
    for number in range(random.randint(1, 4)):
        x, y, z = (_near(random) for _ in range(3))
        corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
        lines.append(f"o box{number}\n")
        for a, b, c in corners:
            nudge = random.choice((0, 0, 0, 0, 0, 1e-7, 0.2))
            lines.append(f"v {a + x + nudge} {b + y} {c + z}\n")
        kept = [face for face in faces if random.random() < 0.98]
        lines += ["f " + " ".join(str(int(corner) + 8 * number) for corner in face.split()) + "\n" for face in kept]
    return "".join(lines)


def _task(random: Random) -> str:
    bricks = {
        str(n): {
            "x": random.randint(0, 5),
            "y": random.randint(0, 5),
            "z": random.randint(0, 3),
            "ori": random.randint(0, 1),
            "brick_id": random.choice((1, 2, 3, 9, 12)),
        }
        for n in range(1, random.randint(2, 12))
    }
    return json.dumps(bricks)
