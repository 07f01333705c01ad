"""Cells that make no sense, each to be refused in one line that names what is wrong; and one seed, one motion."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from falsework.bench.motions.problems import random_problem
from falsework.bench.rows import Row
from falsework.formats.robots.cell_reading import load_cell
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.robots.motion import Motion
from falsework.model.scratch import scratch_prefix
from falsework.planning.plan import plan

GOOD = """
format: falsework-cell/1
arms:
- {name: left, arm: panda, tool: panda-hand, at: [0, 0.5, 0], turn: -90}
structure: {at: [0.4, 0, 0], size: [0.3, 0.3, 0.3]}
table: {at: [0.4, 0, 0], size: [2, 2]}
feeders:
- {name: tray, at: [0.5, 0.5, 0], size: [0.2, 0.2]}
"""
TILTED = "structure: {at: [0.4, 0, 0], quaternion: [0.966, 0.259, 0, 0]"
BAD = {  # what is written instead of what, and a word of the line that says so
    "base inside the structure": ("at: [0, 0.5, 0]", "at: [0.4, 0.05, 0]", "inside the structure"),
    "base inside a part": ("at: [0, 0.5, 0]", "at: [0.4, 0.0, -0.01]", "inside"),
    "arm unknown": ("arm: panda,", "arm: pandora,", "unknown arm"),
    "tool unknown": ("tool: panda-hand", "tool: claw", "unknown tool"),
    "no feeder": ("- {name: tray, at: [0.5, 0.5, 0], size: [0.2, 0.2]}", "", "no feeder"),
    "not a number in a base": ("at: [0, 0.5, 0]", "at: [.nan, 0.5, 0]", "expected a finite number"),
    "not a number in a feeder": ("size: [0.2, 0.2]", "size: [.nan, 0.2]", "expected a finite number"),
    "endless structure": ("size: [0.3, 0.3, 0.3]", "size: [.inf, 0.3, 0.3]", "expected"),
    "mirrored": (
        "turn: -90", "pose: [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0]]", "rotation",
    ),
    "scaled": ("turn: -90", "pose: [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0]]", "rotation"),
    "structure tilted": ("structure: {at: [0.4, 0, 0]", TILTED, "tilted by"),
    "structure in the air": ("structure: {at: [0.4, 0, 0]", "structure: {at: [0.4, 0, 0.2]", "above the table"),
    "a name given twice": ("name: tray", "name: left", "given to 2 things"),
    "a tray too small": ("size: [0.2, 0.2]", "size: [0.02, 0.02]", "tray"),
}  # fmt: skip
SEEDS = 3


def rows() -> Iterator[Row]:
    """Both."""
    yield _refused()
    yield _repeated()


def refusal_of(text: str) -> str:
    """What is said against a cell's file, or against two boxes that it is to build; nothing where it is taken."""
    side = 0.04
    tower = Assembly.from_boxes([(side,) * 3], [(0, 0, side / 2), (0, 0, 1.5 * side)], ground="table")
    with tempfile.TemporaryDirectory(prefix=scratch_prefix()) as folder:
        path = Path(folder) / "cell.yaml"
        path.write_text(text, encoding="utf-8")
        try:
            plan(tower, cell=load_cell(path), budget=20)
        except BadInput as why:
            return str(why)
    return ""


def _refused() -> Row:
    start = time.process_time()
    missed = []
    for name, (before, after, word) in BAD.items():
        text = GOOD.replace(before, after, 1)
        if after.startswith("pose"):  # instead of a place and a turn
            text = text.replace("at: [0, 0.5, 0], ", "", 1)
        said = refusal_of(text)
        if word not in said or "\n" in said:
            missed.append(f"{name}: {said or 'nothing said'}")
    took = 1e3 * (time.process_time() - start) / len(BAD)
    figure = f"{len(BAD) - len(missed)} of {len(BAD)}"
    return Row("bad cells, refused in one line", took, notes={"missed": missed}, target="all", figure=figure)


def _repeated() -> Row:
    """The same problem twice: same joints at the same times, to the last digit."""
    start = time.process_time()
    same = 0
    for seed in range(SEEDS):
        first, second = (
            random_problem(np.random.default_rng(seed)).solved(np.random.default_rng(seed)) for _ in range(2)
        )
        same += _equal(first, second)
    took = 1e3 * (time.process_time() - start) / SEEDS
    return Row("same seed, same motion", took, target="all", figure=f"{same} of {SEEDS}")


def _equal(first: Motion | None, second: Motion | None) -> bool:
    if first is None or second is None:
        return first is second
    return all(
        np.array_equal(one.times_s, other.times_s) and np.array_equal(one.q, other.q)
        for one, other in zip(first.tracks, second.tracks, strict=True)
    )
