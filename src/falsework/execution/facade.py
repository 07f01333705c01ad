"""All that a controller sees of a cell and can do to it: cameras, joints, grippers, forces, a clock.

The same protocol stands before a simulated cell and before a real one. What is true and not seen goes to the referee
alone; import contracts keep it out of `execution.control`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from falsework.model.arrays import Array
from falsework.model.perception.frames import Frame
from falsework.model.robots.cell import Cell


class Sensed(Protocol):
    """What an arm says of itself."""

    @property
    def time_s(self) -> float: ...
    @property
    def q(self) -> Array:
        """(n,) rad."""
        ...

    @property
    def opening_m(self) -> float: ...
    @property
    def T_world_tool(self) -> Array:
        """(4, 4)."""
        ...

    @property
    def wrench(self) -> Array:
        """(6,) N and N·m that act on the tool from outside, at its point, in world axes."""
        ...

    @property
    def grip_n(self) -> float:
        """What the fingers press on what is between them."""
        ...


class Pressing(Protocol):
    """How a press ended."""

    @property
    def reached(self) -> bool:
        """Whether the force that was asked for was felt."""
        ...

    @property
    def most_n(self) -> float: ...
    @property
    def travel_m(self) -> float: ...


class Facade(Protocol):
    """A cell, from outside. Every call returns when what it asks for is done, or cannot be.

    `Stopped` is raised by all of them once somebody has pressed the emergency stop, or a limit of safety was reached.
    """

    @property
    def cell(self) -> Cell: ...

    @property
    def time_s(self) -> float:
        """The cell's clock."""
        ...

    def look(self, camera: str) -> Frame:
        """One picture, now."""
        ...

    def state(self, arm: str) -> Sensed: ...

    def follow(
        self, arm: str, way: Array, share: float, speed_m_s: float | None = None, stop_n: float = np.inf
    ) -> float:
        """Through joints (k, n), within a share of the arm's limits; the greatest force in N that the tool felt there.

        With `speed_m_s` they are close together, and the tool is no faster than that; without, they are the corners of
        a way whose legs are free, and no other way is. As soon as more than `stop_n` is felt the arm stops where it is.
        """
        ...

    def open(self, arm: str, opening_m: float) -> None: ...

    def close(self, arm: str) -> None:
        """Fingers together, around nothing."""
        ...

    def grip(self, arm: str, width_m: float, force_n: float) -> bool:
        """Close slowly; whether something of that width is held, by the opening and by the force."""
        ...

    def holds(self, arm: str, width_m: float) -> bool: ...

    def hold_with(self, arm: str, force_n: float) -> None:
        """Hold on with another force."""
        ...

    def ease(self, arm: str) -> None:
        """Open a little, slowly: the first of two stages."""
        ...

    def press(self, arm: str, force_n: float, limit_m: float, gently: bool = False) -> Pressing:
        """Along the way the tool points until what is pressed pushes back and no longer gives way.

        A hand of kilograms that touches down is a blow, up to twice as strong as the press; `gently` there is none.
        """
        ...

    def pause(self, seconds: float) -> None:
        """Wait, as when a picture is being looked at."""
        ...

    @property
    def meanwhile(self) -> list[Callable[[], object]]:
        """Called again and again while a command is under way; what they raise ends it."""
        ...

    def stop(self, why: str) -> Stopped:
        """Nothing moves from now on; gives what is to be raised."""
        ...


class Stopped(Exception):
    """The cell was stopped: by hand, or because a limit of safety was reached. Nothing moves any more."""
