"""`falsework bench plan`: whole plans, contacts and paths included, and seed 001's Table I on the planning set.

Plans: the default planner beside a beam of 64 states as seed 002 has it, on the same machine code. Disruptions:
the median of 50, half-way through a plan. Table I: how many assemblies of the gallery's planning set are planned within
50 and 400 evaluations, holding at most 2, 3 and 4 parts; `ours` is then the mean time an assembly.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from falsework.bench.rows import Row
from falsework.formats import load
from falsework.gallery import planning_set
from falsework.geometry.interfaces import interfaces
from falsework.geometry.removal import StraightRemovals
from falsework.model.assembly import Assembly
from falsework.planning.plan import plan
from falsework.planning.replan import Disruption, goal_after, node_after
from falsework.planning.rules import rules_for
from falsework.planning.solving import Planned, Planner, Settings, solve
from falsework.planning.workshop import Goal, Workshop

REFERENCE_DATA = Path("../shared/data/blocks")
PUBLISHED = {
    "Bottle-12": ("tetris-1", "0"),
    "Tetris-17": ("tetris-2", "0"),
    "Tetris-14": ("tetris-3", "0"),
    "Arch-7": ("arch", "0,8"),
    "Dome-37": ("rulin", "0"),
    "Dome-72": ("dome", "72"),
}
DISRUPTED = ("Bottle-12", "Tetris-17", "Dome-37")
DISRUPTIONS, PATIENCE_S = 50, 20.0
PARTS_HELD, BUDGETS = (2, 3, 4), (50, 400)
METHODS: dict[str, tuple[Planner, str]] = {
    "outside-in": ("depth-first", "outside-in"),
    "height": ("depth-first", "height"),
    "volume": ("depth-first", "volume"),
    "degree": ("depth-first", "degree"),
    "least-blocked": ("depth-first", "least-blocked"),
    "best-first": ("best-first", "outside-in"),
    "random": ("depth-first", "random"),
    "random permutation": ("random-permutation", "random"),
    "genetic": ("genetic", "random"),
    "stability-blind": ("stability-blind", "random"),
}
SEED_001 = {  # percent of its 240 assemblies, 2, 3 and 4 parts held with 50 evaluations, then with 400
    "outside-in": (51.25, 61.25, 68.75, 66.67, 74.17, 80.83),
    "random permutation": (14.58, 25.42, 41.25, 27.92, 43.33, 55.42),
    "genetic": (14.17, 25.83, 40.00, 30.83, 41.25, 51.25),
    "stability-blind": (19.17, 27.08, 35.42, 30.42, 46.25, 56.67),
}


def run() -> Iterator[Row]:
    """Plans, disruptions, Table I."""
    models = {name: _published(name) for name in PUBLISHED if (REFERENCE_DATA / PUBLISHED[name][0]).is_dir()}
    plan(next(specimen for specimen in planning_set()).make())  # loads the machine code
    for name, assembly in models.items():
        yield _plan_row(name, assembly)
    if "Bottle-12" in models:
        yield _reorient_row("Bottle-12, seed 001, base fixed", models["Bottle-12"])
        yield _reorient_row("Bottle-12, seed 001, free", models["Bottle-12"].changed(fixed=frozenset()))
    for name in DISRUPTED:
        if name in models:
            yield _disruption_row(name, models[name])
    yield from table_one()


def _published(name: str) -> Assembly:
    folder, fixed = PUBLISHED[name]
    return load(REFERENCE_DATA / folder, fixed=fixed.split(","))


def _plan_row(name: str, assembly: Assembly) -> Row:
    ours, ours_ms = _timed(assembly, "auto")
    theirs, theirs_ms = _timed(assembly, "beam")
    notes = {"status": ours.status, "evaluations": ours.evaluations, "of the beam": theirs.evaluations}
    return Row(f"{name}, 2 hands", ours_ms, theirs_ms, "beam of 64", notes)


def _timed(assembly: Assembly, planner: Planner) -> tuple[Planned, float]:
    start = time.perf_counter()
    planned = plan(assembly, robots=2, planner=planner, timeout_s=600)
    return planned, 1e3 * (time.perf_counter() - start)


def _reorient_row(name: str, assembly: Assembly) -> Row:
    start = time.perf_counter()
    planned = plan(assembly, rules="reorient", robots=2, selector="outside-in")
    spent = 1e3 * (time.perf_counter() - start)
    return Row(name, spent, notes={"status": planned.status, "evaluations": planned.evaluations})


def _disruption_row(name: str, assembly: Assembly) -> Row:
    """Parts missing or late, hands lost or added, at random moments; with a warm cache."""
    rules, found = rules_for(assembly, "holds", 2), interfaces(assembly)
    removals = StraightRemovals(assembly, found)
    shops = {n: Workshop(assembly, replace(rules, robots=n), found=found, removals=removals) for n in (1, 2, 3)}
    whole = solve(shops[2], shops[2].everything, Settings())
    rng, times = np.random.default_rng(0), []
    outcomes: Counter[str] = Counter()
    for _ in range(DISRUPTIONS):
        hands, goal = _disrupted(assembly, whole, rng)
        start = time.perf_counter()
        outcomes[solve(shops[hands], goal, Settings(timeout_s=PATIENCE_S)).status] += 1
        times.append(time.perf_counter() - start)
    return Row(f"{name}, {DISRUPTIONS} disruptions", 1e3 * float(np.median(times)), notes=dict(outcomes))


def _disrupted(assembly: Assembly, whole: Planned, rng: np.random.Generator) -> tuple[int, Goal]:
    """How many hands there are from now on, and what is to be done."""
    at = int(rng.integers(len(whole.plan.steps)))
    there = node_after(assembly, whole.plan, at)
    absent = assembly.named(whole.moves[-1].later.installed & ~there.installed)
    kind = rng.integers(3)
    if kind == 0:
        return 2, goal_after(assembly, whole.plan, Disruption(at, missing=(str(rng.choice(absent)),)))
    if kind == 1:
        late = rng.choice(absent, min(len(absent), int(rng.integers(1, 4))), replace=False)
        return 2, goal_after(assembly, whole.plan, Disruption(at, delayed=tuple(map(str, late))))
    return int(rng.choice([1, 3])), goal_after(assembly, whole.plan, Disruption(at))


def table_one() -> Iterator[Row]:
    """Success by method, parts held and budget."""
    solved: Counter[tuple[str, int, int]] = Counter()
    spent: defaultdict[str, float] = defaultdict(float)
    count = 0
    for specimen in planning_set():
        assembly = specimen.make()
        count += 1
        for key, took, done in _success(assembly):
            solved[key] += done
            spent[key[0]] += took
    for method in METHODS:
        rates = [100.0 * solved[method, held, budget] / count for budget in BUDGETS for held in PARTS_HELD]
        notes = dict(zip(_columns(), rates, strict=True))
        if method in SEED_001:
            notes |= {f"seed 001, {column}": rate for column, rate in zip(_columns(), SEED_001[method], strict=True)}
        yield Row(f"Table I, {method}", 1e3 * spent[method] / (count * len(rates)), notes=notes)


def _columns() -> list[str]:
    return [f"{held} held, {budget} evaluations (%)" for budget in BUDGETS for held in PARTS_HELD]


def _success(assembly: Assembly) -> Iterator[tuple[tuple[str, int, int], float, bool]]:
    """Whether each method plans one assembly, by parts held and budget, and how long it took."""
    found = interfaces(assembly)
    removals = StraightRemovals(assembly, found)
    for held in PARTS_HELD:
        rules = rules_for(assembly, "reorient", held + 1)
        workshop = Workshop(assembly, rules, found=found, removals=removals)
        for method, (planner, selector) in METHODS.items():
            for budget in BUDGETS:
                start = time.perf_counter()
                done = solve(workshop, workshop.everything, Settings(planner, selector, budget)).status == "complete"
                yield (method, held, budget), time.perf_counter() - start, done
