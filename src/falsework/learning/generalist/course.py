"""What the generalist is taught: assemblies of the gallery small enough for the truth, and states drawn from it.

Packings are also taken out of their box and put on a table, or hung on one of their pieces: there they need hands.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from falsework.gallery.registry import make
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.learning.generalist.course_costs import worth_of
from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Assembly, Ground
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.planning.plans.truth import LOST, truth_of

ROBOTS = (2, 3)  # hands; the first for every assembly, the others for those that two hands cannot build
MOST_STATES = 40_000  # of an assembly: larger tables cost more than they teach
MOST_MOVABLE = 17
_log = logging.getLogger(__name__)

_KINDS: tuple[tuple[str, tuple[dict[str, float], ...]], ...] = (
    ("harmonic-tower", ({"bricks": 5}, {"bricks": 9})),
    ("leaning-tower", ({"bricks": 7},)),
    ("diamond-tower", ({"widest": 3},)),
    ("running-bond-wall", ({"columns": 3, "courses": 3},)),
    ("semicircular-arch", ({"stones": 5}, {"stones": 7}, {"stones": 9}, {"stones": 11}, {"stones": 15})),
    ("pointed-arch", ({"stones": 5}, {"stones": 7}, {"stones": 9})),
    ("flat-arch", ({"stones": 5}, {"stones": 7}, {"stones": 11})),
    ("barrel-vault", ({"stones": 5, "rows": 2}, {"stones": 3, "rows": 3}, {"stones": 3, "rows": 4})),
    ("dome", ({"rings": 2, "segments": 5}, {"rings": 2, "segments": 6}, {"rings": 3, "segments": 5})),
    ("dome", ({"rings": 2, "segments": 7}, {"rings": 1, "segments": 8})),
    ("hexagonal-shell", ({"rings": 1}, {"rings": 1, "angle": 25.0}, {"rings": 1, "angle": 50.0})),
    ("h-shape", ({},)),
    ("a-shape", ({}, {"angle": 2.0})),
    ("bird-house", ({},)),
    ("mortise-frame", ({"bays": 2}, {"bays": 3})),
)
_BOXES = ((3, 3, 4), (4, 3, 3), (5, 2, 4), (3, 3, 5), (4, 3, 4))
_TRAYS = ((6, 8), (8, 6))


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """States of one assembly, with which actions are right and what is still to be paid."""

    name: str
    assembly: Assembly
    joints: Interfaces
    rows: Bools  # (3, n, bodies) installed, held, to stay
    allowed: Bools  # (n, 2 · parts) actions, hold and remove of each part
    right: Bools  # (n, 2 · parts) those that lead to a solvable state
    cheapest: Bools  # (n, 2 · parts) of these, those with the fewest holds to go
    worth: Array  # (n,) 1: nothing more to hold, towards −1: much; −1: lost


def assemblies(seeds: int) -> Iterator[tuple[str, Assembly]]:
    """By name, `seeds` packings of every size."""
    for kind, several in _KINDS:
        for parameters in several:
            yield f"{kind} {parameters}", make(kind, 0, **parameters)
    for columns, rows in _TRAYS:
        for seed in range(max(1, seeds // 4)):
            yield f"tray {columns} {rows} {seed}", make("tetromino-packing", 100 + seed, columns=columns, rows=rows)
    for columns, depth, rows in _BOXES:
        for seed in range(seeds):
            boxed = make("polycube-packing", 100 + seed, columns=columns, depth=depth, rows=rows)
            pieces = boxed.parts[1:]
            name = f"{columns} {depth} {rows} {seed}"
            yield f"heap {name}", grounded(Assembly(pieces), Ground("table"))
            yield f"hung {name}", Assembly(pieces, fixed=frozenset([pieces[seed % len(pieces)].name]))


def lessons(seeds: int, states: int, rng: np.random.Generator) -> Iterator[Lesson]:
    """Of every assembly that stands and can be built, up to so many states in which a choice matters."""
    for name, assembly in assemblies(seeds):
        movable = len(assembly.parts) - sum(part.name in assembly.fixed for part in assembly.parts)
        if movable > MOST_MOVABLE:
            continue
        joints = interfaces(assembly)
        for robots in ROBOTS:
            try:
                lesson = _lesson(f"{name}, {robots} hands", assembly, joints, robots, states, rng)
            except BadInput as why:
                _log.info("%s: %s", name, why)
                break
            if lesson is not None:
                yield lesson
                break


def _lesson(
    name: str, assembly: Assembly, joints: Interfaces, robots: int, states: int, rng: np.random.Generator
) -> Lesson | None:
    truth = truth_of(assembly, robots=robots, joints=joints, most=MOST_STATES)
    if len(truth) == 0 or not truth.solvable[truth.row(truth.whole)]:
        return None
    matters = np.flatnonzero(truth.matters())
    lost = np.flatnonzero(~truth.solvable)
    chosen = np.sort(rng.permutation(matters)[:states])
    beside = np.sort(rng.permutation(lost)[: len(chosen) // 4])  # so that it knows a lost state by its worth
    rows = np.concatenate([chosen, beside])
    if not len(chosen):
        return None
    verdicts, regret = truth.verdicts(rows), truth.regret(rows)
    bodies, parts = len(assembly.bodies), truth.parts
    flat = np.zeros((3, len(rows), 2 * len(assembly.parts)), bool)
    for column, part in enumerate(parts):
        told = (verdicts[:, column] >= 0, verdicts[:, column] == 1, regret[:, column] == 0)
        for layer, values in enumerate(told):
            flat[layer, :, 2 * part : 2 * part + 2] = values
    masks = np.stack([truth.installed[rows], truth.held[rows], np.full(len(rows), assembly.fixed_mask(), np.uint64)])
    seen = (masks[:, :, None] >> np.arange(bodies, dtype=np.uint64)) & np.uint64(1) != 0
    to_go = truth.holds_to_go[rows]
    worth = np.where(to_go == LOST, -1.0, worth_of(to_go))
    return Lesson(name, assembly, joints, seen, flat[0], flat[1], flat[2], worth)
