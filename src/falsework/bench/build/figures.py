"""The five figures of a tier, as one row of the bench."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from falsework.bench.build.tries import BASELINE, OURS, Tried, first_classes
from falsework.bench.rows import Row
from falsework.execution.referee.scores import wilson

SEED = {1: 29, 2: 27, 3: 21, 4: 20}  # of 30, as seed 004 tells them for its own planner: quoted, not measured here
SEED_PLANNING_S = {1: 7, 2: 14, 3: 45, 4: 47}
QUOTED = {  # of the thesis (table of 5.3), for 30 tasks each: success, accuracy, violations in %; planning and
    # manipulation in s. Its own planner, and its baseline of a language model and a learned policy. Not measured here.
    "seed_quoted": {
        1: (96.67, 93.33, 3.33, 7.13, 8.28),
        2: (90.0, 87.22, 5.0, 13.66, 14.08),
        3: (70.0, 68.13, 10.8, 44.78, 51.34),
        4: (66.67, 66.55, 25.07, 46.82, 53.66),
    },
    "language_quoted": {
        1: (73.33, 66.67, 38.33, 2.18, 15.46),
        2: (63.33, 48.82, 55.02, 2.29, 48.82),
        3: (23.33, 19.34, 82.97, 3.15, 164.45),
        4: (6.67, 13.54, 87.73, 3.66, 178.98),
    },
}
LIMIT_S = 200.0  # of a task, planning and manipulation
TARGET = "success ≥ 96 %, accuracy ≥ 99 %, violations ≤ 1 %, none above 200 s"


def tier_row(tier: int, column: str, tried: Sequence[Tried], whole: Sequence[Tried] | None = None) -> Row:
    """Success with its interval, accuracy, violations, planning and manipulation time, and why tasks failed.

    Where the same tasks were built by the `whole` controller, success is told against that too, in percentage points.

    >>> from falsework.bench.build.tries import Wanted
    >>> tried = [Tried(Wanted(OURS, 1, n), True, 1.0, 0.0, 2.0, 10.0, ()) for n in range(30)]
    >>> tier_row(1, OURS, tried).figure
    '30 of 30 (89 to 100 %), accuracy 100.0 %, violations 0.0 %'
    """
    won = sum(one.success for one in tried)
    low, high = wilson(won, len(tried))
    accuracy, violations = (
        100 * float(np.mean([getattr(one, name) for one in tried])) for name in ("accuracy", "violations")
    )
    figure = f"{won} of {len(tried)} ({100 * low:.0f} to {100 * high:.0f} %), "
    figure += f"accuracy {accuracy:.1f} %, violations {violations:.1f} %"
    if whole is not None:
        figure += f", {100 * (won / len(tried) - sum(one.success for one in whole) / len(whole)):+.1f} points"
    seconds = [one.as_seed_counts_s for one in tried]
    notes: dict[str, Any] = {
        "planning_s": round(float(np.mean([one.planning_s for one in tried])), 2),
        "thought_wall_s": round(float(np.mean([one.thought_wall_s for one in tried])), 2),
        "manipulation_s": round(float(np.mean([one.manipulation_s for one in tried])), 1),
        "longest_s": round(max(seconds), 1),
        "above_200_s": sum(one > LIMIT_S for one in seconds),
        "failures": dict(Counter(first_classes(tried))),
        "collisions": sum(one.collisions for one in tried),
        "untold": sum(one.untold for one in tried),
        "cpu_s": round(float(np.mean([one.cpu_s for one in tried])), 1),
    }
    if column == OURS and tier in SEED:
        notes |= {
            "seed_of_30": SEED[tier],
            "seed_planning_s": SEED_PLANNING_S[tier],
            "seed_quoted": _quoted("seed", tier),
        }
    if column == BASELINE:
        notes["language_quoted"] = _quoted("language", tier)
    spent = 1e3 * sum(one.cpu_s for one in tried)
    return Row(f"tier {tier}, {column}", spent, notes=notes, figure=figure, target=TARGET if column == OURS else "—")


def _quoted(who: str, tier: int) -> str:
    """What the thesis tells of a tier, as it tells it."""
    success, accuracy, violations, planning, doing = QUOTED[f"{who}_quoted"][tier]
    return f"{success} % success, {accuracy} % accuracy, {violations} % violations, {planning} s, {doing} s"


def model_row(name: str, cell: str, tried: Sequence[Tried]) -> Row:
    """How often a model was built whole in a cell.

    >>> from falsework.bench.build.tries import Wanted
    >>> whole = Tried(Wanted(OURS, 0, 0, model="viaduct", cell="two-panda"), True, 1.0, 0.0, 13.0, 290.0, ())
    >>> model_row("viaduct", "two-panda", [whole]).figure
    '1 of 1 (21 to 100 %) whole, 303 s of the cell at most'
    """
    won = sum(one.success for one in tried)
    low, high = wilson(won, len(tried))
    longest = max(one.as_seed_counts_s for one in tried)
    figure = f"{won} of {len(tried)} ({100 * low:.0f} to {100 * high:.0f} %) whole, {longest:.0f} s of the cell at most"
    notes = {"failures": dict(Counter(first_classes(tried)))}
    spent = 1e3 * sum(one.cpu_s for one in tried)
    return Row(f"model {name}, {cell}", spent, notes=notes, figure=figure, target="all whole")


def disrupted_row(kind: str, tried: Sequence[Tried]) -> Row:
    """How many builds were finished in spite of a kind of disruption, or rightly refused.

    >>> from falsework.bench.build.tries import Wanted
    >>> lost = Tried(Wanted(OURS, 2, 0, disruption="arm-lost"), False, 0.2, 0.0, 2.0, 10.0, ("stopped",), rightly=True)
    >>> disrupted_row("arm-lost", [lost]).figure
    '1 of 1 (21 to 100 %), 0 of them finished, 0 crashes, 0 collisions, 0 untold'
    """
    right, won = sum(one.rightly for one in tried), sum(one.success for one in tried)
    low, high = wilson(right, len(tried))
    crashes = sum(bool(one.lost) for one in tried)
    figure = f"{right} of {len(tried)} ({100 * low:.0f} to {100 * high:.0f} %), {won} of them finished, "
    figure += f"{crashes} crashes, {sum(one.collisions for one in tried)} collisions, "
    figure += f"{sum(one.untold for one in tried)} untold"
    notes = {"failures": dict(Counter(first_classes([one for one in tried if not one.rightly])))}
    target = "≥ 95 % finished or rightly refused, 0 crashes, 0 untold"
    spent = 1e3 * sum(one.cpu_s for one in tried)
    return Row(f"disrupted: {kind}", spent, notes=notes, figure=figure, target=target)
