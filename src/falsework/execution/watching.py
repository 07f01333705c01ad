"""Somebody who watches a build: films it, shows it live. What is done there changes nothing of what is built.

A watcher is shown more than the controller sees: where arms and bricks really are, as far as anybody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from falsework.execution.control.sight import Eyes, Inspected
from falsework.execution.facade import Sensed
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.perception.findings import Brick, Refused, Sight
from falsework.model.perception.frames import Frame
from falsework.model.robots.cell import Cell
from falsework.model.shapes import BrickShape

FRAME_S = 0.1  # between two instants that are shown


@dataclass(frozen=True, slots=True, eq=False)
class Instant:
    """Arms and bricks at one time; poses are in the order of the product's bodies, and of the plate."""

    time_s: float
    arms: dict[str, Sensed]
    T_world_part: Array  # (n, 4, 4)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Pictures of one moment, and what was made of them."""

    time_s: float
    frames: tuple[Frame, ...]
    found: tuple[Brick, ...] = ()
    refused: tuple[Refused, ...] = ()
    missing: tuple[tuple[str, Brick], ...] = ()  # in a word what is wrong, and the brick that should be there
    T_base_cam: Array | None = None  # (n, 4, 4) by what they see


class Watcher(Protocol):
    """Is told everything in the order in which it happens, on the thread that builds."""

    def begins(self, cell: Cell, product: Assembly, instant: Instant) -> None:
        """Before anything moves; `product` has the bricks whose poses instants tell."""
        ...

    def moved(self, instant: Instant) -> None:
        """About every tenth of a second of the cell's clock."""
        ...

    def looked(self, look: Look) -> None:
        """Whenever something was made of pictures."""
        ...

    def told(self, line: dict[str, Any]) -> None:
        """A line of the log."""
        ...


class WatchedEyes:
    """Eyes whose answers a watcher gets too."""

    def __init__(self, eyes: Eyes, watcher: Watcher, clock: Callable[[], float]) -> None:
        self._eyes, self._watcher, self._clock = eyes, watcher, clock

    def loose(
        self, frames: Sequence[Frame], product: Assembly, T_world_structure: Array, standing: Collection[str]
    ) -> Sight:
        sight = self._eyes.loose(frames, product, T_world_structure, standing)
        self._watcher.looked(
            Look(self._clock(), tuple(frames), sight.found, sight.refused, T_base_cam=sight.T_base_cam)
        )
        return sight

    def structure(
        self, frames: Sequence[Frame], product: Assembly, T_world_structure: Array, expected: Collection[str]
    ) -> dict[str, Inspected]:
        found = self._eyes.structure(frames, product, T_world_structure, expected)
        bricks = {name: _brick(product, T_world_structure, name) for name in sorted(expected)}
        right = tuple(bricks[name] for name in bricks if found[name].state == "in place")
        wrong = tuple(
            (str(found[name].state), bricks[name])
            for name in bricks
            if found[name].state in ("missing", "wrong", "off")
        )  # what others hide is neither
        self._watcher.looked(Look(self._clock(), tuple(frames), right, missing=wrong))
        return found

    def toppled(
        self,
        frames: Sequence[Frame],
        sought: Brick,
        T_world_structure: Array,
        standing: Collection[str],
        loose: Sequence[Brick],
    ) -> Brick | None:
        found = self._eyes.toppled(frames, sought, T_world_structure, standing, loose)
        if found is not None:
            self._watcher.looked(Look(self._clock(), tuple(frames), (found,)))
        return found

    def held(self, frame: Frame, expected: Brick) -> Array | None:
        off = self._eyes.held(frame, expected)
        seen = () if off is None else (replace(expected, T_base_brick=_shifted(expected.T_base_brick, off)),)
        self._watcher.looked(Look(self._clock(), (frame,), seen))
        return off


class Pace:
    """Lets one instant through every `FRAME_S` of the cell's clock."""

    def __init__(self, watcher: Watcher, instant: Callable[[], Instant], clock: Callable[[], float]) -> None:
        self._watcher, self._instant, self._clock = watcher, instant, clock
        self._next_s = clock()

    def __call__(self) -> None:
        now = self._clock()
        if now >= self._next_s - 1e-9:
            self._next_s = now + FRAME_S
            self._watcher.moved(self._instant())


def _shifted(T: Array, by_m: Array) -> Array:
    moved = np.array(T)
    moved[:3, 3] += by_m
    return moved


def _brick(product: Assembly, T_world_structure: Array, name: str) -> Brick:
    part = product.parts[product.index[name]]
    assert isinstance(part.shape, BrickShape), "a build has refused all others"
    return Brick(part.shape.kind, part.color or "white", T_world_structure @ part.T_world_part)
