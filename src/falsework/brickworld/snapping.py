"""What is pressed together snaps together, as far as a frame has time for it.

Onto one grid come two groups with all connections that this brings along, and the engine gets new bodies. Up to a
hundred bricks that takes longer than all proofs of a frame may. So others that are pressed wait for the next frames,
and so does the first where proofs or breaks took that time; but in every second frame it goes before the proofs. Every
frame begins with another of them: none that cannot join keeps the others from it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from falsework.brickworld.events import Break, Join
from falsework.brickworld.topology import Connection

if TYPE_CHECKING:
    from falsework.brickworld.world import World

log = logging.getLogger(__name__)

JOIN_MS, BRICK_MS = 8.0, 0.014  # what a join costs, ms as counted, and more for each brick
ALSO = 0.6  # of it: what a frame with joins may cost beyond what its proofs may


def left_for_proofs_ms(world: World) -> float:
    """What the proofs of a frame may take; in every second one what is pressed goes first, and is not kept waiting."""
    if not _goes_first(world):
        return world.breakage.frame_ms
    cost = _cost_ms(world)
    return max(world.breakage.frame_ms + (ALSO - 1.0) * cost, 0.0)


def _goes_first(world: World) -> bool:
    return world.settings.joining and world.frames % 2 == 0 and bool(world.monitor.pressed())


def _cost_ms(world: World) -> float:
    return JOIN_MS + BRICK_MS * len(world.grouping.kinds)


def snapped(world: World, broken: Sequence[Break]) -> list[Join]:
    """What joined at the end of a frame in which something may have broken."""
    cost = _cost_ms(world)
    left = max(world.breakage.frame_ms + ALSO * cost, cost) - world.breakage.spent_ms
    if _goes_first(world):
        left = max(left, cost)
    pressed = world.monitor.pressed() if left >= cost and not broken else []
    start = world.frames % max(len(pressed), 1)
    joined: list[Join] = []
    for first, second, force in pressed[start:] + pressed[:start]:
        if left < cost:
            break
        if world.grouping.group_of[first] == world.grouping.group_of[second]:
            continue
        found = world.monitor.joins(first, second, force, world.poses(), world.velocities())
        if found is not None:
            event, left = _snap(world, *found), left - cost
            joined += [] if event is None else [event]
    return joined


def _snap(world: World, found: Connection, force_n: float) -> Join | None:
    """Onto one grid, unless bricks would then be inside of others, of their own group or of any."""
    before, given = world.snapshot(), world.scene.overlap_m()
    world.grouping.update(world.scene.poses(), world.scene.twists())
    numbers = world.grouping.join(found)
    if numbers is None:
        return None
    closed = [world.grouping.topology.connections[number] for number in numbers]
    world.monitor.went_in(closed)
    world.regroup()
    if world.scene.overlap_m() > max(world.settings.deepest_m, given):
        log.info("%s and %s do not join: another part is in the way", *world.ends(found))
        world.restore(before)
        return None
    return Join(world.time_s, tuple(world.ends(one) for one in closed), force_n)
