"""Snap-fit bricks in a physics engine: they join when pressed and break when overloaded (seed 000)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports

if TYPE_CHECKING:
    from falsework.brickworld.events import Break as Break
    from falsework.brickworld.events import Join as Join
    from falsework.brickworld.settings import JoinRules as JoinRules
    from falsework.brickworld.settings import Settings as Settings
    from falsework.brickworld.simulate import Action as Action
    from falsework.brickworld.simulation import Simulation as Simulation
    from falsework.brickworld.snapshots import Snapshot as Snapshot
    from falsework.brickworld.world import World as World
    from falsework.brickworld.worlds import Worlds as Worlds

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "events": "Break Join",
        "settings": "JoinRules Settings",
        "simulate": "Action",
        "simulation": "Simulation",
        "snapshots": "Snapshot",
        "world": "World",
        "worlds": "Worlds",
    },
)
