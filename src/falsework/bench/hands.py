"""`falsework bench hands`: which parts to hold, on pairs of partial assemblies and poses (seed 001, Table II).

Partial assemblies are what is left of the planning set after parts were taken off from outside; poses are the five
likeliest in which they rest on a table by themselves (seed 001, III-D). `ours` is the search with proof, `reference`
trying all sets of parts, smallest first, on the same oracle; trying stops at MOST_CHECKS and counts as a timeout, as
the paper's did after an hour. The notes tell how often the greedy rule is right: *TP* it finds hands where there are
some, *TN* it gives up where none suffice, *FN* it gives up though some would do. The truth is the proved one, so
accuracy counts the pairs on which trying timed out too.

The last row is Algorithm 2 as published, with a simulation in place of equilibrium, on the first pairs: it also
differs where parts slide that equilibrium lets stand.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np

from falsework.bench.rows import Row
from falsework.engine.simulated_check import SimulatedCheck
from falsework.gallery.planning_set import planning_set
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.errors import Undecided
from falsework.model.state import State
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.holds.fewest_hands import Holding, fewest_held, helped
from falsework.verdicts.holds.greedy_hold import GreedyHolding, Rule, greedy_held

PAIRS = 1000
HANDS = (2, 3, 4)
MOST_CHECKS = 2000
POSES = 5
SIMULATED_PAIRS, SIMULATED_HANDS = 60, 3
OUTER = 3  # a part is taken off among so many outermost ones
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What each way found for one pair and one number of hands, and how long it took, s."""

    exact: Holding
    exact_s: float
    greedy: dict[Rule, tuple[GreedyHolding, float]]
    tried_s: float | None  # None: too many sets to try


def run() -> Iterator[Row]:
    compared: dict[int, list[Comparison]] = {most: [] for most in HANDS}
    parts: list[int] = []
    simulated: list[tuple[int | None, float]] = []
    for oracle, state in pairs(np.random.default_rng(0), PAIRS):
        parts.append(len(oracle.assembly.parts))
        oracle.assess(state)  # compiles
        tried = _tried_s(oracle, state, max(HANDS))
        for most in HANDS:
            compared[most].append(_compared(oracle, state, most, tried[most]))
        if len(simulated) < SIMULATED_PAIRS:
            simulated.append(_timed(partial(_simulated, oracle, state)))
    for most in HANDS:
        for rule in ("first", "heaviest"):
            yield _row(most, rule, compared[most], float(np.mean(parts)))
    yield _simulated_row(simulated, compared[SIMULATED_HANDS])


def pairs(rng: np.random.Generator, count: int) -> Iterator[tuple[Equilibrium, State]]:
    """Partial assemblies resting on a table, each with its oracle."""
    specimens = planning_set()
    made = 0
    while made < count:
        whole = specimens[int(rng.integers(len(specimens)))].make()
        rest = _partial(whole, rng)
        poses = resting_poses(rest)[:POSES]
        if len(poses):
            turned = _turned(rest, poses[int(rng.integers(len(poses)))])
            table = grounded(turned, Ground("table"))
            made += 1
            yield Equilibrium(table, interfaces(table), compiled=True), State.complete(table)


def _partial(assembly: Assembly, rng: np.random.Generator) -> Assembly:
    """Between three parts and all of them, nothing fixed; parts go from outside in."""
    left = list(assembly.parts)
    keep = int(rng.integers(3, len(left) + 1))
    while len(left) > keep:
        centres = np.array([part.com_world_m for part in left])
        distances = np.linalg.norm(centres - (centres.min(axis=0) + centres.max(axis=0)) / 2, axis=1)
        left.pop(int(np.argsort(-distances, kind="stable")[rng.integers(min(OUTER, len(left)))]))
    return assembly.changed(parts=tuple(left), fixed=frozenset(), ground=Ground(), ground_part=None)


def resting_poses(assembly: Assembly) -> list[Array]:
    """(4, 4) turns of the whole thing in which it rests on a face of its hull, likeliest first (Goldberg et al.)."""
    import trimesh

    points = np.concatenate(
        [
            surface(part.shape).vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
            for part in assembly.parts
        ]
    )
    hull = trimesh.convex.convex_hull(points)
    masses = assembly.masses_kg[: len(assembly.parts)]
    centre = masses @ assembly.coms_m[: len(masses)] / masses.sum()
    poses, _ = trimesh.poses.compute_stable_poses(hull, center_mass=centre, sigma=0.0, n_samples=1, threshold=1e-3)
    return list(poses)


def _turned(assembly: Assembly, turn: Array) -> Assembly:
    parts = tuple(replace(part, T_world_part=turn @ part.T_world_part) for part in assembly.parts)
    return assembly.changed(parts=parts, hinges=(), loads=())


def _compared(oracle: Equilibrium, state: State, most: int, tried_s: float | None) -> Comparison:
    exact, exact_s = _timed(partial(fewest_held, oracle, state, most))
    rules: tuple[Rule, ...] = ("first", "heaviest")
    greedy = {rule: _timed(partial(greedy_held, oracle, state, most, rule)) for rule in rules}
    return Comparison(exact, exact_s, greedy, tried_s)


def _tried_s(oracle: Equilibrium, state: State, most: int) -> dict[int, float | None]:
    """How long it takes to try all sets of up to so many parts, until one helps; None beyond MOST_CHECKS."""
    parts = [1 << number for number in range(len(oracle.assembly.parts))]
    spent: dict[int, float | None] = dict.fromkeys(range(most + 1))
    start, checks = time.perf_counter(), 0
    for size in range(most + 1):
        for chosen in itertools.combinations(parts, size):
            checks += 1
            if checks > MOST_CHECKS:
                return spent
            if oracle.assess(helped(state, sum(chosen))).stands:
                return {**spent, **dict.fromkeys(range(size, most + 1), time.perf_counter() - start)}
        spent[size] = time.perf_counter() - start
    return spent


def _row(most: int, rule: Rule, compared: list[Comparison], parts: float) -> Row:
    finished = [one for one in compared if one.tried_s is not None]
    exact = 1e3 * float(np.mean([one.exact_s for one in finished]))
    tried = 1e3 * float(np.mean([one.tried_s for one in finished]))
    greedy = 1e3 * float(np.mean([one.greedy[rule][1] for one in finished]))
    found = [one.greedy[rule][0].held for one in compared]
    spare = [held.bit_count() - (one.exact.count or 0) for held, one in zip(found, compared, strict=True) if held]
    notes = {
        **_right(found, compared),
        "timeout": 1 - len(finished) / len(compared),
        "greedy_ms": greedy,
        "greedy_speed_up": tried / greedy,
        "spare_hands": float(np.mean(spare)) if spare else 0.0,
        "unproved": sum(not one.exact.exact for one in compared),
        "pairs": len(compared),
        "parts": parts,
    }
    return Row(f"{most} held, greedy {rule}", exact, tried, "all sets of parts", notes)


def _right(found: Sequence[int | None], compared: Sequence[Comparison]) -> dict[str, float]:
    """How often a rule that found these sets is right."""
    helps = np.array([one.exact.held is not None for one in compared])
    says = np.array([held is not None for held in found])
    return {
        "TP": float((says & helps).mean()),
        "TN": float((~says & ~helps).mean()),
        "FN": float((~says & helps).mean()),
        "FP": float((says & ~helps).mean()),
        "accuracy": float((says == helps).mean()),
    }


def _simulated(oracle: Equilibrium, state: State) -> int | None:
    """What Algorithm 2 holds; None too where the engine gave up."""
    try:
        return SimulatedCheck(oracle.assembly, oracle.joints).held(state, SIMULATED_HANDS)
    except Undecided:
        return None


def _simulated_row(simulated: list[tuple[int | None, float]], compared: list[Comparison]) -> Row:
    same = compared[: len(simulated)]
    ours = 1e3 * float(np.mean([one.exact_s for one in same]))
    theirs = 1e3 * float(np.mean([spent for _, spent in simulated]))
    notes = {**_right([held for held, _ in simulated], same), "pairs": len(same)}
    return Row(f"{SIMULATED_HANDS} held, simulated", ours, theirs, "Algorithm 2 on MuJoCo", notes)


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    start = time.perf_counter()
    found = work()
    return found, time.perf_counter() - start
