"""`collapse`: does it fall, which parts move first, and the whole motion."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Unpack

from falsework.formats.opening import READING, Reading, Source, opened_with
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.contacts.near_misses import near_misses
from falsework.geometry.shapes.displacement import left_their_place
from falsework.model.answers import NotTrueOrFalse
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, MissingExtra
from falsework.model.given import Names
from falsework.model.interfaces import Interfaces
from falsework.model.near_misses import NearMisses
from falsework.model.state import State
from falsework.model.travel import MadeAnew
from falsework.model.verbs import verb
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.speeds import falling

if TYPE_CHECKING:
    from falsework.collapse.events import EventLike
    from falsework.collapse.fall import Fall
    from falsework.collapse.initial import Answer, InitialCollapse

MOST_SECONDS = 10.0  # where nothing was asked for: the motion ends when all is at rest,
WITHOUT_GROUND_S = 2.0  # or soon, if parts may fall past everything
DEFAULT_STEP_S = 1e-3
LEFT = "it is balanced at the first instant, but parts left their place later: the balance does not last"


@dataclass(frozen=True, slots=True, eq=False)
class Collapse(MadeAnew, NotTrueOrFalse):
    """The first instant and the motion after it.

    Poses and accelerations are in world axes, m, m/s² and rad/s².

    >>> collapse("examples/arch.yaml", seconds=0.01).fallen
    ()
    """

    ASK_INSTEAD = "collapse.answer == 'stable' (or 'unstable', 'undecided')"

    answer: Answer  # of the first instant: stable, unstable, undecided; never stable where parts left of themselves
    initial: InitialCollapse
    falling: tuple[str, ...]  # parts that accelerate by more than 1e-3 g at the first instant
    motion: Fall
    fallen: tuple[str, ...]  # parts that have left their place at the end
    free: tuple[str, ...]  # parts that are there and neither fixed nor held, at the first instant
    there: tuple[str, ...]  # parts that are there at the first instant
    wall_s: float
    also: dict[str, Answer] = field(default_factory=dict)  # what plain equilibrium says, where it does not agree
    missing: NearMisses | None = None  # for unstable: what touches nothing, or nearly touches
    doubt: str = ""  # why it is undecided although the first instant is solved

    @property
    def could_go_on(self) -> bool:
        return not self.motion.why


@verb(*READING)
def collapse(
    source: Source,
    *,
    seconds: float | None = None,
    step_s: float = DEFAULT_STEP_S,
    held: Names = (),
    absent: Names = (),
    restitution: float = 0.0,
    events: Iterable[EventLike] = (),
    joints: Interfaces | None = None,
    progress: Callable[[int, int], None] | None = None,
    **reading: Unpack[Reading],
) -> Collapse:
    """How an assembly, or one in a file, falls: the accelerations at the first instant, and the motion after it.

    seconds      of motion; else until all is at rest, or for ten seconds; for two where there is no ground
    step_s       of the integration, s
    held         parts that a hand holds still
    absent       parts that are not there
    restitution  what arrives bounces by this share of its speed
    events       what is done meanwhile: (time in s, "hold", "release" or "remove", part), or (time, "move", part,
                 velocity) with three numbers in m/s, or six, the last three of them rad/s; world axes
    joints       the interfaces of the assembly, where they are known already
    progress     is told how many milliseconds have passed, and of how many

    The other options are those of `load`. Poses, velocities and accelerations are in world axes.

    >>> collapse("examples/arch.yaml", absent="keystone", seconds=0.02).answer
    'unstable'
    """
    start = time.perf_counter()
    assembly, joints = opened_with(source, reading, joints)
    assembly.require_ground()
    state = State.complete(assembly, held, absent)
    if importlib.util.find_spec("numba") is None:
        raise MissingExtra("numba", "fast")
    from falsework.collapse.events import as_events
    from falsework.collapse.fall import fall
    from falsework.collapse.initial import settled_collapse

    joints = interfaces(assembly) if joints is None else joints
    if len(joints.clutches):
        raise BadInput(
            f"collapse knows contacts and hinges, and this has {len(joints.clutches)} clutches; use simulate"
        )
    first = settled_collapse(assembly, joints, state)
    happenings = as_events(events)
    motion = fall(
        assembly,
        joints.hinges,
        state,
        seconds=_at_most(assembly) if seconds is None else seconds,
        step_s=step_s,
        until_rest=seconds is None,
        restitution=restitution,
        events=happenings,
        progress=progress,
    )
    there = tuple(name for k, name in enumerate(assembly.names) if state.installed >> k & 1)
    fallen = tuple(name for name in left_their_place(assembly, motion.trajectory) if name in frozenset(there))
    by_themselves = first.answer == "stable" and bool(fallen) and not happenings
    accelerated = falling(assembly, state, first.accelerations)
    unstable = first.answer == "unstable"
    return Collapse(
        "undecided" if by_themselves else first.answer,
        first,
        accelerated,
        motion,
        fallen,
        assembly.named(state.free(assembly)),
        there,
        time.perf_counter() - start,
        _otherwise(assembly, joints, state, first.answer),
        near_misses(assembly, joints, state.installed, accelerated) if unstable else None,
        LEFT if by_themselves else "",
    )


def _otherwise(assembly: Assembly, joints: Interfaces, state: State, answer: Answer) -> dict[str, Answer]:
    """What plain equilibrium says of something that moves: it has forces where parts may be wedged."""
    if answer != "unstable" or not joints.patches.friction.any():
        return {}
    plain = Equilibrium(assembly, joints).assess(state).answer
    return {} if plain == answer else {"blocks": plain}


def _at_most(assembly: Assembly) -> float:
    return WITHOUT_GROUND_S if assembly.ground_part is None else MOST_SECONDS
