"""The states that a brick goes through on its way, as one table: how fast, for how long at most, and what comes next.

Eight states and PRESSIN are seed 004's (4.4). LOOK, WRISTVIEW, PRESSTOP and INSPECT are ours: the view is not frozen.
Transits are free ways in joint space; all others lead the hand straight. Times are simulated seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where a placement is."""

    LOOK = "LOOK"
    PREGRASP = "PREGRASP"
    DESCENDTOGRASP = "DESCENDTOGRASP"
    GRASP = "GRASP"
    LIFT = "LIFT"
    PREPLACE = "PREPLACE"
    DESCENDTOPLACE = "DESCENDTOPLACE"
    PRESSIN = "PRESSIN"
    RELEASE = "RELEASE"
    RETREAT = "RETREAT"
    PRESSTOP = "PRESSTOP"
    INSPECT = "INSPECT"
    DONE = "DONE"


@dataclass(frozen=True, slots=True)
class Row:
    """One state. `share` is of the arm's limits of speed and acceleration, `speed_m_s` bounds the hand's point."""

    state: State
    then: State
    limit_s: float
    share: float = 0.5
    speed_m_s: float | None = None


TABLE = {
    row.state: row
    for row in (
        Row(State.LOOK, State.PREGRASP, 5.0),
        Row(State.PREGRASP, State.DESCENDTOGRASP, 25.0, share=0.8),
        Row(State.DESCENDTOGRASP, State.GRASP, 10.0, speed_m_s=0.15),
        Row(State.GRASP, State.LIFT, 5.0),
        Row(State.LIFT, State.PREPLACE, 10.0, speed_m_s=0.20),  # the seed's error analysis asks for slower lifts
        Row(State.PREPLACE, State.DESCENDTOPLACE, 15.0, share=0.7),
        Row(State.DESCENDTOPLACE, State.PRESSIN, 40.0, speed_m_s=0.12),
        Row(State.PRESSIN, State.RELEASE, 15.0),
        Row(State.RELEASE, State.RETREAT, 5.0),
        Row(State.RETREAT, State.PRESSTOP, 10.0, speed_m_s=0.20),
        Row(State.PRESSTOP, State.INSPECT, 20.0, share=0.7),
        Row(State.INSPECT, State.DONE, 10.0),
    )
}
