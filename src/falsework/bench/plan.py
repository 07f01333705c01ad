"""`falsework bench plan`: everything about plans, in ten minutes on a quiet core; `--full` adds some more.

Whole commands, contacts, paths and pages included, and their plans verified; the default planner beside a beam of 64
states as seed 002 has it, on the same machine code; seed 001's rules; the gallery as declared; disruptions; kills;
Table I.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from falsework.bench.disruptions import disrupted
from falsework.bench.gallery_plans import as_declared, fewest_hands
from falsework.bench.interruptions import interrupted
from falsework.bench.published import FOLDERS, at_hand, folder_of, published
from falsework.bench.rows import Row
from falsework.bench.table_one import table_one
from falsework.gallery import planning_set
from falsework.model.assembly import Assembly
from falsework.planning.plan import plan
from falsework.planning.plans.jobs import Planned, Planner
from falsework.planning.verification.verify import verify

COMMAND_TARGETS_S = {
    "Bottle-12": 1,
    "Tetris-17": 2,
    "Tetris-14": 2,
    "Arch-7": 2,
    "Dome-37": 8,
    "Dome-72": 40,
}
REORIENT_TARGET_S = 3
DISRUPTED = ("Bottle-12", "Tetris-17", "Dome-37")
TOO_LONG = ("Dome-72",)  # where the beam alone takes two minutes
PATIENCE_S = 1200.0


def run(full: bool = False) -> Iterator[Row]:
    """The quick ones first."""
    models = at_hand()
    for name in models:
        yield _command_row(name)
    plan(planning_set()[0].make())  # loads what a first search loads
    for name in models:
        if full or name not in TOO_LONG:
            yield _search_row(name, published(name))
    if "Bottle-12" in models:
        bottle = published("Bottle-12")
        yield _reorient_row("Bottle-12, seed 001, base fixed", bottle)
        yield _reorient_row("Bottle-12, seed 001, free", bottle.changed(fixed=frozenset()))
    for name in DISRUPTED:
        if name in models:
            yield disrupted(name, published(name))
    yield as_declared()
    yield fewest_hands()
    yield interrupted()
    yield from table_one(None) if full else table_one()


def _command_row(name: str) -> Row:
    """The whole command, twice: the first run may still have files to read that are on no disk cache."""
    _, fixed = FOLDERS[name]
    with tempfile.TemporaryDirectory() as out:
        options = (str(folder_of(name)), "--fixed", fixed, "--robots", "2", "--json", "--out", out)
        spent = min(_command_s("plan", *options) for _ in range(2))
        valid = verify(Path(out) / "plan.json").valid
    return Row(
        f"{name}, whole command",
        1e3 * spent,
        notes={"verified": valid},
        target=f"≤ {COMMAND_TARGETS_S[name]} s",
        figure=f"{spent:.2f} s" if valid else "no valid plan",
    )


def _command_s(*words: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "falsework", *words], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _search_row(name: str, assembly: Assembly) -> Row:
    ours, ours_ms = _timed(assembly, "auto")
    theirs, theirs_ms = _timed(assembly, "beam")
    notes = {"status": ours.status, "evaluations": ours.evaluations, "of the beam": theirs.evaluations}
    return Row(f"{name}, 2 hands", ours_ms, theirs_ms, "beam of 64", notes)


def _timed(assembly: Assembly, planner: Planner) -> tuple[Planned, float]:
    start = time.perf_counter()
    planned = plan(assembly, robots=2, planner=planner, timeout_s=PATIENCE_S)
    return planned, 1e3 * (time.perf_counter() - start)


def _reorient_row(name: str, assembly: Assembly) -> Row:
    start = time.perf_counter()
    planned = plan(assembly, rules="reorient", robots=2, selector="outside-in")
    spent = time.perf_counter() - start
    valid = verify(planned.plan, assembly).valid
    return Row(
        name,
        1e3 * spent,
        notes={"status": planned.status, "evaluations": planned.evaluations, "verified": valid},
        target=f"≤ {REORIENT_TARGET_S} s (public code 92 to 135 s)",
        figure=f"{spent:.2f} s" if valid else "no valid plan",
    )
