"""Whether the gallery's planning set is built as its makers declare, and the fewest hands that do, with proof."""

from __future__ import annotations

import time
from collections import Counter

from falsework.bench.rows import Row
from falsework.gallery import planning_set
from falsework.planning.plan import plan
from falsework.planning.verification.verify import verify

PATIENCE_S = 60.0
FEW = 17  # parts up to which the fewest hands are to be proved


def as_declared() -> Row:
    """Every assembly with the hands that are said to do, or two; those that are said to be unbuildable are not."""
    outcomes: Counter[str] = Counter()
    others, start = [], time.perf_counter()
    for specimen in planning_set():
        assembly, truth = specimen.make(), specimen.truth
        planned = plan(assembly, rules="holds", robots=truth.hands or 2, groups=False, timeout_s=PATIENCE_S)
        if planned.status == "complete":
            outcome = "verified" if verify(planned.plan, assembly).valid else "wrong"
        else:
            outcome = "proved impossible" if planned.status == "infeasible" else planned.status
        outcomes[outcome] += 1
        expected = "proved impossible" if truth.unbuildable else "verified"
        if outcome != expected and (truth.hands is not None or truth.unbuildable or outcome not in SETTLED):
            others.append(specimen.name)
    count = sum(outcomes.values())
    return Row(
        f"{count} gallery assemblies as declared",
        1e3 * (time.perf_counter() - start) / count,
        notes={**outcomes, "otherwise": others},
        target="all",
        figure=f"{count - len(others)} of {count}",
    )


SETTLED = ("verified", "proved impossible")


def fewest_hands(most_parts: int = FEW) -> Row:
    """The fewest hands of every small assembly: a verified plan, and a proof for one hand less."""
    hands: Counter[int] = Counter()
    unproved, count, start = [], 0, time.perf_counter()
    for specimen in planning_set():
        assembly = specimen.make()
        if len(assembly.parts) > most_parts:
            continue
        count += 1
        planned = plan(assembly, rules="holds", robots="fewest", timeout_s=PATIENCE_S)
        if planned.fewest and verify(planned.plan, assembly).valid:
            hands[planned.plan.rules.robots] += 1
        else:
            unproved.append(specimen.name)
    return Row(
        f"fewest hands, up to {most_parts} parts",
        1e3 * (time.perf_counter() - start) / count,
        notes={**{f"{n} hands": hands[n] for n in sorted(hands)}, "unproved": unproved},
        target="proved for all",
        figure=f"proved for {count - len(unproved)} of {count}",
    )
