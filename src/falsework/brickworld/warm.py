"""`python -m falsework.brickworld.warm`: compile what brick worlds run on now rather than in their first frame."""

from __future__ import annotations

from functools import cache

import numpy as np

from falsework.brickworld.local import holds_inside
from falsework.brickworld.mechanics import GroupMechanics
from falsework.brickworld.pushes import Ramp
from falsework.brickworld.reduction import Contraction
from falsework.brickworld.simulate import Action, simulate
from falsework.brickworld.world import World
from falsework.gallery.bricklaying import Layout
from falsework.kernels.block_parts import FactorParts
from falsework.model.assembly import Assembly
from falsework.statics.clutches.search import ClutchSearch
from falsework.verdicts.warm import warm as warm_statics

FRAMES = 30


def warm() -> None:
    """The solvers of statics, one brick pulled off another, and some that fall asleep."""
    warm_statics()
    simulate(_pair(), actions=[Action("pull", "2", 12.0)], seconds=0.2)
    simulate(_pair(), drop_m=0.0, tilt_deg=0.0, seconds=0.2)
    rehearse()


@cache
def rehearse() -> None:
    """Load, once in a process, all machine code and all libraries that a break may need: a frame has no time for it."""
    world = World(_pair())
    _ask_everything(max(world.breakage.mechanics, key=lambda one: len(one.members)))
    broken: list[object] = []
    world.on_break.append(broken.append)
    top = world.number("2")
    world.pushes.append(Ramp(top, np.zeros(3), np.array([0.0, 0.0, 40.0]), np.zeros(3), 0.1, until_off=True))
    for _ in range(FRAMES):
        world.step()
        if broken:
            break
    world.step()


def _ask_everything(mechanics: GroupMechanics) -> None:
    """Every way of proving, though the first would do."""
    problem, solver, count = mechanics.problem, mechanics.solver, len(mechanics.members)
    solver.parts = FactorParts.of(solver.springs, 0.0)  # as large structures are factored
    loads, top = np.zeros((count, 6)), np.flatnonzero(problem.free)[-1]
    for newtons in (0.5, 40.0):
        loads[top, 2] = newtons
        forces, _ = solver.screened(loads)
        holds_inside(problem, forces, np.ones(count, dtype=bool), loads)
        clusters = Contraction(problem, np.arange(count), loads)
        search = ClutchSearch(solver, loads)
        for _ in search.relaxing(1):
            pass
        search.relax(5)
        search.slips()
        search.limit_open = True
        for _ in search.limiting(1):
            pass
        while clusters.open or search.limit_open:
            clusters.go_on()
            search.limit(5)
    mechanics.overload(loads)


def _pair() -> Assembly:
    """Two bricks, one on the other, on a baseplate."""
    layout = Layout()
    layout.brick(2, 2, 0, 0, 0)
    layout.brick(2, 2, 0, 0, 1)
    return layout.on_baseplate()


if __name__ == "__main__":
    warm()
