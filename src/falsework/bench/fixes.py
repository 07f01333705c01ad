"""Models of the gallery made weak or falling, and for how many of them `repair` finds a fix that is certified.

Each is a kind of the gallery with a random seed, from which parts are taken away one after the other until it falls
or its clutches work hard, or on which a part is loaded ever more, whichever is drawn.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

import numpy as np

from falsework.bench.rows import Row
from falsework.gallery import kinds, make
from falsework.geometry.contacts.ground import grounded
from falsework.laying.repair import STRONG, repaired
from falsework.model.assembly import Assembly, Load
from falsework.model.errors import BadInput
from falsework.verdicts.check import check

MODELS = 100
MOST_PARTS = 60  # of a model: larger ones say the same, later
MOST_TAKEN = 4
LOADS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # times the weight of the whole, or N where that is more


def weakened(count: int = MODELS, seed: int = 0) -> Iterator[tuple[str, Assembly]]:
    """So many models that fall or are weak, by name."""
    rng = np.random.default_rng(seed)
    names = sorted(kinds())
    made = 0
    while made < count:
        kind, own = str(rng.choice(names)), int(rng.integers(2**31))
        try:
            whole = make(kind, own)
        except BadInput:
            continue
        if not 1 < len(whole.parts) <= MOST_PARTS or not whole.is_grounded or whole.hinges:
            continue
        weak = _thinned(whole, rng) if rng.random() < 0.7 else _loaded(whole, rng)
        if weak is not None:
            made += 1
            yield f"{kind} {made}", weak


def _thinned(whole: Assembly, rng: np.random.Generator) -> Assembly | None:
    left = whole
    for _ in range(MOST_TAKEN):
        free = [number for number, part in enumerate(left.parts) if part.name not in left.fixed]
        if len(free) < 2:
            return None
        gone = int(rng.choice(free))
        parts = tuple(part for number, part in enumerate(left.parts) if number != gone)
        left = grounded(left.changed(parts=parts, ground_part=None), left.ground)
        if _is_weak(left):
            return left
    return None


def _loaded(whole: Assembly, rng: np.random.Generator) -> Assembly | None:
    free = [part.name for part in whole.parts if part.name not in whole.fixed]
    part = str(rng.choice(free))
    for times in LOADS:
        newtons = times * max(9.81 * whole.mass_kg, 1.0 if whole.parts[0].is_brick else 0.0)
        left = whole.changed(loads=(Load(part, np.array([0.0, 0.0, -newtons])),))
        if _is_weak(left):
            return left
    return None


def _is_weak(assembly: Assembly) -> bool:
    try:
        verdict = check(assembly, also=False)
    except BadInput:
        return False
    return verdict.answer == "unstable" or (verdict.stands and (verdict.utilization or 0.0) > STRONG)


def run() -> Iterator[Row]:
    """For how many weakened models a fix is found."""
    yield mended()


def mended(count: int = MODELS) -> Row:
    """The share of so many."""
    outcomes: Counter[str] = Counter()
    spent, parts = [], []
    for _, weak in weakened(count):
        start = time.perf_counter()
        found = repaired(weak)
        spent.append(time.perf_counter() - start)
        outcomes["mended" if found.is_mended else "not mended"] += 1
        parts += [sum(len(fix.added) for fix in found.fixes)] if found.is_mended else []
    share = outcomes["mended"] / count
    notes = {**outcomes, "parts added, median": float(np.median(parts)) if parts else 0.0}
    return Row(
        f"{count} gallery models made weak or falling",
        1e3 * float(np.median(spent)),
        notes=notes,
        target="≥ 90 % mended",
        figure=f"{100 * share:.0f} % mended",
    )
