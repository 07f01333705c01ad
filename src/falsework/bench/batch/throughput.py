"""Jobs a second: our pools, a loop in the shell, a plain pool; what this process does meanwhile; hostile files."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from falsework.batch.running import batch
from falsework.batch.shards import ROWS, lines, objects
from falsework.bench.rows import Row, peak_mb
from falsework.formats import save
from falsework.gallery import make

MOST_BRICKS = 30
HOSTILE = {  # what a folder of files from everywhere may have in it
    "empty.txt": b"",
    "nonsense.txt": b"2x4 (0,0,0)\nnonsense\n",
    "overlap.txt": b"2x4 (0,0,0)\n2x4 (1,0,0)\n",
    "binary.txt": bytes(range(256)) * 64,
    "far.txt": b"2x4 (9999999,0,0)\n2x4 (0,0,0)\n",
    "deep.json": b"[" * 100_000,
    "aliases.yaml": b"a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\n",
    "latin.yaml": b"format: falsework-assembly/1\nparts: [{name: \xff}]\n",
    "many.txt": b"1x1 (0,0,0)\n" * 100_001,
    "size.txt": b"999999x999999 (0,0,0)\n",
}


@dataclass(frozen=True, slots=True)
class _Spent:
    wall_s: float
    own_cpu_s: float
    children_cpu_s: float


def throughput(count: int, looped: int, pooled: int) -> Iterator[Row]:
    """So many structures in all; of them, so many by the shell and by a plain pool."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        files = structures(folder / "structures", count)
        two = _timed(lambda: batch("check", folder / "structures", out=folder / "two", pool="processes:2"))
        loop = _timed(lambda: _shell_loop(files[:looped]))
        plain = _timed(lambda: _plain_pool(files[:pooled]))
        one = _timed(lambda: batch("check", folder / "structures", out=folder / "one", pool="processes:1"))
        same = sorted(lines(folder / "one", ROWS)) == sorted(lines(folder / "two", ROWS))
        yield from _rows(two, one, loop, plain, (count, looped, pooled), same)
        yield _hostile(folder, files)


def structures(folder: Path, count: int) -> list[str]:
    """Random brick structures of up to MOST_BRICKS, as files."""
    folder.mkdir()
    files = []
    for seed in range(count):
        bricks = int(np.random.default_rng(seed).integers(1, MOST_BRICKS + 1))
        files.append(str(folder / f"{seed:05}.txt"))
        save(make("random-bricks", seed, bricks=bricks), files[-1])
    return files


def _rows(
    two: _Spent, one: _Spent, loop: _Spent, plain: _Spent, counts: tuple[int, int, int], same: bool
) -> Iterator[Row]:
    count, looped, pooled = counts
    ours = 1e3 * two.wall_s / count
    load = {"load_average": round(os.getloadavg()[0], 1)}
    shell, pool = 1e3 * loop.wall_s / looped, 1e3 * plain.wall_s / pooled
    yield Row(
        f"{count:,} structures, two processes",
        ours,
        shell,
        f"a shell loop over {looped}",
        {
            "jobs_per_s": count / two.wall_s,
            "cpu_ms": 1e3 * (two.own_cpu_s + two.children_cpu_s) / count,
            "shell_cpu_ms": 1e3 * loop.children_cpu_s / looped,
            **load,
        },
        target="≥ 50 x the shell loop",
        figure=f"{shell / ours:.0f} x",
    )
    yield Row(
        f"{count:,} structures, whole run",
        1e3 * two.wall_s,
        notes={"peak_mb": peak_mb()},
        target="10,000 in 90 s on two cores",
        figure=f"10,000 in {1e4 * two.wall_s / count:.0f} s",
    )
    yield Row(
        "beside a plain pool",
        ours,
        pool,
        f"multiprocessing.Pool(2) over {pooled}",
        {"its_cpu_ms": 1e3 * plain.children_cpu_s / pooled},
    )
    single = 1e3 * one.wall_s / count
    yield Row(
        "two processes over one",
        ours,
        single,
        "one process",
        {"rows_are_the_same": same, "one_cpu_ms": 1e3 * one.children_cpu_s / count},
        target="≥ 1.8 x",
        figure=f"{single / ours:.2f} x",
    )
    share = two.own_cpu_s / (two.own_cpu_s + two.children_cpu_s)
    yield Row(
        "this process, of the processor time",
        1e3 * two.own_cpu_s / count,
        notes={"limit_jobs_per_s": count / two.own_cpu_s},
        target="< 5 %",
        figure=f"{100 * share:.1f} %",
    )


def _timed(work: Callable[[], object]) -> _Spent:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun, cpu = time.perf_counter(), time.process_time()
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    children = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return _Spent(time.perf_counter() - begun, time.process_time() - cpu, children)


def _shell_loop(files: list[str]) -> None:
    """What people write today."""
    for file in files:
        words = [sys.executable, "-m", "falsework", "check", file, "--json"]
        subprocess.run(words, stdout=subprocess.DEVNULL, check=False)


def _plain_pool(files: list[str]) -> None:
    """What people write next: a process a core, libraries imported once, nothing else kept."""
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for _ in pool.imap_unordered(_plain_check, files):
            pass


def _plain_check(file: str) -> str:
    from falsework.verdicts.check import check

    verdict = check(file)
    return json.dumps({"verdict": verdict.answer, "utilization": verdict.utilization})


def _hostile(folder: Path, files: list[str]) -> Row:
    """A folder of which one file in a hundred is not what it should be."""
    mixed = folder / "mixed"
    mixed.mkdir()
    for file in files[: 100 * len(HOSTILE)]:
        os.link(file, mixed / Path(file).name)
    for name, data in HOSTILE.items():
        (mixed / name).write_bytes(data)
    start = time.perf_counter()
    found = batch("check", mixed, out=folder / "hostile", pool="processes:2", timeout_s=60.0, memory_mb=1024)
    spent = time.perf_counter() - start
    rows: list[dict[str, Any]] = list(objects(folder / "hostile", ROWS))
    refused = {Path(row["input"]).name for row in rows if "error" in row}
    named = sum(str(row["input"]) in row["error"]["message"] for row in rows if "error" in row)
    return Row(
        f"{len(HOSTILE)} hostile files of {found.jobs:,}",
        1e3 * spent / found.jobs,
        notes={"refused": found.failed, "given_up": found.quarantined, "named": named},
        target="all refused by name, all others answered",
        figure=f"{len(refused & set(HOSTILE))} refused, {found.jobs - len(refused)} answered"
        + ("" if refused == set(HOSTILE) else f", but also {sorted(refused ^ set(HOSTILE))}"),
    )
