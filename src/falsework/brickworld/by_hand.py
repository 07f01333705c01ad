"""What a hand from outside does to a world between two frames: bricks taken elsewhere, a plate that is moved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.brickworld.world import World
from falsework.model.arrays import Array
from falsework.model.errors import BadInput
from falsework.model.poses import inverse


def put(world: World, name: str, T_world_part: Array) -> None:
    """Take a brick out of all its joints and put it elsewhere, at rest.

    >>> import falsework
    >>> world = World(falsework.load("examples/bridge.txt"))
    >>> T = np.eye(4)
    >>> T[0, 3] = 0.5
    >>> put(world, "7", T)
    >>> float(world.poses()[world.number("7"), 0, 3])
    0.5
    """
    part, grouping = world.number(name), world.grouping
    grouping.update(world.scene.poses(), world.scene.twists())
    if grouping.fixed[part]:
        raise BadInput(f"part {name} is fixed; only what is free can be put elsewhere")
    mine = {number: one for number, one in grouping.topology.connections.items() if part in (one.stud, one.hole)}
    if mine:
        world.monitor.came_off(list(mine.values()))
        grouping.split(int(grouping.group_of[part]), list(mine))
    _moved(world, int(grouping.group_of[part]), np.asarray(T_world_part) @ inverse(grouping.local[part]))


def shift_plate(world: World, by_m: Array) -> None:
    """Move all that stands still (the ground and what is joined to it), by (3,) in the world.

    >>> import falsework
    >>> world = World(falsework.new("duplo-single"))
    >>> shift_plate(world, np.array([0.003, 0.0, 0.0]))
    >>> round(float(world.poses()[-1, 0, 3] - world.assembly.poses[-1][0, 3]), 6)
    0.003
    """
    grouping = world.grouping
    grouping.update(world.scene.poses(), world.scene.twists())
    for number, bunch in enumerate(grouping.bunches):
        if bunch.still:
            T = np.array(bunch.T_world_group)
            T[:3, 3] += by_m
            _moved(world, number, T)


def _moved(world: World, group: int, T_world_group: Array) -> None:
    """One group somewhere else, at rest."""
    grouping = world.grouping
    bunches = list(grouping.bunches)
    bunches[group] = replace(bunches[group], T_world_group=T_world_group, twist=np.zeros(6))
    grouping.bunches = bunches
    world.regroup()
