"""`falsework bench brick_plans`: plans for brick models, found and verified, in ten minutes on a quiet core.

Every brick model of the gallery and of the reference data; random models that stand, by one hand and by two (`--full`:
200 instead of 60, half an hour); seed 004's Algorithm 1 with and without its subassemblies; and every press of the
plans judged by the published polygon, by forces, and by the brick world.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from falsework.bench.brick_models import Model, gallery_models, published_models, random_models
from falsework.bench.brick_presses import press_rows
from falsework.bench.rows import Row
from falsework.planning.jobs import Planned, Planner
from falsework.planning.verify import verify

SAMPLE, ALL = 60, 200
ABLATED, ABLATED_S = 20, 10.0
PRESSED, LAID = 40, 10  # models whose presses are asked about, and laid brick by brick; with --full all, and four times
SETTLED, SETTLES = 0.99, ("plan", "proof")
HANDS = (1, 2)


def run(full: bool = False) -> Iterator[Row]:
    yield _named("gallery models", gallery_models())
    yield _named("published models", published_models())
    models = list(random_models(ALL if full else SAMPLE))
    planned: dict[int, list[tuple[Model, Planned]]] = {}
    for robots in HANDS:
        planned[robots] = [(model, model.planned(robots)) for model in models]
        yield _settled(robots, planned[robots])
    yield _ablation([model for model, done in planned[1] if done.status == "complete"][:ABLATED])
    built = [both for both in planned[HANDS[-1]] if both[1].status == "complete"]
    yield from press_rows(built if full else built[:PRESSED], 4 * LAID if full else LAID)


def _outcome(model: Model, done: Planned) -> str:
    """What came of it; a plan counts if it is verified."""
    if done.status == "complete":
        return "plan" if verify(done.plan, model.assembly).valid else "invalid"
    return "proof" if done.status == "infeasible" else "open"


def _named(case: str, models: Iterable[Model]) -> Row:
    """One hand if that is enough, else two; models that do not stand are proved not to."""
    start = time.perf_counter()
    counts, left = Counter[str](), []
    for model in models:
        if not model.stands:
            counts["falls"] += 1
            continue
        for robots in HANDS:
            outcome = _outcome(model, model.planned(robots))
            if outcome == "plan":
                break
        counts["plan, 2 hands" if outcome == "plan" and robots > 1 else outcome] += 1
        if outcome != "plan":
            left.append(model.name)
    plans = counts["plan"] + counts["plan, 2 hands"]
    stand = sum(counts.values()) - counts["falls"]
    figure = f"{plans} of {stand} that stand" + (f"; not {', '.join(left)}" if left else "")
    return Row(
        case, 1e3 * (time.perf_counter() - start), notes=dict(counts), figure=figure, target="a plan for every one"
    )


def _settled(robots: int, planned: list[tuple[Model, Planned]]) -> Row:
    """How many models have a plan, how many a proof that there is none, and how many neither."""
    named = [(model.name, _outcome(model, done)) for model, done in planned]
    outcomes = Counter(outcome for _, outcome in named)
    times = [1e3 * done.wall_s for _, done in planned]
    settled = (outcomes["plan"] + outcomes["proof"]) / len(planned)
    hands = "1 hand" if robots == 1 else f"{robots} hands"
    return Row(
        f"{len(planned)} random models, {hands}",
        float(np.median(times)),
        notes={**outcomes, "worst_ms": max(times), "left": ", ".join(n for n, how in named if how not in SETTLES)},
        figure=f"{outcomes['plan']} plans, {outcomes['proof']} proofs: {settled:.1%}",
        target=f"a plan or a proof for ≥ {SETTLED:.0%}",
    )


def _ablation(models: list[Model]) -> Row:
    """Algorithm 1 with and without subassemblies, where there is a plan: time, and evaluations in all."""
    spent: dict[Planner, float] = {"subassemblies": 0.0, "one-by-one": 0.0}
    notes: dict[str, int] = {}
    for planner in spent:
        done = [model.planned(1, planner, ABLATED_S) for model in models]
        spent[planner] = 1e3 * sum(one.wall_s for one in done)
        notes[f"tried {planner}"] = sum(one.evaluations for one in done)
        notes[f"solved {planner}"] = sum(one.status == "complete" for one in done)
    return Row("Algorithm 1", spent["subassemblies"], spent["one-by-one"], "without subassemblies", notes)
