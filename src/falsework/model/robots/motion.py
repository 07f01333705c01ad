"""What the arms of a cell do in time: how their joints move, when their hands close, and where every part is meanwhile.

Every arm has a track: rows of time, position, speed and acceleration of its joints. Between two rows it follows the
polynomials of degree five that have the values of both, as drivers of ROS do; before the first row and after the last
one it stands. Times are seconds from the beginning, angles rad, lengths m, forces N; poses are in the cell's world
unless their names say otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from falsework.model.arrays import Array, freeze
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.plan import Plan
from falsework.model.provenance import Provenance
from falsework.model.robots.cell import Cell
from falsework.model.robots.grasp import Grasp
from falsework.model.travel import MadeAnew

MOTION_FORMAT = "falsework-motion/1"
SegmentKind = Literal["transit", "approach", "retreat", "grip", "release", "press", "wait", "hold", "turn"]
SEGMENT_KINDS: tuple[SegmentKind, ...] = get_args(SegmentKind)


@dataclass(frozen=True, slots=True, eq=False)
class Track(MadeAnew):
    """The joints of one arm in time.

    >>> Track("left", [0.0, 2.0], [[0.0], [1.0]], [[0.0], [0.0]], [[0.0], [0.0]]).at(1.0).tolist()
    [0.5]
    """

    arm: str
    times_s: Array  # (k,) rising
    q: Array  # (k, n)
    speed: Array  # (k, n)
    acceleration: Array  # (k, n)

    def __post_init__(self) -> None:
        freeze(self, times_s=(None,), q=(None, None))
        freeze(self, speed=self.q.shape, acceleration=self.q.shape)
        what = f"track of {shown(self.arm)}"
        if len(self.times_s) != len(self.q) or len(self.q) < 1:
            raise BadInput(
                f"{what}: found {len(self.times_s)} times and {len(self.q)} rows, expected as many, 1 or more"
            )
        if not all(np.isfinite(one).all() for one in (self.times_s, self.q, self.speed, self.acceleration)):
            raise BadInput(f"{what}: a number that is not finite")
        if not (np.diff(self.times_s) > 0).all():
            raise BadInput(f"{what}: its times do not rise")

    def at(self, time_s: float) -> Array:
        """(n,) where the joints are."""
        q: Array = self.many(np.array([time_s]))[0]
        return q

    def many(self, times_s: Array) -> Array:
        """(m, n) where the joints are at (m,) times."""
        t = np.clip(times_s, self.times_s[0], self.times_s[-1])
        if len(self.times_s) == 1:
            return np.repeat(self.q, len(t), axis=0)
        k = np.clip(np.searchsorted(self.times_s, t, side="right") - 1, 0, len(self.times_s) - 2)
        h = (self.times_s[k + 1] - self.times_s[k])[:, None]
        u = (t - self.times_s[k])[:, None] / h
        v0, v1 = h * self.speed[k], h * self.speed[k + 1]
        a0, a1 = 0.5 * h**2 * self.acceleration[k], 0.5 * h**2 * self.acceleration[k + 1]
        d = self.q[k + 1] - self.q[k] - v0 - a0
        dv, da = v1 - v0 - 2 * a0, a1 - a0
        c3, c4, c5 = 10 * d - 4 * dv + da, -15 * d + 7 * dv - 2 * da, 6 * d - 3 * dv + da
        found: Array = self.q[k] + u * (v0 + u * (a0 + u * (c3 + u * (c4 + u * c5))))
        return found


@dataclass(frozen=True, slots=True)
class GripCommand:
    """Fingers move, evenly, to an opening; or a cup is switched on (force above 0) or off.

    >>> GripCommand("left", 1.0, 1.5, 0.02, 30.0).end_s
    1.5
    """

    arm: str
    begin_s: float
    end_s: float
    opening_m: float  # when it is done
    force_n: float  # with which it then holds; 0: it holds nothing

    def __post_init__(self) -> None:
        if not (np.isfinite(self.opening_m) and 0 <= self.force_n < np.inf):
            what = f"command of {shown(self.arm)}: found {self.opening_m} m and {self.force_n} N"
            raise BadInput(f"{what}, expected a finite opening and a force of 0 or more")


@dataclass(frozen=True, slots=True)
class Guard:
    """A motion that ends by force: it presses until `until_n`, and stops where it feels `stop_n`.

    >>> Guard(1.2, 3.0).until_n
    1.2
    """

    until_n: float
    stop_n: float

    def __post_init__(self) -> None:
        if not 0 < self.until_n < self.stop_n < np.inf:
            raise BadInput(
                f"guard: found {self.until_n} and {self.stop_n} N, expected a force and a greater one to stop at"
            )


@dataclass(frozen=True, slots=True)
class Segment:
    """What an arm does from one time to another.

    >>> Segment("left", "transit", 0.0, 2.0, 0, "above-pick").kind
    'transit'
    """

    arm: str
    kind: SegmentKind
    begin_s: float
    end_s: float
    task: int  # of the tasks of the plan with arms; −1: of none
    to: str = ""  # the waypoint that it leads to
    guard: Guard | None = None

    def __post_init__(self) -> None:
        if self.kind not in SEGMENT_KINDS:
            raise BadInput(f"segment: kind {shown(self.kind)}: {did_you_mean(self.kind, SEGMENT_KINDS)}")


@dataclass(frozen=True, slots=True, eq=False)
class Grip(MadeAnew):
    """A hand is closed on a part. `parts` are those that move with it, the gripped one first.

    >>> import numpy as np
    >>> grasp = Grasp("a", "pinch", np.eye(4), 0.04, 0.06, 30.0, 2.5)
    >>> Grip("left", ("a",), 1.0, 5.0, grasp).parts
    ('a',)
    """

    arm: str
    parts: tuple[str, ...]
    begin_s: float
    end_s: float  # infinite: until the end
    grasp: Grasp

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        if not self.parts or self.parts[0] != self.grasp.part:
            raise BadInput(f"grip: its grasp is of {shown(self.grasp.part)}, expected the first of its parts")


@dataclass(frozen=True, slots=True, eq=False)
class Stay(MadeAnew):
    """Where a part is for some time: at rest, or in a hand, or on the turntable, and moving with it.

    >>> import numpy as np
    >>> Stay("a", 0.0, 2.0, np.eye(4)).arm is None
    True
    """

    part: str
    begin_s: float
    end_s: float  # infinite: until the end
    T: Array  # (4, 4) in the world; in a hand, or on the turntable: in the frame of the tool point
    arm: str | None = None  # `rotary`: the turntable

    def __post_init__(self) -> None:
        freeze(self, T=(4, 4))
        if not np.isfinite(self.T).all() or not 0 <= self.begin_s <= self.end_s:
            what = f"stay of {shown(self.part)} from {self.begin_s} to {self.end_s} s"
            raise BadInput(f"{what}: expected a finite pose, and an end that is not before the beginning")


@dataclass(frozen=True, slots=True, eq=False)
class Motion(MadeAnew):
    """A plan as the arms of a cell carry it out, in time.

    >>> from falsework import new_cell, Plan, Rules
    >>> cell = new_cell("panda")
    >>> still = np.zeros((1, 7))
    >>> track = Track(cell.arms[0].name, [0.0], cell.arms[0].home[None], still, still)
    >>> Motion(Plan(Rules(), "complete", ()), cell, np.eye(4), (track,)).makespan_s
    0.0
    """

    plan: Plan
    cell: Cell
    T_world_assembly: Array  # (4, 4)
    tracks: tuple[Track, ...]  # one for each arm of the cell, in its order, then one of its turntable
    commands: tuple[GripCommand, ...] = ()
    segments: tuple[Segment, ...] = ()
    grips: tuple[Grip, ...] = ()
    stays: tuple[Stay, ...] = ()
    steps_s: tuple[float, ...] = ()  # when each step of the plan is done
    one_by_one_s: float | None = None  # what the same motions take if one arm moves at a time
    bound_s: float | None = None  # which no schedule of these motions goes below
    provenance: Provenance = field(default_factory=Provenance)

    def __post_init__(self) -> None:
        for many in ("tracks", "commands", "segments", "grips", "stays", "steps_s"):
            object.__setattr__(self, many, tuple(getattr(self, many)))
        freeze(self, T_world_assembly=(4, 4))
        names = [one.name for one in self.cell.movers]
        if [track.arm for track in self.tracks] != names:
            raise BadInput(f"motion: found tracks of {[t.arm for t in self.tracks]}, expected one of each arm: {names}")
        for track, one in zip(self.tracks, self.cell.movers, strict=True):
            if track.q.shape[1] != len(one.arm.joints):
                raise BadInput(
                    f"motion: arm {shown(one.name)}: found {track.q.shape[1]} joints, expected {len(one.arm.joints)}"
                )
        things: list[GripCommand | Segment | Grip] = [*self.commands, *self.segments, *self.grips]
        for thing in things:
            self.cell.mover_named(thing.arm)
            if not 0 <= thing.begin_s <= thing.end_s:
                raise BadInput(f"motion: something begins at {thing.begin_s} s and ends at {thing.end_s} s")
        if not np.isfinite(self.steps_s).all():
            raise BadInput(f"motion: steps_s: found {list(self.steps_s)}, expected finite times")

    @property
    def makespan_s(self) -> float:
        """When the last arm has come to rest and the last hand has closed."""
        return max(*(float(track.times_s[-1]) for track in self.tracks), *(one.end_s for one in self.commands), 0.0)

    def track_of(self, arm: str) -> Track:
        """The track of the arm of that name, or of the turntable."""
        self.cell.mover_named(arm)
        return next(track for track in self.tracks if track.arm == arm)

    def opening_at(self, arm: str, time_s: float) -> float:
        """How far the fingers of an arm are open; as wide as they go before the first command."""
        opening = self.cell.mover_named(arm).tool.opening_m[1]
        for one in self.commands:
            if one.arm == arm and time_s > one.begin_s:
                share = 1.0 if time_s >= one.end_s else (time_s - one.begin_s) / (one.end_s - one.begin_s)
                opening += share * (one.opening_m - opening)
        return opening
