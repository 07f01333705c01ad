"""What a simulation found: the motion, what broke and joined, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from falsework.brickworld.events import Break, Join
from falsework.brickworld.snapshots import Snapshot
from falsework.brickworld.world import World
from falsework.geometry.shapes.displacement import left_their_place
from falsework.model.answers import NotTrueOrFalse
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.errors import Undecided
from falsework.model.shapes import corners
from falsework.model.trajectory import Trajectory
from falsework.model.travel import STAYS, MadeAnew


@dataclass(frozen=True, slots=True, eq=False)
class Simulation(MadeAnew, NotTrueOrFalse):
    """What happened, when, and what it cost.

    Times in s, poses T_world_part in m. The world itself stays in the process that stepped it; all else travels.

    >>> import falsework
    >>> falsework.simulate("examples/bridge.txt", seconds=0.1).broke
    False
    """

    ASK_INSTEAD = "simulation.broke"

    trajectory: Trajectory
    breaks: tuple[Break, ...]
    joins: tuple[Join, ...]
    components: tuple[tuple[str, ...], ...]  # at the end
    frame_ms: Array  # (frames, 3) physics, mechanics, topology
    seconds: float  # simulated
    assembly: Assembly  # as it stood at the start
    pairs: Ints  # (k, 2) bodies of the connections that there were
    undecided: int = 0  # loads of which it was not proved whether clutches carry them: nothing broke by them
    # As it is at the end, in the process that stepped it; None in other schemes. Take a snapshot of it along.
    world: World | None = field(default=None, metadata=STAYS, repr=False)

    @property
    def frames(self) -> int:
        return len(self.frame_ms)

    @property
    def broke(self) -> bool:
        return bool(self.breaks)

    @property
    def is_of_bricks(self) -> bool:
        """Whether there is anything that could break or join."""
        return any(part.is_brick for part in self.assembly.parts)

    @property
    def fallen(self) -> tuple[str, ...]:
        """Parts that have left their place at the end: all that there is to tell of blocks, which cannot break."""
        return left_their_place(self.assembly, self.trajectory)

    @property
    def drift_m(self) -> float:
        """The farthest that any corner of a connection's brick is from where the other brick had it at the start."""
        moved = np.array(self.assembly.poses)
        moved[: len(self.assembly.parts)] = self.trajectory.T_world_part[-1]
        return float(shifts(self.assembly, self.pairs, moved).max(initial=0.0))

    def as_dict(self) -> dict[str, Any]:
        """As `falsework simulate --json` prints it."""
        total = self.frame_ms.sum(axis=1)
        p50, p99 = (float(q) for q in np.percentile(total, (50, 99)))
        physics, mechanics, topology = (float(mean) for mean in self.frame_ms.mean(axis=0))
        times = {"mean": float(total.mean()), "p50": p50, "p99": p99, "max": float(total.max())}
        return {
            "breaks": [event.as_dict() for event in self.breaks],
            "joins": [event.as_dict() for event in self.joins],
            "undecided": self.undecided,
            "components": [list(names) for names in self.components],
            "fallen": list(self.fallen),
            "frame_ms": {**times, "physics": physics, "mechanics": mechanics, "topology": topology},
            "realtime_factor": self.seconds / (1e-3 * float(total.sum())),
            "frames": self.frames,
        }


class EngineTrouble(Undecided):
    """The engine failed; `so_far` is what was reached and `last_good` the world one frame before."""

    def __init__(self, why: str, so_far: Simulation | None, last_good: Snapshot) -> None:
        super().__init__(why)
        self.so_far, self.last_good = so_far, last_good


def shifts(assembly: Assembly, pairs: Ints, poses: Array) -> Array:
    """(k,) how far any corner of each pair's second brick has moved as the first one sees it, m."""
    found = np.zeros(len(pairs))
    for row, (first, second) in enumerate(pairs.tolist()):
        points = corners(assembly.bodies[second].shape)
        was, now = (np.linalg.inv(each[first]) @ each[second] for each in (assembly.poses, poses))
        moved = points @ (now - was)[:3, :3].T + (now - was)[:3, 3]
        found[row] = np.linalg.norm(moved, axis=1).max()
    return found
