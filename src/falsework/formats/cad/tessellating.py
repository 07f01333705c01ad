"""STEP files as triangles, made by a CAD kernel in a process of its own.

The kernel writes to standard output what it thinks of a file, and ends the process on some damaged ones. So it works
where neither matters, within stated limits of time and memory. This file is also what that process runs; it then
imports nothing of the house.

    python tessellating.py IN.step OUT.glb
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

CHORD = 2.5e-3  # of the length of an edge: how far triangles may lie from the surface
TURN = 0.2  # rad: the most that normals may turn along an edge; a full circle has 63 facets then
MOST_SECONDS = 300  # of processor time for one file
MOST_BYTES = 6 * 2**30  # of memory

_COLORS_OF_TERMINALS = re.compile(r"\x1b\[[0-9;]*m")
_LOST = re.compile(r"Unresolved Reference : Fails Count : ([0-9]+)")
_SAID = re.compile(r"ERR StepFile : (.*?)\s*\**$", re.MULTILINE)


def tessellated(data: bytes, prefix: str) -> bytes:
    """The GLB of a STEP file; ValueError with what is wrong with it. `prefix`: of the name of a temporary folder."""
    with tempfile.TemporaryDirectory(prefix=prefix) as scratch:
        given, made = Path(scratch, "in.step"), Path(scratch, "out.glb")
        given.write_bytes(data)
        command = [sys.executable, "-P", __file__, str(given), str(made)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=2 * MOST_SECONDS, check=False)
        except subprocess.TimeoutExpired as why:
            raise ValueError(f"the CAD kernel did not finish within {2 * MOST_SECONDS} s") from why
        said = _COLORS_OF_TERMINALS.sub("", done.stdout.decode("utf-8", "replace"))
        if lost := _LOST.search(said):
            raise ValueError(f"found {lost[1]} references to what is not there")
        if not made.is_file():
            raise ValueError(_reason(done.returncode, said))
        return made.read_bytes()


def _reason(code: int, said: str) -> str:
    """Why there is no answer, in one line."""
    told = _SAID.search(said)
    if told:
        return told[1].removeprefix("Undefined Parsing: ")
    if code == -24:  # SIGXCPU
        return f"the CAD kernel did not finish within {MOST_SECONDS} s of processor time"
    if code < 0:
        return "the CAD kernel broke down over it; are there references to what is not there?"
    return "there is nothing in it that the CAD kernel understands"


def _work(given: str, made: str) -> int:
    """In the other process: 0 if there is an answer."""
    sys.modules["trimesh"] = None  # type: ignore[assignment]  # it would be imported, a second, and never used
    import cascadio

    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    except (ImportError, ValueError, OSError):  # not on this system
        pass
    answer = cascadio.load(
        Path(given).read_bytes(),
        file_type="step",
        tol_linear=CHORD,
        tol_angular=TURN,
        tol_relative=True,
        merge_primitives=True,
        use_parallel=False,
        include_brep=True,
        include_materials=True,
    )
    if answer:
        Path(made).write_bytes(answer)
    return 0 if answer else 1


if __name__ == "__main__":
    sys.exit(_work(sys.argv[1], sys.argv[2]))
