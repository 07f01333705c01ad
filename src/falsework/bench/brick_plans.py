"""`falsework bench brick_plans`: plans for brick models, found, verified and built in the brick world, in ten minutes.

Every brick model of the gallery, and those of the reference data that are not too large; random models that stand, by
one hand and by two; seed 004's Algorithm 1 with and without its subassemblies; every press of every plan judged by the
published polygon, by forces and by the brick world, and every plan built there brick by brick. `--full`: 200 random
models instead of 12, and the large ones too (two hours); with `--journal FILE` it goes on where it was cut.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from falsework.bench.brick_models import Model, gallery_models, published_models, random_models
from falsework.bench.brick_tries import Journal, Tried
from falsework.bench.rows import Row
from falsework.planning.plans.jobs import Planner

SAMPLE, ALL = 12, 200
MOST_BRICKS = 80  # of a published model; larger ones with --full
SAMPLE_S, ALL_S = 60.0, 120.0  # for a plan or a proof
ALONE_S = 20.0  # for a plan by one hand, where one by two will do as well
ABLATED, ABLATED_S = 8, 5.0
SETTLED = 0.99
HANDS = (1, 2)
MOST_NAMED = 5


def run(full: bool = False, journal: Path | None = None) -> Iterator[Row]:
    kept = Journal(journal)
    tried: list[Tried] = []
    known = (model for model in published_models() if full or len(model.assembly.parts) <= MOST_BRICKS)
    published = "published models" if full else f"published models of up to {MOST_BRICKS} bricks"
    for case, models in (("gallery models", gallery_models()), (published, known)):
        start, some = time.perf_counter(), [_one_hand_or_two(kept, model) for model in models]
        tried += some
        yield _named(case, some, _ms(start))
    figures = list(random_models(ALL if full else SAMPLE))
    for hands in HANDS:
        some = [kept.attempt(model, hands, ALL_S if full else SAMPLE_S) for model in figures]
        tried += some
        yield _settled(hands, some)
    plans = {one.model for one in tried if one.hands == 1 and one.outcome == "plan"}
    yield _ablation([model for model in figures if model.name in plans][:ABLATED])
    yield from _judged(tried)


def _one_hand_or_two(kept: Journal, model: Model) -> Tried:
    """By as many hands as it takes."""
    alone = kept.attempt(model, 1, ALONE_S)
    return alone if alone.outcome in ("plan", "falls") else kept.attempt(model, 2, ALL_S)


def _named(case: str, tried: Sequence[Tried], spent_ms: float) -> Row:
    """Models that do not stand are proved not to."""
    counts = Counter(one.outcome if one.hands == 1 else f"{one.outcome}, 2 hands" for one in tried)
    stand = [one for one in tried if one.outcome != "falls"]
    plans = sum(one.outcome == "plan" for one in stand)
    left = _listed(one.model for one in stand if one.outcome != "plan")
    figure = f"{plans} of {len(stand)} that stand" + (f"; not {left}" if left else "")
    return Row(case, spent_ms, notes=dict(counts), figure=figure, target="a plan for every one")


def _settled(hands: int, tried: Sequence[Tried]) -> Row:
    """How many models have a plan, how many a proof that there is none, and how many neither."""
    outcomes = Counter(one.outcome for one in tried)
    times = [1e3 * one.planning_s for one in tried]
    settled = sum(one.is_settled for one in tried) / len(tried)
    left = _listed(one.model for one in tried if not one.is_settled)
    return Row(
        f"{len(tried)} random models, {_hands(hands)}",
        float(np.median(times)),
        notes={**outcomes, "worst_ms": max(times), **({"left": left} if left else {})},
        figure=f"{outcomes['plan']} plans, {outcomes['proof']} proofs: {settled:.1%}",
        target=f"a plan or a proof for ≥ {SETTLED:.0%}",
    )


def _ablation(models: list[Model]) -> Row:
    """Algorithm 1 with and without subassemblies, where there is a plan: time, and evaluations in all."""
    spent: dict[Planner, float] = {"subassemblies": 0.0, "one-by-one": 0.0}
    notes: dict[str, int] = {}
    for planner in spent:
        done = [model.planned(1, ABLATED_S, planner) for model in models]
        spent[planner] = 1e3 * sum(one.wall_s for one in done)
        notes[f"tried {planner}"] = sum(one.evaluations for one in done)
        notes[f"solved {planner}"] = sum(one.status == "complete" for one in done)
    return Row("Algorithm 1", spent["subassemblies"], spent["one-by-one"], "without subassemblies", notes)


def _judged(tried: Sequence[Tried]) -> Iterator[Row]:
    """Polygon against forces, both against the world, and plans built as they say."""
    plans = [one for one in tried if one.outcome == "plan"]
    spent_ms = 1e3 * sum(one.building_s for one in plans)
    presses = [press for one in plans for press in one.presses]
    differ = [press for press in presses if press.polygon != press.forces]
    counts = Counter((press.polygon, press.forces) for press in differ)
    yield Row(
        "presses, polygon and forces",
        spent_ms,
        notes={
            "polygon refuses what bears": counts[False, True],
            "polygon lets pass what breaks": counts[True, False],
        },
        figure=f"{len(differ)} of {len(presses)} differ ({len(differ) / max(len(presses), 1):.0%})",
        target="how often they differ",
    )
    right = sum(press.forces == press.world for press in presses)
    against = [f"{one.model}, {press.part}" for one in plans for press in one.presses if press.forces != press.world]
    yield Row(
        "presses in the brick world",
        spent_ms,
        notes={
            "forces right in all": f"{right} of {len(presses)}",
            "polygon right in all": f"{sum(press.polygon == press.world for press in presses)} of {len(presses)}",
            "against the forces": _listed(against) or "none",
        },
        figure=f"forces {sum(press.forces == press.world for press in differ)}, "
        f"polygon {sum(press.polygon == press.world for press in differ)} of {len(differ)} where they differ",
        target="who is right",
    )
    bricks = [press for press in presses if press.planned]
    left = _listed(f"{one.model} by {_hands(one.hands)}" for one in plans if not one.is_built)
    yield Row(
        "plans built in the brick world",
        spent_ms,
        notes={"steps": f"{sum(press.world for press in bricks)} of {len(bricks)}", **({"left": left} if left else {})},
        figure=f"{sum(one.is_built for one in plans)} of {len(plans)} whole",
        target="every brick in, nothing broken",
    )


def _hands(hands: int) -> str:
    return "1 hand" if hands == 1 else f"{hands} hands"


def _listed(names: Iterable[str]) -> str:
    several = list(names)
    return "; ".join(several[:MOST_NAMED]) + (
        f"; {len(several) - MOST_NAMED} more" if len(several) > MOST_NAMED else ""
    )


def _ms(start: float) -> float:
    return 1e3 * (time.perf_counter() - start)
