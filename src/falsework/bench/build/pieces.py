"""What a controller without subassemblies leaves out: drawn products that go together from pieces only.

Ours lays brick by brick, so there is nothing to ablate. What that costs is counted before tasks are chosen: shapes as
they are drawn, whether or not fingers would find room, asked of the planner with and without pieces.
"""

from __future__ import annotations

from collections import Counter
from time import process_time

import numpy as np

from falsework.bench.rows import Row
from falsework.execution.tiers.products import product
from falsework.execution.tiers.tasks import on_plate
from falsework.model.assembly import Assembly
from falsework.planning.plan import plan

BUDGET = 400  # evaluations a plan


def how(assembly: Assembly) -> str:
    """`singly`, `in pieces` only, or `neither`, as far as the budget goes.

    >>> how(on_plate(product(1, np.random.default_rng(0))))
    'singly'
    """
    for word, groups in (("singly", False), ("in pieces", True)):
        found = plan(assembly, rules="bricks", grasps="side", groups=groups, budget=BUDGET)
        if found.status == "complete":
            return word
    return "neither"


def pieces_row(tier: int, count: int, seed: int) -> Row:
    """How so many shapes of a tier can be built."""
    begun = process_time()
    rng = np.random.default_rng([seed, tier])
    ways = Counter(how(on_plate(product(tier, rng))) for _ in range(count))
    figure = f"{ways['in pieces']} of {count} shapes go together from pieces only, {ways['neither']} not at all"
    return Row(f"tier {tier}, no subassemblies", 1e3 * (process_time() - begun), figure=figure, target="—")
