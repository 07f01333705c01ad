"""Runs of `falsework plan` that are killed at random moments, and resumed until one gets through.

Every run is a process of its own, killed outright. What it leaves behind must be whole, and the plan that comes out in
the end must be the one of a run that nobody disturbed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from falsework.bench.rows import Row
from falsework.formats import write
from falsework.gallery import make

KILLS, SPARED = 50, 0.5
KIND: tuple[str, dict[str, int | float]] = ("barrel-vault", {"stones": 9, "rows": 3})
OPTIONS = ("--robots", "2", "--paths", "none", "--json")


@dataclass(frozen=True, slots=True)
class Survived:
    """What many kills came to."""

    kills: int
    finished: int  # runs that got through and wrote their plan
    wrong: tuple[str, ...]  # whatever was not as it should be


def interrupted(kills: int = KILLS) -> Row:
    """Kills until so many have struck; `ours` is how long the undisturbed run takes."""
    with tempfile.TemporaryDirectory() as folder:
        thing = Path(folder) / "thing.yaml"
        kind, parameters = KIND
        write(make(kind, 0, **parameters), thing)
        start = time.perf_counter()
        wanted = undisturbed(thing, Path(folder) / "undisturbed")
        whole_s = time.perf_counter() - start
        came_to = killed_and_resumed(thing, wanted, Path(folder), kills, whole_s)
    figure = f"{came_to.finished} runs, {len(came_to.wrong)} wrong"
    notes = {"finished": came_to.finished, "wrong": list(came_to.wrong)}
    return Row(
        f"killed {came_to.kills} times and resumed",
        1e3 * whole_s,
        notes=notes,
        target="the same plan, no corrupt file",
        figure=figure,
    )


def killed_and_resumed(thing: Path, wanted: Any, folder: Path, kills: int, whole_s: float) -> Survived:
    """Kill runs at moments spread over `whole_s` until `kills` have struck; every other resumed one may finish."""
    rng = np.random.default_rng(0)
    struck = finished = 0
    wrong: list[str] = []
    while struck < kills:
        out = folder / f"run-{finished}"
        code = None
        while code is None:
            spared = struck >= kills or (out.exists() and rng.random() < SPARED)
            code = _run(thing, out, None if spared else float(rng.uniform(0.0, whole_s)))
            struck += code is None
            wrong += _corrupt(out)
        finished += 1
        if code != 0:
            wrong.append(f"exit code {code}")
        elif _steps(out) != wanted:
            wrong.append(f"another plan in {out.name}")
    return Survived(struck, finished, tuple(wrong))


def undisturbed(thing: Path, out: Path) -> Any:
    """The steps of a plan that nobody disturbed."""
    if _run(thing, out, None) != 0:
        raise RuntimeError(f"the undisturbed run of {thing.name} found no plan")
    return _steps(out)


def _run(thing: Path, out: Path, patience_s: float | None) -> int | None:
    """The exit code of one run, or None if it was killed first."""
    command = [sys.executable, "-m", "falsework", "plan", str(thing), *OPTIONS, "--out", str(out), "--resume"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def _steps(out: Path) -> Any:
    return json.loads((out / "plan.json").read_text(encoding="utf-8"))["steps"]


def _corrupt(out: Path) -> Iterator[str]:
    """Files that are not what their names say."""
    for file in out.glob("*.json"):
        try:
            json.loads(file.read_text(encoding="utf-8"))
        except ValueError:
            yield f"{file.name} is corrupt"
