"""Collisions of arms, by the truth, and whether the controller's log tells of them.

A strike is told of by what was felt (`touched`), by a brick that is seen elsewhere than before (`moved`, `seen`), or by
what came of it (`trouble`, `stopped`), from then on until the controller has finished with the next brick.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from falsework.robots.brickcell.strikes import Strike

TELLING = frozenset({"touched", "moved", "seen", "trouble", "stopped"})
SOON = 2  # bricks: that with which it happened, and the next, before which everything is looked at again
BEFORE_S = 0.05  # by which the log's clock, read once a frame, may be ahead of the engine's


def judged(strikes: Iterable[Strike], lines: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Each strike as `build --json` prints it, and whether the log tells of it.

    >>> log = [{"t": 4.0, "event": "touched", "arm": "arm"}, {"t": 9.0, "event": "placed", "brick": "a"}]
    >>> strikes = [Strike(t, "arm", "arm/hand", "b", 2.0, 0.0) for t in (3.5, 9.5)]
    >>> [one["reported"] for one in judged(strikes, log)]
    [True, False]
    """
    return tuple(
        {
            "time_s": round(one.time_s, 3),
            "arm": one.arm,
            "by": one.by,
            "what": one.what,
            "force_n": round(one.most_n, 3),
            "moved_m": round(one.moved_m, 5),
            "reported": _is_told(one, lines),
        }
        for one in strikes
    )


def _is_told(strike: Strike, lines: Sequence[dict[str, Any]]) -> bool:
    finished = 0
    for line in lines:
        if line["t"] < strike.time_s - BEFORE_S:
            continue
        if line["event"] in TELLING:
            return True
        finished += line["event"] == "placed"
        if finished == SOON:
            return False
    return False
