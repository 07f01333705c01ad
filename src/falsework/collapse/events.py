"""What is done to parts while they move: held, released, removed, or given a velocity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from falsework.collapse.movable import Bodies
from falsework.model.arrays import Array, freeze
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.travel import MadeAnew

Action = Literal["hold", "release", "remove", "move"]
ACTIONS: tuple[Action, ...] = get_args(Action)


@dataclass(frozen=True, slots=True, eq=False)
class Event(MadeAnew):
    """One thing done to one part at a time; `move` sets its velocity and, if six numbers are given, its spin.

    Times in s, velocities in m/s and rad/s, world axes.

    >>> Event(0.2, "move", "stone-1", (1, 0, 0)).velocity.tolist()
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """

    time_s: float
    action: Action
    part: str
    velocity: Array | None = None  # (6,) m/s of the centre of mass, rad/s; world axes

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise BadInput(f"event: action {shown(self.action)}; {did_you_mean(self.action, ACTIONS)}")
        if not 0 <= self.time_s < np.inf:
            raise BadInput(f"event on {shown(self.part)}: found time {shown(self.time_s)}, expected 0 s or later")
        if (self.velocity is not None) != (self.action == "move"):
            raise BadInput(f"event on {shown(self.part)}: a velocity goes with the action move, and only with it")
        if self.velocity is not None:
            given = np.asarray(self.velocity, dtype=float).ravel()
            if len(given) not in (3, 6) or not np.isfinite(given).all():
                raise BadInput(
                    f"event on {shown(self.part)}: found velocity {shown(self.velocity)}, expected 3 or 6 numbers"
                )
            object.__setattr__(self, "velocity", np.concatenate([given, np.zeros(6 - len(given))]))
            freeze(self, velocity=(6,))


EventLike = Event | tuple[float, str, str] | tuple[float, str, str, Sequence[float] | Array]


def as_events(given: Iterable[EventLike]) -> tuple[Event, ...]:
    """Events however they come: as `Event`, or as (time in s, action, part) with a velocity after it to move a part.

    >>> as_events([(0.5, "remove", "keystone")])[0].action
    'remove'
    """
    return tuple(_as_event(one) for one in given)


def _as_event(given: object) -> Event:
    match given:
        case Event():
            return given
        case (float() | int() as time_s, str() as action, str(part), *velocity) if len(velocity) <= 1:
            return Event(float(time_s), action, part, *velocity)  # type: ignore[arg-type]
    raise BadInput(f"event: found {shown(given)}, expected (seconds, action, part), and a velocity to move a part")


def checked(assembly: Assembly, events: Iterable[Event]) -> tuple[Event, ...]:
    """Events in the order of their times; parts that are fixed or unknown are bad input."""
    events = tuple(events)
    for event in events:
        if assembly.mask([event.part]) & assembly.fixed_mask():
            raise BadInput(f"event: part {shown(event.part)} is fixed, nothing can be done to it")
    return tuple(sorted(events, key=lambda event: event.time_s))


def apply(event: Event, assembly: Assembly, bodies: Bodies) -> None:
    """Change the bodies; what happens to a part that is not there any more happens to nobody."""
    body = assembly.index[event.part]
    if not bodies.there[body]:
        return
    if event.action == "remove":
        bodies.there[body] = bodies.free[body] = False
    elif event.action == "release":
        bodies.free[body] = True
    elif event.action == "hold":
        bodies.free[body] = False
        bodies.velocities[body] = bodies.since_s[body] = 0.0
    elif event.velocity is not None:
        bodies.velocities[body] = event.velocity
        bodies.since_s[body] = 0.0
