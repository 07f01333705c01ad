"""Who is right about presses: the published support polygon, the forces, or the brick world, on every step of plans.

polygon   the middle of the brick is above the hull of the bricks on the ground (seed 004)
forces    the snap-fit equilibrium has forces with the press on the structure
world     MuJoCo with the clutches of seed 000: the brick in its place is pressed, slowly, and a joint gives or not

Nobody supports what stands by itself, so that as many presses as possible are in doubt. `laid` is the whole act: the
brick lies on the studs, carried by the hand that presses, and must snap in and break nothing.
"""

from __future__ import annotations

import importlib.util
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from falsework.bench.brick_models import Model
from falsework.bench.rows import Row
from falsework.model.assembly import Assembly, Load
from falsework.model.state import State
from falsework.planning.brickwork import Brickwork
from falsework.planning.jobs import Planned
from falsework.planning.moves import Move, bits
from falsework.planning.rules import rules_for
from falsework.planning.support_polygon import PolygonPressCheck

GROWS_S, STAYS_S = 0.25, 0.05  # of a press


@dataclass(frozen=True, slots=True, eq=False)
class Press:
    """One press of a plan, supported only where the structure would fall otherwise; what polygon and forces say."""

    model: Model
    state: State
    inside: bool
    bears: bool


def presses(model: Model, done: Planned) -> Iterator[Press]:
    """Every press of a plan."""
    work = Brickwork(model.assembly, model.found, rules_for(model.assembly, "bricks"))
    polygon = PolygonPressCheck(model.assembly)
    for move in done.moves:
        alone = work.oracle.answer(State(move.earlier.installed | move.parts, 0)) == "stable"
        for part in bits(move.parts):
            held = 0 if alone else move.earlier.held
            state = work.pressed_state(part, move.earlier.installed, held, move.parts)
            if state is not None:
                inside = polygon.bears(part, move.earlier.installed | move.parts)
                yield Press(model, state, inside, work.oracle.answer(state) == "stable")


def press_rows(planned: Sequence[tuple[Model, Planned]], laid: int) -> Iterator[Row]:
    """Polygon against forces, both against the world, and some plans laid brick by brick."""
    start = time.perf_counter()
    asked = [press for model, done in planned for press in presses(model, done)]
    counts = Counter((press.inside, press.bears) for press in asked)
    differ = sum(press.inside != press.bears for press in asked)
    notes = {
        "presses": len(asked),
        "polygon refuses what bears": counts[False, True],
        "polygon lets pass what breaks": counts[True, False],
    }
    figure = f"{differ} of {len(asked)} differ ({differ / max(len(asked), 1):.0%})"
    yield Row("presses, polygon and forces", _ms(start), notes=notes, figure=figure, target="how often they differ")
    if importlib.util.find_spec("mujoco") is None:
        return
    yield _in_the_world(asked)
    yield _laid(planned[:laid])


def _ms(start: float) -> float:
    return 1e3 * (time.perf_counter() - start)


def _in_the_world(asked: Sequence[Press]) -> Row:
    start = time.perf_counter()
    right = {"forces": 0, "polygon": 0}
    against: list[str] = []
    for press in asked:
        bore = not _gives(press.model.assembly, press.state)
        right["forces"] += press.bears == bore
        right["polygon"] += press.inside == bore
        if press.bears != bore:
            part = press.state.loads_of(press.model.assembly)[-1].part
            against.append(f"{press.model.name}, {part} {'gives' if press.bears else 'bears'}")
    figure = f"forces {right['forces']}, polygon {right['polygon']} of {len(asked)}"
    notes: dict[str, object] = {"against the forces": "; ".join(against[:5]) or "none"}
    return Row("presses in the brick world", _ms(start), notes=notes, figure=figure, target="who is right")


def _gives(assembly: Assembly, state: State) -> bool:
    """Whether a joint gives when a press is put on a brick in its place, slowly, in the brick world."""
    from falsework.brickworld.events import Break
    from falsework.brickworld.pushes import Ramp
    from falsework.brickworld.settings import Settings
    from falsework.brickworld.world import World

    there = tuple(part for number, part in enumerate(assembly.parts) if state.installed >> number & 1)
    held = frozenset(assembly.named(state.held))
    world = World(assembly.changed(parts=there, loads=(), fixed=assembly.fixed | held), Settings())
    load = state.loads_of(assembly)[-1]
    assert load.point_m is not None
    part = world.number(load.part)
    point = np.linalg.inv(world.assembly.poses[part]) @ [*load.point_m, 1.0]
    broken: list[Break] = []
    world.on_break.append(broken.append)
    world.pushes.append(Ramp(part, point[:3], load.force_n, np.zeros(3), GROWS_S))
    world.prepare()
    world.run(GROWS_S + STAYS_S)
    return bool(broken)


def _laid(planned: Sequence[tuple[Model, Planned]]) -> Row:
    """Plans built brick by brick: bricks that are in and broke nothing."""
    from falsework.brickworld.building import Placing, build

    start = time.perf_counter()
    counts = Counter[str]()
    for model, done in planned:
        work = Brickwork(model.assembly, model.found, done.plan.rules)
        placings = [
            Placing(model.assembly.named(move.parts), _press(work, move), model.assembly.named(move.earlier.held))
            for move in done.moves
            if move.parts
        ]
        for placed in build(model.assembly, placings, found=model.found):
            counts["in" if placed.held else "broke" if placed.broken else "not in"] += 1
    total = sum(counts.values())
    figure = f"{counts['in']} of {total} in ({counts['in'] / max(total, 1):.0%})"
    notes = {"plans": len(planned), **counts}
    return Row("laid brick by brick", _ms(start), notes=notes, figure=figure, target="every brick in, nothing broken")


def _press(work: Brickwork, move: Move) -> Load | None:
    """Of the first brick of a step that enters others."""
    loads = (work.press_load(part, move.earlier.installed & ~move.parts) for part in bits(move.parts))
    return next((load for load in loads if load is not None), None)
