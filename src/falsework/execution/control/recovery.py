"""What is done when something fails: for each class of failure a ladder, climbed one rung a time.

The classes are those of seed 004's error analysis, told from the first check that a placement violates. A rung names
the state in which the placement goes on, and what is changed before. Who comes to the end of a ladder gives the brick
up for now; the plan is then made anew without it, or the build ends with a diagnosis.
"""

from __future__ import annotations

from dataclasses import dataclass

from falsework.execution.control.table import State


class Trouble(Exception):
    """A check that was violated: its class, and what was found, in words."""

    def __init__(self, kind: str, words: str) -> None:
        self.kind, self.words = kind, words
        super().__init__(f"{kind}: {words}")


@dataclass(frozen=True, slots=True)
class Rung:
    """What to do next: go on in a state; with another brick of the same kind, or another hold, where it says so."""

    name: str
    state: State
    other_hold: bool = False
    other_brick: bool = False
    elsewhere: bool = False  # it is put down where a hand can take it as it must
    clear: bool = False  # what is unclear, or in the way, is carried to a tray first
    upright: bool = False  # it is turned a quarter, from where it lies on a side or upside down


_AGAIN = Rung("look again", State.LOOK)
_REGRASP = Rung("regrasp", State.LOOK)
_OTHER_HOLD = Rung("other grasp", State.LOOK, other_hold=True)
_OTHER_BRICK = Rung("other brick of the same kind", State.LOOK, other_brick=True)
_ELSEWHERE = Rung("put down elsewhere and pick again", State.LOOK, elsewhere=True)
_CLEAR = Rung("carry off what is in the way", State.LOOK, clear=True)
_UPRIGHT = Rung("turn it upright", State.LOOK, upright=True)
_PRESS = Rung("press again from above", State.PRESSTOP)
WAITED = Rung("wait for it", State.LOOK)

LADDERS: dict[str, tuple[Rung, ...]] = {
    "perception": (_AGAIN, _CLEAR, _OTHER_BRICK, _CLEAR),  # nothing was found, or nothing is said of it
    "toppled": (_UPRIGHT,) * 6,  # none is seen that stands, but one that lies on a side, or upside down
    "clearance": (_ELSEWHERE, _CLEAR, _OTHER_BRICK, _CLEAR),  # no hold, or no way
    "occupied": (_CLEAR,) * 4,  # something else lies where it belongs
    "closure": (
        _REGRASP,
        _OTHER_HOLD,
        _OTHER_BRICK,
        _OTHER_HOLD,
    ),  # the fingers closed on nothing, or on something else
    "slip": (_REGRASP, _REGRASP, _OTHER_HOLD),  # it was held and is no longer
    "insertion": (_PRESS, _REGRASP, _PRESS, _REGRASP),  # the force of a press was not felt, or it stands high
    "misaligned": (_REGRASP, _REGRASP, _OTHER_HOLD),  # it lies on the studs and is not in
    "offset": (_PRESS, _REGRASP, _REGRASP),  # it stands, but not where it should
    "lost": (_REGRASP, _REGRASP),  # it is not where it was let go
    "unsupported": (),  # nothing is below its place: what is left of the structure is looked at, and planned anew
    "time-out": (_AGAIN, _OTHER_HOLD),
}
