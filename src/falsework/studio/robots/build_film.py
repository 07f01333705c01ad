"""Watches a build and keeps what a page and a film of it show: arms, bricks, forces, and what the cameras saw.

Pictures are drawn as they come, at half their size: what is kept of a look is a few kilobytes.
"""

from __future__ import annotations

import importlib.util
import io
from typing import Any

import numpy as np

from falsework.execution.watching import Instant, Look
from falsework.model.arrays import Array, Bits
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.extras import library
from falsework.model.robots.cell import Cell
from falsework.studio.perception.overlays import overlay
from falsework.studio.scene import Snapshot

WIDTH, QUALITY = 400, 72  # of a kept picture: pixels, and JPEG's
MOST_PICTURES = 600  # of all cameras: more than that are thinned as they come


class BuildFilm:
    """A `Watcher`. What it has gathered is read once the build is over, or while it goes on.

    >>> BuildFilm().snapshots
    []
    """

    def __init__(self, cameras: bool = True) -> None:
        """Without `cameras` no pictures are kept; nor are they where Pillow is missing."""
        self.cell: Cell | None = None
        self.product: Assembly | None = None
        self.instants: list[Instant] = []
        self.snapshots: list[Snapshot] = []
        self.lines: list[dict[str, Any]] = []
        self.draws = cameras and importlib.util.find_spec("PIL") is not None

    def begins(self, cell: Cell, product: Assembly, instant: Instant) -> None:
        self.cell, self.product = cell, product
        self.instants = [instant]

    def moved(self, instant: Instant) -> None:
        if instant.time_s > self.instants[-1].time_s:
            self.instants.append(instant)

    def looked(self, look: Look) -> None:
        if not self.draws or len(self.snapshots) >= MOST_PICTURES:
            return
        for number, frame in enumerate(look.frames):
            where = None if look.T_base_cam is None else look.T_base_cam[number]
            drawn = overlay(frame, look.found, look.refused, look.missing, where)
            self.snapshots.append(Snapshot(look.time_s, frame.camera, _jpeg(drawn), _caption(look)))

    def told(self, line: dict[str, Any]) -> None:
        self.lines.append(line)

    # What was gathered, by column

    @property
    def begun(self) -> tuple[Cell, Assembly]:
        """Where, and of which bricks."""
        if self.cell is None or self.product is None:
            raise BadInput("there is nothing to show: the build has not begun")
        return self.cell, self.product

    def thinned(self, most: int) -> list[Instant]:
        """So many instants at most, the first and the last among them."""
        count = len(self.instants)
        kept = range(count) if count <= most else np.unique(np.rint(np.linspace(0, count - 1, most)).astype(int))
        return [self.instants[k] for k in kept]


def joints_of(instants: list[Instant], arm: str) -> tuple[Array, Array]:
    """(t, n) joints and (t,) openings of an arm."""
    states = [one.arms[arm] for one in instants]
    return np.array([one.q for one in states]), np.array([one.opening_m for one in states])


def forces_of(instants: list[Instant], arm: str) -> tuple[Array, Array]:
    """(t,) N with which the tool of an arm is pushed, and with which its fingers press."""
    states = [one.arms[arm] for one in instants]
    pushed = [float(np.linalg.norm(one.wrench[:3])) for one in states]
    return np.array(pushed), np.array([one.grip_n for one in states])


def _jpeg(picture: Bits) -> bytes:
    image = library("PIL.Image").fromarray(picture)
    if image.width > WIDTH:
        image = image.resize((WIDTH, round(image.height * WIDTH / image.width)))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=QUALITY)
    return buffer.getvalue()


def _caption(look: Look) -> str:
    told = [f"{len(look.found)} found"]
    told += [f"{len(look.refused)} refused"] if look.refused else []
    told += [f"{len(look.missing)} not as they should be"] if look.missing else []
    return ", ".join(told)
