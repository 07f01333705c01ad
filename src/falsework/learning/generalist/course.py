"""What the generalist is taught: states in which a choice matters, with what is right in them.

Of small assemblies they are drawn from the exact table, of larger ones from a beam that builds, with labels by search.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from falsework.geometry.contacts.interfaces import interfaces
from falsework.learning.generalist.course_costs import worth_of
from falsework.learning.generalist.taught import assemblies
from falsework.learning.problems.beams import start_states
from falsework.learning.problems.problem import Problem, Situation
from falsework.learning.problems.solvability import Solvability
from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Assembly
from falsework.model.bits import flags_of
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.planning.plans.truth import LOST, truth_of

ROBOTS = (2, 3)  # hands; the first for every assembly, the others for those that two hands cannot build
MOST_STATES = 40_000  # of an assembly: larger tables cost more than they teach
MOST_MOVABLE = 17
MOST_SEARCHED = 100  # states of an assembly that search labels
MOST_LOOKED = 3  # states that are looked at for each of these
SEARCHED_WIDTH = 32  # of the beam that they come from
_log = logging.getLogger(__name__)


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
    worth: Array  # (n,) 1: nothing more to hold, towards −1: much; −1: lost; NaN: not known


def lessons(seeds: int, states: int, rng: np.random.Generator) -> Iterator[Lesson]:
    """Of every assembly that stands and can be built, up to so many states in which a choice matters."""
    for name, assembly in assemblies(seeds):
        joints = interfaces(assembly)
        for robots in ROBOTS:
            lesson = _lesson(f"{name}, {robots} hands", assembly, joints, robots, states, rng)
            if lesson is not None:
                yield lesson
                break


def _lesson(
    name: str, assembly: Assembly, joints: Interfaces, robots: int, states: int, rng: np.random.Generator
) -> Lesson | None:
    """From the table where there is one, else by search; None where nothing is to be learned."""
    problem = Problem.of(assembly, robots, joints=joints)
    if not problem.stand([problem.complete()])[0]:
        return None
    if len(assembly.parts) - len(assembly.fixed) <= MOST_MOVABLE:
        try:
            return _exact(name, assembly, joints, robots, states, rng)
        except BadInput as why:
            _log.info("%s: %s", name, why)
    return _searched(name, problem, min(states, MOST_SEARCHED), rng) if robots == ROBOTS[0] else None


def _searched(name: str, problem: Problem, states: int, rng: np.random.Generator) -> Lesson | None:
    """States of a beam that builds; actions of which search knows nothing are not counted among the allowed."""
    known = Solvability(problem)
    beam = start_states(problem, widths=(SEARCHED_WIDTH, 0)).train
    chosen, told = list[Situation](), list[tuple[int, int]]()
    for number in rng.permutation(len(beam))[: MOST_LOOKED * states]:
        if problem.finished(here := beam[number]):
            continue
        right, unknown = known.actions(here)
        allowed = problem.allowed(here) & ~unknown
        if right and allowed & ~right:
            chosen.append(here)
            told.append((allowed, right))
            if len(chosen) == states:
                break
    if not chosen:
        return None
    allowed_rows, right_rows = (flags_of([one[n] for one in told], 2 * problem.parts) for n in (0, 1))
    rows, worth = problem.rows(chosen), np.full(len(chosen), np.nan)
    return Lesson(name, problem.assembly, problem.joints, rows, allowed_rows, right_rows, right_rows, worth)


def _exact(
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
