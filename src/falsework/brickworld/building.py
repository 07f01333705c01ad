"""Building brick by brick in the brick world: a hand lays every brick on the studs, presses it home and lets it go.

>>> press = Load("7", (0, 0, -1.25), (0.012, 0.008, 0.0288))   # N, m; or as planning presses: `planning.rehearsal`
>>> build(assembly, [Placing(("7",), press, held=("3",)), ...])[0].broken
(('5', '6'),)

The hand guides the brick: until it is in, it neither tips nor turns (`guiding`). What other hands hold keeps still.

Each step is judged by itself: it begins with everything that was placed before where it belongs, at rest, so that one
step's damage is not counted against the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from falsework.brickworld.events import Break, Join
from falsework.brickworld.pushes import Ramp, Steady
from falsework.brickworld.settings import Settings
from falsework.brickworld.world import World
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Load
from falsework.model.errors import BadInput, shown
from falsework.model.interfaces import Interfaces
from falsework.model.shapes import BrickShape

GROWS_S = 0.15  # in which a press reaches its full force: a ninth of it a frame
STAYS_S = 0.05  # for which it then stays, and for which everything stands by itself afterwards


@dataclass(frozen=True, slots=True, eq=False)
class Placing:
    """Parts that come as one, the press that seats them, and what hands hold meanwhile and afterwards.

    The press acts on one of the parts; it comes from the side that it presses toward. None: they are just put there.
    """

    parts: tuple[str, ...]
    press: Load | None
    held: tuple[str, ...] = ()
    held_then: tuple[str, ...] | None = None  # once it is done; None: the same


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """What one step did."""

    parts: tuple[str, ...]
    joined: bool  # every connection that the assembly has between these parts and the others is closed in the end
    broken: tuple[tuple[str, str], ...]  # connections that broke, stud brick and hole brick, in order
    utilization: float | None  # of the first break: the least factor on all clutches that would have held
    drift_m: float  # the farthest that any part is from its place in the end

    @property
    def held(self) -> bool:
        """It is in, and nothing broke."""
        return self.joined and not self.broken


def build(
    assembly: Assembly,
    placings: Sequence[Placing],
    *,
    already: Iterable[str] = (),
    settings: Settings | None = None,
    joints: Interfaces | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Placed, ...]:
    """What every step does to what is there: the fixed parts, those `already` there, and all that earlier steps placed.

    A press closes a joint only if enough of it (`settings.join.press_n`, F_asm) goes through it: a brick across three
    others needs about three times as much as one on one.
    """
    known = interfaces(assembly) if joints is None else joints
    there = {*assembly.fixed, *already}
    done = []
    for number, placing in enumerate(placings):
        _refuse_nonsense(assembly, placing, there)
        done.append(_place(assembly, known, frozenset(there), placing, settings or Settings()))
        there.update(placing.parts)
        if progress is not None:
            progress(number + 1, len(placings))
    return tuple(done)


def _refuse_nonsense(assembly: Assembly, placing: Placing, there: Iterable[str]) -> None:
    assembly.mask((*placing.parts, *placing.held, *(placing.held_then or ())))  # unknown names
    again = sorted(set(placing.parts) & set(there))
    if again or not placing.parts:
        raise BadInput(f"a step places {shown(again[0])}, which is there already" if again else "a step places no part")
    if placing.press is not None and placing.press.part not in placing.parts:
        raise BadInput(f"a step presses {shown(placing.press.part)}, which it does not place")


def _place(
    assembly: Assembly, joints: Interfaces, there: frozenset[str], placing: Placing, settings: Settings
) -> Placed:
    """The press, with nothing but the other hands to help; then the same at rest, held as it is then."""
    wanted = _joints(assembly, joints, there, placing.parts)
    breaks: list[Break] = []
    drift, joined = 0.0, True
    held = frozenset(placing.held)
    held_then = held if placing.held_then is None else frozenset(placing.held_then)
    world = None
    if placing.press is not None and wanted:
        held -= set(placing.parts)
        world = _world(assembly, there, placing, held, _lift(assembly, placing), settings, breaks)
        _press(world, placing.press)
        joined, drift = wanted <= set(world.connections), _drift(world, assembly)
    if joined and not breaks:
        if world is None or held != held_then:
            world = _world(assembly, there, placing, held_then, np.zeros(3), settings, breaks)
        world.run(STAYS_S)
        drift = max(drift, _drift(world, assembly))
    pairs = tuple(pair for event in breaks for pair in event.connections)
    return Placed(placing.parts, joined, pairs, breaks[0].utilization if breaks else None, drift)


def _joints(
    assembly: Assembly, joints: Interfaces, there: frozenset[str], parts: tuple[str, ...]
) -> set[tuple[str, str]]:
    """Stud brick and hole brick of the connections that placing parts on what is there would close."""
    names = [body.name for body in assembly.bodies]
    ground = set() if assembly.ground_part is None else {assembly.ground_part.name}
    pairs = [(names[stud], names[hole]) for stud, hole in joints.clutches.bodies.tolist()]
    return {pair for pair in pairs if len(set(pair) & set(parts)) == 1 and len(set(pair) & (there | ground)) == 1}


def _lift(assembly: Assembly, placing: Placing) -> Array:
    """(3,) from where placed bricks belong to where they lie on the studs, or hang under the holes."""
    assert placing.press is not None
    part = assembly.bodies[assembly.index[placing.press.part]]
    if not isinstance(part.shape, BrickShape):
        raise BadInput(f"a step presses {shown(part.name)}, which is not a brick")
    size = float(np.linalg.norm(placing.press.force_n))
    if not size > 0:
        raise BadInput(f"a step presses {shown(part.name)} with no force")
    lift: Array = -placing.press.force_n / size * part.shape.kind.measures.stud_height_m
    return lift


def _world(
    assembly: Assembly,
    there: frozenset[str],
    placing: Placing,
    held: frozenset[str],
    lift: Array,
    settings: Settings,
    breaks: list[Break],
) -> World:
    """What is there, and the placed parts so far off; held parts cannot move. What breaks is added to `breaks`."""
    move = np.eye(4)
    move[:3, 3] = lift
    new = set(placing.parts)
    kept = [part for part in assembly.parts if part.name in there | new]
    parts = tuple(replace(one, T_world_part=move @ one.T_world_part) if one.name in new else one for one in kept)
    loads = tuple(load for load in assembly.loads if load.part in there | new)
    world = World(assembly.changed(parts=parts, loads=loads, fixed=assembly.fixed | held), settings)
    world.on_break.append(breaks.append)
    return world


def _press(world: World, press: Load) -> None:
    """Grow the press to its full force, keep it there, end it; the hand carries and guides the brick until it is in."""
    number = world.number(press.part)
    body = world.assembly.bodies[number]
    point = body.com_world_m if press.point_m is None else press.point_m
    local = body.T_world_part[:3, :3].T @ (point - body.T_world_part[:3, 3])
    pushes = [Ramp(number, local, press.force_n, np.zeros(3), GROWS_S)]
    world.pushes.append(pushes[0])
    members = world.grouping.topology.members(int(world.grouping.topology.component_of[number])).tolist()
    carried = [_weightless(world, member) for member in members]
    world.pushes.extend(carried)
    world.guide(press.part, press.force_n, point)

    def let_go(event: Join) -> None:
        world.rails.clear()
        world.pushes[:] = [one for one in world.pushes if one not in carried]
        if len(pushes) == 1 and not world.grouping.bunches[world.grouping.group_of[number]].still:
            # What it was pressed onto lies loose, and bricks snap together about their common centre: in the hand, it
            # comes to rest again before it is pressed on.
            world.release(pushes[0])
            pushes.append(replace(pushes[0], start_s=world.time_s + STAYS_S))
            world.pushes.append(pushes[1])
            world.guide(press.part, press.force_n, world.poses()[number, :3] @ np.append(local, 1.0))

    world.on_join.append(let_go)
    world.run(GROWS_S + STAYS_S)
    if len(pushes) > 1:
        world.run(STAYS_S + GROWS_S)
        world.rails.clear()
    world.release(pushes[-1])


def _weightless(world: World, number: int) -> Steady:
    body = world.assembly.bodies[number]
    return Steady(number, body.com_part_m, -body.mass_kg * world.assembly.gravity, np.zeros(3))


def _drift(world: World, assembly: Assembly) -> float:
    """How far any part is from where the assembly has it."""
    rows = [assembly.index[name] for name in world.assembly.names]
    return float(np.linalg.norm(world.poses()[: len(rows), :3, 3] - assembly.poses[rows, :3, 3], axis=1).max())
