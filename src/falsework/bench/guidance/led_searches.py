"""Searches that the generalist leads, beside those that nobody leads: evaluations a part, and time."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from falsework.bench.rows import Row
from falsework.gallery import planning_set
from falsework.gallery.registry import make
from falsework.learning.generalist.shipped import generalist
from falsework.model.assembly import Assembly
from falsework.model.ports import Guide
from falsework.planning.plan import plan
from falsework.planning.verification.verify import verify

BRICKS = (("random-bricks", 1), ("random-bricks", 2), ("brick-bridge", 0), ("brick-stairs", 0), ("brick-wall", 0))
CASES, PATIENCE = 50, 20_000  # evaluations


def led_rows(full: bool = False) -> Iterator[Row]:
    yield led("gallery, two hands", list(_solvable(CASES if full else 12)), rules="holds", paths="none")
    bricks = [(f"{kind} {seed}", make(kind, seed)) for kind, seed in BRICKS]
    yield led("bricks, one hand, presses", bricks if full else bricks[:2], rules="bricks")


def _solvable(most: int) -> Iterator[tuple[str, Assembly]]:
    """Of the planning set those that two hands can build, spread over all of it."""
    found = [one for one in planning_set() if not one.truth.unbuildable and (one.truth.hands or 2) <= 2]
    for number in np.unique(np.linspace(0, len(found) - 1, most).round().astype(int)):
        yield found[number].name, found[number].make()


def led(name: str, cases: list[tuple[str, Assembly]], **options: object) -> Row:
    """The geometric mean of evaluations a part, and the worst case against the search without a guide."""
    shares, ratios, times, left_out = [], {}, [0.0, 0.0], 0
    for case, assembly in cases:
        plain, plain_s = _timed(assembly, None, options)
        guided, guided_s = _timed(assembly, generalist(assembly), options)
        if plain.status != "complete" or guided.status != "complete" or not verify(guided.plan, assembly).valid:
            left_out += 1
            continue
        movable = len(assembly.parts) - len(assembly.fixed)
        shares.append((plain.evaluations / movable, guided.evaluations / movable))
        ratios[case] = guided.evaluations / plain.evaluations
        times = [times[0] + plain_s, times[1] + guided_s]
    unguided, with_guide = np.exp(np.log(np.array(shares)).mean(axis=0)).tolist()
    worst = max(ratios, key=lambda case: ratios[case])
    return Row(
        f"guided, {name}, {len(shares)} cases",
        1e3 * times[1] / len(shares),
        1e3 * times[0] / len(shares),
        "no guide",
        notes={"worst": worst, "left out": left_out, "without": f"{unguided:.2f} a part"},
        target="≤ 1.2 evaluations a part, never above 1.5 × without",
        figure=f"{with_guide:.2f} a part, worst {ratios[worst]:.2f} ×",
    )


def _timed(assembly: Assembly, guide: Guide | None, options: dict[str, object]):  # type: ignore[no-untyped-def]
    start = time.process_time()
    found = plan(assembly, guide=guide, groups=False, budget=PATIENCE, **options)  # type: ignore[arg-type]
    return found, time.process_time() - start
