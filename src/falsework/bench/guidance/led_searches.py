"""Searches that the generalist leads, beside those that nobody leads: evaluations a part, and time.

None of the assemblies is one that it was taught: of the planning set, those that the course has are left out, and other
sizes and the published models are put in.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from falsework.bench.published import at_hand, published
from falsework.bench.rows import Row
from falsework.gallery import planning_set
from falsework.gallery.registry import make
from falsework.learning.generalist.shipped import generalist
from falsework.learning.generalist.taught import assemblies
from falsework.model.assembly import Assembly
from falsework.model.ports import Guide
from falsework.planning.plan import plan
from falsework.planning.verification.verify import verify

BRICKS = (("random-bricks", 1), ("random-bricks", 2), ("brick-bridge", 0), ("brick-stairs", 0), ("brick-wall", 0))
CASES, PATIENCE = 50, 20_000  # evaluations


OTHERS: tuple[tuple[str, dict[str, float]], ...] = (
    ("semicircular-arch", {"stones": 13}),
    ("semicircular-arch", {"stones": 17}),
    ("pointed-arch", {"stones": 11}),
    ("flat-arch", {"stones": 9}),
    ("barrel-vault", {"stones": 7, "rows": 2}),
    ("dome", {"rings": 2, "segments": 8}),
    ("hexagonal-shell", {"rings": 1, "angle": 35.0}),
    ("mortise-frame", {"bays": 4}),
    ("running-bond-wall", {"columns": 4, "courses": 4}),
)


def led_rows(full: bool = False) -> Iterator[Row]:
    yield led("not taught, two hands", untaught(CASES if full else 12), rules="holds", paths="none")
    bricks = [(f"{kind} {seed}", make(kind, seed)) for kind, seed in BRICKS]
    yield led("bricks, one hand, presses", bricks if full else bricks[:2], rules="bricks")


def untaught(most: int) -> list[tuple[str, Assembly]]:
    """Assemblies that two hands can build and no lesson was about, spread over all of them."""
    taught = {_places(assembly) for _, assembly in assemblies(seeds=0)}
    solvable = [one for one in planning_set() if not one.truth.unbuildable and (one.truth.hands or 2) <= 2]
    cases = [(one.name, one.make()) for one in solvable]
    cases += [(f"{kind} {parameters}", make(kind, 0, **parameters)) for kind, parameters in OTHERS]
    cases += [(name, published(name)) for name in at_hand()]
    found = [(name, assembly) for name, assembly in cases if _places(assembly) not in taught]
    return [found[n] for n in np.unique(np.linspace(0, len(found) - 1, min(most, len(found))).round().astype(int))]


def _places(assembly: Assembly) -> bytes:
    """What two assemblies of the same parts in the same places have in common."""
    return bytes((assembly.coms_m.round(9) + 0.0).tobytes())


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
