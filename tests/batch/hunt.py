"""`python -m tests.batch.hunt [WORKERS] [PARENTS] [SEED]`: so many kills of workers and of whole runs at random times.

Every kill is SIGKILL. After each run, or after the resume of one that was killed, rows must be those of an undisturbed
run, byte for byte after sorting, each once. Prints what was done; exit 1 if anything was lost, doubled or different.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from random import Random

from falsework.batch.shards import ROWS, lines, mend

SWEEP = "new:random-bricks{n=3..22,seed=0..14}"


class Hunt:
    """One question, answered undisturbed first."""

    def __init__(self, sweep: str, folder: Path, rng: Random) -> None:
        self._sweep, self._folder, self._rng, self._count = sweep, folder, rng, 0
        begun = time.monotonic()
        self._run(folder / "undisturbed").wait()
        self._whole_s = time.monotonic() - begun
        self._wanted = sorted(lines(folder / "undisturbed", ROWS))

    def _run(self, out: Path) -> subprocess.Popen[bytes]:
        words = ["batch", "check", self._sweep, "--out", str(out), "--pool", "processes:2"]
        return subprocess.Popen(
            [sys.executable, "-m", "falsework", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _fresh(self) -> Path:
        self._count += 1
        return self._folder / f"run-{self._count}"

    def worker_kills(self, count: int) -> list[str]:
        """So many workers killed, several in one run; what is to be said against it."""
        against, left = [], count
        while left:
            out = self._fresh()
            struck = 0
            with self._run(out) as run:
                while run.poll() is None and struck < min(left, 10):
                    time.sleep(self._rng.uniform(0.0, self._whole_s / 12))
                    victims = _workers(run.pid)
                    if victims and _begun(out):
                        with suppress(ProcessLookupError):
                            os.kill(self._rng.choice(victims), signal.SIGKILL)
                            struck += 1
                run.wait()
            left -= struck
            against += self._judged(out, run.returncode)
        return against

    def parent_kills(self, count: int) -> list[str]:
        """So many runs killed with all their processes but the workers, then run to their end."""
        against, struck = [], 0
        out = self._fresh()
        while struck < count:
            with self._run(out) as run:
                with suppress(subprocess.TimeoutExpired):
                    run.wait(self._rng.uniform(0.05, 1.0) * self._whole_s)
                if run.poll() is None:
                    for process in _family(run.pid, self._rng.random() < 0.5):
                        with suppress(ProcessLookupError):
                            os.kill(process, signal.SIGKILL)
                    struck += 1
                    run.wait()
                    mend(out)
                    against += self._part_of(out)
                else:
                    against += self._judged(out, run.returncode)
                    out = self._fresh()
        with self._run(out) as run:
            run.wait()
        return against + self._judged(out, run.returncode)

    def _part_of(self, out: Path) -> list[str]:
        strange = set(lines(out, ROWS)) - set(self._wanted)
        return [f"{out.name}: {len(strange)} rows are different"] if strange else []

    def _judged(self, out: Path, code: int | None) -> list[str]:
        found = sorted(lines(out, ROWS))
        excused = {line for line in found if b'"quarantined"' in line}  # its worker was killed twice
        missing = len(set(self._wanted) - set(found)) - len(excused)
        against = []
        if code not in (0, 1 if excused else 0):
            against.append(f"{out.name}: exit code {code}")
        if missing:
            against.append(f"{out.name}: {missing} rows are missing or different")
        if len(found) != len(self._wanted):
            against.append(f"{out.name}: {len(found)} rows, expected {len(self._wanted)}")
        if len(excused) > 2:
            against.append(f"{out.name}: {len(excused)} quarantined")
        return against


def _begun(out: Path) -> bool:
    return any(True for _ in lines(out, ROWS))


def _family(session: int, all_of_it: bool) -> list[int]:
    """The process that was started and the one that works for it; or all there are."""
    members = _members(session)
    return [process for process, parent in members if all_of_it or process == session or parent == session]


def _workers(session: int) -> list[int]:
    """Processes of the run that have no children and whose parent is a nursery: the leaves."""
    members = _members(session)
    parents = {parent for _, parent in members}
    depth = dict(members)

    def above(process: int) -> int:
        return 0 if process == session or process not in depth else 1 + above(depth[process])

    return [process for process, _ in members if process not in parents and above(process) == 3]


def _members(session: int) -> list[tuple[int, int]]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append((int(stat.parent.name), int(fields[1])))
    return found


def main() -> int:
    workers, parents, seed = (*map(int, sys.argv[1:]), *(50, 20, 0)[len(sys.argv) - 1 :])
    with tempfile.TemporaryDirectory() as folder:
        hunt = Hunt(SWEEP, Path(folder), Random(seed))
        found = {"workers": hunt.worker_kills(workers), "parents": hunt.parent_kills(parents)}
    told = {"killed": {"workers": workers, "parents": parents}, "against": found}
    sys.stdout.write(json.dumps(told, indent=1) + "\n")
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
