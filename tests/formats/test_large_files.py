"""Files of a million lines load, or are refused by a named limit, within a stated amount of memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

LINES = 1_000_000
MEMORY = 1 << 30  # bytes in use at the most, the interpreter and numpy included

READ = """
import re, sys
from pathlib import Path
from falsework.formats import load
from falsework.model.errors import BadFile
try:
    said = f"{len(load(sys.argv[1]).parts)} parts"
except BadFile as refusal:
    said = refusal.problem
# not getrusage: what it says a child inherits from whoever started it, and tests in one process may have become large
print(1024 * int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]), said)
"""


def brick_text() -> Iterator[str]:
    yield from (f"1x1 ({k % 1000},{k // 1000},0)\n" for k in range(LINES))


def ldraw_remarks() -> Iterator[str]:
    yield "1 4 0 0 0 1 0 0 0 1 0 0 0 1 3001.dat\n"
    yield from ("0 STEP\n" for _ in range(LINES - 1))


def ldraw_parts() -> Iterator[str]:
    yield from ("1 4 0 0 0 1 0 0 0 1 0 0 0 1 3001.dat\n" for _ in range(LINES))


def yaml_parts() -> Iterator[str]:
    yield "format: falsework-assembly/1\nparts:\n"
    yield from (f"- name: p{k}\n  box: [1, 1, 1]\n" for k in range(LINES // 2 - 1))


def obj_strip() -> Iterator[str]:
    """A closed wall of many thin boxes in a row, one surface."""
    count = LINES // 12
    for k in range(count + 1):
        yield f"v {k} 0 0\nv {k} 1 0\nv {k} 1 1\nv {k} 0 1\n"
    for k in range(count):
        a = 4 * k
        for i, j in ((1, 2), (2, 3), (3, 4), (4, 1)):
            yield f"f {a + i} {a + 4 + i} {a + 4 + j}\nf {a + i} {a + 4 + j} {a + j}\n"
    yield f"f 1 2 3 4\nf {4 * count + 4} {4 * count + 3} {4 * count + 2} {4 * count + 1}\n"


@pytest.mark.parametrize(
    ("name", "lines", "expected"),
    [
        ("a.txt", brick_text, "found 1,000,000 lines, the limit is 100,000"),
        ("a.ldr", ldraw_remarks, "1 parts"),
        ("b.ldr", ldraw_parts, "found 100,001 parts, the limit is 100,000"),
        ("a.yaml", yaml_parts, "found 1,000,001 values, the limit is 1,000,000"),
        ("a.obj", obj_strip, "1 parts"),
    ],
)
def test_a_million_lines(name: str, lines: Callable[[], Iterator[str]], expected: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with path.open("w") as stream:
        stream.writelines(lines())
    with path.open("rb") as stream:
        assert sum(block.count(b"\n") for block in iter(lambda: stream.read(1 << 20), b"")) >= 0.99 * LINES
    done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True)
    peak, _, said = done.stdout.strip().partition(" ")
    assert said == expected
    assert int(peak) <= MEMORY
