"""What a guide is worth: plans of fewest holds, guided searches, the generalist zero-shot, disruptions as a service."""

from __future__ import annotations

from collections.abc import Iterator

from falsework.bench.rows import Row


def guided(full: bool = False) -> Iterator[Row]:
    """Every row; with `full` on more cases."""
    from falsework.bench.guidance.disruption_service import disruption_rows
    from falsework.bench.guidance.few_holds import few_holds_rows
    from falsework.bench.guidance.led_searches import led_rows
    from falsework.bench.guidance.zero_shot import zero_shot_rows

    yield from few_holds_rows(full)
    yield from led_rows(full)
    yield from zero_shot_rows(full)
    yield from disruption_rows(full)
