"""Building it: a cell seen through its cameras and sensors, states of a placement, recovery, tiers and a referee."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports

if TYPE_CHECKING:
    from falsework.execution.referee.scores import Scores as Scores
    from falsework.execution.tiers.products import product as product
    from falsework.execution.tiers.tasks import build_task as build_task

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "referee.scores": "Scores",
        "tiers.products": "product",
        "tiers.tasks": "build_task",
    },
)
