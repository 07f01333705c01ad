"""`python -m falsework.execution.warm`: compile what builds with arms and eyes now, not during the first build."""

from __future__ import annotations

from falsework.execution.running import run_task
from falsework.execution.tiers.tasks import build_task


def warm() -> None:
    """Build a stack of bricks from pictures, as tier 2 has them."""
    run_task(build_task(2, 0))


if __name__ == "__main__":
    warm()
